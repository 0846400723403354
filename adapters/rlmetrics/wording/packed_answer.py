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

__all__ = ["PLACES", "laid", "linked", "packed", "packed_line"]

PLACES = "places"
"""The kind of a block in the place of lines that say where the source shows something: file, key and anchors."""

_AS_IT_IS, _CHOICE, _CASE, _INDENTED, _RANKED = " ", "f", "i", "d", "r"
_FIELD, _ROW, _CELL, _ANSWER = "\t", "\x1d", "\x1f", ";"
_KINDS = {
    "wrapped": "w",
    "labelled": "l",
    "columns": "c",
    "table": "t",
    "one_line": "o",
    "beside": "b",
    "ranked": _RANKED,
    "first_fitting": _CHOICE,
    "if_fitting": _CASE,
    PLACES: "s",
}


def packed(lines: Sequence[str]) -> str:
    """Return an answer, made by `rlmetrics.wording.terminal.unlaid`, as text."""
    pool: dict[str, int] = {}
    answer = _places(lines, pool)
    return "\n".join([answer, *pool])


def packed_line(lines: Sequence[str]) -> str | None:
    """Return how an answer of one block stands in a pool; None for none."""
    return _text(lines[0], {}) if lines else None


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
        label, texts, room = given
        if room != terminal.LABEL:
            return _FIELD.join([_INDENTED, str(room), label, *texts])
        fields = [label, *texts]
    elif line.kind == "beside":
        fields = [given[0], given[1], *given[2]]
    elif line.kind == "ranked":
        rows, others, limits, rest = given
        sections = [f"{header}{_CELL}{_places(row, pool)}" for header, row in rows]
        fields = [_places(others, pool), *map(str, limits), *rest, *sections]
    elif line.kind in ("one_line", PLACES):
        fields = [*given]
    else:
        rows, *others = given
        fields = [*map(str, others), _ROW.join(_CELL.join(row) for row in rows)]
    return _FIELD.join([_KINDS[line.kind], *fields])


def laid(answer: str, source: str = "") -> list[str]:
    """Return a packed answer in lines, laid out for the terminal of now.

    Args:
        answer: The answer.
        source: Whose places it tells, where it leaves them open.
    """
    first, *pool = answer.split("\n")
    return _laid(first, pool, source)


def linked(answer: str, source: str) -> dict[str, str]:
    """Return the addresses of the places that a packed answer leaves open."""
    from .source_places import addresses_of, places_of

    links: dict[str, str] = {}
    for line in answer.split("\n"):
        kind, *fields = line.split(_FIELD)
        if kind == _KINDS[PLACES]:
            links.update(addresses_of(*places_of(source, fields[0], fields[2:])))
    return links


def _laid(places: str, pool: Sequence[str], source: str) -> list[str]:
    return [line for place in places.split() for line in _lines(pool[int(place)], pool, source)]


def _lines(text: str, pool: Sequence[str], source: str) -> list[str]:
    if text[0] == _AS_IT_IS:
        return [text[1:]]
    kind, *fields = text.split(_FIELD)
    if kind == "w":
        said, hint, indent, hanging = fields
        return terminal.wrapped(said, hint, indent=int(indent), hanging=int(hanging) if hanging else None)
    if kind == "l":
        return terminal.labelled(fields[0], fields[1:])
    if kind == _INDENTED:
        return terminal.labelled(fields[1], fields[2:], int(fields[0]))
    if kind == "o":
        return terminal.one_line(*fields)
    if kind == "b":
        return terminal.beside(fields[0], fields[1], fields[2:])
    if kind == _RANKED:
        others, most, least, one, several, *sections = fields
        rows = [(header, _laid(row, pool, source)) for header, _, row in (each.partition(_CELL) for each in sections)]
        return terminal.ranked(rows, _laid(others, pool, source), (int(most), int(least)), (one, several))
    if kind == _KINDS[PLACES]:
        from .source_places import place_texts, places_of

        return terminal.labelled("source", place_texts(fields[1], places_of(source, fields[0], fields[2:])[1]))
    if kind == _CHOICE:
        answers = [_laid(each, pool, source) for each in fields[1].split(_ANSWER)]
        return terminal.first_fitting(answers, int(fields[0]))
    if kind == _CASE:
        tested, answer, other = (_laid(part, pool, source) for part in fields[1:])
        return terminal.if_fitting(tested, int(fields[0]), answer, other)
    cells = [row.split(_CELL) for row in fields[-1].split(_ROW)]
    if kind == "c":
        return terminal.columns(cells, indent=int(fields[0]), gap=int(fields[1]), label=fields[2])
    four = [(row[0], row[1], row[2], row[3]) for row in cells]
    return terminal.table(four, widest=int(fields[0]), indent=int(fields[1]), gap=int(fields[2]))
