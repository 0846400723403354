"""Offline runs of W&B: a ``run-*.wandb`` file, or the folder that it lies in with its media and settings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rlmetrics.lazy_dataclasses import dataclass

from ...log import Kind, RowLog, arguments_among
from ...reading import Account, Follower, LoggedRow, RecordedRun, as_step
from ...run_settings import RunSettings, flattened
from .run import config_names, config_of, history_names, history_rows, rows_from, rows_of
from .transactions import FILE_HEADER
from .wandb_messages import record_class

__all__ = ["KIND", "OfflineRun", "members", "recognises"]

_SUFFIX = ".wandb"
_MARKERS = (".synced", ".syncstate")
"""What ``wandb sync`` leaves beside a run that it has sent; the copy has not been sent."""
_OWN_FOLDERS = {
    "files": ("config.yaml", "wandb-*.json", "requirements.txt", "output.log", "media", "conda-environment.yaml"),
    "logs": ("debug*.log",),
    "tmp": ("code",),
}
"""What W&B itself keeps beside a run, and by what that is known."""
_SAMPLE_ROWS = 200
_REQUIREMENT = re.compile(r"^([A-Za-z0-9][\w.-]*)==([0-9][^\s;+]*)", re.MULTILINE)


def recognises(path: Path) -> bool:
    """Tell whether ``path`` is a file of W&B."""
    if path.suffix != _SUFFIX:
        return False
    with path.open("rb") as file:
        return file.read(4) == FILE_HEADER[:4]


def members(folder: Path) -> list[Path]:
    """Return the files of a run's folder; none if it is no such folder. Marks of past syncing don't belong to it.

    Other logs beside a ``.wandb`` file don't either: they are logs of their own.
    """
    runs = [path for path in folder.glob(f"*{_SUFFIX}") if recognises(path)]
    if not runs:
        return []
    kept = [
        below for name, marks in _OWN_FOLDERS.items() if _has_any(folder / name, marks) for below in [folder / name]
    ]
    return sorted(
        path
        for path in (*runs, *(path for below in kept for path in below.rglob("*")))
        if path.is_file() and not path.is_symlink() and not is_left_behind(path) and "tfevents" not in path.name
    )


def _has_any(folder: Path, patterns: tuple[str, ...]) -> bool:
    return any(path for pattern in patterns for path in folder.glob(pattern))


def is_left_behind(path: Path) -> bool:
    """Tell whether a file is a mark of past syncing, or the link to the log of W&B's service, which lies elsewhere."""
    return path.suffix in _MARKERS or (path.name == "debug-core.log" and path.is_symlink())


@dataclass(frozen=True)
class OfflineRun(RowLog):
    """A ``.wandb`` file, or the folder that it lies in."""

    def __post_init__(self) -> None:
        record_class()

    def names(self) -> list[str]:
        """Return the names in the first rows of a run."""
        return [name for file in self.files() for name in history_names(file, _SAMPLE_ROWS)]

    def releases(self) -> dict[str, str]:
        """Return which releases of frameworks the run says were installed."""
        requirements = self.path / "files" / "requirements.txt"
        if not requirements.is_file():
            return {}
        return dict(_REQUIREMENT.findall(requirements.read_text(encoding="utf-8", errors="replace")))

    def argument_names(self) -> dict[str | None, frozenset[str]]:
        """Return the names in the configuration that was recorded before the first row of a run."""
        return {None: arguments_among(name for file in self.files() for name in config_names(file))}

    def read_configuration(self) -> dict[str | None, RunSettings]:
        """Return the configuration."""
        files = self.files()
        settings = [RunSettings(flattened(config_of(file)), "W&B") for file in files]
        return {None if len(files) == 1 else file.name: one for file, one in zip(files, settings, strict=True)}

    def rows(self) -> Iterator[tuple[None, dict[str, Any]]]:
        """Yield the rows of a run, and what its summary is given, in the order of the records."""
        for file in self.files():
            for row in rows_of(file):
                yield None, row

    def read(self) -> Iterator[RecordedRun]:
        """Yield the run of each file."""
        files = self.files()
        for file in files:
            account = Account()
            yield self.run(_logged(file, account), account, "" if len(files) == 1 else file.name)

    def follow(self) -> Follower:
        """Return what reads each new record."""
        return _NewRecords(self.path)

    def files(self) -> list[Path]:
        """Return the ``.wandb`` files."""
        return _runs_in(self.path)


def _runs_in(path: Path) -> list[Path]:
    return [file for file in members(path) if file.suffix == _SUFFIX] if path.is_dir() else [path]


def _logged(path: Path, account: Account) -> Iterator[LoggedRow]:
    for row in history_rows(path, lambda torn: setattr(account, "torn", torn)):
        yield _without_own(row)


def _without_own(row: dict[str, Any]) -> LoggedRow:
    """Return a row without what W&B itself adds."""
    step = row.pop("_step", None)
    for name in ("_timestamp", "_runtime", "_wandb"):
        row.pop(name, None)
    return LoggedRow(as_step(step), row)


class _NewRecords(Follower):
    """Follows a ``.wandb`` file, or the folder that it lies in."""

    def new(self, *, final: bool = False) -> Iterator[LoggedRow]:
        for file in _runs_in(self.path)[:1]:
            begin = self.begin(file)
            if not self.config:
                self.config.update(KIND.open(file).only_configuration().values)
            for end, row in rows_from(file, begin):
                self.ends[file] = end
                yield _without_own(row)


KIND = Kind("wandb", recognises, OfflineRun, members, is_left_behind, knows_releases=True)
