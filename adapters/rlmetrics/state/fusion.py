"""What a suite is made of: several metrics as one pair of functions over one packed state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from torch import Tensor

from .input_checks import Vocabulary
from .packing import Packing

if TYPE_CHECKING:
    from .function import Number

__all__ = ["Atom", "Block", "Fusion"]

Atom = Literal["token", "sequence", "group", "batch"]


@dataclass(frozen=True)
class Block:
    """Metrics that need the same inputs: an update that gives all of them is one of these metrics.

    Attributes:
        inputs: The inputs.
        atom: What none of the metrics lets be cut.
        over_padding: A metric that looks at padding too, empty if none does; packed rows have none.
    """

    inputs: tuple[str, ...]
    atom: Atom
    over_padding: str = ""


@dataclass(frozen=True, eq=False, kw_only=True)
class Fusion:
    """Several metrics as one pair of functions.

    Attributes:
        metrics: The names of the results.
        inputs: For each input its axes and its kind of dtype, in the order of the metrics.
        blocks: For each set of inputs that metrics need together, those inputs; what belongs to no complete set is of
            no use in an update.
        parameters: The keyword arguments with their defaults; None where there is none.
        packing: The state.
        update: Takes what lays the values of slots out, all inputs, None for those that are missing, and the
            parameters; returns the packed float64 state of this one batch.
        results: Takes the numbers of a state and the parameters named in ``results_parameters``; returns the results.
        results_parameters: The parameters that results depend on.
        histograms: For each result that is a distribution its slot, and the slot that counts the updates that gave its
            inputs.
    """

    metrics: tuple[str, ...]
    inputs: Vocabulary
    blocks: tuple[Block, ...]
    parameters: Mapping[str, Number | None]
    packing: Packing
    update: Callable[..., Tensor]
    results: Callable[..., dict[str, float]]
    results_parameters: tuple[str, ...] = ()
    histograms: Mapping[str, tuple[str, str | None]] = field(default_factory=dict)

    @property
    def optional(self) -> tuple[str, ...]:
        """The inputs that an update may lack: all of them, as long as one metric has what it needs."""
        return tuple(self.inputs)

    @cached_property
    def sequence_blocks(self) -> tuple[tuple[str, ...], ...]:
        """The sets of inputs, one of tokens first, of which some metric must have whole responses."""
        blocks = []
        for block in self.blocks:
            of_tokens = [name for name in block.inputs if "T" in "".join(self.inputs[name][0])]
            if of_tokens and (block.atom != "token" or len(of_tokens) < len(block.inputs)):
                blocks.append((*of_tokens, *(name for name in block.inputs if name not in of_tokens)))
        return tuple(blocks)

    @property
    def groups(self) -> bool:
        """Whether there are metrics of groups, whose responses must come together."""
        return "group_ids" in self.inputs and any(block.atom == "group" for block in self.blocks)
