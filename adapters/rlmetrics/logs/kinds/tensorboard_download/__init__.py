"""What TensorBoard's page offers to download: the values of one tag as CSV or JSON, whose name is that of the file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from rlmetrics.lazy_dataclasses import dataclass

from ...files import text_in
from ...given_key import given_key
from ...input_errors import InputError
from ...log import Kind, Log
from ...reading import Account, LoggedRow, RecordedRun
from ...reading.steps import together
from .tag_in_name import file_name, tag_of

__all__ = ["HEADER", "KIND", "Download", "DownloadedTags", "file_name", "points_in"]

HEADER = "Wall time,Step,Value"
_JSON = re.compile(rb"\s*\[\s*\[\s*[-+0-9.eE]+\s*,\s*-?[0-9]+\s*,\s*(?:[-+0-9.eE]+|\"?-?(?:NaN|Infinity)\"?)\s*\]")
_NAME = re.compile(r"run[-_](?P<run>.*)[-_]tag-(?P<tag>.+?)(?: ?\([0-9]+\))?\.(?:csv|json)", re.IGNORECASE | re.DOTALL)
"""How the page names a file; browsers write a blank and a number behind a name that there is."""
_SUFFIXES = {".csv", ".json"}
_FEWEST = 2


def recognises(path: Path) -> bool:
    """Tell whether ``path`` is a download."""
    if path.suffix.lower() not in _SUFFIXES:
        return False
    with path.open("rb") as file:
        begin = file.read(1 << 10)
    if path.suffix.lower() == ".json":
        return _JSON.match(begin) is not None
    return begin.partition(b"\n")[0].decode("utf-8-sig", "replace").strip() == HEADER


def members(folder: Path) -> list[Path]:
    """Return the downloads in a folder: tags of one run belong together."""
    files = [path for path in sorted(folder.glob("run*tag-*")) if _NAME.fullmatch(path.name) and path.is_file()]
    downloads = [path for path in files if recognises(path)]
    return downloads if len(downloads) >= _FEWEST else []


@dataclass(frozen=True)
class Download:
    """A downloaded file."""

    path: Path

    @cached_property
    def run(self) -> str:
        """The run that the name of the file tells; empty if it tells none."""
        named = _NAME.fullmatch(self.path.name)
        return named["run"] if named and named["run"] != "." else ""

    @cached_property
    def key(self) -> str:
        """The name of the values, as it was given or as the name of the file tells.

        Raises:
            InputError: If nothing tells it.
        """
        given = given_key()
        if given:
            return given
        named = _NAME.fullmatch(self.path.name)
        if named is None:
            msg = "TensorBoard's downloads hold no name; say with --key what it is, such as --key train/loss"
            raise InputError(msg, self.path)
        found = tag_of(named["tag"])
        if len(found) > 1:
            listed = " or ".join(found[:3])
            msg = f"its name leaves open whether it holds {listed}; say it with --key {found[0]}"
            raise InputError(msg, self.path)
        return found[0]

    def points(self, account: Account) -> Iterator[tuple[float, str, float]]:
        """Yield step, key and value of each point; what can't be read is taken down."""
        for place, step, value in points_in(self.path):
            try:
                yield float(step), self.key, float(value)
            except ValueError:
                account.skip(f"line {place}: {value[:40]!r} at step {step[:40]!r} is no number")


def points_in(path: Path) -> Iterator[tuple[int, str, str]]:
    """Yield line, step and value of each point, as they are spelled.

    Raises:
        InputError: If the file is damaged.
    """
    text = text_in(path, "download it again")
    if path.suffix.lower() == ".json":
        yield from _json_points(path, text)
        return
    for number, line in enumerate(text.splitlines()[1:], start=2):
        if line.strip():
            cells = [cell.strip() for cell in line.split(",")]
            yield (number, cells[1], cells[2]) if len(cells) == 3 else (number, "", line)


def _json_points(path: Path, text: str) -> Iterator[tuple[int, str, str]]:
    try:
        points = json.loads(text, parse_int=str, parse_float=str, parse_constant=str)
    except json.JSONDecodeError as error:
        msg = f"not JSON: {error.msg}; download it again"
        raise InputError(msg, path, error.lineno, error.colno) from None
    except RecursionError:
        msg = "values are nested too deeply for points of TensorBoard; download it again"
        raise InputError(msg, path, 1, 1) from None
    for point in points if isinstance(points, list) else ():
        if isinstance(point, list) and len(point) == 3 and all(isinstance(part, str) for part in point):
            yield 1, point[1], point[2]
        else:
            yield 1, "", str(point)[:40]


class DownloadedTags(Log):
    """A download, or those in a folder."""

    @cached_property
    def downloads(self) -> list[Download]:
        """The files."""
        return [Download(path) for path in (members(self.path) if self.path.is_dir() else [self.path])]

    def names(self) -> set[str]:
        """Return the names of all files."""
        return {download.key for download in self.downloads}

    def runs(self) -> dict[str | None, list[str]]:
        """Return the names of each run."""
        runs: dict[str | None, list[str]] = {}
        several = len({download.run for download in self.downloads}) > 1
        for download in self.downloads:
            runs.setdefault(download.run if several else None, []).append(download.key)
        return runs

    def read(self) -> Iterator[RecordedRun]:
        """Yield the runs, with the values of one step together."""
        for name in self.runs():
            account = Account()
            points = [
                point
                for download in self.downloads
                if name is None or download.run == name
                for point in download.points(account)
            ]
            yield self.run(self._rows(points), account, name or "")

    def _rows(self, points: list[tuple[float, str, float]]) -> Iterator[LoggedRow]:
        return together(sorted(points, key=lambda point: point[0]))


KIND = Kind("tensorboard-download", recognises, DownloadedTags, members)
