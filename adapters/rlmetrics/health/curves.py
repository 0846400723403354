"""Whole curves of a run by key, in bounded memory, for comparing and plotting."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from rlmetrics.charts.thinning import Extremes
from rlmetrics.lazy_dataclasses import dataclass, field
from rlmetrics.lazy_typing import NamedTuple
from rlmetrics.logs.checkpoints import continued
from rlmetrics.logs.folder_tree import Unit
from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.reading import LoggedRow, RecordedRun, step_in
from rlmetrics.logs.successive_runs import sourced_parts
from rlmetrics.names.inference import SourceAnswer
from rlmetrics.names.inference.wording import prefix_lines, source_line, spelling_lines
from rlmetrics.names.meanings.recorded_settings import merged
from rlmetrics.names.sources.source import CANONICAL
from rlmetrics.names.tables.loading import load_tables
from rlmetrics.names.tables.printed_numbers import half_unit, shared_decimals
from rlmetrics.names.tables.tables import Overlays, Tables

from .judged_keys import SourceNames
from .judging import judged_run, source_of_run, units_of
from .key_meanings import KeyMeaning
from .logged_values import number_of
from .report_records import Report

__all__ = ["CurveTaker", "Drawn", "RunCurves", "curves_of_unit", "read_curves"]

_MOST = 4096
"""Points kept of a curve; of a longer one every second, every fourth …"""
_LOOKED_AT = 32
"""Rows that tell with how many decimals numbers are printed."""
_BY_ROW = "no row tells a step: the number of each row stands for it"


class Drawn:
    """A curve: points evenly spread over the run, at most ``_MOST``, and the extremes of what lies between them.

    Attributes:
        steps: Where the points are.
        values: Their values.
        stride: Every how manieth point these are.
        count: How many points the curve has.
        last: The step of the last of them.
        within: How far a value can be from what is read, printed with so few decimals; 0 where it is exact.
    """

    def __init__(self) -> None:
        self.steps = array("d")
        self.values = array("d")
        self.stride = 1
        self.count = 0
        self.last = 0.0
        self.within = 0.0
        self._extremes: Extremes | None = None

    def add(self, step: float, value: float) -> None:
        """Take a point."""
        self.last = step
        if self._extremes is not None:
            self._extremes.add(step, value)
        if self.count % self.stride == 0:
            self.steps.append(step)
            self.values.append(value)
            if len(self.steps) >= _MOST:
                self._thin()
        self.count += 1

    def course(self) -> tuple[Sequence[float], Sequence[float]]:
        """Return steps and values for drawing: all of a short curve, else the lowest and highest of each stretch."""
        return (self.steps, self.values) if self._extremes is None else self._extremes.points()

    def _thin(self) -> None:
        if self._extremes is None:
            self._extremes = Extremes()
            for step, value in zip(self.steps, self.values, strict=True):
                self._extremes.add(step, value)
        self.steps, self.values = self.steps[::2], self.values[::2]
        self.stride *= 2


@dataclass
class RunCurves:
    """The curves of a run.

    Attributes:
        run: Where it is recorded.
        at: The source that logged it.
        curves: By key.
        meanings: What each key is.
        notes: What is to be said about the source and the configuration.
        settings: The run's configuration.
        report: What was found of its health; None where nobody asked.
        rows: How many rows it has.
        by_row: Whether no row tells a step, so that its number stands for it.
    """

    run: str
    at: str
    curves: dict[str, Drawn]
    meanings: dict[str, KeyMeaning]
    notes: list[str]
    settings: Mapping[str, Any] = field(default_factory=dict)
    report: Report | None = None
    rows: int = 0
    by_row: bool = False

    @property
    def steps(self) -> tuple[float, float]:
        """The first and the last step."""
        return (
            min(curve.steps[0] for curve in self.curves.values()),
            max(curve.last for curve in self.curves.values()),
        )


class TakenCurves(NamedTuple):
    """The curves of some rows, how many rows these were, and whether their numbers stand for steps."""

    curves: dict[str, Drawn]
    rows: int
    by_row: bool


class CurveTaker:
    """Takes the rows of a run into curves."""

    def __init__(self) -> None:
        self.curves: dict[str, Drawn] = {}
        self.rows = 0
        self._at: float | None = None

    def take(self, row: LoggedRow) -> None:
        """Take a row. One without a step is of the step before it; where no row tells one, its number stands for it."""
        step = row.step if row.step is not None else step_in(row.values)
        if step is not None:
            self._at = step
        place = float(self.rows) if self._at is None else self._at
        decimals = shared_decimals(row.values.values()) if self.rows < _LOOKED_AT else None
        for key, value in row.values.items():
            number = number_of(value)
            if isinstance(number, float):
                curve = self.curves.get(key)
                if curve is None:
                    curve = self.curves[key] = Drawn()
                if decimals is not None and not curve.within:
                    curve.within = half_unit(value, decimals)
                curve.add(place, number)
        self.rows += 1

    def taken(self) -> TakenCurves:
        """Return the curves, and begin anew."""
        taken = TakenCurves(self.curves, self.rows, self._at is None)
        self.curves, self.rows, self._at = {}, 0, None
        return taken


def read_curves(
    path: str | Path, *, at: str = "auto", config: dict[str, object] | None = None, spec: Overlays | Tables = None
) -> Iterator[RunCurves]:
    """Yield the curves of each run of a file or folder.

    Raises:
        InputError: Nothing there can be read as a log.
        NamesError: The source is unknown, or none explains the keys.
    """
    any_run, tables = False, load_tables(spec)
    for unit in continued(units_of(Path(path))).units:
        for curves in curves_of_unit(unit, at, config or {}, tables):
            any_run = True
            yield curves
    if not any_run:
        msg = "holds no row with a number; give a log"
        raise InputError(msg, Path(path))


def curves_of_unit(
    unit: Unit, at: str, config: Mapping[str, Any], tables: Tables, *, judge: bool = False
) -> Iterator[RunCurves]:
    """Yield the curves of each run of a log.

    Args:
        unit: The log.
        at: The source; inferred if it is ``auto``.
        config: Settings beside those that a run recorded, which they replace.
        tables: The spec.
        judge: Whether the health of the run is judged, too.

    Raises:
        InputError: The log is damaged.
        NamesError: The source is unknown, or none explains the keys.
    """
    for run in unit.open().read():
        label = f"{unit.path}:{run.name}" if run.name else str(unit.path)
        taker = CurveTaker()
        if judge:
            for report in judged_run(unit, run, label, at, config, tables, seen=taker.take):
                taken = taker.taken()
                if taken.curves and report.answer is not None:
                    yield _named(report.run, run, taken, report.answer, config, tables, report)
            continue
        infer = partial(source_of_run, unit, run.name, at=at, tables=tables)
        for number, part, answer in sourced_parts(run, infer):
            for row in part:
                taker.take(row)
            if taker.curves:
                name = f"{label}#{number}" if number else label
                yield _named(name, run, taker.taken(), answer, config, tables)


def _named(
    label: str,
    run: RecordedRun,
    taken: TakenCurves,
    answer: SourceAnswer,
    config: Mapping[str, Any],
    tables: Tables,
    report: Report | None = None,
) -> RunCurves:
    """Return curves with what their keys are."""
    source = answer.source or CANONICAL
    settings = merged(run.config, config, source, tables)
    notes = [
        *([] if answer.is_given or answer.is_single else [source_line(answer)]),
        *prefix_lines(answer.prefix),
        *spelling_lines(answer),
        *(f"the run's configuration: {problem}" for problem in run.problems),
        *([_BY_ROW] if taken.by_row else []),
    ]
    names = SourceNames(source, settings.values, tables, answer.rivals)
    meanings = {key: names.meaning(key) for key in taken.curves}
    return RunCurves(label, names.at, taken.curves, meanings, notes, settings.values, report, taken.rows, taken.by_row)
