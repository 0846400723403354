"""Reads what a run has logged since the last look, from where that ended."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from .. import run_settings
from ..kinds import tensorboard, wandb
from ..kinds.tensorboard import tags, tfrecord
from ..kinds.wandb import run as wandb_run
from ..tree import Unit
from . import stores, texts
from .runs import Account, LoggedRow
from .whole import read_runs

__all__ = ["Follower", "follower_of"]

_HEAD = 64
"""Bytes by which a file is known again: other ones mean that another file has its name."""


class Follower(ABC):
    """What follows a run.

    Args:
        unit: The file or folder.

    Attributes:
        config: Settings of the run, as far as they were recorded.
        account: What was left out.
        restarts: How often what had been read was cut or replaced, so that reading began anew.
    """

    def __init__(self, unit: Unit) -> None:
        self.path = unit.path
        self.config: dict[str, Any] = {}
        self.account = Account()
        self.restarts = 0
        self._heads: dict[Path, tuple[int, bytes]] = {}
        self._ends: dict[Path, int] = {}

    @abstractmethod
    def new(self, *, final: bool = False) -> Iterator[LoggedRow]:
        """Yield the rows since the last look.

        Args:
            final: Whether no further look follows, so that what may not be complete is taken too.
        """

    def _begin(self, path: Path) -> int:
        """Return where a file is to be read on; 0, and a restart, if it was cut or replaced."""
        end = self._ends.get(path, 0)
        inode, size = path.stat().st_ino, path.stat().st_size
        with path.open("rb") as file:
            head = file.read(_HEAD)
        known = self._heads.get(path)
        if known is not None and (known[0] != inode or size < end or not head.startswith(known[1])):
            self.restarts += 1
            self._ends.clear()
            self._heads.clear()
            self._forget()
            end = 0
        self._heads[path] = (inode, head)
        return end

    def _forget(self) -> None:
        self.config.clear()
        self.account = Account()


class _Lines(Follower):
    """A file of JSON lines."""

    def __init__(self, unit: Unit) -> None:
        super().__init__(unit)
        self._number = 0

    def new(self, *, final: bool = False) -> Iterator[LoggedRow]:
        at = self._begin(self.path)
        with self.path.open("rb") as file:
            file.seek(at)
            for line in file:
                if not final and not line.endswith(b"\n"):
                    break
                at += len(line)
                self._ends[self.path] = at
                self._number += 1
                row = texts.row_of(line, self._number, self.account, self.config)
                if row is not None:
                    yield row

    def _forget(self) -> None:
        super()._forget()
        self._number = 0


class _WandbRun(Follower):
    """A ``.wandb`` file, or the folder that it lies in."""

    def new(self, *, final: bool = False) -> Iterator[LoggedRow]:
        found = wandb.members(self.path) if self.path.is_dir() else [self.path]
        files = [file for file in found if file.suffix == ".wandb"]
        for file in files[:1]:
            begin = self._begin(file)
            if not self.config:
                self.config.update(run_settings.only(file, "wandb"))
            for end, row in wandb_run.rows_from(file, begin):
                self._ends[file] = end
                yield stores.wandb_row(row)


class _Events(Follower):
    """A folder of event files, or one of them."""

    def __init__(self, unit: Unit) -> None:
        super().__init__(unit)
        self._step: float | None = None
        self._row: dict[str, Any] = {}

    def new(self, *, final: bool = False) -> Iterator[LoggedRow]:
        if not self.config:
            self.config.update(run_settings.only(self.path, "tensorboard"))
        files = list(tensorboard.files_of(self.path))
        before = self.restarts
        begins = [self._begin(file) for file in files]
        for file, begin in zip(files, begins, strict=True):
            extent = tfrecord.Extent()
            for at, tag, number in tags.numbers_of(file, extent, begin if self.restarts == before else 0):
                if (at != self._step or tag in self._row) and self._row and self._step is not None:
                    yield LoggedRow(self._step, self._row)
                    self._row = {}
                self._step = at
                self._row[tag] = number
            self._ends[file] = extent.whole or 0
        if final and self._row and self._step is not None:
            yield LoggedRow(self._step, self._row)
            self._row = {}

    def _forget(self) -> None:
        super()._forget()
        self._step, self._row = None, {}


class _Whole(Follower):
    """A run of a kind that is read as a whole, if it has changed at all."""

    def __init__(self, unit: Unit) -> None:
        super().__init__(unit)
        self._unit = unit
        self._state: Mapping[Path, tuple[int, int]] = {}
        self._seen = 0

    def new(self, *, final: bool = False) -> Iterator[LoggedRow]:
        state = self._now()
        if state == self._state and not (final and self._unit.kind == "mlflow"):
            return
        self._state = state
        run = next(read_runs(self._unit), None)
        if run is None:
            return
        self.config.update(run.config)
        held: LoggedRow | None = None
        count = 0
        for row in islice(run.rows, self._seen, None):
            # MLflow writes a step value by value, so that the last one may not be complete.
            if self._unit.kind != "mlflow" or final:
                count += 1
                yield row
                continue
            if held is not None:
                count += 1
                yield held
            held = row
        self._seen += count
        self.account = run.account

    def _now(self) -> dict[Path, tuple[int, int]]:
        files = list(self.path.rglob("*")) if self.path.is_dir() else list(self.path.parent.glob(f"{self.path.name}*"))
        stats = {file: file.stat() for file in files if file.is_file()}
        return {file: (found.st_size, found.st_mtime_ns) for file, found in stats.items()}


_FOLLOWERS: dict[str, type[Follower]] = {"jsonl": _Lines, "wandb": _WandbRun, "tensorboard": _Events}


def follower_of(unit: Unit) -> Follower:
    """Return what follows a run."""
    return _FOLLOWERS.get(unit.kind, _Whole)(unit)
