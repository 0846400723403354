"""Rewrites the names in the text of one JSON object and leaves every other byte alone."""

from __future__ import annotations

import json
from typing import Any

from .jsonspans import Members
from .translator import Translator

__all__ = ["rewrite"]


def rewrite(text: str, row: Members, translator: Translator) -> str:
    """Return the text of the object ``row``, from brace to brace, with its names translated.

    Values are copied as they are written, except where the translation converts them.
    """
    if not row.items:
        return text[row.start : row.end]
    by_key = {member.key: member for member in row.items}
    first, last = row.items[0], row.items[-1]
    separator = text[first.value_end : row.items[1].key_start] if len(row.items) > 1 else ", "
    parts = []
    for entry in translator.entries({member.key: member.value for member in row.items}):
        member = by_key[entry.old]
        name = text[member.key_start : member.key_end] if entry.name == entry.old else _dump(entry.name, text)
        value = _dump(entry.value, text) if entry.converted else text[member.value_start : member.value_end]
        parts.append(f"{name}{text[member.key_end : member.value_start]}{value}")
    return text[row.start : first.key_start] + separator.join(parts) + text[last.value_end : row.end]


def _dump(value: Any, text: str) -> str:
    return json.dumps(value, ensure_ascii=text.isascii())
