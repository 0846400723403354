"""Keys that must not be taken for a metric: its look-alikes, as a release and the other frameworks spell them."""

from __future__ import annotations

from rlmetrics.lazy_typing import TYPE_CHECKING
from rlmetrics.names.meanings.view import FrameworkView
from rlmetrics.names.tables.component_rows import metrics_of

if TYPE_CHECKING:
    from rlmetrics.names.meanings.protocol import View
    from rlmetrics.names.tables.tables import Tables

__all__ = ["friends_of", "spelled", "unlike"]


def friends_of(metric: str, tables: Tables) -> dict[str, str]:
    """Return the declared look-alikes of a metric, and why they are none."""
    friends: dict[str, str] = dict(tables.metrics.get(metric, {}).get("false_friends", {}))
    return friends


def unlike(view: View, metric: str, mode: str, component: str) -> list[tuple[str, str]]:
    """Return names that look like a metric and are none, each with the reason; those of the same component first.

    A key that measures the metric, too, as other settings have it, is no look-alike.

    Args:
        view: The source at which the metric was found.
        metric: Its canonical name.
        mode: ``train`` or ``eval``.
        component: The component that logs it.
    """
    tables = view.tables
    pairs: list[tuple[str, str]] = []
    newest = {name: tables.framework(name).releases.names[-1] for name in tables.frameworks}
    same = {name: spelled(tables, name, newest[name], metric, mode) for name in tables.frameworks}
    for friend, why in friends_of(metric, tables).items():
        names: list[str] = []
        if isinstance(view, FrameworkView):
            source = view.source.framework, view.source.release
            own = spelled(tables, *source, metric, mode, component)
            names += [key for key in spelled(tables, *source, friend, mode, component) if key not in own]
        for framework in tables.frameworks:
            if framework != view.source.framework:
                keys = spelled(tables, framework, newest[framework], friend, mode)
                keys = [key for key in keys if key not in same[framework]]
                names += [f"{tables.frameworks[framework]['title']}'s {key}" for key in keys[:1]]
        if names:
            pairs.append((", ".join(dict.fromkeys(names[:3])), why))
    return pairs


def spelled(
    tables: Tables, framework: str, release: str, metric: str, mode: str, component: str | None = None
) -> list[str]:
    """Return the keys under which the foremost component of a release, or a named one, logs a metric."""
    table = tables.framework(framework)
    stems = tables.logged_by(metric).get(framework, ())
    for name, stem, ranges, module in table.components:
        if stem not in stems or not table.releases.covers(ranges, release):
            continue
        if component not in (None, name, f"{module}.{name}"):
            continue
        own = table.component(stem)
        rows = [row for row in own.measuring(metric) if table.releases.covers(row.ranges, release)]
        keys = [own.bare(row) for row in rows if row.mode == mode and metric in metrics_of(row)[:1]]
        if keys:
            return list(dict.fromkeys(keys))
    return []
