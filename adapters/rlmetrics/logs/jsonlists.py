"""Reads a list of JSON objects one by one, with no more of it in memory than an object and a chunk."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from rlmetrics.lazy_dataclasses import dataclass

from .input_errors import InputError
from .jsonspans import JsonError, Members, end_of, members
from .reading import Loss

__all__ = ["Around", "ListReader", "reading_list"]

_SPACE = re.compile(r"[ \t\r\n]*")
_CHUNK = 1 << 20
_MARGIN = 16
"""An error so near the end of what has been read may be for lack of the rest."""


@dataclass(frozen=True, slots=True)
class Around:
    """What stands around a list.

    Attributes:
        head: Returns where the list begins, after its bracket; None if that can't be seen in a text.
        opening: What a text that ends there may be, at its shortest.
        closing: What closes it after an object.
        what: What such a file is.
        missing: What to say if there is no such list.
    """

    head: Callable[[str], int | None]
    opening: str
    closing: str
    what: str
    missing: str


@contextmanager
def reading_list(path: Path, around: Around, lost: Loss) -> Iterator[ListReader]:
    """Open a file whose objects are read one by one; what is lost of a torn one is taken down in ``lost``.

    Raises:
        InputError: If it is not UTF-8.
    """
    with path.open(encoding="utf-8", newline="") as file:
        try:
            yield ListReader(path, file, around, lost)
        except UnicodeDecodeError as error:
            msg = f"is not UTF-8 text: {error.reason}; a {around.what} is JSON"
            raise InputError(msg, path) from None


class ListReader:
    """Reads the objects in turn, as ``reading_list`` opens them."""

    def __init__(self, path: Path, file: TextIO, around: Around, lost: Loss) -> None:
        self._path = path
        self._file = file
        self._around = around
        self._lost = lost
        self._text = ""
        self._begin = self._at = 0
        self._line, self._column = 1, 1

    def pieces(self) -> Iterator[tuple[str, bool]]:
        """Yield the text of the file in pieces, and whether each is an object of the list.

        Raises:
            InputError: If there is no such list, or it is damaged.
        """
        while (end := self._around.head(self._text)) is None:
            if not self._more():
                raise self._error(JsonError(self._around.missing, 0))
        yield self._taken(end), False
        is_first = True
        while (mark := self._peek()) != "]":
            if mark == "," and not is_first:
                self._at += 1
                mark = self._peek()
            elif mark and not is_first:
                raise self._error(JsonError(f"found {mark!r} where ',' or ']' should stand", self._at))
            if mark not in ("{", ""):
                raise self._error(JsonError("an element of the list is not an object", self._at))
            end = self._entry_end()
            if end is None:
                yield self._torn(1 if mark else 0), False
                return
            yield self._taken(self._at), False
            yield self._taken(end), True
            is_first = False
        while self._more():
            pass
        yield self._tail(), False

    def members(self, entry: str) -> Members:
        """Return the members of the object that was just yielded.

        Raises:
            InputError: If a name occurs twice.
        """
        try:
            return members(entry)
        except JsonError as error:
            raise self._error(JsonError(str(error), self._begin - len(entry) + error.offset)) from None

    def _more(self) -> bool:
        """Read on, and forget what has been taken."""
        lines = self._text.count("\n", 0, self._begin)
        self._line += lines
        before = self._text.rfind("\n", 0, self._begin)
        self._column = self._begin - before if lines else self._column + self._begin
        # What was taken goes before more is read, so that never two chunks are held.
        self._text = self._text[self._begin :]
        self._at -= self._begin
        self._begin = 0
        chunk = self._file.read(_CHUNK)
        self._text += chunk
        return bool(chunk)

    def _taken(self, end: int) -> str:
        """Return the text up to ``end`` that has not been taken before."""
        text = self._text[self._begin : end]
        self._begin = self._at = end
        return text

    def _peek(self) -> str:
        """Step over white space and return the character there, or nothing at the end of the file."""
        while True:
            space = _SPACE.match(self._text, self._at)
            self._at = space.end() if space else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def _entry_end(self) -> int | None:
        """Return where the entry here ends, or None if the file ends first."""
        while True:
            try:
                return end_of(self._text, self._at)
            except JsonError as error:
                if not _may_be_cut(error, self._text):
                    raise self._error(error) from None
                if not self._more():
                    return None

    def _torn(self, records: int) -> str:
        """Take account of what was cut off, and return what closes the list and what is around it."""
        self._lost.records += records
        self._lost.bytes += len(self._text[self._begin :].encode())
        return self._around.closing

    def _tail(self) -> str:
        """Return what follows the list; if it was cut off, up to its last whole member, and closed."""
        rest, opening = self._text[self._begin :], self._around.opening
        try:
            end = end_of(opening + rest, 0) - len(opening)
        except JsonError as error:
            if not _may_be_cut(JsonError(str(error), error.offset - len(opening)), rest):
                raise self._error(JsonError(str(error), self._begin + error.offset - len(opening))) from None
        else:
            if more := rest[end:].strip():
                raise self._error(JsonError(f"{more[:20]!r} follows its end", self._begin + rest.index(more, end)))
            return rest
        end, closing = rest.index("]") + 1, self._around.closing[1:]
        for comma in re.finditer(",", rest):
            if _is_json(f"{opening}{rest[: comma.start()]}{closing}"):
                end = comma.start()
        self._lost.bytes += len(rest[end:].encode())
        return rest[:end] + closing

    def refused(self, entry: str, error: InputError) -> InputError:
        """Return an error about the object that was just yielded, with its place."""
        return InputError(str(error), self._path, *self._place(self._begin - len(entry)))

    def _error(self, error: JsonError) -> InputError:
        return InputError(f"not a {self._around.what}: {error}", self._path, *self._place(error.offset))

    def _place(self, offset: int) -> tuple[int, int]:
        before = self._text[:offset]
        lines = before.count("\n")
        return self._line + lines, len(before) - before.rfind("\n") if lines else self._column + len(before)


def _may_be_cut(error: JsonError, text: str) -> bool:
    """Tell whether an error may be for lack of the rest: an open text, or anything at the very end."""
    return str(error).startswith("Unterminated string") or error.offset >= len(text.rstrip()) - _MARGIN


def _is_json(text: str) -> bool:
    try:
        json.loads(text, parse_int=str)
    except (ValueError, RecursionError):
        return False
    return True
