"""What is left of what a base's files say where a derived class has code of its own in place of what proves it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from rlmetrics.names.tables.pieces import NOT_OF_THE_NUMBER

from ..model.key_record import Piece, Record
from .overridden import Overridden, of_base
from .spec_pieces import SpecPiece

__all__ = ["without_replaced"]

_NAMING = ("metric", "kind", "bind")
"""Fields that say what a key is called after, and nothing of how its number comes about."""
_Pieces = list[tuple[int, SpecPiece]]


def without_replaced(
    known: Overridden,
    stem: str,
    anchors: Sequence[str],
    key: str,
    releases: int,
    base: Iterable[tuple[int, SpecPiece]],
    facts: Iterable[tuple[int, SpecPiece]],
) -> tuple[_Pieces, _Pieces]:
    """Return what a record and its facts say of a key as far as own methods leave it, and what these make unread.

    Args:
        known: The methods that the classes of a file have in place of those that they extend.
        stem: The file in which the record stands.
        anchors: Those of the record.
        key: The key.
        releases: The releases to look at, as bits.
        base: What the record says, with the releases.
        facts: What its facts say, with the releases.
    """
    own = list(_read_and_unread(known, stem, anchors, key, releases))
    unread = 0
    for covered, piece in own:
        unread |= covered if "overridden" in piece.says else 0
    return [*_named(base, unread)], [*_proven(known, _named(facts, unread), key, unread), *own]


def _read_and_unread(
    known: Overridden, stem: str, anchors: Sequence[str], key: str, releases: int
) -> Iterator[tuple[int, SpecPiece]]:
    """Yield which own methods of a derived class write a key of the base, and those that somebody has compared."""
    for covered, methods in known.unread(stem, anchors, key, releases):
        yield (
            covered,
            SpecPiece(
                known.stem, ("components",), Piece(), None, {"overridden": methods, "notes": [known.note(methods)]}
            ),
        )
    for covered, at in known.read(stem, anchors, key, releases):
        yield covered, SpecPiece(known.stem, ("kept",), Piece(at=list(at)), None, {"at": [*at]})


def _named(pieces: Iterable[tuple[int, SpecPiece]], unread: int) -> Iterator[tuple[int, SpecPiece]]:
    """Yield pieces that say no more than what a key is called where code wrote it that nobody compared with the base's.

    Conditions, traits, changes and cited lines of code that never runs there would be told as if it did.
    """
    for covered, piece in pieces:
        if not (of_base(piece.stem) and covered & unread):
            yield covered, piece
            continue
        if covered & ~unread:
            yield covered & ~unread, piece
        says = {name: piece.says[name] for name in _NAMING if name in piece.says}
        if isinstance(piece.fields, Record) or (says and piece.when is None):
            yield covered & unread, replace(piece, says=says)


def _proven(
    known: Overridden, pieces: Iterable[tuple[int, SpecPiece]], key: str, unread: int
) -> Iterator[tuple[int, SpecPiece]]:
    """Yield facts, and in place of those that replaced methods prove, that nobody has compared these.

    A key that is unread altogether says so by itself.
    """
    for covered, piece in pieces:
        left = covered
        for where, methods in known.lost(piece.stem, piece.fields.at, key, covered & ~unread):
            left &= ~where
            if NOT_OF_THE_NUMBER.issuperset(piece.says):
                continue
            says = {"overridden": methods, "notes": [known.changed(methods)]}
            yield where, SpecPiece(known.stem, ("components",), Piece(), piece.when, says)
        if left:
            yield left, piece
