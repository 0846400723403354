"""What rows tell beside their values: where they stand, which kind they are of, and what is missing in one."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from rlmetrics.logs.reading import STEP_NAMES

from .trends import median

__all__ = ["Axis", "Kinds"]

_ALIKE = 0.6
"""Which share of the keys of a kind a row has if it is of that kind."""
_MOST_KINDS = 6
_SURE = 8
"""Rows of a kind before a missing key means something."""


class Axis:
    """Steps as they are logged, and as they go on: a run that is resumed repeats some.

    Attributes:
        at: The place of the row on an axis that never falls.
        resumed: Where the run went back: the last step before, and the first of the pass that followed.
        falls: How many rows stand before an earlier one.
        gap: The steps between two rows that are far more apart than usual; None otherwise.
    """

    def __init__(self) -> None:
        self.at = 0.0
        self.first: float | None = None
        self.last: float | None = None
        self.falls = 0
        self.resumed: list[tuple[float, float]] = []
        self.gap: tuple[float, float] | None = None
        self._offset = 0.0
        self._passes: deque[tuple[float, float]] = deque(maxlen=64)
        self._highest = 0.0
        self._fell_to: float | None = None
        self._between: deque[float] = deque(maxlen=32)
        self._least = math.inf

    def lies_back(self, step: float) -> bool:
        """Tell whether a row of a step would stand before an earlier one."""
        return self.first is not None and step + self._offset < self.at

    def step_at(self, place: float) -> float:
        """Return the step that was logged at a place; where two passes meet, that of the earlier one."""
        return place - next((offset for begin, offset in reversed(self._passes) if begin < place), 0.0)

    def place(self, step: float) -> float:
        """Take the step of a row and return its place."""
        self.gap = None
        if self.first is None:
            self.first = self.last = step
            self.at = step
            return step
        place = step + self._offset
        if place < self.at:
            self.falls += 1
            if self._fell_to is None:
                self._fell_to = step
            elif step > self._fell_to:
                # The second row of a pass that goes on from an earlier step.
                if len(self.resumed) < 20:
                    self.resumed.append((self._highest, self._fell_to))
                self._offset += self.at - place
                self._passes.append((self.at, self._offset))
                self._fell_to = None
            self.last = step
            return self.at
        self._fell_to = None
        self._highest = step
        if place > self.at:
            between = place - self.at
            usual = self._between
            if between > 10 * self._least and len(usual) >= 12 and between > 10 * median(usual):
                self.gap = (self.last if self.last is not None else step, step)
            else:
                oldest = usual[0] if len(usual) == usual.maxlen else math.inf
                usual.append(between)
                self._least = min(usual) if oldest <= self._least < between else min(self._least, between)
        self.at = place
        self.last = step
        return place

    def state(self) -> dict[str, Any]:
        """Return all of it as plain values."""
        return {
            "at": self.at,
            "first": self.first,
            "last": self.last,
            "falls": self.falls,
            "resumed": [list(pair) for pair in self.resumed],
            "offset": self._offset,
            "passes": [list(begun) for begun in self._passes],
            "between": list(self._between),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take what ``state`` returned."""
        self.at, self.first, self.last = state["at"], state["first"], state["last"]
        self.falls, self._offset = state["falls"], state["offset"]
        self.resumed = [(before, after) for before, after in state["resumed"]]
        self._passes.extend((begin, offset) for begin, offset in state["passes"])
        self._highest = self.at - self._offset
        self._between.extend(state["between"])
        self._least = min(self._between, default=math.inf)


class Kinds:
    """The kinds of rows: those of training, of evaluation, of parts of a step. Each logs its keys every time.

    Args:
        tells: Whether a key tells what its row is about. Progress, times and memory stand in rows of every kind.

    Attributes:
        matched: The kind of the last row, and as of when; None where it may change.
    """

    def __init__(self, tells: Callable[[str], bool]) -> None:
        self._tells = tells
        self._kinds: list[tuple[set[str], list[int]]] = []
        self._version = 0
        self.matched: tuple[list[int], int] | None = None

    def again(self, matched: tuple[list[int], int] | None) -> bool:
        """Count another row with the keys of one that lacked nothing; False if it must be looked at anew.

        Args:
            matched: What ``matched`` was after that row.
        """
        if matched is None or matched[1] != self._version:
            return False
        matched[0][0] += 1
        return True

    def missing(self, row: Mapping[str, Any], numbers: set[str] | None = None) -> frozenset[str]:
        """Return the keys that every row of this kind had so far and this one has not.

        Args:
            row: The row.
            numbers: Its keys that have a value, where that are not all of them.
        """
        keys: AbstractSet[str] = row.keys() if numbers is None else numbers
        if numbers is not None and numbers <= STEP_NAMES and len(row) > len(numbers):
            # Nothing has a value: no other kind of row, but one in which all is lost.
            return frozenset(row.keys() - numbers) if sum(count[0] for _, count in self._kinds) > _SURE else frozenset()
        self.matched = None
        for usual, count in self._kinds:
            if keys >= usual if count[0] >= 3 else self._alike(usual, keys):
                count[0] += 1
                if count[0] <= 3:
                    usual &= keys
                    self._version += 1
                else:
                    self.matched = (count, self._version)
                return frozenset()
        self._version += 1
        best: tuple[set[str], list[int]] | None = None
        for kind in self._kinds:
            if self._alike(kind[0], keys) and (best is None or len(kind[0]) > len(best[0])):
                best = kind
        if best is None:
            if len(self._kinds) < _MOST_KINDS and keys:
                self._kinds.append((set(keys), [1]))
            return frozenset()
        usual, count = best
        gone = frozenset(usual - keys)
        usual &= keys
        count[0] += 1
        return gone if count[0] > _SURE else frozenset()

    def _alike(self, usual: AbstractSet[str], keys: AbstractSet[str]) -> bool:
        """Tell whether a row is of a kind, although it may lack some of its keys.

        What tells of it must be there; a row that has nothing else may lack that, too.
        """
        shared = len(usual & keys)
        if not shared or shared < _ALIKE * len(usual):
            return False
        telling = {key for key in usual if self._tells(key)}
        return keys <= usual or not telling or len(telling & keys) >= _ALIKE * len(telling)

    def state(self) -> list[tuple[list[str], int]]:
        """Return all of it as plain values."""
        return [(sorted(usual), count[0]) for usual, count in self._kinds]

    def restore(self, state: Any) -> None:
        """Take what ``state`` returned."""
        self._kinds = [(set(usual), [count]) for usual, count in state]
        self._version += 1
