"""Keys that must not be taken for a metric: its false friends, as a release and the other frameworks spell them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rlmetrics.names.rows import metrics_of
from rlmetrics.names.view import FrameworkView

if TYPE_CHECKING:
    from rlmetrics.names.protocol import View
    from rlmetrics.names.tables import FrameworkTable, Tables

__all__ = ["friends_of", "spelled", "unlike"]


def friends_of(metric: str, tables: Tables) -> dict[str, str]:
    """Return the declared false friends of a metric, and why they are none."""
    friends: dict[str, str] = dict(tables.metrics.get(metric, {}).get("false_friends", {}))
    return friends


def unlike(view: View, metric: str, mode: str, component: str) -> list[tuple[str, str]]:
    """Return names that look like a metric and are none, each with the reason; those of the same component first.

    Args:
        view: The source at which the metric was found.
        metric: Its canonical name.
        mode: ``train`` or ``eval``.
        component: The component that logs it.
    """
    tables = view.tables
    found: list[tuple[str, str]] = []
    for friend, why in friends_of(metric, tables).items():
        names: list[str] = []
        if isinstance(view, FrameworkView):
            own = view.tables.framework(view.source.framework)
            stems = [item.stem for item in view.components.values() if item.label == component]
            names += spelled(own, stems, view.source.release, friend, mode)
        for framework in tables.frameworks:
            if framework != view.source.framework:
                table = tables.framework(framework)
                newest = table.releases.names[-1]
                keys = spelled(table, _stems(table, newest), newest, friend, mode)
                names += [f"{tables.frameworks[framework]['title']}'s {key}" for key in keys[:1]]
        if names:
            found.append((", ".join(dict.fromkeys(names[:3])), why))
    return found


def _stems(table: FrameworkTable, release: str) -> list[str]:
    """Return the files of a release's components; of many trainers, which are programs of their own, the first few."""
    stems = [stem for _, stem, ranges, _ in table.components if table.releases.covers(ranges, release)]
    return stems[:_MANY]


_MANY = 14


def spelled(table: FrameworkTable, stems: list[str], release: str, metric: str, mode: str) -> list[str]:
    """Return the keys under which components of a release log a metric."""
    return list(dict.fromkeys(_keys(table, stems, release, metric, mode)))


def _keys(table: FrameworkTable, stems: list[str], release: str, metric: str, mode: str) -> Iterator[str]:
    for stem in dict.fromkeys(stems):
        own = table.component(stem)
        for row in own.at(release):
            if row.mode == mode and metric in metrics_of(row)[:1]:
                yield own.bare(row)
