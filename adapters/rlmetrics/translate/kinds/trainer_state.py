"""The ``trainer_state.json`` that Hugging Face trainers save: the names are those of ``log_history``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from ..errors import InputError
from ..jsonspans import JsonError, Members, end_of, members
from ..modelcards import releases_of_card, settings_of_arguments
from ..report import Report
from ..rows import Rewriter
from ..translator import Translator

__all__ = ["names", "recognises", "releases", "settings", "translate"]

_HISTORY = re.compile(r'(?<!\\)"log_history"[ \t\r\n]*:[ \t\r\n]*\[')
_SPACE = re.compile(r"[ \t\r\n]*")
_SAMPLE = 1 << 20
_CHUNK = 1 << 20
_MARGIN = 16
"""An error so near the end of what has been read may be for lack of the rest."""


def recognises(path: Path) -> bool:
    """Tell whether ``path`` is a JSON object with a ``log_history``."""
    if path.suffix != ".json":
        return False
    try:
        with path.open(encoding="utf-8") as file:
            return path.name == "trainer_state.json" or _head_end(file.read(_SAMPLE)) is not None
    except UnicodeDecodeError:
        return False


def names(path: Path) -> set[str]:
    """Return the names of all logged rows."""
    with _reading(path, Report("", "", "")) as state:
        return {member.key for text, is_entry in state.pieces() if is_entry for member in state.members(text).items}


def releases(path: Path) -> dict[str, str]:
    """Return the release of TRL that the model card beside a state names."""
    return releases_of_card(path.parent)


def settings(path: Path) -> set[str]:
    """Return the names of the trainer's arguments that were saved beside a state, among other texts."""
    return settings_of_arguments(path.parent)


def translate(path: Path, output: Path, translator: Translator, report: Report) -> None:
    """Write ``path`` with the names of its ``log_history`` translated; all else stays byte for byte.

    A file that was cut off ends with its last whole entry, closed so that it can be read.

    Raises:
        InputError: If the file is not a trainer state.
    """
    rewriter = Rewriter(translator)
    with _reading(path, report) as state, output.open("w", encoding="utf-8", newline="") as out:
        for text, is_entry in state.pieces():
            if is_entry:
                report.records += 1
                out.write(rewriter.line(text) or rewriter.members(text, state.members(text)))
            else:
                out.write(text)


@contextmanager
def _reading(path: Path, report: Report) -> Iterator[_Reader]:
    with path.open(encoding="utf-8", newline="") as file:
        try:
            yield _Reader(path, file, report)
        except UnicodeDecodeError as error:
            msg = f"is not UTF-8 text: {error.reason}; a trainer state is JSON"
            raise InputError(msg, path) from None


def _head_end(text: str) -> int | None:
    """Return where the list of the history begins, if what stands before it can be the beginning of a state."""
    for found in _HISTORY.finditer(text):
        try:
            members(f"{text[: found.end()]}]}}")
        except JsonError:
            continue
        return found.end()
    return None


class _Reader:
    """Reads a state entry by entry, with no more of it in memory than an entry and a chunk."""

    def __init__(self, path: Path, file: TextIO, report: Report) -> None:
        self._path = path
        self._file = file
        self._report = report
        self._text = ""
        self._begin = self._at = 0
        self._line, self._column = 1, 1

    def pieces(self) -> Iterator[tuple[str, bool]]:
        """Yield the text of the file in pieces, and whether each is an entry of the history.

        Raises:
            InputError: If the file is not a trainer state.
        """
        while (end := _head_end(self._text)) is None:
            if not self._more():
                raise self._error(JsonError("there is no log_history; is this a trainer_state.json?", 0))
        yield self._taken(end), False
        is_first = True
        while (mark := self._peek()) != "]":
            if mark == "," and not is_first:
                self._at += 1
                mark = self._peek()
            elif mark and not is_first:
                raise self._error(JsonError(f"found {mark!r} where ',' or ']' should stand", self._at))
            if mark not in ("{", ""):
                raise self._error(JsonError("an entry of log_history is not an object", self._at))
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
        """Return the members of the entry that was just yielded.

        Raises:
            InputError: If a name occurs twice.
        """
        try:
            return members(entry)
        except JsonError as error:
            raise self._error(JsonError(str(error), self._begin - len(entry) + error.offset)) from None

    def _more(self) -> bool:
        """Read on, and forget what has been taken."""
        chunk = self._file.read(_CHUNK)
        done = self._text[: self._begin]
        lines = done.count("\n")
        self._line += lines
        self._column = len(done) - done.rfind("\n") if lines else self._column + len(done)
        self._text = self._text[self._begin :] + chunk
        self._at -= self._begin
        self._begin = 0
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
        """Take account of what was cut off, and return what closes the list and the state."""
        self._report.lost.records += records
        self._report.lost.bytes += len(self._text[self._begin :].encode())
        return "]}"

    def _tail(self) -> str:
        """Return what follows the history; if it was cut off, up to its last whole member, and closed."""
        rest = self._text[self._begin :]
        try:
            members(f'{{"": [{rest}')
        except JsonError as error:
            if not _may_be_cut(JsonError(str(error), error.offset - len('{"": [')), rest):
                raise self._error(JsonError(str(error), self._begin + error.offset - len('{"": ['))) from None
        else:
            return rest
        end = rest.index("]") + 1
        for comma in re.finditer(",", rest):
            if _is_json(f'{{"": [{rest[: comma.start()]}}}'):
                end = comma.start()
        self._report.lost.bytes += len(rest[end:].encode())
        return rest[:end] + "}"

    def _error(self, error: JsonError) -> InputError:
        before = self._text[: error.offset]
        lines = before.count("\n")
        column = len(before) - before.rfind("\n") if lines else self._column + len(before)
        return InputError(f"not a trainer state: {error}", self._path, self._line + lines, column)


def _may_be_cut(error: JsonError, text: str) -> bool:
    """Tell whether an error may be for lack of the rest: an open text, or anything at the very end."""
    return str(error).startswith("Unterminated string") or error.offset >= len(text.rstrip()) - _MARGIN


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
