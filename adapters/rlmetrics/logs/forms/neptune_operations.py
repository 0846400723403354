"""What Neptune's client keeps of a run until it is sent, below ``.neptune``: ``data-*.log``, an operation on each line.

Each run has a folder of its own. A file that would exceed 64 MiB is followed by another, wherever in a row that is;
the number in a name is that of the first operation. What was sent is deleted file by file: the first may be gone.

Source: `neptune/internal/operation.py` and `core/components/queue/disk_queue.py` of 1.14.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from .form import Form
from .pandas_json import as_lines

__all__ = ["FORMS", "pieces_of"]

_BEGINS = b'{"obj": {"type": "'
_SETTINGS = frozenset({"AssignFloat", "AssignInt", "AssignBool", "AssignString"})
_OWN = frozenset({"sys", "monitoring", "source_code"})
"""What the client itself notes of a run, and of the machine."""


def _is_operations(path: Path, begin: bytes) -> bool:
    return begin.startswith(_BEGINS)


def pieces_of(path: Path) -> list[Path]:
    """Return the files of a run in their order; a file alone if it is none of one."""
    if not _holds_operations(path):
        return [path]
    numbered = {file: file.stem.partition("-")[2] for file in path.parent.glob("data-*.log")}
    files = [file for file, number in numbered.items() if number.isdecimal() and _holds_operations(file)]
    return sorted(files, key=lambda file: int(numbered[file]))


def _holds_operations(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_BEGINS)) == _BEGINS


def _open_operations(path: Path, folder: Path) -> Path:
    return as_lines(_rows(pieces_of(path) if path.suffix == ".log" else [path]), path, folder)


def _rows(files: list[Path]) -> Iterator[dict[str, Any]]:
    """Yield the settings of a run that were set before its first value, and its rows, a step each."""
    settings: dict[str, Any] = {}
    row: dict[str, Any] = {}
    begun = False
    for kind, names, operation in chain.from_iterable(map(_operations, files)):
        if kind in _SETTINGS and not begun:
            settings[".".join(names[1:] or names)] = operation.get("value")
        for point in operation["values"] if kind == "LogFloats" and isinstance(operation.get("values"), list) else ():
            if not isinstance(point, dict) or not isinstance(point.get("value"), int | float):
                continue
            if not begun and settings:
                yield {"config": settings}
            begun = True
            key, step = "/".join(names), point.get("step")
            if row and (step != row.get("step") or key in row):
                yield row
                row = {}
            row |= {key: point["value"]} if step is None else {"step": step, key: point["value"]}
    if row:
        yield row


def _operations(path: Path) -> Iterator[tuple[str, list[str], dict[str, Any]]]:
    """Yield the type, the path and the rest of each operation; a line that holds none is left out."""
    with path.open("rb") as file:
        for line in file:
            try:
                operation = json.loads(line)["obj"]
                kind, names = operation["type"], operation["path"]
            except (ValueError, KeyError, TypeError, RecursionError):
                continue
            if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
                continue
            if names[0] not in _OWN:
                yield str(kind), names, operation


FORMS = (Form("what Neptune's client kept of a run", _is_operations, _open_operations),)
