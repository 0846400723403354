"""What every kind of input offers: a kind recognises a path and opens it; the log gives what it holds.

That are its names, its runs, its configuration and its rows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from rlmetrics.lazy_dataclasses import dataclass

from .databases import journals
from .input_errors import InputError
from .optional_packages import MissingPackageError
from .reading import Account, Follower, LoggedRow, RecordedRun, Whole
from .run_settings import RunSettings, first_line

__all__ = ["Kind", "Log", "RowLog", "Rows", "arguments_among"]

Rows = Iterable[tuple[str | None, Mapping[str, Any]]]
"""The rows of a file in their order, each with the run that it belongs to, if a file may hold several."""

_ARGUMENTS = {"output_dir", "logging_steps", "per_device_train_batch_size"}
"""Some of what transformers' Trainer records of its arguments: where they are, all are."""


def _no_members(folder: Path) -> list[Path]:
    return []


def _never(path: Path) -> bool:
    return False


@dataclass(frozen=True)
class Kind:
    """A kind of input: what is known of it before one is opened.

    Attributes:
        name: As ``--kind`` takes it.
        recognises: Tells from name and content whether a file is of this kind.
        log: Makes the opened input.
        members: Returns the files in a folder, or below it, that belong together; none if it is no such folder.
        is_left_behind: Tells whether a file says something about an input that is not true of its copy.
        is_database: Whether a file may hold several runs, and have journals beside it.
        copies: Returns the files beside a database that its tracker writes of it, with the same runs.
        is_layout: Whether it names but some of what a run logs.
        surface: The surface that all names of such a log have; None if any name will do.
        knows_releases: Whether the releases that it names were installed for certain when the run began.
    """

    name: str
    recognises: Callable[[Path], bool]
    log: Callable[[Kind, Path], Log]
    members: Callable[[Path], list[Path]] = _no_members
    is_left_behind: Callable[[Path], bool] = _never
    is_database: bool = False
    copies: Callable[[Path], Iterable[Path]] = _no_members
    is_layout: bool = False
    surface: str | None = None
    knows_releases: bool = False

    def open(self, path: Path) -> Log:
        """Open a file, or a folder of which some files belong together.

        Raises:
            MissingPackageError: A package that files of this kind need is not installed.
        """
        try:
            return self.log(self, path)
        except ModuleNotFoundError as error:
            raise MissingPackageError.of(error) or error from None

    def companions(self, path: Path) -> list[Path]:
        """Return the files beside ``path`` that are read along with it or say the same: none is copied on its own."""
        return [*journals(path), *self.copies(path)] if self.is_database and path.is_file() else []


@dataclass(frozen=True)
class Log(ABC):
    """An opened input; whatever reads it raises an ``InputError`` where it is damaged.

    Attributes:
        kind: What it is.
        path: The file or folder.
    """

    kind: Kind
    path: Path

    @abstractmethod
    def names(self) -> Collection[str]:
        """Return the metric names near the beginning, to infer where they come from."""

    def runs(self) -> Mapping[str | None, Collection[str]]:
        """Return the names of each run; where it is one run, under None."""
        return {None: self.names()}

    def argument_names(self) -> Mapping[str | None, frozenset[str]]:
        """Return the names of each run's arguments, if it recorded them all, as transformers' callbacks do."""
        return {}

    def releases(self) -> Mapping[str, str]:
        """Return which releases of frameworks a run says were installed."""
        return {}

    def decimals(self) -> int | None:
        """Return with how many decimals all numbers are printed, -1 if all differ; None where nobody printed them."""
        return None

    def read(self) -> Iterator[RecordedRun]:
        """Yield the runs, each with its settings and with what it logged, row by row."""
        msg = f"a {self.kind.name} holds names, not logged values; give a log"
        raise InputError(msg, self.path)

    def reread(self) -> Iterator[RecordedRun]:
        """Yield the runs as they are now."""
        return self.kind.open(self.path).read()

    def follow(self) -> Follower:
        """Return what reads on while the run grows."""
        return Whole(self.path, self.reread)

    @cached_property
    def configuration(self) -> Mapping[str | None, RunSettings]:
        """The configuration of each run, or why it can't be read; where it is one run, under None."""
        try:
            return self.read_configuration()
        except (InputError, OSError, ValueError) as error:
            problem = f"the configuration of {self.path.name} can't be read: {first_line(error)}"
            return {None: RunSettings(problems=(problem,))}

    def read_configuration(self) -> Mapping[str | None, RunSettings]:
        """Return the configuration of each run, as it was recorded; ``configuration`` asks once."""
        return {}

    def only_configuration(self) -> RunSettings:
        """Return the configuration of an input that is one run."""
        return next(iter(self.configuration.values()), RunSettings())

    def run(self, rows: Iterator[LoggedRow], account: Account | None = None, name: str = "") -> RecordedRun:
        """Return a run with the settings that were recorded for it, or for all."""
        own = self.configuration.get(name or None, self.configuration.get(None, RunSettings()))
        return RecordedRun(name, rows, own.values, account or Account(), own.problems)


class RowLog(Log):
    """A log whose rows stand in it one by one."""

    @abstractmethod
    def rows(self) -> Rows:
        """Yield the rows, each with the run that it belongs to; None if the file is one run."""


def arguments_among(settings: Iterable[str]) -> frozenset[str]:
    """Return the names of settings if all of a trainer's arguments are among them, else nothing."""
    names = frozenset(settings)
    return names if names >= _ARGUMENTS else frozenset()
