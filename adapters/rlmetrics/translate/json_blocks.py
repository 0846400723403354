"""Rewrites names in JSON objects that are alike, one or many at a time, by their text alone: no value is decoded.

A text is split at its quotes. What stands between names and texts then shows whether it is JSON, and where its names
are, to one regular expression; the names are exchanged, and the parts are joined again.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache

from rlmetrics.lazy_dataclasses import dataclass
from rlmetrics.logs.decimals import convert_decimal, number, spelled
from rlmetrics.names.tables.key_records import Transform

__all__ = ["KnownKeys", "LineBlocks"]

_ONCE = "+" if sys.version_info >= (3, 11, 7) else ""
"""Makes a repetition possessive: nothing here needs to be tried twice, and it takes a third of the time.

Early releases of Python 3.11 match some such repetitions wrongly (python/cpython issue 106052): seen in 3.11.2, which
took texts for JSON that are none, and not in 3.11.7.
"""
_NUMBER = rf"-?{_ONCE}(?:0|[1-9][0-9]*{_ONCE})(?:\.[0-9]+{_ONCE})?{_ONCE}(?:[eE][+-]?{_ONCE}[0-9]+{_ONCE})?{_ONCE}"
_LITERAL = rf"(?:{_NUMBER}|NaN|-?Infinity|null|true|false)"
_SPACE = rf"[ \t\r\n]*{_ONCE}"
_FRAME = ("step", "data")
"""The names around an object that is the last member of another, as verl's file logger writes it."""
_MOST = 1000
"""How many layouts are remembered."""


@dataclass(slots=True)
class KnownKeys:
    """What becomes of objects with the same keys.

    Attributes:
        names: What stands between quotes in the place of each key.
        conversions: The places of values that are converted.
        repeated: The places of members that are left out, the last first, each with that of the key that is written
            under the same name: their values have to be the same text.
        rows: How many objects were rewritten so.
    """

    names: list[str]
    conversions: list[tuple[int, Transform]]
    repeated: list[tuple[int, int]]
    rows: int = 0


class _Layout:
    """Which of the parts between quotes are names; the others are texts.

    Attributes:
        names: The places of all names, those of a frame first.
        own: The places of the object's own names.
        texts: The places of texts.
        marks: What stands for the names and texts, from the second on, where syntax is looked at.
    """

    def __init__(self, parts: list[str], stride: int, *, framed: bool) -> None:
        places = range(1, stride, 2)
        self.names = [place for place in places if parts[place + 1][:1] == ":"]
        self.own = self.names[len(_FRAME) :] if framed else self.names
        self.texts = [place for place in places if parts[place + 1][:1] != ":"]
        self.marks = ['""' if place in self.texts else '"' for place in places]

    def keys(self, parts: list[str]) -> tuple[str, ...]:
        """Return the keys of the first object."""
        return tuple([parts[place] for place in self.own])


class LineBlocks:
    """Rewrites objects that are alike.

    Args:
        known: What becomes of objects with some keys.
    """

    def __init__(self, known: Mapping[tuple[str, ...], KnownKeys]) -> None:
        self._known = known
        self._layouts: dict[tuple[int, bool], _Layout] = {}

    def rewritten(self, text: str, count: int, *, framed: bool) -> str | None:
        """Return some lines, each an object with the same known keys, rewritten; None if they may be anything else.

        Objects hold numbers, literals, texts without escapes and lists of numbers and literals, all of them texts in
        the same places; those that are converted are numbers, those that say the same are spelled alike.

        Args:
            text: The lines; a single one may lack its end, or have others in it.
            count: How many they are.
            framed: Whether each object is ``data`` in another, after a ``step``.
        """
        parts = text.split('"')
        stride, rest = divmod(len(parts) - 1, count)
        if rest or stride % 2 or not stride or parts[0].rstrip(" \t\r\n") != "{":
            return None
        layout, known = self._layout(parts, stride, framed=framed)
        if known is None or not _alike(parts, stride, count, layout, framed=framed):
            return None
        if count > 1 and not _one_a_line(text, parts, stride, count):
            return None
        if layout.texts:
            for place, name in zip(layout.own, known.names, strict=True):
                parts[place::stride] = [name] * count
        else:
            parts[1::2] = [*(_FRAME if framed else ()), *known.names] * count
        for index, transform in known.conversions:
            place = layout.own[index] + 1
            converted = _converted(parts[place::stride], transform)
            if converted is None:
                return None
            parts[place::stride] = converted
        for index, other in known.repeated:
            if not _spelled_alike(parts[layout.own[index] + 1 :: stride], parts[layout.own[other] + 1 :: stride]):
                return None
        for index, _ in known.repeated:
            _leave_out(parts, layout.own[index], stride)
            stride -= 2
        known.rows += count
        return '"'.join(parts)

    def _layout(self, parts: list[str], stride: int, *, framed: bool) -> tuple[_Layout, KnownKeys | None]:
        """Return where the names of the first object are among its parts, and what becomes of them."""
        layout = self._layouts.get((stride, framed))
        if layout is not None and (known := self._known.get(layout.keys(parts))):
            return layout, known
        layout = _Layout(parts, stride, framed=framed)
        known = self._known.get(layout.keys(parts))
        if known is not None:
            if len(self._layouts) == _MOST:
                self._layouts.clear()
            self._layouts[stride, framed] = layout
        return layout, known


def _alike(parts: list[str], stride: int, count: int, layout: _Layout, *, framed: bool) -> bool:
    """Tell whether all objects are JSON, have the names of the first, and texts where a layout has them."""
    if not layout.texts:
        if count > 1 and parts[1::2] != parts[1:stride:2] * count:
            return False
        between = '"'.join(parts[2::2])
    else:
        if count > 1 and any(parts[place::stride] != [parts[place]] * count for place in layout.names):
            return False
        texts = "".join(["".join(parts[place::stride]) for place in layout.texts])
        if "\\" in texts or not texts.isprintable():
            return False
        marked = parts.copy()
        marked[1::2] = layout.marks * count
        between = "".join(marked[2:])
    if framed and tuple(parts[1:4:2]) != _FRAME:
        return False
    objects = between.count("}") == (2 * count if framed else count)
    return objects and _syntax(framed=framed).fullmatch(between) is not None


def _one_a_line(text: str, parts: list[str], stride: int, count: int) -> bool:
    """Tell whether each object stands on a line of its own: what ends one has the only line end up to the next."""
    return text.count("\n") == count and all("\n" in part for part in parts[stride::stride])


@lru_cache(maxsize=2)
def _syntax(*, framed: bool) -> re.Pattern[str]:
    """Return what stands between names and texts, from the first colon on.

    A quote stands for a name, two quotes for a text: so nothing is taken for a name that is a text.
    """
    a_list = rf"\[{_SPACE}(?:{_LITERAL}(?:,{_SPACE}{_LITERAL})*{_ONCE})?{_ONCE}{_SPACE}\]"
    member = rf':{_SPACE}(?:{_LITERAL}|""|{a_list}){_SPACE}'
    members = rf'(?:{member},{_SPACE}")*{_ONCE}{member}\}}'
    if framed:
        members = rf': ?-?(?:0|[1-9][0-9]*), ?": ?\{{"{members}{_SPACE}\}}'
    return re.compile(rf'(?:{members}{_SPACE}(?:\{{"|\Z))+{_ONCE}')


@lru_cache(maxsize=1)
def _held() -> re.Pattern[str]:
    """Return a number or literal after a name."""
    return re.compile(rf":{_SPACE}({_LITERAL})")


@lru_cache(maxsize=1)
def _convertible() -> re.Pattern[str]:
    """Return a number after a name."""
    return re.compile(rf"(:{_SPACE})({_NUMBER})")


def _converted(parts: list[str], transform: Transform) -> list[str] | None:
    """Return what follows names with the numbers converted; None if one is none that can be."""
    converted: list[str] = []
    for part in parts:
        value = _convertible().match(part)
        held = number(value[2]) if value else None
        if value is None or not isinstance(held, Decimal):
            return None
        new = convert_decimal(held, transform.scale, transform.offset)
        converted.append(f"{value[1]}{spelled(new)}{part[value.end() :]}")
    return converted


def _spelled_alike(some: list[str], others: list[str]) -> bool:
    """Tell whether two members have the same number or literal in each object, from what follows their names."""
    is_text = some[0].rstrip(" \t\r\n") == ":"  # it is one in all of them
    if some == others and not is_text and "[" not in "".join(some):
        return True
    for one, other in zip(some, others, strict=True):
        first, second = _held().match(one), _held().match(other)
        if first is None or second is None or first[1] != second[1]:
            return False
    return True


def _leave_out(parts: list[str], place: int, stride: int) -> None:
    """Take the member whose name is at a place, with a number or literal, out of each object."""
    if place + 1 == stride:
        # What stood between the last two goes with the last, what closes the object stays.
        held = [_held().match(part) for part in parts[stride::stride]]
        after = [match.string[match.end() :] if match else "" for match in held]
        before = [part.rstrip()[:-1].rstrip() for part in parts[place - 1 :: stride]]
        parts[place - 1 :: stride] = [one + other for one, other in zip(before, after, strict=True)]
    del parts[place + 1 :: stride]
    del parts[place :: stride - 1]
