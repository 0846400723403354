"""Finds the characters of a text value in the YAML that it was written as."""

from __future__ import annotations

__all__ = ["align"]

_ESCAPE_LENGTH = {"x": 4, "u": 6, "U": 10}


def align(source: str, value: str, offset: int, style: str) -> int:
    """Return the index, in a scalar as written, of a character of its value.

    Args:
        source: The scalar as it stands in the file, with its quotes or its ``|`` or ``>``.
        value: What it means.
        offset: Index of the character in the value; one past the end gives the last character.
        style: Its quote, ``|``, ``>``, or empty for a plain scalar.
    """
    position = 0
    if style in {"'", '"'}:
        position = 1
    elif style in {"|", ">"}:
        position = source.find("\n") + 1
    for character in value[:offset]:
        position = _skip_space(source, position, character)
        if style == '"' and source[position : position + 1] == "\\":
            position += _ESCAPE_LENGTH.get(source[position + 1 : position + 2], 2)
        elif style == "'" and source[position : position + 2] == "''":
            position += 2
        elif source[position : position + 1] == character:
            position += 1
    last = value[offset] if offset < len(value) else ""
    return min(_skip_space(source, position, last), max(len(source) - 1, 0))


def _skip_space(source: str, position: int, character: str) -> int:
    """Step over folded line breaks and indentation to the place where ``character`` stands."""
    while position < len(source) and source[position] != character and source[position].isspace():
        position += 1
    return position
