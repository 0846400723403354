"""Judges recorded runs: files and folders of every kind that holds logged values."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rlmetrics.lazy_dataclasses import replace
from rlmetrics.logs.folder_tree import Tree, Unit, survey
from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.log_clues import clues_of
from rlmetrics.logs.reading import STEP_NAMES, LoggedRow, MissingSteps, RecordedRun, step_in
from rlmetrics.logs.successive_runs import keys_of, sourced_parts
from rlmetrics.logs.unrecognised import why_unrecognised
from rlmetrics.names.inference import SourceAnswer, completed, find_source
from rlmetrics.names.inference.wording import prefix_lines, second_lines, source_line, spelling_lines, wrapper_lines
from rlmetrics.names.meanings.recorded_settings import merged
from rlmetrics.names.sources.source import CANONICAL
from rlmetrics.names.tables.tables import Tables
from rlmetrics.names.tables.user_errors import FallbackWarning

from .instances import MOST_WAITING
from .monitor import Monitor
from .report_records import Report, counted

__all__ = [
    "judged_rows",
    "judged_run",
    "keys_of",
    "logs_of",
    "opened",
    "require_place",
    "source_of_run",
    "units_of",
]

_AHEAD = 512
"""Rows that are taken together: nobody waits for what a single one says."""
_DROPPED = {
    "mlflow": ": MLflow takes nothing of a step in which a value is None or text, or a key ends in a slash",
}
"""Why a tracker may have no row of a step."""
_MANY = 5
"""One in so many rows that repeats the keys of a step is no accident."""
_APART = "if several runs write to this log, give each a file of its own, or its name as 'run' in each row"
_SUMMARIES = {"wandb-summary.json"}
"""What trackers keep beside a run of its last values: no run of its own, unless nothing else is left of it."""
_INFERRED = ("auto", "")
_EVALUATION = ("eval_", "eval/")
_SET = re.compile(r"eval[_/](?P<set>.+)_loss")
"""A loss that names the evaluation set."""
_PLACES = {*STEP_NAMES, "epoch", "num_input_tokens_seen"}
"""What tells where a row stands, which rows of one step share."""
_BAR = {
    *("percentage", "total_steps", "throughput", "total_tokens", "vram_allocated", "vram_reserved"),
    *("memory(GiB)", "train_speed(s/it)"),
}
"""What LLaMA-Factory and ms-swift add to every row, of training and of evaluation, to tell how far it has come."""


def units_of(path: Path) -> list[Unit]:
    """Return the logs below a path.

    Raises:
        InputError: There are none.
    """
    return logs_of(path)[0]


def require_place(path: Path) -> None:
    """Make sure that a path may be one of logs.

    Raises:
        InputError: It stands for the standard input, or for all files that there are.
    """
    if str(path) == "-":
        msg = "is no file; save what another program prints to one, and give its path"
        raise InputError(msg, path)
    if path.is_dir() and path.resolve() == path.resolve().parent:
        msg = "holds all files that there are, which are too many to look through; give a folder that logs lie in"
        raise InputError(msg, path)


def logs_of(path: Path) -> tuple[list[Unit], list[str]]:
    """Return the logs below a path, and what can't be read there, each with the reason.

    Raises:
        InputError: There are no logs.
    """
    require_place(path)
    if not path.exists():
        what = "is a symbolic link that leads nowhere" if path.is_symlink() else "does not exist"
        msg = f"{what}; give the path of a log or of a folder with logs"
        raise InputError(msg, path)
    # A pipe is not even begun to be read.
    tree = survey(path, None) if path.is_file() or path.is_dir() else Tree()
    units = [unit for unit in tree.units if not unit.kind.is_layout]
    units = [unit for unit in units if unit.path.name not in _SUMMARIES] or units
    if not units and tree.unreadable:
        raise InputError(next(iter(tree.unreadable.values())))
    if not units:
        known = "JSON lines, trainer states, YAML, tables, notebooks, consoles, W&B, TensorBoard, Trackio and MLflow"
        raise InputError(
            why_unrecognised(path) or f"{'holds' if path.is_dir() else 'is'} no log of a known kind; known are {known}",
            path,
        )
    return units, list(tree.unreadable.values())


def judged_run(
    unit: Unit,
    run: RecordedRun,
    name: str,
    at: str,
    config: Mapping[str, Any],
    tables: Tables,
    *,
    seen: Callable[[LoggedRow], None] | None = None,
) -> Iterator[Report]:
    """Yield a report for a recorded run, or for each of those that stand in it one after the other.

    Args:
        unit: The log that it stands in.
        run: The run.
        name: What the report calls it.
        at: The source; inferred if it is ``auto``.
        config: Settings beside those that it recorded, which they replace.
        tables: The spec.
        seen: What else takes each row, before the report on it is yielded.

    Raises:
        InputError: The log is damaged.
        NamesError: The source is unknown, or none explains the keys.
    """

    def source(first: Sequence[LoggedRow]) -> SourceAnswer:
        return source_of_run(unit, run.name, first, at, tables)

    run.account.notes[:0] = [] if unit.form is None else unit.form.notes
    yield from judged_rows(run, name, source, unit.kind.name, config, tables, seen=seen)


def judged_rows(
    run: RecordedRun,
    name: str,
    source: Callable[[Sequence[LoggedRow]], SourceAnswer],
    kind: str,
    config: Mapping[str, Any],
    tables: Tables,
    *,
    seen: Callable[[LoggedRow], None] | None = None,
) -> Iterator[Report]:
    """Yield a report for a run, wherever its rows lie, or for each of those that stand in it one after the other.

    Args:
        run: The run.
        name: What the report calls it.
        source: Says where it comes from, by its first rows.
        kind: What kept it, such as ``mlflow``.
        config: Settings beside those that it recorded, which they replace.
        tables: The spec.
        seen: What else takes each row, before the report on it is yielded.

    Raises:
        InputError: The log is damaged.
        NamesError: The source is unknown, or none explains the keys.
    """
    twice = _Twice()
    for label, part, answer in sourced_parts(replace(run, rows=twice.of(run.rows)), source):
        settings = merged(run.config, config, answer.source or CANONICAL, tables)
        monitor = opened(answer.source or CANONICAL, settings.values, tables, answer.rivals, ahead=_AHEAD)
        monitor.run.notes += [] if answer.is_given or answer.is_known else [source_line(answer)]
        monitor.run.notes += [*prefix_lines(answer.prefix), *spelling_lines(answer)]
        monitor.run.notes += [*filter(None, [answer.chosen]), *wrapper_lines(answer), *second_lines(answer)]
        monitor.run.notes += [f"the run's configuration: {problem}" for problem in run.problems]
        monitor.run.answer, monitor.run.is_foreign = answer, answer.undescribed is not None
        missing = MissingSteps()
        for row in part:
            missing.take(row.step)
            monitor.observe(row.step, row.values)
            if seen is not None:
                seen(row)
        if not monitor.rows:
            continue
        account = run.account
        if account.skipped:
            monitor.run.notes.append(f"{counted(account.skipped, 'line')} left out: {account.first}")
        if account.torn:
            monitor.run.notes.append(f"the last {account.torn} bytes are cut off within a row and were left out")
        monitor.run.notes[:0] = account.notes  # how it was read is told before what was made of it
        monitor.run.notes += twice.note(monitor.rows)
        monitor.run.notes += _without_row(missing.steps(), kind)
        report = monitor.report(f"{name}#{label}" if label else name)
        yield replace(report, at=answer.source and report.at, answer=answer)


class _Twice:
    """Counts the rows that repeat keys of the row before them for the same step.

    Those of several evaluation sets may: a trainer logs its own numbers under the same keys for each.
    """

    def __init__(self) -> None:
        self._rows = self._repeats = self._of_sets = 0
        self._set = self._key = ""

    def of(self, rows: Iterable[LoggedRow]) -> Iterator[LoggedRow]:
        """Yield rows as they are."""
        step: float | None = None
        first: LoggedRow | None = None
        known: set[str] = set()
        for row in rows:
            own = row.step if row.step is not None else step_in(row.values)
            self._rows += 1
            if own is None or own != step or first is None:
                step, first, known = own, row, set()
            else:
                known = known or _numbers_of(first)
                keys = _numbers_of(row)
                again = keys & known
                self._repeats += bool(again)
                self._count_set(again, row)
                known |= keys
            yield row

    def _count_set(self, again: Collection[str], row: LoggedRow) -> None:
        """Count a row that repeats keys of evaluation alone, and names the set that it is of by other keys."""
        other = (key for key in row.values if key not in again)
        name = next((found["set"] for key in other if (found := _SET.fullmatch(key)) is not None), "")
        if again and name and all(key.startswith(_EVALUATION) for key in again):
            self._of_sets += 1
            self._set, self._key = name, min(again)

    def note(self, judged: int) -> list[str]:
        """Return what is to be said; nothing where rows of one step were kept apart."""
        if not self._repeats or self._rows <= judged:
            return []
        if self._of_sets == self._repeats:
            said = f"each evaluation set logs the same keys, such as {self._key}: those of {self._set} count"
            return [f"{said}, the last at each step"]
        stand = "stands" if self._repeats == 1 else "stand"
        rows = counted(self._repeats, "row")
        said = f"{rows} {stand} for a step that has the same keys already: the last finite value of each counts"
        return [f"{said}; {_APART}" if self._repeats * _MANY >= self._rows else said]


def _numbers_of(row: LoggedRow) -> set[str]:
    """Return the keys of a row that have a number, but for those that tell where it stands."""
    return {key for key, value in row.values.items() if isinstance(value, int | float)} - _PLACES - _BAR


def _without_row(steps: Sequence[float], kind: str) -> list[str]:
    """Return a note about steps that have no row, and why that may be."""
    if not steps:
        return []
    listed = ", ".join(f"{step:g}" for step in steps[:5]) + (f" and {len(steps) - 5} more" if len(steps) > 5 else "")
    what = f"step {listed} has no row" if len(steps) == 1 else f"steps {listed} have no row"
    return [f"{what}{_DROPPED.get(kind, ', though steps are logged at equal distances')}"]


def source_of_run(
    unit: Unit, name: str, rows: Sequence[LoggedRow], at: str, tables: Tables, *, whole: bool = True
) -> SourceAnswer:
    """Return the source of a run, inferred from all that is known of it where it is not given.

    Args:
        unit: The log.
        name: The run's name in it; empty if the log is one run.
        rows: The first rows.
        at: The source, if it is given.
        tables: The spec.
        whole: Whether the rows are enough that their keys are all that the run logs.
    """
    values = [row.values for row in rows]
    clues = clues_of(unit.open(), name or None, keys_of(rows), whole=whole, rows=values)
    if at in _INFERRED:
        return find_source(clues, tables)
    with warnings.catch_warnings():
        # The monitor of each run notes by itself if another release stands in.
        warnings.simplefilter("ignore", FallbackWarning)
        return completed(at, clues, tables)


def opened(
    at: str, config: Mapping[str, Any], tables: Tables, others: Iterable[str] = (), *, ahead: int = MOST_WAITING
) -> Monitor:
    """Return a monitor of a source that notes if it stands in for another one."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        monitor = Monitor(at, config, spec=tables, others=others, ahead=ahead)
    monitor.run.notes += [str(item.message) for item in said if issubclass(item.category, FallbackWarning)]
    return monitor
