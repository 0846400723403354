"""What the runs of trainers that log through transformers' Trainer share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from .fixtures import Event
from .harness import Data, Leaf, Parts, Reason
from .quantities import Source

SETTINGS = {
    "learning_rate": "A setting that is read from the scheduler; there is nothing to compute.",
    "grad_norm": "The norm of the gradient, which is not among the captured tensors.",
}
SPEEDS = {
    f"{mode}_{what}_per_second": "The number is rounded to three digits, and the wall time that it is over to four."
    for mode in ("train", "eval")
    for what in ("samples", "steps")
}
LOOP = "A variable of the loop over the keys: values of the last key, which stands in this table itself."
CLOCK = "The time at which training started."


@dataclass
class Window:
    """What a trainer gathered in one mode since its last log."""

    generations: list[Leaf] = field(default_factory=list)
    micro: list[Leaf] = field(default_factory=list)

    def step(self) -> Data:
        """Return the micro-batches of the one optimiser step that the window holds."""
        return Parts("window", [Parts("mini_batch", [Parts("micro_batch", self.micro)])])

    def batches(self) -> Data:
        """Return the micro-batches of an evaluation, which has no optimiser steps."""
        return Parts("window", [Parts("micro_batch", self.micro)])

    def generated(self) -> Data:
        """Return the generation batches, each of which adds one value to the window."""
        return Parts("window", self.generations)


def mode_of(event: Event) -> str:
    """Return whether a log belongs to an evaluation or to training."""
    return "eval" if any("|eval_" in path for path in event.numbers) else "train"


LISTED = re.compile(r"^extra\|(train|eval)\|(.+)\|(\d+)$")
"""An entry of the lists that the trainer averages when it logs: mode, key, position in the window."""

LOGGED = re.compile(r"^locals\|(?:logs|metrics)\|(.+)$")


def aside(source: Source, event: Event, path: str, keys: Sequence[str], number: str) -> Reason | None:
    """Return the reason of a number of a log that no function computes, if it is one."""
    if path == "locals|start_time":
        return Reason("start_time", number, CLOCK)
    if re.match(r"^locals\|(val|valid)\|\d+$", path):
        return Reason(path.split("|")[1], number, LOOP)
    match = LOGGED.match(path)
    if event.name != "log" or match is None or match[1] in keys:
        return None
    key = match[1]
    return Reason(key, number, SETTINGS.get(key) or SPEEDS.get(key) or source.measured(key))
