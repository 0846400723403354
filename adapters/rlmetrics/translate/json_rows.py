"""Rewrites the names in the text of JSON objects and leaves every other byte alone."""

from __future__ import annotations

from itertools import chain, pairwise, zip_longest

from rlmetrics.logs.decimals import quoted, written
from rlmetrics.logs.jsonspans import Members
from rlmetrics.names.tables.key_records import Transform

from .json_blocks import KnownKeys, LineBlocks
from .rival_keys import Claims
from .translator import TranslatedEntry, Translator

__all__ = ["Rewriter"]

_MOST = 1000
"""How many combinations of keys are remembered."""


class Rewriter:
    """Rewrites objects of one file.

    Args:
        translator: Says what becomes of the names.
        claims: Is told what each object says about names that several keys claim.
    """

    def __init__(self, translator: Translator, claims: Claims | None = None) -> None:
        self._translator = translator
        self._claims = claims
        self._seen: dict[tuple[str, ...], KnownKeys] = {}
        self._blocks = LineBlocks(self._seen)

    def line(self, text: str) -> str | None:
        """Return an object rewritten, if that is quickly done: as `lines`."""
        return self.lines(text, 1)

    def lines(self, text: str, count: int, *, framed: bool = False) -> str | None:
        """Return some lines, each an object, rewritten, if that is quickly done.

        It is if they are alike, and one with the same keys went through `members` before.

        Args:
            text: The lines.
            count: How many they are.
            framed: Whether each object is the last member of another, as verl's file logger writes it.
        """
        return self._blocks.rewritten(text, count, framed=framed) if self._seen else None

    def tell(self) -> None:
        """Tell the claims what the objects said that were rewritten quickly."""
        if self._claims is None:
            return
        for keys, known in self._seen.items():
            self._claims.agree(keys, [(keys[one], keys[other]) for one, other in known.repeated], known.rows)
            known.rows = 0

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
        self._seen[keys] = KnownKeys(list(names.values()), conversions, repeated[::-1])


def _places(some: list[str], keys: tuple[str, ...]) -> list[int] | None:
    """Return where some of the keys stand among all, if they stand in the same order."""
    where = {key: place for place, key in enumerate(keys)}
    places = [where[key] for key in some]
    return places if places == sorted(set(places)) else None
