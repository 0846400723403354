"""Frameworks that run another one's trainers and may log no key of their own, so that keys can't tell them apart."""

from __future__ import annotations

from collections.abc import Iterator

from ..tables.tables import Tables
from .evidence_sentences import SourceEvidence
from .index import Subject, index_of
from .run_clues import Clues
from .source_evidence import Observed

__all__ = ["alike"]


def alike(subject: Subject, explained: int, clues: Clues, tables: Tables) -> Iterator[SourceEvidence]:
    """Yield which frameworks run a trainer and log as many of a run's keys by it.

    Args:
        subject: The trainer.
        explained: How many of the keys it logs.
        clues: What is known of the run.
        tables: The spec.
    """
    named = [
        tables.title(name)
        for name, row in tables.derived.items()
        if row["base"] == subject.framework and row.get("known_by", {}).get("alike")
        if _logs_as_much(name, subject, explained, clues, tables)
    ]
    if named:
        *others, last = named
        run = f"{', '.join(others)} and {last} run" if others else f"{last} runs"
        says = f"{run} the same trainer, and no key may tell: name the source where one of them ran it"
        yield SourceEvidence("alike", says, 0.0)


def _logs_as_much(name: str, trainer: Subject, explained: int, clues: Clues, tables: Tables) -> bool:
    """Tell whether a framework's trainer of the same kind logs as many of a run's keys."""
    observed = Observed.of(index_of(tables, name), clues)
    same = [subject.number for subject in observed.index.subjects if not trainer.parts.keys().isdisjoint(subject.parts)]
    counts = [sum(number in observed.owners(key) for key in observed.rows) for number in same]
    return max(counts, default=0) >= explained
