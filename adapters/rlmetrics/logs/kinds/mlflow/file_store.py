"""The file store of MLflow: a folder for each run, with a file for each key, and in it a line for each value."""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterator
from pathlib import Path

from ...log import Log
from ...reading import Account, Follower, LoggedRow, RecordedRun, Whole, together
from ...run_settings import RunSettings, setting

__all__ = ["METRICS", "TAGS", "MlflowRun", "files_by_key", "is_series", "members"]

_META = "meta.yaml"
METRICS, TAGS = "metrics", "tags"
_OURS = (METRICS, TAGS, "params")
_LONGEST = 1 << 20
"""Bytes from which on a parameter is no setting."""
_POINT = re.compile(rb"[0-9]{12,14} \S+ -?[0-9]+\n?")
_LONGEST_POINT = 200
_RUN = re.compile(r"^(?:run_id|run_uuid|model_id):", re.MULTILINE)


def members(folder: Path) -> list[Path]:
    """Return the files of a run's folder, or what is left of it, without artifacts; none if it is no such folder."""
    meta = folder / _META
    if not (folder / METRICS).is_dir():
        return []
    if not meta.is_file():
        # Somebody took the metrics along, and left the rest of the run behind.
        files = sorted(path for path in (folder / METRICS).rglob("*") if path.is_file())
        return files if files and all(map(is_series, files)) else []
    if not _RUN.search(meta.read_text(errors="replace")):
        return []
    return [meta, *sorted(path for part in _OURS for path in (folder / part).rglob("*") if path.is_file())]


def is_series(file: Path) -> bool:
    """Tell whether a file begins with a time in milliseconds, a value and a step, as MLflow keeps a key."""
    with file.open("rb") as lines:
        return _POINT.fullmatch(lines.readline(_LONGEST_POINT)) is not None


class MlflowRun(Log):
    """The folder of a run."""

    def names(self) -> set[str]:
        """Return the keys of the run."""
        return set(files_by_key(self.path))

    def read_configuration(self) -> dict[str | None, RunSettings]:
        """Return the parameters of the run."""
        root = self.path / "params"
        files = [file for file in root.rglob("*") if file.is_file()] if root.is_dir() else []
        values = {
            file.relative_to(root).as_posix(): setting(file.read_text(encoding="utf-8", errors="replace"))
            for file in files
            if file.stat().st_size < _LONGEST
        }
        return {None: RunSettings(values, "MLflow" if values else "")}

    def read(self) -> Iterator[RecordedRun]:
        """Yield the run."""
        account = Account()
        yield self.run(self._logged(account), account)

    def _logged(self, account: Account) -> Iterator[LoggedRow]:
        values = [_values(path, key, account) for key, path in files_by_key(self.path).items()]
        yield from together(heapq.merge(*values, key=lambda value: value[0]))

    def follow(self) -> Follower:
        """Return what reads on while the run grows; a step is written value by value."""
        return Whole(self.path, self.reread, by_value=True)


def files_by_key(folder: Path) -> dict[str, Path]:
    """Return the file of each key of a run."""
    root = folder / METRICS
    return {path.relative_to(root).as_posix(): path for path in sorted(root.rglob("*")) if path.is_file()}


def _values(path: Path, key: str, account: Account) -> Iterator[tuple[float, str, float]]:
    """Yield step, key and value of each line."""
    with path.open("rb") as file:
        for number, line in enumerate(file):
            parts = line.split()
            try:
                yield float(parts[2]) if len(parts) > 2 else float(number), key, float(parts[1])
            except (IndexError, ValueError):
                account.skip(f"{path.name}:{number + 1} is no time, value and step")
