"""The optimizer step of a logged row, and the rows of one step as one: trackers count in ways of their own.

W&B and Trackio number calls of ``log``, of which a step of TRL makes many; rows that timers write between two steps are
none of their own. Whatever kept a run, one step of it is one row here.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, islice, pairwise
from typing import Any

from .runs import LoggedRow

__all__ = [
    "NOT_IN_ORDER",
    "RUN_NAMES",
    "STEP_NAMES",
    "MissingSteps",
    "StepAxis",
    "in_order",
    "is_beside",
    "one_a_step",
    "rows_below",
    "run_named_in",
    "step_in",
    "together",
]

_GLOBAL = (
    "train/global_step",
    "training/global_step",
    "trainer/global_step",
    "global_step",
    "global_step/max_steps",
    "current_steps",
)
"""What trainers call the optimizer step; it holds whatever the tracker counts."""
_OWN = ("step", "_step")
"""What a row calls its place where no trainer says more."""
STEP_NAMES = frozenset({*_GLOBAL, *_OWN, "epoch", "train/epoch"})
"""Names of values that say where a row stands."""
RUN_NAMES = ("run", "run_id", "run_name", "_run_id")
"""Names of values that name the run."""
_BESIDE = ("profiling/", "_")
"""How names begin that timers write between steps, and trackers for themselves."""
_PROGRESS = re.compile(r"\s*([0-9]+(?:\.[0-9]*)?)\s*(?:/\s*[0-9]+\s*)?")
_LARGEST = 1e15
_AHEAD = 2000
"""Rows that are looked through before the first is placed: by then a trainer has said what step it is at."""
_STUCK = 16
"""Rows of one step, each with the same keys, before that number is taken for something else."""
_FEWEST = 8
"""Distances between steps that tell which is usual, and the most steps that are missing at one place."""
_NEARLY_ALL = 0.8
NOT_IN_ORDER = "rows were not in order of step"
"""How a note begins on a run whose rows were sorted."""
_BACK, _EVERY = 2, 5
"""How often rows that are in no order go back at least, and once in how many rows."""
_MOST_APART = 100
_LOST = frozenset({"nan", "inf", "-inf", "+inf", "infinity", "-infinity"})


def step_in(row: Mapping[str, Any]) -> float | None:
    """Return the step that a row states itself, the optimizer's before any other; "10/400" is step 10."""
    stated = _global_step_in(row)
    if stated is not None or row.keys().isdisjoint(_OWN):
        return stated
    return _number_under(row, _OWN)


def run_named_in(row: Mapping[str, Any]) -> str:
    """Return the name of the run that a row states; empty if it states none."""
    if row.keys().isdisjoint(RUN_NAMES):
        return ""
    for name in RUN_NAMES:
        value = row.get(name)
        if isinstance(value, str) and value:
            return value
    return ""


class StepAxis:
    """Finds the optimizer step of each row of a run.

    Attributes:
        at: The step of the last row; None before the first.
    """

    def __init__(self) -> None:
        self.at: float | None = None
        self._stated = False
        self._counts_calls = False

    def look(self, row: LoggedRow) -> float | None:
        """Learn from a row whether the tracker's steps are the optimizer's; return the one that it states itself."""
        stated = _global_step_in(row.values)
        if stated is not None:
            self._stated = True
            self._counts_calls |= row.step is not None and row.step != stated
        return stated

    def place(self, row: LoggedRow) -> float | None:
        """Return the step of a row; None if nothing tells."""
        return self.placed(row, _global_step_in(row.values))

    def placed(self, row: LoggedRow, stated: float | None) -> float | None:
        """Return the step of a row of which it is known what step of the optimizer it states."""
        if stated is not None:
            self.at = stated
        elif not self._stated or not (self._counts_calls or row.step is None):
            self.at = row.step if row.step is not None else _number_under(row.values, _OWN)
        return self.at


class MissingSteps:
    """Steps without a row in a run that logs one at equal distances."""

    def __init__(self) -> None:
        self._last: float | None = None
        self._distances: Counter[float] = Counter()
        self._least = math.inf
        self._apart: list[tuple[float, float]] = []

    def take(self, step: float | None) -> None:
        """Take the step of a row."""
        if step is not None and self._last is not None and step > self._last:
            distance = step - self._last
            if distance > 1.5 * self._least and len(self._apart) < _MOST_APART:
                self._apart.append((self._last, step))
            if len(self._distances) < _MOST_APART or distance in self._distances:
                self._distances[distance] += 1
                self._least = distance if distance < self._least else self._least
        self._last = step

    def steps(self) -> list[float]:
        """Return the steps that lack a row; none where distances vary, or so much is missing that it is no accident."""
        if not self._distances:
            return []
        (usual, count), total = self._distances.most_common(1)[0], self._distances.total()
        if total < _FEWEST or count < _NEARLY_ALL * total:
            return []
        missing: list[float] = []
        for before, after in self._apart:
            times = (after - before) / usual
            if times == int(times) <= _FEWEST:
                missing += [before + usual * number for number in range(1, int(times))]
        return missing


def rows_below(
    prefix: str, rows: Iterable[LoggedRow], spelling: Callable[[str], str] | None = None
) -> Iterator[LoggedRow]:
    """Yield rows with their keys as the trainer logged them, one a step again; as they are where they are so already.

    Args:
        prefix: What stands before the keys and is no part of them.
        rows: The rows.
        spelling: Returns the key that a name stands for, where a store replaced slashes.
    """
    if spelling is not None:
        return (LoggedRow(row.step, {spelling(name): value for name, value in row.values.items()}) for row in rows)
    if not prefix:
        return iter(rows)
    return one_a_step(
        LoggedRow(row.step, {key.removeprefix(prefix): value for key, value in row.values.items()}) for row in rows
    )


def in_order(rows: Iterable[LoggedRow], notes: list[str]) -> Iterator[LoggedRow]:
    """Yield rows in the order of their steps, where they stand in no order at all; as they are otherwise.

    Rows of several runs, and of one that was resumed, begin anew once or twice, or repeat steps: these stay. Rows that
    were shuffled, or turned around, have each step once, and go back every few rows.

    Args:
        rows: The rows, one a step.
        notes: Where it is taken down that they were put in order.
    """
    source = iter(rows)
    first = list(islice(source, _AHEAD))
    if not _are_shuffled(first):
        yield from chain(first, source)
        return
    every = [*first, *source]
    if not _are_shuffled(every):
        yield from every
        return
    back = sum(1 for one, other in pairwise(map(_placed, every)) if other < one)
    notes.append(f"{NOT_IN_ORDER}, with {back} of {len(every)} before an earlier one: they were sorted")
    yield from sorted(every, key=_placed)


def _placed(row: LoggedRow) -> float:
    step = row.step if row.step is not None else step_in(row.values)
    return math.nan if step is None else step


def _are_shuffled(rows: list[LoggedRow]) -> bool:
    """Tell whether rows of one run, each of a step of its own, stand in no order of these."""
    steps = [*map(_placed, rows)]
    if len({*steps}) < len(steps) or len({run_named_in(row.values) for row in rows}) > 1:
        return False
    back = sum(1 for one, other in pairwise(steps) if not other > one)
    return back >= _BACK and back * _EVERY >= len(steps) and not any(map(math.isnan, steps))


def one_a_step(rows: Iterable[LoggedRow]) -> Iterator[LoggedRow]:
    """Yield one row for each optimizer step, with all that was logged at it, and those without a step as they are.

    Of several values of one key the last stands, but one that is no finite number is not covered up.
    """
    source = iter(rows)
    first = list(islice(source, _AHEAD))
    axis = StepAxis()
    for row in first:
        axis.look(row)
    if _stands_still(first):
        yield from chain(first, source)
        return
    before: dict[str, Any] = {}
    current: LoggedRow | None = None
    for row in chain(first, source):
        stated = axis.look(row)
        if is_beside(row.values):
            _add(before if current is None else _own_values(current), row.values)
            continue
        step = axis.placed(row, stated)
        if current is not None and _is_same_step(current, row.values, step):
            _add(_own_values(current), row.values)
            continue
        if current is not None:
            yield current
        current = LoggedRow(step, {**before, **row.values} if before else dict(row.values))
        before = {}
    if current is not None:
        yield current
    elif before:
        yield LoggedRow(axis.at, before)


def is_beside(row: Mapping[str, Any]) -> bool:
    """Tell whether a row holds no number that belongs to a step, but timers, tables or texts."""
    beside = not row
    for key, value in row.items():
        if key not in STEP_NAMES:
            if _is_numeric(value) and not key.startswith(_BESIDE):
                return False
            beside = True
    return beside


def _is_same_step(current: LoggedRow, row: Mapping[str, Any], step: float | None) -> bool:
    """Tell whether a row is of the step of the one before; without steps, of its epoch and with other keys alone."""
    if step != current.step or run_named_in(row) != run_named_in(current.values):
        return False
    if step is not None:
        return True
    at = row.get("epoch")
    return (
        at is not None and at == current.values.get("epoch") and not (row.keys() - STEP_NAMES) & current.values.keys()
    )


def _own_values(row: LoggedRow) -> dict[str, Any]:
    assert isinstance(row.values, dict)
    return row.values


def _add(held: dict[str, Any], values: Mapping[str, Any]) -> None:
    for key, value in values.items():
        if key not in held or not (value is None or _is_lost(held[key])):
            held[key] = value


def _stands_still(rows: list[LoggedRow]) -> bool:
    """Tell whether the step never moves while whole rows repeat: then it counts something else, or nothing."""
    if len(rows) < _STUCK:
        return False
    axis, keys = StepAxis(), {tuple(row.values) for row in rows[:_STUCK]}
    return len(keys) == 1 and len({axis.place(row) for row in rows}) == 1


def _global_step_in(row: Mapping[str, Any]) -> float | None:
    if row.keys().isdisjoint(_GLOBAL):
        return None
    return _number_under(row, _GLOBAL)


def _number_under(row: Mapping[str, Any], names: Iterable[str]) -> float | None:
    """Return the first number of a step that stands under some names."""
    for name in names:
        value = row.get(name)
        if isinstance(value, str):
            written = _PROGRESS.fullmatch(value)
            value = None if written is None else float(written[1])
        if isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < _LARGEST:
            return float(value)
    return None


def _is_numeric(value: object) -> bool:
    if type(value) is float:
        return True
    if isinstance(value, str):
        try:
            float(value)
        except ValueError:
            return False
        return True
    return not isinstance(value, Mapping | list | tuple)


def _is_lost(value: object) -> bool:
    if isinstance(value, str):
        return value.strip().lower() in _LOST
    return isinstance(value, float) and not math.isfinite(value)


def together(values: Iterable[tuple[float, str, float]]) -> Iterator[LoggedRow]:
    """Yield the values of each step together, from step, key and value of each in the order of steps."""
    step, row = None, dict[str, Any]()
    for at, key, value in values:
        if at != step and row:
            yield LoggedRow(step, row)
            row = {}
        step = at
        row[key] = value
    if row:
        yield LoggedRow(step, row)
