"""A key that a source does not log: which other releases or classes log it, and what stands in for it here."""

from __future__ import annotations

from rlmetrics.lazy_dataclasses import dataclass

from ..mapping.fate import Fate, fate
from ..mapping.mapping import NameMap
from ..meanings.key_index import KEY, SHOWN, TEMPLATE, Logged, Lookup, catalogue_of
from ..meanings.protocol import Match
from ..meanings.view import FrameworkView
from ..settings.configuration import Config
from ..sources.source import parse_source
from ..tables.framework_table import FrameworkTable
from ..tables.key_records import Entry, MapRow

__all__ = ["Absence", "absence"]


@dataclass(frozen=True, slots=True)
class Absence:
    """What is known about a key that a source does not log.

    Attributes:
        key: As asked for.
        lookup: Who logs it anywhere.
        own: Those of them that are a component of the source, in other releases.
        nearest: Of these, or else of all, the one whose meaning is told.
        at: The release of that one which is nearest to the source.
        match: What the key is there.
        view: That release.
        became: What became of it in the source; None where nothing can tell.
        since: The first of the releases, up to the source's, in which that stand-in is logged without a gap.
    """

    key: str
    lookup: Lookup
    own: tuple[Logged, ...]
    nearest: Logged
    at: str
    match: Match
    view: FrameworkView
    became: Fate | None
    since: str | None

    @property
    def row(self) -> MapRow | None:
        """What stands in for it in the source."""
        return None if self.became is None else self.became.row

    @property
    def releases(self) -> tuple[str, ...]:
        """The releases in which the source's own component logs it, oldest first."""
        order = self.view.tables.framework(self.nearest.framework).releases.index
        of_nearest = (item for item in self.own if item.component == self.nearest.component)
        return tuple(sorted({release for item in of_nearest for release in item.releases}, key=order))

    @property
    def is_renamed(self) -> bool:
        """Whether the key goes on under another name from the very release on that has it no more."""
        if self.since is None or not self.own or self.became is None or self.became.kind != "renamed":
            return False
        order = self.view.tables.framework(self.nearest.framework).releases
        return order.index(self.since) == order.index(self.at) + 1


def absence(view: FrameworkView, key: str, *, config: Config = None) -> Absence | None:
    """Return what is known about a key that a source does not log, or None if no release of any framework logs it.

    Args:
        view: The source.
        key: As any tracker shows it.
        config: Values of configuration keys that differ from the releases' defaults.
    """
    tables, source = view.tables, view.source
    lookup = catalogue_of(tables).find(key, ways=(KEY, SHOWN, TEMPLATE))
    if not lookup.found:
        return None
    table = tables.framework(source.framework)
    names = {component.name for component in source.components}
    own = tuple(item for item in lookup.found if item.framework == source.framework and item.component in names)
    nearest = own[0] if own else lookup.found[0]
    at = nearest.releases[-1]
    if own:
        of_first = [item for item in own if item.component == nearest.component]
        at, nearest = min(
            ((release, item) for item in of_first for release in item.releases),
            key=lambda pair: _distance(table, pair[0], source.release),
        )
    other = FrameworkView(tables, parse_source(f"{nearest.framework}[{nearest.component}]=={at}", tables), config)
    entry = next(
        (found for part in other.components.values() if (found := part.entry_alone(nearest.key, nearest.mode))), None
    )
    if entry is None:
        return None
    became = fate(NameMap(other, view), entry)
    since = None if became.target is None else _since(became.target, view, table)
    match = Match(entry, nearest.surface, nearest.values)
    return Absence(key, lookup, own, nearest, at, match, other, became, since)


def _distance(table: FrameworkTable, release: str, other: str) -> int:
    return abs(table.releases.index(release) - table.releases.index(other))


def _since(target: Entry, view: FrameworkView, table: FrameworkTable) -> str | None:
    """Return since when a stand-in is logged without a gap."""
    logged: set[str] = set()
    for item in catalogue_of(view.tables).called(target.key):
        if item.framework == table.name and item.component == target.component:
            logged.update(item.releases)
    first = None
    for release in reversed(table.releases.names[: table.releases.index(view.source.release) + 1]):
        if release not in logged:
            break
        first = release
    return first
