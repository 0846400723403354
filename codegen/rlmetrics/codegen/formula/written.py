"""Hand-written metrics among formulas: the mean over updates of what a function returns for each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .compile import Compiled
from .declared import DeclaredInput
from .nodes import Arena
from .slot_plan import Empty

__all__ = ["written"]


def written(key: str, inputs: Mapping[str, DeclaredInput], parameters: Iterable[str], empty: Empty) -> Compiled:
    """Return a hand-written metric as what can be fused with formulas; it has no source of its own.

    Args:
        key: What fused code finds the function by, as ``written[key]``, which takes inputs, then parameters.
        inputs: Its inputs.
        parameters: The names of its parameters.
        empty: The value over no update.
    """
    arena = Arena()
    names = tuple(parameters)
    tensors = [arena.node("input", extent=one.domain, dtype=one.dtype, value=name) for name, one in inputs.items()]
    numbers = [arena.node("parameter", extent="const", dtype="float", value=name) for name in names]
    value = arena.node("written", [*tensors, *numbers], extent="scalar", dtype="float", value=key)
    held = arena.node("held", [value, *tensors], extent="scalar", dtype="bool")
    name = key.rpartition("/")[2].replace("@", "_")
    arena.names |= {value: name, held: f"{name}_batch"}
    return Compiled(
        inputs=tuple(inputs),
        parameters=names,
        atom="batch",
        kind="scalar",
        slots=(),
        update_source=(),
        finalize_source=(),
        result="",
        empty_test=None,
        omit=empty == "omit",
        root=arena.node("mean", [value], extent="reduced", dtype="float", over=held),
        arena=arena,
        empty=empty,
        declared=inputs,
    )
