"""Rewrites the names in the text of one JSON object and leaves every other byte alone."""

from __future__ import annotations

import json
from functools import lru_cache

from .jsonspans import Members
from .translator import Translator

__all__ = ["rewrite"]


def rewrite(text: str, row: Members, translator: Translator) -> str:
    """Return the text of the object ``row``, from brace to brace, with its names translated.

    Values are copied as they are written, except where the translation converts them.
    """
    if not row.items:
        return text[row.start : row.end]
    moves = translator.moves(tuple(member.key for member in row.items))
    if moves is None:
        moves = translator.entries({member.key: member.value(text) for member in row.items})
    by_key = {member.key: member for member in row.items}
    first, last = row.items[0], row.items[-1]
    separator = text[first.value_end : row.items[1].key_start] if len(row.items) > 1 else ", "
    is_ascii = text.isascii()
    parts = []
    for entry in moves:
        _, key_start, key_end, value_start, value_end = by_key[entry.old]
        if entry.converted:
            parts.append(f"{_name(entry.name, is_ascii)}{text[key_end:value_start]}{json.dumps(entry.value)}")
        elif entry.name == entry.old:
            parts.append(text[key_start:value_end])
        else:
            parts.append(_name(entry.name, is_ascii) + text[key_end:value_end])
    return text[row.start : first.key_start] + separator.join(parts) + text[last.value_end : row.end]


@lru_cache(maxsize=4096)
def _name(name: str, is_ascii: bool) -> str:
    return json.dumps(name, ensure_ascii=is_ascii)
