"""Where the members of a JSON object stand in its text, so that names can be replaced and values stay byte for byte.

Numbers and literals are stepped over by a regular expression, everything else by the standard decoder; a value is
decoded only when someone asks for it.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from rlmetrics.lazy_dataclasses import dataclass

from .decimals import number
from .input_errors import InputError

__all__ = ["JsonError", "Member", "Members", "end_of", "members"]

_DECODER = json.JSONDecoder(parse_int=number, parse_float=number)
"""Reads numbers with all their digits."""
_SPANS = json.JSONDecoder(parse_int=str, parse_float=str)
"""Tells where values end: numbers stay text, however many digits they have."""
_SPACE = re.compile(r"[ \t\r\n]*")
_PLAIN_MEMBER = re.compile(
    r'("[^"\\\x00-\x1f]*")[ \t\r\n]*:[ \t\r\n]*'
    r"(-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null|NaN|-?Infinity)"
    r"[ \t\r\n]*([,}])[ \t\r\n]*"
)
"""A member whose name has no escapes and whose value is a number or a literal, up to what follows its comma."""


class JsonError(ValueError):
    """Text that is not JSON, with the offset at which that shows.

    Attributes:
        offset: Index into the text.
    """

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


class Member(NamedTuple):
    """One ``"key": value`` of an object: the decoded key, and the spans of key and value in the text."""

    key: str
    key_start: int
    key_end: int
    value_start: int
    value_end: int

    def value(self, text: str) -> Any:
        """Return the decoded value; numbers are decimals."""
        return _DECODER.raw_decode(text, self.value_start)[0]


@dataclass(frozen=True, slots=True)
class Members:
    """The members of one object; ``start`` is the index of ``{``, ``end`` the index after ``}``."""

    items: tuple[Member, ...]
    start: int
    end: int

    def values(self, text: str) -> dict[str, Any]:
        """Return the decoded object.

        Raises:
            InputError: If a value is nested too deeply.
        """
        try:
            return {member.key: member.value(text) for member in self.items}
        except RecursionError:
            msg = "values are nested too deeply"
            raise InputError(msg) from None


def members(text: str, start: int = 0) -> Members:
    """Return the members of the object that begins at or after ``start``.

    Raises:
        JsonError: If there is no object, it is cut off, or a key occurs twice.
    """
    at = _skip(text, start)
    if text[at : at + 1] != "{":
        raise _unexpected(text, at, "an object")
    opened = at
    items: list[Member] = []
    seen: set[str] = set()
    at = _skip(text, at + 1)
    if text[at : at + 1] == "}":
        return Members((), opened, at + 1)
    while True:
        plain = _PLAIN_MEMBER.match(text, at)
        if plain is not None:
            (key_start, key_end), (value_start, value_end) = plain.span(1), plain.span(2)
            key = text[key_start + 1 : key_end - 1]
            at, mark = plain.end(), plain[3]
            after = plain.end(3)
        else:
            key_start = at
            if text[at : at + 1] != '"':
                raise _unexpected(text, at, "a quoted name")
            key, key_end = _value(text, at)
            at = _skip(text, key_end)
            if text[at : at + 1] != ":":
                raise _unexpected(text, at, "':'")
            value_start = _skip(text, at + 1)
            _, value_end = _value(text, value_start)
            at = _skip(text, value_end)
            mark = text[at : at + 1]
            if mark not in (",", "}") or not mark:
                raise _unexpected(text, at, "',' or '}'")
            after = at + 1
            at = _skip(text, after)
        if key in seen:
            msg = f"the name {key!r} occurs twice in one object"
            raise JsonError(msg, key_start)
        seen.add(key)
        items.append(Member(key, key_start, key_end, value_start, value_end))
        if mark == "}":
            return Members(tuple(items), opened, after)


def end_of(text: str, start: int) -> int:
    """Return where the value that begins at ``start`` ends.

    Raises:
        JsonError: If there is none, or it is cut off.
    """
    return _value(text, start)[1]


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _value(text: str, at: int) -> tuple[Any, int]:
    try:
        value, end = _SPANS.raw_decode(text, at)
    except json.JSONDecodeError as error:
        raise JsonError(error.msg, error.pos) from None
    except RecursionError:
        msg = "values are nested too deeply"
        raise JsonError(msg, at) from None
    return value, end


def _unexpected(text: str, at: int, wanted: str) -> JsonError:
    if at >= len(text):
        msg = f"the text ends where {wanted} should stand"
        return JsonError(msg, at)
    msg = f"found {text[at]!r} where {wanted} should stand"
    return JsonError(msg, at)
