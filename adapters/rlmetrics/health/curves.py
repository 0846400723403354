"""Whole curves of a run by key, in bounded memory, for comparing and plotting."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any

from rlmetrics.lazy_dataclasses import dataclass, field
from rlmetrics.logs.checkpoints import continued
from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.reading import one_a_step, step_in
from rlmetrics.names.inference.wording import source_line
from rlmetrics.names.meanings.recorded_settings import merged
from rlmetrics.names.sources.source import CANONICAL
from rlmetrics.names.tables.loading import load_tables
from rlmetrics.names.tables.tables import Overlays, Tables

from .judged_keys import KeyMeaning, SourceNames
from .judging import SAMPLE, source_of_run, units_of
from .logged_values import number_of

__all__ = ["Drawn", "RunCurves", "read_curves"]

_MOST = 4096
"""Points kept of a curve; of a longer one every second, every fourth …"""


class Drawn:
    """A curve of at most ``_MOST`` points, evenly spread over the run."""

    def __init__(self) -> None:
        self.steps = array("d")
        self.values = array("d")
        self.stride = 1
        self._seen = 0

    def add(self, step: float, value: float) -> None:
        """Take a point."""
        if self._seen % self.stride == 0:
            self.steps.append(step)
            self.values.append(value)
            if len(self.steps) >= _MOST:
                self.steps, self.values = self.steps[::2], self.values[::2]
                self.stride *= 2
        self._seen += 1


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
    """

    run: str
    at: str
    curves: dict[str, Drawn]
    meanings: dict[str, KeyMeaning]
    notes: list[str]
    settings: dict[str, Any] = field(default_factory=dict)


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
        for run in unit.open().read():
            rows = one_a_step(run.rows)
            first = list(islice(rows, SAMPLE))
            answer = source_of_run(unit, run.name, first, at, tables)
            source = answer.source or CANONICAL
            settings = merged(run.config, config or {}, source, tables)
            notes = [
                *([] if answer.is_given or answer.is_single else [source_line(answer)]),
                *(f"the run's configuration: {problem}" for problem in run.problems),
            ]
            names = SourceNames(source, settings.values, tables, answer.rivals)
            curves: dict[str, Drawn] = {}
            for count, row in enumerate(chain(first, rows)):
                step = row.step if row.step is not None else step_in(row.values)
                place = float(count) if step is None else step
                for key, value in row.values.items():
                    number = number_of(value)
                    if isinstance(number, float):
                        curves.setdefault(key, Drawn()).add(place, number)
            if curves:
                any_run = True
                meanings = {key: names.meaning(key) for key in curves}
                label = f"{unit.path}:{run.name}" if run.name else str(unit.path)
                yield RunCurves(label, names.at, curves, meanings, notes, settings.values)
    if not any_run:
        msg = "holds no row with a number; give a log"
        raise InputError(msg, Path(path))
