"""Forms in which a log may come that no kind reads as it is: packed, in another encoding, framed, or turned.

What such a file holds is written in plain form to a temporary folder, and read there as any other log. One module for
each family of forms, each with its ``FORMS``.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

from rlmetrics.lazy_dataclasses import dataclass

from ..files import COMPRESSED
from ..shown_paths import stands_for
from .form import Form

__all__ = ["Form", "Opened", "opened", "pieces"]

_FRAME = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*\{\s*\"(?:(?:columns|index|data)\"\s*:\s*\[|-?[0-9]+(?:\.[0-9]+)?\"\s*:\s*\{)"
)
_ODD_ROW = re.compile(rb"\{\s*'|\"\s*:\s*\{")
_JSON = frozenset({".json", ".jsonl", ".ndjson"})
_TABLES = frozenset({".csv", ".tsv"})
_TEXTS = frozenset({".txt", ".log", ".dat", ""})
_FAMILIES: dict[str, tuple[Callable[[str, bytes], bool], bool]] = {
    "compressed_files": (lambda suffix, begin: begin.startswith(tuple(COMPRESSED)), True),
    "archives": (lambda suffix, begin: begin.startswith(b"PK") or begin[257:262] == b"ustar", True),
    "utf16_texts": (lambda suffix, begin: begin.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in begin[:2], True),
    "swanlab_runs": (lambda suffix, begin: begin.startswith(b":SWL"), True),
    "neptune_operations": (lambda suffix, begin: begin.startswith(b'{"obj": {"type"'), False),
    "collected_lines": (lambda suffix, begin: b'"log"' in begin or b"__REALTIME_TIMESTAMP" in begin, False),
    "pandas_json": (lambda suffix, begin: suffix == ".json" and _FRAME.match(begin) is not None, False),
    "turned_tables": (lambda suffix, begin: suffix in _TABLES or (suffix in _TEXTS and b"," in begin), False),
    "python_rows": (lambda suffix, begin: suffix in _JSON and _ODD_ROW.search(begin) is not None, False),
}
"""Each family with what tells quickly that a file may be of it, and whether it says nothing of what is within."""
_PIECE = re.compile(r"data-[0-9]+\.log")
"""What Neptune's client calls the files into which it cuts a run."""
_MOST = 4
"""Forms inside one another, such as UTF-16 that was packed."""
_BEGIN = 1 << 12


@dataclass(frozen=True, slots=True)
class Opened:
    """A file whose content was written in plain form.

    Attributes:
        given: The file.
        plain: Its content; a folder if it is an archive.
        forms: What it was, from the outside to the inside.
    """

    given: Path
    plain: Path
    forms: tuple[Form, ...]

    @property
    def is_archive(self) -> bool:
        """Whether it holds files."""
        return any(form.is_archive for form in self.forms)

    @property
    def notes(self) -> list[str]:
        """What is to be said of how it was read."""
        return [form.note for form in self.forms if form.note]

    def close(self, copy: Path) -> list[str]:
        """Bring a plain file into the form again, and return what is to be said where it stays plain."""
        for number, form in enumerate(reversed(self.forms)):
            if form.close is None:
                plain = self.plain.suffix.removeprefix(".")
                return [f"the input is {form.name}; the copy is plain {plain or 'text'}"] if number == 0 else []
            packed = copy.with_name(f"{copy.name}.packed")
            form.close(copy, packed)
            packed.replace(copy)
        return []


def opened(path: Path, *, only_bytes: bool = False, archives: bool = True) -> Opened | None:
    """Return what a file holds in plain form; None if it is plain itself.

    Args:
        path: The file.
        only_bytes: Whether only forms are looked for that say nothing of what is within, such as compression.
        archives: Whether archives are opened, too.

    Raises:
        InputError: If it is damaged.
    """
    stats = [piece.stat() for piece in pieces(path)]
    return _opened(path, tuple((one.st_size, one.st_mtime_ns) for one in stats), only_bytes, archives)


def pieces(path: Path) -> list[Path]:
    """Return the files into which the run was cut that a file holds, in their order; mostly the file alone.

    Opening any of them opens all.
    """
    if _PIECE.fullmatch(path.name) is None:
        return [path]
    from .neptune_operations import pieces_of  # only for what is called so

    return pieces_of(path)


@cache
def _opened(path: Path, state: tuple[tuple[int, int], ...], only_bytes: bool, archives: bool) -> Opened | None:
    found: list[Form] = []
    plain = path
    while len(found) < _MOST and plain.is_file():
        with plain.open("rb") as file:
            begin = file.read(_BEGIN)
        forms = _forms(plain.suffix.lower(), begin, only_bytes)
        form = next((one for one in forms if one.is_one(plain, begin)), None)
        if form is None or (form.is_archive and not archives):
            break
        folder = _folder()
        stands_for(folder, path)
        plain = form.open(plain, folder)
        found.append(form)
    return Opened(path, plain, tuple(found)) if found else None


def _forms(suffix: str, begin: bytes, only_bytes: bool) -> Iterator[Form]:
    """Yield the forms that a file may have; a family is loaded only where one of its marks stands in the beginning."""
    for family, (may_be, says_nothing) in _FAMILIES.items():
        if (says_nothing or not only_bytes) and may_be(suffix, begin):
            yield from _family(family)


@cache
def _family(name: str) -> tuple[Form, ...]:
    forms: tuple[Form, ...] = import_module(f"{__name__}.{name}").FORMS
    return forms


def _folder() -> Path:
    """Return a new folder below that of this process, which goes when the process ends."""
    return Path(tempfile.mkdtemp(dir=_folder_of(os.getpid())))


@cache
def _folder_of(process: int) -> Path:
    folder = Path(tempfile.mkdtemp(prefix="rlmetrics-"))

    def remove() -> None:
        if os.getpid() == process:  # a process that was forked off leaves it to the first
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    return folder
