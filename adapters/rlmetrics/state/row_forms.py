"""How rows come to a suite: padded, packed or nested."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from torch import Tensor

from .packed import unpack

if TYPE_CHECKING:
    from .function import MetricFacts
    from .fusion import Fusion
    from .input_checks import Vocabulary

__all__ = ["MARKS", "are_plain", "axes_of", "rows_of", "unpacked_rows"]

MARKS = ("cu_seqlens", "position_ids")
"""What tells packed responses apart."""


def are_plain(tensors: Mapping[str, Tensor]) -> bool:
    """Return whether tensors of tokens are rows already, as far as can be told."""
    return not any(name in MARKS or getattr(x, "is_nested", False) for name, x in tensors.items())


def unpacked_rows(title: str, fusion: Fusion, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return inputs with packed or nested tokens as padded rows.

    Raises:
        ValueError: A metric also looks at padding, which packed rows do not have.
    """
    if are_plain(tensors):
        return dict(tensors)
    for block in fusion.blocks:
        if block.over_padding and tensors.keys() >= {*block.inputs}:
            msg = f"{title}: {block.over_padding} looks at padding too, which packed rows have not; give padded rows"
            raise ValueError(msg)
    return unpack_inputs(fusion.inputs, tensors)


def rows_of(metric: MetricFacts, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the inputs of one metric with packed or nested tokens as padded rows.

    Raises:
        ValueError: The metric also looks at padding, which packed rows do not have.
    """
    if are_plain(tensors):
        return dict(tensors)
    if metric.over_padding:
        msg = f"{metric.id} looks at padding too, which packed rows have not; give padded rows"
        raise ValueError(msg)
    return unpack_inputs({name: (axes, dtype) for name, axes, dtype in metric.inputs}, tensors)


def unpack_inputs(vocabulary: Vocabulary, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return inputs with those of tokens unpacked, the others as they are."""
    packed = {name for name in tensors if name in MARKS or "T" in axes_of(vocabulary, name)}
    rows = unpack(**{name: x for name, x in tensors.items() if name in packed})
    return {**{name: x for name, x in tensors.items() if name not in packed}, **rows}


def axes_of(vocabulary: Vocabulary, name: str) -> Collection[str]:
    """Return the axes of an input without their numbers."""
    return [axis.rstrip("0123456789") for axis in vocabulary[name][0]] if name in vocabulary else ()
