"""The history of a key in one component: what each release changed, a change taken back told once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from rlmetrics.lazy_dataclasses import replace
from rlmetrics.lazy_typing import Any, NamedTuple

from ..differences.entry_contrast import Cause
from ..differences.verdict import Sides, verdict_on
from ..settings.configuration import Config, Configuration
from ..tables.key_records import Entry
from ..tables.tables import Tables
from .changes import Change, course_of, steps
from .key_lineage import followed

__all__ = ["Event", "History"]


class Event(NamedTuple):
    """What happened to a key in a release.

    Attributes:
        change: What the release changed.
        causes: Why, and for each whether it shows under the settings; None where nothing can tell.
        until: The last release in which it is so, for what was taken back.
    """

    change: Change
    causes: tuple[tuple[Cause, bool | None], ...]
    until: str | None = None


class History:
    """One component through its releases.

    Args:
        tables: The spec.
        framework: Name of the framework.
        component: The component's name, or ``module.Name`` where two share it.
        config: Values of configuration keys that differ from the releases' defaults.
    """

    def __init__(self, tables: Tables, framework: str, component: str, config: Config = None) -> None:
        self._tables = tables
        self._course = course_of(tables, framework, component, config)
        self.is_given = bool(config)
        """Whether settings differ from the releases' defaults."""
        self._switches: dict[tuple[str, str], list[Cause]] = {}
        self.releases = self._course.releases
        """The releases that have the component, oldest first."""
        self.is_current = self.releases[-1] == tables.framework(framework).releases.names[-1]
        """Whether the framework's newest release has the component."""

    def entry(self, key: str, mode: str, release: str) -> Entry | None:
        """Return what a key is in a release; None if that does not log it."""
        return self._course.entry(key, mode, release)

    def config(self, release: str) -> Configuration:
        """Return the settings of the component in a release that has it."""
        part = self._course.part(release)
        assert part is not None
        return part.configuration()

    def events(self, key: str, mode: str, at: str | None = None) -> list[Event]:
        """Return what happened to a key, oldest first.

        Args:
            key: The key or template, as the release spells it.
            mode: ``train`` or ``eval``.
            at: A release in which the key has that name; the last one that has it, if left out.
        """
        names = followed(self._course, key, mode, at)
        place = mode, *names.items()
        if place not in self._course.kept:
            changes = steps(self._course, names, mode)
            changes += self._switched(names, mode, changes)
            changes.sort(key=lambda change: self.releases.index(change.release))
            self._course.kept[place] = [*self._folded(changes, mode)]
        events: list[Event] = self._course.kept[place]
        return events

    def leaves_open(self, key: str, mode: str) -> bool:
        """Tell whether some release leaves open how the number under a name is computed."""
        entries = (self.entry(key, mode, release) for release in self.releases)
        return any(entry is not None and entry.signature.unstated for entry in entries)

    def _switched(self, names: dict[str, str | None], mode: str, changes: Sequence[Change]) -> Iterator[Change]:
        """Yield the defaults that were turned on or off and that the notes of a key name."""
        told = {(change.release, cause.name) for change in changes for cause in change.causes}
        for before, release in pairwise(self.releases):
            old, new = names.get(before), names.get(release)
            if release not in self._course.turns or old is None or new is None:
                continue
            causes = [cause for cause in self._turned(before, release) if (release, cause.name) not in told]
            first, last = (self.entry(old, mode, before), self.entry(new, mode, release)) if causes else (None, None)
            if first is None or last is None:
                continue
            notes = f"{first.note} {last.note}"
            causes = [one for one in causes if re.search(rf"(?<![\w.]){re.escape(one.name)}(?![\w.])", notes)]
            if causes:
                yield Change(release, "changed", new, tuple(causes), first, last)

    def _turned(self, before: str, release: str) -> list[Cause]:
        """Return the settings that are off by default in one of two releases and on in the other."""
        if (before, release) not in self._switches:
            old, new = self.config(before).values, self.config(release).values
            self._switches[before, release] = [
                Cause("setting", name, old[name], new[name], "biased")
                for name in new
                if name in old and bool(old[name]) != bool(new[name])
            ]
        return self._switches[before, release]

    def _folded(self, changes: Sequence[Change], mode: str) -> Iterator[Event]:
        """Yield changes; what a later one undoes is told once, with the releases in which it held."""
        until: dict[tuple[int, int], str] = {}
        back: set[tuple[int, int]] = set()
        for at, change in enumerate(changes):
            for index, cause in enumerate(change.causes):
                # What is gone did not begin here: when it comes again, that is another story.
                over = (at, index) in back or cause.after is None
                again = None if over else _taken_back(cause, changes, at)
                if again is not None:
                    back.add(again)
                    until[at, index] = self._before(changes[again[0]].release)
        for at, change in enumerate(changes):
            places = {(at, index): cause for index, cause in enumerate(change.causes) if (at, index) not in back}
            lasting = [cause for place, cause in places.items() if place not in until]
            if lasting or change.kind != "changed":
                yield self._event(change, lasting, mode)
            for end in dict.fromkeys(until[place] for place in places if place in until):
                held = [cause for place, cause in places.items() if until.get(place) == end]
                yield self._event(replace(change, kind="changed"), held, mode, end)

    def _before(self, release: str) -> str:
        return self.releases[self.releases.index(release) - 1]

    def _event(self, change: Change, causes: Sequence[Cause], mode: str, until: str | None = None) -> Event:
        sides: Sides = (
            self._course.circumstances(self._before(change.release)),
            self._course.circumstances(change.release),
        )
        judged = [(cause, verdict_on(cause, sides, mode, self._tables).applies) for cause in causes]
        return Event(change, tuple(judged), until)


def _taken_back(cause: Cause, changes: Sequence[Change], at: int) -> tuple[int, int] | None:
    """Return where another cause undoes one: the next about the same, if it leads back to what held before."""
    for later, change in enumerate(changes[at + 1 :], at + 1):
        for index, other in enumerate(change.causes):
            if (other.kind, other.name) == (cause.kind, cause.name):
                return (later, index) if _same(other.after, cause.before) else None
    return None


def _same(first: Any, second: Any) -> bool:
    return bool(first == second) and type(first) is type(second)
