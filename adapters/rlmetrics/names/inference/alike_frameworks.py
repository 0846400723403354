"""Frameworks that run another one's trainers and may log no key of their own, so that keys can't tell them apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..tables.tables import Tables
from ..tables.versions import version_key
from .evidence_sentences import SourceEvidence
from .index import Subject, index_of
from .run_clues import Clues
from .source_evidence import Observed

__all__ = ["alike", "alike_evidence"]


def alike(subject: Subject, explained: int, clues: Clues, tables: Tables) -> tuple[str, ...]:
    """Return the titles of frameworks that run a trainer and log as many of a run's keys by it.

    Args:
        subject: The trainer.
        explained: How many of the keys it logs.
        clues: What is known of the run.
        tables: The spec.
    """
    return tuple(
        tables.title(name)
        for name, row in tables.derived.items()
        if row["base"] == subject.framework and row.get("known_by", {}).get("alike")
        if not _ruled_out(name, clues, tables) and _logs_as_much(name, subject, explained, clues, tables)
    )


def alike_evidence(named: Sequence[str]) -> Iterator[SourceEvidence]:
    """Yield that frameworks run the same trainer; nothing where none does."""
    if named:
        *others, last = named
        run = f"{', '.join(others)} and {last} run" if others else f"{last} runs"
        says = f"{run} the same trainer, and no key may tell: name the source where one of them ran it"
        yield SourceEvidence("alike", says, 0.0)


def _ruled_out(name: str, clues: Clues, tables: Tables) -> bool:
    """Tell whether a framework can't have run a trainer: under a later release of its base, or without its settings.

    All settings of a trainer were recorded, and those among them that the framework adds to each are not there.
    """
    added = tables.derived[name]["known_by"].get("added_settings", ())
    if clues.settings_whole and added and not clues.settings & {*added}:
        return True
    base = tables.framework(name).base
    under = None if base is None else version_key({**clues.named, **clues.installed}.get(base[0].name, ""))
    known = [] if base is None else [key for release in base[1].values() if (key := version_key(release)) is not None]
    return under is not None and bool(known) and under > max(known)


def _logs_as_much(name: str, trainer: Subject, explained: int, clues: Clues, tables: Tables) -> bool:
    """Tell whether a framework's trainer of the same kind logs as many of a run's keys."""
    observed = Observed.of(index_of(tables, name), clues)
    same = [subject.number for subject in observed.index.subjects if not trainer.parts.keys().isdisjoint(subject.parts)]
    counts = [sum(number in observed.owners(key) for key in observed.rows) for number in same]
    return max(counts, default=0) >= explained
