"""Answers as text that is laid out later, for the terminal of whoever reads them then.

A packed answer is a pool of lines, of which those that stay as they are begin with a blank, and blocks with the letter
of their kind; fields are separated by tabs. The first line says which of them make up the answer.
"""

from __future__ import annotations

from . import terminal
from .terminal import UnlaidBlock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

__all__ = ["laid", "packed"]

_AS_IT_IS, _CHOICE, _CASE = " ", "f", "i"
_FIELD, _ROW, _CELL, _ANSWER = "\t", "\x1d", "\x1f", ";"
_KINDS = {
    "wrapped": "w",
    "labelled": "l",
    "columns": "c",
    "table": "t",
    "one_line": "o",
    "first_fitting": _CHOICE,
    "if_fitting": _CASE,
}


def packed(lines: Sequence[str]) -> str:
    """Return an answer, made by `rlmetrics.wording.terminal.unlaid`, as text."""
    pool: dict[str, int] = {}
    answer = _places(lines, pool)
    return "\n".join([answer, *pool])


def _places(lines: Sequence[str], pool: dict[str, int]) -> str:
    """Put lines into the pool; return where they stand."""
    return " ".join(str(pool.setdefault(text, len(pool))) for text in [_text(line, pool) for line in lines])


def _text(line: str, pool: dict[str, int]) -> str:
    if not isinstance(line, UnlaidBlock):
        return f"{_AS_IT_IS}{line}"
    given: Any = line.given
    if line.kind == "first_fitting":
        answers, most = given
        fields = [str(most), _ANSWER.join(_places(answer, pool) for answer in answers)]
    elif line.kind == "if_fitting":
        tested, most, *answers = given
        fields = [str(most), *(_places(part, pool) for part in (tested, *answers))]
    elif line.kind == "wrapped":
        text, hint, indent, hanging = given
        fields = [text, hint, str(indent), "" if hanging is None else str(hanging)]
    elif line.kind == "labelled":
        fields = [given[0], *given[1]]
    elif line.kind == "one_line":
        fields = [*given]
    else:
        rows, *others = given
        fields = [*map(str, others), _ROW.join(_CELL.join(row) for row in rows)]
    return _FIELD.join([_KINDS[line.kind], *fields])


def laid(answer: str) -> list[str]:
    """Return a packed answer in lines, laid out for the terminal of now."""
    first, *pool = answer.split("\n")
    return _laid(first, pool)


def _laid(places: str, pool: Sequence[str]) -> list[str]:
    return [line for place in places.split() for line in _lines(pool[int(place)], pool)]


def _lines(text: str, pool: Sequence[str]) -> list[str]:
    if text[0] == _AS_IT_IS:
        return [text[1:]]
    kind, *fields = text.split(_FIELD)
    if kind == "w":
        said, hint, indent, hanging = fields
        return terminal.wrapped(said, hint, indent=int(indent), hanging=int(hanging) if hanging else None)
    if kind == "l":
        return terminal.labelled(fields[0], fields[1:])
    if kind == "o":
        return terminal.one_line(*fields)
    if kind == _CHOICE:
        return terminal.first_fitting([_laid(each, pool) for each in fields[1].split(_ANSWER)], int(fields[0]))
    if kind == _CASE:
        tested, answer, other = (_laid(part, pool) for part in fields[1:])
        return terminal.if_fitting(tested, int(fields[0]), answer, other)
    rows = [row.split(_CELL) for row in fields[-1].split(_ROW)]
    if kind == "c":
        return terminal.columns(rows, indent=int(fields[0]), gap=int(fields[1]), label=fields[2])
    cells = [(row[0], row[1], row[2], row[3]) for row in rows]
    return terminal.table(cells, widest=int(fields[0]), indent=int(fields[1]), gap=int(fields[2]))
