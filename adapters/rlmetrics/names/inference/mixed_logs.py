"""Logs of two frameworks in one: each of two sources explains keys that the other can't."""

from __future__ import annotations

from collections.abc import Sequence

from rlmetrics.lazy_dataclasses import dataclass

from .source_evidence import Observed

__all__ = ["SecondSource", "second_source"]

_FEWEST = 3
"""How many keys each of the two must have for itself: fewer are a user's own."""


@dataclass(frozen=True, slots=True)
class SecondSource:
    """What logged keys of a run that its source does not log.

    Attributes:
        name: Framework and component, as a source names them.
        keys: The keys.
    """

    name: str
    keys: tuple[str, ...]


def second_source(observed: Observed, framework: str) -> SecondSource | None:
    """Return what else than a framework logged keys of a run, if that is certain.

    Keys count that no release of the framework logs, and only by their whole names, since users choose those that
    templates have; the other one must leave as many unexplained.

    Args:
        observed: The run's keys, looked up where the frameworks stand that derive from no other one.
        framework: That of the source, or the one that it derives from.
    """
    subjects = observed.index.subjects
    logging = {name: {*observed.owners(name)} & {*_whole(observed, name)} for name in observed.telling}
    own = {name for name, numbers in logging.items() if any(subjects[one].framework == framework for one in numbers)}
    found: SecondSource | None = None
    for subject in subjects:
        if subject.framework == framework or subject.number == observed.index.canonical:
            continue
        its = [name for name, numbers in logging.items() if subject.number in numbers]
        rest = tuple(name for name in its if name not in own)
        if min(len(rest), len(own.difference(its))) >= _FEWEST and (found is None or len(rest) > len(found.keys)):
            component = f"[{subject.component}]" if subject.component else ""
            found = SecondSource(f"{subject.framework}{component}", rest)
    return found


def _whole(observed: Observed, name: str) -> Sequence[int]:
    """Return who logs a key by its whole name."""
    rows = observed.rows.get(name, ())
    return [owner.subject for row in rows if "{" not in row for owner in observed.index.owners(row)]
