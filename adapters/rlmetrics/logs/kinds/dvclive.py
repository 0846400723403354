"""Tables of DVCLive: below ``plots/metrics`` one for each key, whose name is the path of the file.

The header has the last part of a key alone: ``rewards/chosen`` and ``logps/chosen`` are both ``chosen`` there.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from rlmetrics.lazy_dataclasses import dataclass

from ..files import text_in
from ..input_errors import InputError
from ..log import Kind, Log
from ..reading import Account, LoggedRow, RecordedRun
from ..reading.steps import together

__all__ = ["KIND", "SUFFIX", "DvcliveTable", "DvcliveTables"]

SUFFIX = ".tsv"
_METRICS = ("plots", "metrics")
"""The folder below which the tables lie."""
_STEP = "step"
_SAID = "DVCLive numbers calls of log: its steps are no optimizer steps"
_HINT = "copy it again from the run"


def recognises(path: Path) -> bool:
    """Tell whether ``path`` lies where DVCLive writes a table, and has its header."""
    if path.suffix != SUFFIX or _key_of(path) is None:
        return False
    with path.open("rb") as file:
        titles = file.readline(1 << 12).decode("utf-8", "replace").rstrip("\r\n").split("\t")
    return _STEP in titles[:-1] and titles[-1] == path.name.removesuffix(SUFFIX)


def members(folder: Path) -> list[Path]:
    """Return the tables of a run, if ``folder`` is the one below which they lie."""
    if not _is_root(folder.absolute()):
        return []
    return [path for path in sorted(folder.rglob(f"*{SUFFIX}")) if path.is_file() and recognises(path)]


def _is_root(folder: Path) -> bool:
    return folder.parts[-len(_METRICS) :] == _METRICS


def _key_of(path: Path) -> str | None:
    """Return the key that the place of a table tells; None if it lies elsewhere."""
    whole = path.absolute()
    root = next((folder for folder in whole.parents if _is_root(folder)), None)
    return None if root is None else whole.relative_to(root).as_posix().removesuffix(SUFFIX)


@dataclass(frozen=True)
class DvcliveTable:
    """The values of a key."""

    path: Path

    @property
    def key(self) -> str:
        """The key, as it was logged."""
        return _key_of(self.path) or self.path.name.removesuffix(SUFFIX)

    def points(self) -> Iterator[tuple[int, str, str]]:
        """Yield line, step and value of each row, as they are spelled; no step where a row has other cells.

        Raises:
            InputError: If the file is no text.
        """
        titles, *lines = text_in(self.path, _HINT).splitlines() or [""]
        header = titles.split("\t")
        place = header.index(_STEP) if _STEP in header else 0
        for number, line in enumerate(lines, start=2):
            if line.strip():
                cells = line.split("\t")
                yield (number, cells[place], cells[-1]) if len(cells) == len(header) else (number, "", line)


class DvcliveTables(Log):
    """The tables of a run, or one of them."""

    @cached_property
    def tables(self) -> list[DvcliveTable]:
        """The tables."""
        return [DvcliveTable(path) for path in (members(self.path) if self.path.is_dir() else [self.path])]

    def names(self) -> set[str]:
        """Return the keys."""
        return {table.key for table in self.tables} - {_STEP}

    def read(self) -> Iterator[RecordedRun]:
        """Yield the run, with the values of one step together."""
        account = Account()
        account.notes.append(_SAID)
        points: list[tuple[float, str, float]] = []
        for table in self.tables:
            for line, step, value in table.points() if table.key != _STEP else ():
                try:
                    points.append((float(step), table.key, float(value)))
                except ValueError:
                    account.skip(f"line {line} of {table.key}: {value[:40]!r} at step {step[:40]!r} is no number")
        yield self.run(self._rows(points), account)

    def _rows(self, points: list[tuple[float, str, float]]) -> Iterator[LoggedRow]:
        if not points:
            msg = f"its tables hold no row; {_HINT}"
            raise InputError(msg, self.path)
        return together(sorted(points, key=lambda point: point[0]))


KIND = Kind("dvclive", recognises, DvcliveTables, members)
