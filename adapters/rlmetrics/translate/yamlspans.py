"""Where the scalars of a YAML or JSON file stand and under which keys, so that single names can be replaced.

Reads the structure of block and flow collections, quoted and plain scalars, comments, block scalars, anchors and tags,
and tells under which keys else aliases and merge keys (``<<``) put a scalar. It does not resolve types, and steps over
complex keys.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import NamedTuple

from .decimals import quoted

__all__ = ["Scalar", "YamlError", "respelled", "scalars"]

_Path = tuple[str | int, ...]

_ANCHOR = re.compile(r"&([^\s,\[\]{}]+)")
_MERGE = "<<"
_MOST_ALIASES = 1000
_PROPERTY = re.compile(r"(?:[&!][^\s,\[\]{}]*(?:[ \t]+|(?=\s|\Z)))+")
_DOUBLE = re.compile(r'"(?:[^"\\]|\\.)*"', re.S)
_SINGLE = re.compile(r"'(?:[^']|'')*'")
_PLAIN = re.compile(r"[^\s#](?:[^\n#:]|:(?!\s|$)|(?<!\s)#)*", re.M)
_PLAIN_FLOW = re.compile(r"[^\s#,\[\]{}](?:[^\n#:,\[\]{}]|:(?![\s,\[\]{}]|$)|(?<!\s)#)*", re.M)
_GAP = re.compile(r"(?:\s|(?<!\S)#[^\n]*)*")
_BLOCK_SCALAR = re.compile(r"[|>]([-+0-9]*)[ \t\r]*(?:#[^\n]*)?$", re.M)
_SAFE = re.compile(r"[A-Za-z_](?:[\w/.@()=+*-]*[\w/)])?")


class YamlError(ValueError):
    """Text whose structure can't be followed, with the offset at which that shows.

    Attributes:
        offset: Index into the text.
    """

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


class Scalar(NamedTuple):
    """A scalar: what it says, the keys and indices that lead to it, its span, and whether it is itself a key.

    The path of a key ends in the key. Others lead to it by an alias. Of a block scalar it is the one line of its text.
    """

    text: str
    path: _Path
    start: int
    end: int
    is_key: bool
    others: tuple[_Path, ...] = ()
    is_block: bool = False

    @property
    def paths(self) -> tuple[_Path, ...]:
        """All that lead to it."""
        return (self.path, *self.others)


@dataclass(slots=True)
class _Frame:
    """An open block collection: its column, and the key or index that is being read."""

    column: int
    part: str | int


def respelled(spelled: str, new: str) -> str:
    """Return ``new`` in the quotes of ``spelled``; a plain scalar gets quotes only if it needs them."""
    if spelled.startswith("'"):
        return "'" + new.replace("'", "''") + "'"
    if spelled.startswith('"') or not _SAFE.fullmatch(new):
        return quoted(new, is_ascii=False)
    return new


def scalars(text: str) -> list[Scalar]:
    """Return every scalar of a YAML or JSON text, in order.

    Raises:
        YamlError: If a quoted scalar or a flow collection does not end.
    """
    reader = _Reader(text)
    reader.read()
    return [_with_aliases(scalar, reader.aliases) for scalar in reader.found] if reader.aliases else reader.found


def _with_aliases(scalar: Scalar, aliases: list[tuple[_Path, _Path]]) -> Scalar:
    """Return a scalar with the paths that lead to it by an alias of what it is or lies in."""
    others = tuple((*at, *scalar.path[len(anchor) :]) for at, anchor in aliases if scalar.path[: len(anchor)] == anchor)
    return scalar._replace(others=others)


class _Reader:
    """Follows the indentation of blocks; flow collections are followed by their brackets."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.found: list[Scalar] = []
        self.frames: list[_Frame] = []
        self.anchors: dict[str, _Path] = {}
        self.aliases: list[tuple[_Path, _Path]] = []

    def read(self) -> None:
        at = 1 if self.text.startswith("\ufeff") else 0
        while at < len(self.text):
            column = len(self.text[at : self._line_end(at)]) - len(self.text[at : self._line_end(at)].lstrip(" "))
            start = at + column
            line = self.text[start : self._line_end(at)].strip()
            if not line or line.startswith(("#", "%")):
                at = self._line_end(at) + 1
            elif column == 0 and re.match(r"(?:---|\.\.\.)(?:\s|$)", line):
                self.frames.clear()
                at = self._line_end(at) + 1
            else:
                at = self._node(start, column)

    def _path(self) -> _Path:
        return tuple(frame.part for frame in self.frames)

    def _line_end(self, at: int) -> int:
        end = self.text.find("\n", at)
        return len(self.text) if end < 0 else end

    def _node(self, at: int, column: int) -> int:
        """Read what stands in one line of a block from ``column`` on; return where the next line begins."""
        if re.compile(r"-(?:[ \t]|$)", re.M).match(self.text, at):
            return self._item(at, column)
        begin, at = at, self._properties(at)
        if self._is_over(at):
            self._properties(begin, self._path())
            return self._line_end(at) + 1
        key = self._scalar(at, _PLAIN) if self.text[at] not in "{[" else None
        if key is not None:
            colon = self._blanks(key[1])
            if self.text[colon : colon + 1] == ":" and self.text[colon + 1 : colon + 2] in ("", " ", "\t", "\n", "\r"):
                while self.frames and self.frames[-1].column >= column:
                    self.frames.pop()
                self.frames.append(_Frame(column, key[0]))
                self.found.append(Scalar(key[0], self._path(), at, key[1], is_key=True))
                return self._value(self._blanks(colon + 1), column)
        return self._value(begin, column - 1)

    def _item(self, at: int, column: int) -> int:
        index = 0
        while self.frames and self.frames[-1].column >= column:
            top = self.frames[-1]
            if top.column == column and isinstance(top.part, str):
                break
            self.frames.pop()
            if top.column == column and isinstance(top.part, int):
                index = top.part + 1
        self.frames.append(_Frame(column, index))
        inner = self._blanks(at + 1)
        if self._is_over(inner):
            return self._line_end(inner) + 1
        if _BLOCK_SCALAR.match(self.text, inner):
            return self._value(inner, column)
        return self._node(inner, column + inner - at)

    def _value(self, at: int, column: int) -> int:
        """Read the value of a key or item whose collection stands at ``column``."""
        at = self._properties(at, self._path())
        if self._is_over(at):
            return self._line_end(at) + 1
        if block := _BLOCK_SCALAR.match(self.text, at):
            start = self._line_end(at) + 1
            end, _ = self._deeper(start, column)
            self._block(start, end, block[1])
            return end
        if self.text[at] in "{[":
            return self._line_end(self._flow(at, self._path())) + 1
        value, end = self._scalar(at, _PLAIN)
        after, continued = self._line_end(end) + 1, False
        if self.text[at] not in "\"'":
            after, continued = self._deeper(after, column)
        if value.startswith("*") and self.text[at] == "*":
            self._alias(value, self._path())
        elif not continued:
            self.found.append(Scalar(value, self._path(), at, end, is_key=False))
        return after

    def _block(self, start: int, end: int, indicators: str) -> None:
        """Take down the text of a block scalar if it is one line, and its indentation is no part of it."""
        body = self.text[start:end].rstrip()
        line = body.lstrip(" ")
        if line and "\n" not in body and not any(map(str.isdigit, indicators)):
            begin = start + body.index(line)
            self.found.append(Scalar(line, self._path(), begin, begin + len(line), is_key=False, is_block=True))

    def _alias(self, text: str, path: _Path) -> None:
        """Take down where an alias stands, and what it stands for; what is merged lies one level higher."""
        anchor = self.anchors.get(text[1:])
        if anchor is None or len(self.aliases) == _MOST_ALIASES:
            return
        while path and (path[-1] == _MERGE or (isinstance(path[-1], int) and _MERGE in path[-2:-1])):
            path = path[:-1]
        self.aliases.append((path, anchor))

    def _deeper(self, at: int, column: int) -> tuple[int, bool]:
        """Step over the lines that are indented more than ``column``; tell whether there were any with content."""
        content = False
        while at < len(self.text):
            line = self.text[at : self._line_end(at)]
            if line.strip():
                if len(line) - len(line.lstrip(" ")) <= column:
                    break
                content = content or not line.lstrip().startswith("#")
            at = self._line_end(at) + 1
        return at, content

    def _flow(self, at: int, path: _Path) -> int:
        """Read a flow collection; return the index after its closing bracket."""
        opened, is_map = at, self.text[at] == "{"
        closing = "}" if is_map else "]"
        at = self._gap(at + 1, opened)
        index = 0
        while self.text[at] != closing:
            if self.text[at] == ",":
                at = self._gap(at + 1, opened)
                continue
            inner = path if is_map else (*path, index)
            index += 1
            at = self._gap(self._properties(at, inner), opened)
            if self.text[at] in "{[":
                at = self._gap(self._flow(at, inner), opened)
                continue
            start = at
            value, end = self._scalar(at, _PLAIN_FLOW)
            at = self._gap(end, opened)
            if self.text[at] == ":":
                inner = (*inner, value)
                self.found.append(Scalar(value, inner, start, end, is_key=True))
                at = self._gap(self._properties(self._gap(at + 1, opened), inner), opened)
                if self.text[at] in "{[":
                    at = self._gap(self._flow(at, inner), opened)
                elif self.text[at] not in (",", closing):
                    at = self._gap(self._flow_scalar(at, inner), opened)
            elif self.text[start] == "*":
                self._alias(value, inner)
            else:
                self.found.append(Scalar(value, inner, start, end, is_key=False))
        return at + 1

    def _flow_scalar(self, at: int, path: _Path) -> int:
        """Read a scalar or an alias in a flow collection; return where it ends."""
        value, end = self._scalar(at, _PLAIN_FLOW)
        if self.text[at] == "*":
            self._alias(value, path)
        else:
            self.found.append(Scalar(value, path, at, end, is_key=False))
        return end

    def _scalar(self, at: int, plain: re.Pattern[str]) -> tuple[str, int]:
        """Return what the scalar at ``at`` says, and where it ends."""
        quote = self.text[at]
        pattern = {'"': _DOUBLE, "'": _SINGLE}.get(quote, plain)
        found = pattern.match(self.text, at)
        if found is None:
            msg = "a quoted text does not end" if quote in "\"'" else f"{quote!r} begins nothing that is known"
            raise YamlError(msg, at)
        if pattern is plain:
            bare = found[0].rstrip()
            return bare, at + len(bare)
        body = found[0][1:-1]
        if quote == "'":
            return body.replace("''", "'"), found.end()
        try:
            return str(json.loads(found[0], strict=False)), found.end()
        except ValueError:
            return body, found.end()

    def _properties(self, at: int, path: _Path | None = None) -> int:
        """Step over anchor and tag of a node; ``path`` leads to what the anchor names, if that may be aliased."""
        found = _PROPERTY.match(self.text, at)
        if found is None:
            return at
        anchor = _ANCHOR.search(found[0])
        if anchor is not None and path is not None:
            self.anchors[anchor[1]] = path
        return found.end()

    def _blanks(self, at: int) -> int:
        while self.text[at : at + 1] in (" ", "\t"):
            at += 1
        return at

    def _is_over(self, at: int) -> bool:
        return self.text[at : at + 1] in ("", "\n", "\r", "#")

    def _gap(self, at: int, opened: int) -> int:
        """Step over white space and comments within a flow collection."""
        found = _GAP.match(self.text, at)
        at = found.end() if found else at
        if at >= len(self.text):
            msg = f"{self.text[opened]!r} is not closed"
            raise YamlError(msg, opened)
        return at
