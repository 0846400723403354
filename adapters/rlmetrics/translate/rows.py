"""Rewrites the names in the text of JSON objects and leaves every other byte alone."""

from __future__ import annotations

import json
import re
import sys

from .decimals import written
from .jsonspans import Members
from .translator import Translator

__all__ = ["Rewriter"]

_ONCE = "+" if sys.version_info >= (3, 11) else ""
"""Makes a repetition possessive: nothing here needs to be tried twice, and it takes a third of the time."""
_LITERAL = (
    rf"(?:-?{_ONCE}(?:0|[1-9][0-9]*{_ONCE})(?:\.[0-9]+{_ONCE})?{_ONCE}(?:[eE][+-]?{_ONCE}[0-9]+{_ONCE})?{_ONCE}"
    r"|NaN|-?Infinity|null|true|false)"
)
_SPACE = rf"[ \t\r\n]*{_ONCE}"
_LIST = rf"\[{_SPACE}(?:{_LITERAL}(?:,{_SPACE}{_LITERAL})*{_ONCE})?{_ONCE}{_SPACE}\]"
_VALUE = rf'(?:{_LITERAL}|"[^"\\\x00-\x1f]*{_ONCE}"|{_LIST})'
_KEY = re.compile(r'"([^"\\]*)"(?=:)')
_MEMBER = rf":{_SPACE}{_VALUE}{_SPACE}"
_ENDS = {False: r"\}", True: rf"\}}{_SPACE}\}}"}
_AROUND = {
    framed: re.compile(rf'(?:{_MEMBER},{_SPACE}")*{_ONCE}{_MEMBER}{end}{_SPACE}') for framed, end in _ENDS.items()
}
"""What stands around the names of an object, from the first colon to the end of the line."""

_MOST = 1000
"""How many combinations of keys are remembered."""


class Rewriter:
    """Rewrites objects of one file.

    Args:
        translator: Says what becomes of the names.
    """

    def __init__(self, translator: Translator) -> None:
        self._translator = translator
        self._seen: dict[tuple[str, ...], list[str]] = {}

    def line(self, text: str, *, framed: bool = False) -> str | None:
        """Return the rest of a line, from the opening brace of an object on, rewritten, if that is quickly done.

        It is if the object holds only numbers, literals, text without escapes and lists of numbers, and one with the
        same keys went through `members` before.

        Args:
            text: What is left of the line.
            framed: Whether the object is the last member of another.
        """
        # Unless a value is text, every quote belongs to a name.
        parts = text.split('"')
        names = self._seen.get(tuple(parts[1::2]))
        if names is None:
            parts = _KEY.split(text)
            names = self._seen.get(tuple(parts[1::2]))
        if names is None or parts[0].rstrip() != "{" or len(parts) % 2 == 0:
            return None
        if not _AROUND[framed].fullmatch('"'.join(parts[2::2])):
            return None
        parts[1::2] = names
        return '"'.join(parts)

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
        moves = self._translator.moves(keys)
        if moves is None:
            moves = self._translator.entries({member.key: member.value(text) for member in row.items})
        by_key = {member.key: member for member in row.items}
        first, last = row.items[0], row.items[-1]
        separator = text[first.value_end : row.items[1].key_start] if len(row.items) > 1 else ", "
        parts = []
        for entry in moves:
            _, key_start, key_end, value_start, value_end = by_key[entry.old]
            if entry.converted:
                name = json.dumps(entry.name, ensure_ascii=is_ascii)
                parts.append(f"{name}{text[key_end:value_start]}{written(entry.value)}")
            elif entry.name == entry.old:
                parts.append(text[key_start:value_end])
            else:
                parts.append(json.dumps(entry.name, ensure_ascii=is_ascii) + text[key_end:value_end])
        return text[row.start : first.key_start] + separator.join(parts) + text[last.value_end : row.end]

    def _remember(self, keys: tuple[str, ...], text: str, *, is_ascii: bool) -> None:
        """Take down the new names of an object without escapes, as they are written between quotes."""
        if keys in self._seen or "\\" in text:
            return
        names = self._translator.names(keys)
        if names is not None:
            if len(self._seen) == _MOST:
                self._seen.clear()
            self._seen[keys] = [json.dumps(name, ensure_ascii=is_ascii)[1:-1] for name in names]
