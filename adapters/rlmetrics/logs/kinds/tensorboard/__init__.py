"""TensorBoard event files: the tags of scalars, tensors and histograms, and the layouts that name tags."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rlmetrics.lazy_dataclasses import dataclass

from ...log import Kind, Log, arguments_among
from ...reading import Account, Follower, LoggedRow, RecordedRun
from ...run_settings import RunSettings, first_line, flattened
from .tags import numbers_of, plugin_data_of, purge_of, tags_in_layouts, tags_of, texts_of
from .tensorboard_messages import event_class, hyperparameters_in
from .tfrecord import Extent

__all__ = ["KIND", "EventFiles"]

_NAME = "tfevents"
_ARGUMENTS = "args/text_summary"
_HYPERPARAMETERS = "_hparams_/session_start_info"
_TIME = re.compile(r"[0-9]+(?:\.[0-9]+)?")
"""What the folder with hyperparameters is called: the time at which they were written."""
_SAMPLE_BYTES = 4_000_000


def recognises(path: Path) -> bool:
    """Tell whether ``path`` is named like an event file."""
    return _NAME in path.name


def members(folder: Path) -> list[Path]:
    """Return the event files of ``folder``: for TensorBoard they are one run, read in the order of their names."""
    return sorted(path for path in folder.iterdir() if _NAME in path.name and path.is_file())


@dataclass(frozen=True)
class EventFiles(Log):
    """An event file, or those of a folder, which are one run."""

    def __post_init__(self) -> None:
        event_class()

    def names(self) -> list[str]:
        """Return the tags near the beginning of the files; without any, those of their layouts."""
        files = self.files()
        tags = tags_of(files, {file: Extent() for file in files}, most=_SAMPLE_BYTES)
        return tags or tags_in_layouts(files, {file: Extent() for file in files})

    def argument_names(self) -> dict[str | None, frozenset[str]]:
        """Return the names of the arguments that transformers' callback wrote as a text at the beginning of a run."""
        names: set[str] = set()
        for text in self._argument_texts():
            try:
                read = json.loads(text)
            except ValueError:
                continue
            names.update(read if isinstance(read, dict) else ())
        return {None: arguments_among(names)}

    def read_configuration(self) -> dict[str | None, RunSettings]:
        """Return the arguments of a run, and its hyperparameters."""
        values = self._hyperparameters()
        where, problems = "TensorBoard's hyperparameters" if values else "", list[str]()
        for text in self._argument_texts():
            try:
                values.update(flattened(json.loads(text)))
                where = "TensorBoard's arguments"
            except ValueError as error:
                problems.append(f"the arguments in {self.path.name} are no JSON: {first_line(error)}")
        return {None: RunSettings(values, where, tuple(problems))}

    def read(self) -> Iterator[RecordedRun]:
        """Yield the run."""
        account = Account()
        yield self.run(self._logged(account), account)

    def _logged(self, account: Account) -> Iterator[LoggedRow]:
        steps, purged = _Steps(), 0
        for file, replaced in _replaced(self.files()):
            extent = Extent()
            for at, tag, number in numbers_of(file, extent):
                if at >= replaced:
                    purged += 1
                else:
                    yield from steps.add(at, tag, number)
            account.torn += extent.torn
        yield from steps.end()
        if purged:
            account.notes.append(f"{purged} values were left out, as in TensorBoard: a later file begins at their step")

    def follow(self) -> Follower:
        """Return what reads each new event."""
        return _NewEvents(self.path)

    def files(self) -> list[Path]:
        """Return the files of the run, in the order in which TensorBoard reads them."""
        return members(self.path) if self.path.is_dir() else [self.path]

    def _argument_texts(self) -> list[bytes]:
        """Return the arguments that transformers' callback wrote as texts at the beginning of a run."""
        return [text for file in self.files() for text in texts_of(file, _ARGUMENTS, most=_SAMPLE_BYTES)]

    def _hyperparameters(self) -> dict[str, Any]:
        """Return the hyperparameters, which Accelerate writes to a folder of their own below that of the run."""
        path = self.path
        below = [folder for folder in path.iterdir() if _TIME.fullmatch(folder.name)] if path.is_dir() else []
        files = [*self.files(), *(file for folder in sorted(below) if folder.is_dir() for file in members(folder))]
        values: dict[str, Any] = {}
        for file in files:
            for content in plugin_data_of(file, _HYPERPARAMETERS, most=_SAMPLE_BYTES):
                values.update(hyperparameters_in(content))
        return values


def _replaced(files: Sequence[Path]) -> list[tuple[Path, float]]:
    """Return each file with the step from which on a later one replaces it, as a resumed run does (``purge_step``)."""
    replaced = math.inf
    found: list[tuple[Path, float]] = []
    for file in reversed(files):
        found.append((file, replaced))
        replaced = min(replaced, purge_of(file))
    return found[::-1]


class _Steps:
    """Puts the numbers of each step together: an event holds only one."""

    def __init__(self) -> None:
        self._step: float | None = None
        self._row: dict[str, Any] = {}

    def add(self, step: float, tag: str, number: float) -> Iterator[LoggedRow]:
        """Take a number, and yield the row that is complete by it, if there is one."""
        if step != self._step or tag in self._row:
            yield from self.end()
        self._step = step
        self._row[tag] = number

    def end(self) -> Iterator[LoggedRow]:
        """Yield the row that was begun, if there is one."""
        if self._row and self._step is not None:
            yield LoggedRow(self._step, self._row)
            self._row = {}


class _NewEvents(Follower):
    """Follows a folder of event files, or one of them."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._steps = _Steps()

    def new(self, *, final: bool = False) -> Iterator[LoggedRow]:
        if not self.config:
            self.config.update(KIND.open(self.path).only_configuration().values)
        files = members(self.path) if self.path.is_dir() else [self.path]
        before = self.restarts
        begins = [self.begin(file) for file in files]
        for file, begin in zip(files, begins, strict=True):
            extent = Extent()
            for at, tag, number in numbers_of(file, extent, begin if self.restarts == before else 0):
                yield from self._steps.add(at, tag, number)
            self.ends[file] = extent.whole or 0
        if final:
            yield from self._steps.end()

    def forget(self) -> None:
        super().forget()
        self._steps = _Steps()


KIND = Kind("tensorboard", recognises, EventFiles, members)
