"""The file store of MLflow: a folder for each run, with a file for each key, and in it a line for each value."""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from pathlib import Path, PurePosixPath

from rlmetrics.names.records import Transform

from ...decimals import convert_decimal, printed
from ...errors import InputError
from ...report import Report
from ...translator import Translator
from .routes import NOTE, Route, note_of, routes_of

__all__ = ["members", "names", "series", "translate"]

_META = "meta.yaml"
_METRICS, _TAGS = "metrics", "tags"
_OURS = (_METRICS, _TAGS, "params")
_RUN = re.compile(r"^(?:run_id|run_uuid|model_id):", re.MULTILINE)


def members(folder: Path) -> list[Path]:
    """Return the files of a run's folder, without artifacts; none if it is no such folder."""
    meta = folder / _META
    if not (meta.is_file() and (folder / _METRICS).is_dir() and _RUN.search(meta.read_text(errors="replace"))):
        return []
    return [meta, *sorted(path for part in _OURS for path in (folder / part).rglob("*") if path.is_file())]


def names(folder: Path) -> set[str]:
    """Return the keys of a run."""
    return set(series(folder))


def translate(folder: Path, output: Path, translator: Translator, report: Report) -> None:
    """Write a run with its keys translated; a tag of the run says so.

    Raises:
        InputError: If a line is no value, MLflow doesn't allow a new name, or one name is a folder of another.
    """
    files = series(folder)
    routes = routes_of(files, lambda key, how: _digest(files[key], how), translator)
    _require_room(folder, routes)
    for path in members(folder):
        if not path.is_relative_to(folder / _METRICS):
            _copy(path, output / path.relative_to(folder))
    for key, path in files.items():
        for number, route in enumerate(routes[key]):
            goal = output / _METRICS / route.name
            _write(path, goal, route, report if number == 0 else Report("", "", ""))
    changed = any(found != [Route(key, None)] for key, found in routes.items())
    if changed:
        (output / _TAGS).mkdir(parents=True, exist_ok=True)
        # Names of files need not be UTF-8; what they lack comes out as it came in.
        (output / _TAGS / NOTE).write_text(note_of(report, routes), encoding="utf-8", errors="surrogateescape")


def _require_room(folder: Path, routes: dict[str, list[Route]]) -> None:
    """Refuse a run of which one new name is a folder of another.

    Raises:
        InputError: If there is such a name.
    """
    keys = {route.name: key for key, found in routes.items() for route in found}
    for name, key in keys.items():
        for above in map(str, PurePosixPath(name).parents):
            if above in keys:
                old = _METRICS + "/" + keys[above]
                msg = (
                    f"names conflict: {keys[above]} is written as {above} and {key} as {name}, but a file store "
                    f"can't hold a series and a folder of one name; take one of the two out ({old}), or use a database"
                )
                raise InputError(msg, folder)


def series(folder: Path) -> dict[str, Path]:
    """Return the file of each key of a run."""
    root = folder / _METRICS
    return {path.relative_to(root).as_posix(): path for path in sorted(root.rglob("*")) if path.is_file()}


def _copy(path: Path, goal: Path) -> None:
    goal.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, goal)


def _write(path: Path, goal: Path, route: Route, report: Report) -> None:
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
