"""Runs that stand in one file one after another, each with its own source."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, islice

from rlmetrics.names.inference import Clues, SourceAnswer

from .log import Log
from .log_clues import SAMPLE, clues_of
from .reading import RUN_NAMES, LoggedRow, RecordedRun, in_order, one_a_step, rows_below, run_named_in, step_in

__all__ = ["Seam", "keys_of", "sourced_parts", "successive_clues"]

_SUMMARY = "train_runtime"
"""What transformers logs once, when training is over."""


def keys_of(rows: Iterable[LoggedRow]) -> list[str]:
    """Return the keys of some rows, but for those that name the run."""
    return list(dict.fromkeys(key for row in rows for key in row.values if key not in RUN_NAMES))


def sourced_parts(
    run: RecordedRun, source: Callable[[Sequence[LoggedRow]], SourceAnswer]
) -> Iterator[tuple[str, Iterator[LoggedRow], SourceAnswer]]:
    """Yield the runs that stand in one file one after the other: what parts them, their rows, and their source.

    Args:
        run: What was read of the file.
        source: Says where a run comes from, by its first rows. It is asked once for all runs that log the same keys.
    """
    rows = in_order(one_a_step(run.rows), run.account.notes)
    first = list(islice(rows, SAMPLE))
    if not any(row.values for row in first):
        return
    of_all = source(first)
    answers = {frozenset(keys_of(rows_below(of_all.prefix, first, of_all.spelling))): of_all}
    for label, part in _parts(rows_below(of_all.prefix, chain(first, rows), of_all.spelling)):
        begin = list(islice(part, SAMPLE))
        keys = frozenset(keys_of(begin))
        if keys not in answers:
            answers[keys] = source(begin)
        yield label, chain(begin, part), answers[keys]


def successive_clues(log: Log, run: RecordedRun, source: Callable[[Clues], SourceAnswer]) -> list[tuple[str, Clues]]:
    """Return what is known of each of the runs that stand in one file one after another, after what parts them.

    None where one trainer may have logged all: then they are one for whoever asks for names.

    Args:
        log: The log.
        run: What was read of it, or of one of its runs.
        source: Says where a run comes from.
    """
    if log.kind.knows_releases:
        return []  # what records what was installed is one run

    def source_of(rows: Sequence[LoggedRow]) -> SourceAnswer:
        values = [row.values for row in rows]
        return source(clues_of(log, run.name or None, keys_of(rows), whole=True, rows=values))

    found: list[tuple[str, Clues]] = []
    trainers: list[set[str]] = []
    for label, part, answer in sourced_parts(run, source_of):
        first = list(islice(part, SAMPLE))
        keys = dict.fromkeys(keys_of(chain(first, part)))
        values = [row.values for row in first]
        found.append((label, clues_of(log, run.name or None, keys, whole=True, rows=values)))
        trainers += [{one.name for one in answer.candidates}] if answer.is_known and not answer.is_plain else []
    return found if len(trainers) > 1 and not set.intersection(*trainers) else []


def _parts(rows: Iterable[LoggedRow]) -> Iterator[tuple[str, Iterator[LoggedRow]]]:
    """Yield the runs that stand in one file one after the other.

    A second run begins where rows name another run, or where steps begin anew from the start; going back to a later
    step is a run that was resumed.
    """
    splitter = _Splitter(iter(rows))
    number = 0
    while splitter.more():
        number += 1
        label = splitter.label or (str(number) if number > 1 else "")
        yield label, splitter.part()


class _Splitter:
    """Parts rows into runs without holding more than one of them."""

    def __init__(self, rows: Iterator[LoggedRow]) -> None:
        self._rows = rows
        self._next: LoggedRow | None = None
        self.label = ""

    def more(self) -> bool:
        """Tell whether there is another run; its label is set."""
        if self._next is None:
            self._next = next(self._rows, None)
        if self._next is None:
            return False
        self.label = run_named_in(self._next.values)
        return True

    def part(self) -> Iterator[LoggedRow]:
        """Yield the rows of the next run."""
        seam = Seam()
        row, self._next = self._next, None
        while row is not None:
            step = _step(row)
            if seam.lies_before(row, step):
                self._next = row
                return
            yield row if row.step is not None else LoggedRow(step, row.values)
            row = next(self._rows, None)


class Seam:
    """Tells where another run begins: rows name another one, or steps begin anew from the start.

    Where nothing states steps, an epoch does before that of the summary which transformers logs when training is over.
    """

    def __init__(self) -> None:
        self._lowest: float | None = None
        self._highest = 0.0
        self._count = 0
        self._label = ""
        self._over: float | None = None

    def lies_before(self, row: LoggedRow, step: float | None) -> bool:
        """Tell whether a row is the first of another run; if not, it is counted to this one."""
        label = run_named_in(row.values)
        if not self._count:
            self._label = label
        elif label != self._label:
            return True
        if step is not None:
            if self._lowest is None:
                self._lowest = self._highest = step
            elif step > self._highest:
                self._highest = step
            elif step <= self._lowest:
                if self._highest - self._lowest > 5 and self._count > 5:
                    return True
                self._lowest = step if self._count <= 5 else self._lowest
        else:
            epoch = _number(row.values.get("epoch"))
            if epoch is not None:
                if self._over is not None and epoch < self._over:
                    return True
                self._over = epoch if _SUMMARY in row.values else self._over
        self._count += 1
        return False


def _number(value: object) -> float | None:
    """Return a number, also one that a console prints as text; None if it is none, or not finite."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    with suppress(ValueError, OverflowError):
        return number if math.isfinite(number := float(value)) else None
    return None


def _step(row: LoggedRow) -> float | None:
    return row.step if row.step is not None else step_in(row.values)
