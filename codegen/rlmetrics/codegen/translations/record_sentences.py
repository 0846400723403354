"""The English sentences of the records of keys that readers see, by the file that holds their translations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..model import ComponentFile
    from ..model.key_record import Piece
    from ..spec import Spec

__all__ = ["FOLDERS", "record_sentences"]

FOLDERS = ("notes", "spans", "conditions", "documented")
"""Folders of a language with a file for each framework: what else there is to know of keys, what timers include, when
keys are logged or constant, and what the framework's own guides say."""


def record_sentences(spec: Spec) -> dict[str, dict[str, str]]:
    """Return every sentence of the records of keys that is shown to readers.

    Args:
        spec: The spec.

    Returns:
        For each file below ``texts/<language>``, such as ``notes/trl``, the sentences with what each of them is. White
        space is one space.
    """
    sentences: dict[str, dict[str, str]] = {f"{kind}/{name}": {} for name in spec.frameworks for kind in FOLDERS}
    for framework, _, file in spec.component_files():
        for name, piece in _pieces(file):
            for kind, text in _said(piece):
                sentences[f"{kind}/{framework}"].setdefault(" ".join(text.split()), f"{kind} of {name}")
        for name, _, record in file.records():
            for copy in record.also.values():
                for text in _clauses(copy.condition):
                    sentences[f"conditions/{framework}"].setdefault(text, f"conditions of {name}")
    return sentences


def _pieces(file: ComponentFile) -> Iterator[tuple[str, Piece]]:
    """Yield what a file says of its keys, each with a name."""
    for name, _, record in file.records():
        yield from ((name, said) for said in (record, *record.facts))
    yield from ((", ".join(fact.keys or (file.title,)), fact) for fact in file.shared)


def _said(piece: Piece) -> Iterator[tuple[str, str]]:
    """Yield the folder of each sentence, and the sentence."""
    yield from (("notes", note) for note in piece.notes)
    if piece.span is not None:
        yield "spans", piece.span
    for text in (piece.condition, piece.fails):
        yield from (("conditions", clause) for clause in _clauses(text))
    yield from (("conditions", text) for text in piece.constant_when)
    for documented in piece.documented:
        yield from (("documented", text) for text in (documented.says, documented.code) if text is not None)


def _clauses(condition: str | None) -> Iterator[str]:
    """Yield the parts of a condition; they are told one by one."""
    if condition is not None:
        yield from " ".join(condition.split()).split("; ")
