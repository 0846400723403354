"""Writes the folder of a run of MLflow with other keys: a file for each of them."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from pathlib import Path, PurePosixPath

from rlmetrics.logs.decimals import convert_decimal, printed
from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.kinds.mlflow.file_store import METRICS, TAGS, MlflowRun, files_by_key, members
from rlmetrics.names.tables.key_records import Transform

from ...report import Report
from ...translator import Translator
from ..log_rewriter import LogRewriter
from .routes import NOTE, SeriesRoute, note_of, routes_of

__all__ = ["MlflowRunRewriter"]


class MlflowRunRewriter(LogRewriter[MlflowRun]):
    """Writes the folder of a run."""

    def rewrite(self, output: Path, translator: Translator, report: Report) -> None:
        """Write a copy with its keys translated; a tag of the run says so.

        Values, times and steps stay; conversions apply to values. Parameters, tags, inputs and artifacts are copied.

        Raises:
            InputError: If the folder is none of a run, a line is no value, MLflow doesn't allow a new name, or one name
                is a folder of another.
        """
        folder = self.log.path
        if not members(folder):
            msg = "is no folder of a run as MLflow keeps it: it has no meta.yaml with a run_id beside its metrics"
            raise InputError(msg, folder)
        files = files_by_key(folder)
        series = routes_of(files, lambda key, how: _digest(files[key], how), translator)
        _require_room(folder, series)
        for path in members(folder):
            if not path.is_relative_to(folder / METRICS):
                _copy(path, output / path.relative_to(folder))
        for key, path in files.items():
            for number, route in enumerate(series[key]):
                goal = output / METRICS / route.name
                _write(path, goal, route, report if number == 0 else Report("", "", ""))
        if any(routes != [SeriesRoute(key, None)] for key, routes in series.items()):
            (output / TAGS).mkdir(parents=True, exist_ok=True)
            # Names of files need not be UTF-8; what they lack comes out as it came in.
            (output / TAGS / NOTE).write_text(note_of(report, series), encoding="utf-8", errors="surrogateescape")


def _require_room(folder: Path, series: dict[str, list[SeriesRoute]]) -> None:
    """Refuse a run of which one new name is a folder of another.

    Raises:
        InputError: If there is such a name.
    """
    keys = {route.name: key for key, routes in series.items() for route in routes}
    for name, key in keys.items():
        for above in map(str, PurePosixPath(name).parents):
            if above in keys:
                old = METRICS + "/" + keys[above]
                msg = (
                    f"names conflict: {keys[above]} is written as {above} and {key} as {name}, but a file store "
                    f"can't hold a series and a folder of one name; take one of the two out ({old}), or use a database"
                )
                raise InputError(msg, folder)


def _copy(path: Path, goal: Path) -> None:
    goal.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, goal)


def _write(path: Path, goal: Path, route: SeriesRoute, report: Report) -> None:
    """Write a series, with values converted where they must be; a last line without its end was cut off."""
    goal.parent.mkdir(parents=True, exist_ok=True)
    with goal.open("xb") as out:
        for number, line in _lines(path, report):
            out.write(line if route.transform is None else _converted(path, number, line, route.transform))


def _lines(path: Path, report: Report) -> Iterator[tuple[int, bytes]]:
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if line.endswith(b"\n"):
                report.records += 1
                yield number, line
            else:
                report.lost.records += 1
                report.lost.bytes += len(line)


def _converted(path: Path, number: int, line: bytes, transform: Transform) -> bytes:
    parts = line.split(b" ")
    try:
        new = convert_decimal(Decimal(parts[1].decode("ascii")), transform.scale, transform.offset)
    except (IndexError, InvalidOperation, UnicodeDecodeError, TypeError):
        msg = "not a time, a value and a step; remove or mend this line"
        raise InputError(msg, path, number) from None
    tail = b"\n" if len(parts) == 2 else b""
    return b" ".join([parts[0], printed(new).encode() + tail, *parts[2:]])


def _digest(path: Path, transform: Transform | None) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for number, line in _lines(path, Report("", "", "")):
        new = line if transform is None else _converted(path, number, line, transform)
        digest.update(new.partition(b" ")[2])
    return digest.hexdigest()
