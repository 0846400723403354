"""What collectors of logs make of a console: JSON of Docker and of journald, and journald's export.

Each entry holds a line, or a part of one, in one of its fields; the rest says when and where it was written.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from .form import Form, below

__all__ = ["FORMS"]

_LONGEST = 1 << 24
_DOCKER = frozenset({"log", "stream", "time", "attrs"})
_JOURNAL = "__REALTIME_TIMESTAMP"


def _first(path: Path) -> dict[str, Any]:
    """Return the object in the first line of a file; none if it holds anything else."""
    with path.open("rb") as file:
        return _entry(file.readline(_LONGEST).removeprefix(b"\xef\xbb\xbf"))


def _entry(line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _is_docker(path: Path, begin: bytes) -> bool:
    if b'"log"' not in begin:
        return False
    first = _first(path)
    return isinstance(first.get("log"), str) and first.keys() <= _DOCKER and len(first) > 1


def _is_journal(path: Path, begin: bytes) -> bool:
    return _JOURNAL.encode() in begin and {_JOURNAL, "MESSAGE"} <= _first(path).keys()


def _is_export(path: Path, begin: bytes) -> bool:
    return begin.startswith((b"__CURSOR=", b"__REALTIME_TIMESTAMP=")) and b"\n__" in begin


def _docker_lines(path: Path) -> Iterator[str]:
    with path.open("rb") as file:
        for line in file:
            text = _entry(line).get("log")
            if isinstance(text, str):
                yield text  # a part of a long line has no end


def _journal_lines(path: Path) -> Iterator[str]:
    with path.open("rb") as file:
        for line in file:
            text = _entry(line).get("MESSAGE")
            if isinstance(text, list):  # bytes that are no printable text, such as colours
                text = bytes(byte for byte in text if isinstance(byte, int) and 0 <= byte < 256).decode(
                    "utf-8", "replace"
                )
            if isinstance(text, str):
                yield f"{text}\n"


def _export_lines(path: Path) -> Iterator[str]:
    with path.open("rb") as file:
        for line in file:
            if line.startswith(b"MESSAGE="):
                yield line.removeprefix(b"MESSAGE=").decode("utf-8", "replace")
            elif line == b"MESSAGE\n":  # a text of several lines, with its length before it
                size = int.from_bytes(file.read(8), "little")
                yield file.read(min(size, _LONGEST)).decode("utf-8", "replace") + "\n"


def _open(lines: Callable[[Path], Iterator[str]], path: Path, folder: Path) -> Path:
    plain = below(folder, path.name, ".log")
    with plain.open("w", encoding="utf-8", newline="", errors="backslashreplace") as file:
        file.writelines(lines(path))
    return plain


FORMS = (
    Form("JSON of Docker's log driver", _is_docker, partial(_open, _docker_lines)),
    Form("JSON of journalctl", _is_journal, partial(_open, _journal_lines)),
    Form("an export of journalctl", _is_export, partial(_open, _export_lines)),
)
