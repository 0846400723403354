"""Rewrites the names in the text of JSON objects and leaves every other byte alone."""

from __future__ import annotations

import re
import sys
from decimal import Decimal
from itertools import chain, pairwise, zip_longest
from operator import itemgetter

from rlmetrics.lazy_dataclasses import dataclass
from rlmetrics.logs.decimals import convert_decimal, number, quoted, spelled, written
from rlmetrics.logs.jsonspans import Members
from rlmetrics.names.tables.key_records import Transform

from .rival_keys import Claims
from .translator import TranslatedEntry, Translator

__all__ = ["Rewriter"]

_ONCE = "+" if sys.version_info >= (3, 11) else ""
"""Makes a repetition possessive: nothing here needs to be tried twice, and it takes a third of the time."""
_LITERAL = (
    rf"(?:-?{_ONCE}(?:0|[1-9][0-9]*{_ONCE})(?:\.[0-9]+{_ONCE})?{_ONCE}(?:[eE][+-]?{_ONCE}[0-9]+{_ONCE})?{_ONCE}"
    r"|NaN|-?Infinity|null|true|false)"
)
_SPACE = rf"[ \t\r\n]*{_ONCE}"
_LIST = rf"\[{_SPACE}(?:{_LITERAL}(?:,{_SPACE}{_LITERAL})*{_ONCE})?{_ONCE}{_SPACE}\]"
_VALUE = rf'(?:{_LITERAL}|"|{_LIST})'
_MEMBER = rf":{_SPACE}{_VALUE}{_SPACE}"
_ENDS = {False: r"\}", True: rf"\}}{_SPACE}\}}"}
_AROUND = {
    framed: re.compile(rf'(?:{_MEMBER},{_SPACE}")*{_ONCE}{_MEMBER}{end}{_SPACE}') for framed, end in _ENDS.items()
}
"""What stands between names and texts, from the first colon to the end of the line; a quote stands for each of them.

No other object has the same there: a name is followed by a colon, a text never is.
"""

_NUMBER = re.compile(rf"(:{_SPACE})(-?[0-9][0-9.eE+-]*)")
_HELD = re.compile(rf":{_SPACE}({_LITERAL})")

_MOST = 1000
"""How many combinations of keys are remembered."""


@dataclass(slots=True)
class _Known:
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
        names: Their places.
        texts: Returns those, with what stands before the first name.
    """

    def __init__(self, names: list[int], count: int) -> None:
        self.names = names
        named = set(names)
        self.texts = itemgetter(0, 0, *(index for index in range(1, count, 2) if index not in named))
        # Where all values are texts, or none is, names stand at equal distances, and slices are faster.
        step = names[1] - names[0] if len(names) > 1 else 2
        evenly = slice(names[0], names[-1] + 1, step) if names else slice(0, 0)
        self._slice = evenly if names == list(range(count))[evenly] else None
        self._keys = itemgetter(*names, 0)

    def keys(self, parts: list[str]) -> tuple[str, ...]:
        return self._keys(parts)[:-1] if self._slice is None else tuple(parts[self._slice])

    def rename(self, parts: list[str], names: list[str]) -> None:
        if self._slice is not None:
            parts[self._slice] = names
            return
        for place, name in zip(self.names, names, strict=True):
            parts[place] = name


class Rewriter:
    """Rewrites objects of one file.

    Args:
        translator: Says what becomes of the names.
        claims: Is told what each object says about names that several keys claim.
    """

    def __init__(self, translator: Translator, claims: Claims | None = None) -> None:
        self._translator = translator
        self._claims = claims
        self._seen: dict[tuple[str, ...], _Known] = {}
        self._layouts: dict[int, _Layout] = {}

    def line(self, text: str, *, framed: bool = False) -> str | None:
        """Return the rest of a line, from the opening brace of an object on, rewritten, if that is quickly done.

        It is if the object holds only numbers, literals, text without escapes and lists of numbers, those that are
        converted are numbers, and one with the same keys went through `members` before.

        Args:
            text: What is left of the line.
            framed: Whether the object is the last member of another.
        """
        parts = text.split('"')
        known_layout = self._layout(parts)
        if known_layout is None or parts[0].rstrip() != "{" or len(parts) % 2 == 0:
            return None
        layout, known = known_layout
        texts = "".join(layout.texts(parts))
        if "\\" in texts or not texts.isprintable():
            return None
        if not _AROUND[framed].fullmatch('"'.join(parts[2::2])):
            return None
        layout.rename(parts, known.names)
        for index, transform in known.conversions:
            place = layout.names[index] + 1
            value = _NUMBER.match(parts[place])
            if value is None:
                return None
            held = number(value[2])
            if not isinstance(held, Decimal):
                return None
            new = convert_decimal(held, transform.scale, transform.offset)
            parts[place] = f"{value[1]}{spelled(new)}{parts[place][value.end() :]}"
        for index, other in known.repeated:
            if not _spelled_alike(parts[layout.names[index] + 1], parts[layout.names[other] + 1]):
                return None
        for index, _ in known.repeated:
            _leave_out(parts, layout.names[index])
        known.rows += 1
        return '"'.join(parts)

    def tell(self) -> None:
        """Tell the claims what the objects said that were rewritten quickly."""
        if self._claims is None:
            return
        for keys, known in self._seen.items():
            self._claims.agree(keys, [(keys[one], keys[other]) for one, other in known.repeated], known.rows)
            known.rows = 0

    def _layout(self, parts: list[str]) -> tuple[_Layout, _Known] | None:
        """Return where the names of an object are among its parts between quotes, and what becomes of them."""
        layout = self._layouts.get(len(parts))
        if layout is not None and (known := self._seen.get(layout.keys(parts))):
            return layout, known
        layout = _Layout([index for index in range(1, len(parts) - 1, 2) if parts[index + 1][:1] == ":"], len(parts))
        known = self._seen.get(layout.keys(parts))
        if known is None:
            return None
        if len(self._layouts) == _MOST:
            self._layouts.clear()
        self._layouts[len(parts)] = layout
        return layout, known

    def members(self, text: str, row: Members) -> str:
        """Return the text of the object ``row``, from brace to brace, with its names translated.

        Values are copied as they are written, except where the translation converts them.

        Raises:
            InputError: If a value can't be converted, or a key is unknown and that is an error.
        """
        if not row.items:
            return text[row.start : row.end]
        keys = tuple(member.key for member in row.items)
        is_ascii = text.isascii()
        self._remember(keys, text[row.start : row.end], is_ascii=is_ascii)
        moves = self._moves(keys, text, row)
        by_key = {member.key: member for member in row.items}
        first, last = row.items[0], row.items[-1]
        between = [text[one.value_end : other.key_start] for one, other in pairwise(row.items)]
        if places := _places([entry.old for entry in moves], keys):
            between = [between[place] for place in places[:-1]]
        else:
            between = [between[0] if between else ", "] * len(moves)
        parts: list[str] = []
        for entry in moves:
            _, key_start, key_end, value_start, value_end = by_key[entry.old]
            if entry.converted:
                name = quoted(entry.name, is_ascii=is_ascii)
                parts.append(f"{name}{text[key_end:value_start]}{written(entry.value)}")
            elif entry.name == entry.old:
                parts.append(text[key_start:value_end])
            else:
                parts.append(quoted(entry.name, is_ascii=is_ascii) + text[key_end:value_end])
        joined = "".join(chain.from_iterable(zip_longest(parts, between[: len(parts) - 1], fillvalue="")))
        return text[row.start : first.key_start] + joined + text[last.value_end : row.end]

    def _moves(self, keys: tuple[str, ...], text: str, row: Members) -> list[TranslatedEntry]:
        """Return what becomes of an object, and tell the claims what it says."""
        moves = self._translator.moves(keys)
        if moves is not None:
            if self._claims:
                self._claims.agree(keys, (), 1)
            return moves
        values = row.values(text)
        if self._claims:
            self.tell()  # the claims count rows
            self._claims.add(values)
        return self._translator.entries(values)

    def _remember(self, keys: tuple[str, ...], text: str, *, is_ascii: bool) -> None:
        """Take down the new names of an object without escapes, as they are written between quotes."""
        if keys in self._seen or "\\" in text:
            return
        fixed = self._translator.fixed(keys)
        if fixed is None:
            return
        if len(self._seen) == _MOST:
            self.tell()
            self._seen.clear()
        names = dict.fromkeys(keys, "")
        conversions: list[tuple[int, Transform]] = []
        for entry in fixed:
            names[entry.old] = quoted(entry.name, is_ascii=is_ascii)[1:-1]
            transform = self._translator.key(entry.old).transform if entry.converted else None
            if transform:
                conversions.append((keys.index(entry.old), transform))
        written = {entry.name: keys.index(entry.old) for entry in fixed}
        repeated = [
            (place, written[self._translator.key(key).output])
            for place, key in enumerate(keys)
            if key not in {entry.old for entry in fixed}
        ]
        if not {place for place, _ in conversions}.isdisjoint(place for pair in repeated for place in pair):
            return
        self._seen[keys] = _Known(list(names.values()), conversions, repeated[::-1])


def _places(some: list[str], keys: tuple[str, ...]) -> list[int] | None:
    """Return where some of the keys stand among all, if they stand in the same order."""
    where = {key: place for place, key in enumerate(keys)}
    places = [where[key] for key in some]
    return places if places == sorted(set(places)) else None


def _spelled_alike(one: str, other: str) -> bool:
    """Tell whether two members have the same number or literal, from what follows their names."""
    first, second = _HELD.match(one), _HELD.match(other)
    return first is not None and second is not None and first[1] == second[1]


def _leave_out(parts: list[str], place: int) -> None:
    """Take the member whose name is at a place, with a number or literal, out of an object."""
    if place + 2 == len(parts):
        # What stood between the last two goes with the last, what closes the object stays.
        held = _HELD.match(parts[-1])
        parts[place - 1] = parts[place - 1].rstrip()[:-1].rstrip() + parts[-1][held.end() if held else 0 :]
    del parts[place : place + 2]
