"""What a key is with the other releases under a framework that derives from another one, where nobody named one."""

from __future__ import annotations

from rlmetrics.lazy_typing import TYPE_CHECKING

from ..meanings.component import ComponentView
from ..sources.source import Component

if TYPE_CHECKING:
    from ..meanings.protocol import Match
    from ..meanings.view import FrameworkView
    from ..tables.key_records import Entry

__all__ = ["base_notes"]


def base_notes(view: FrameworkView, match: Match) -> list[str]:
    """Return with which releases of the base a key is something else than in the answer, a sentence for each way.

    Nothing where the source names one, or where all that it runs on agree.
    """
    table = view.tables.framework(view.source.framework)
    if table.base is None or not view.source.chosen:
        return []
    pairs = table.releases.paired(view.source.release.partition("+")[0])
    base, under = table.base
    meant = match.entry
    opened = view.components[meant.component]
    ways: dict[str, list[str]] = {}
    for pair in pairs:
        stems = (
            (stem, module)
            for name, stem, ranges, module in table.components
            if name == opened.component and table.releases.covers(ranges, pair)
        )
        for stem, module in stems:
            component = Component(opened.component, stem, module)
            other = ComponentView(view.tables, table, component, pair, opened.given, opened.label)
            said = _otherwise(meant, other.entry_alone(meant.key, meant.mode))
            if said is not None:
                ways.setdefault(said, []).append(under[pair])
    return [f"With {base.name} {base.releases.text(releases)} {said}." for said, releases in ways.items()]


def _otherwise(meant: Entry, other: Entry | None) -> str | None:
    """Return what a key is elsewhere, if that is not what it is in the answer."""
    if other is None:
        return "it is not logged"
    if other.metric != meant.metric:
        return f"it is {other.metric or 'what its settings say'}"
    if other.signature != meant.signature:
        return f"it is {other.metric}, computed in another way"
    return None
