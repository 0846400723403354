"""Keys that must not be taken for a metric: its look-alikes, as a release and the other frameworks spell them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rlmetrics.lazy_typing import TYPE_CHECKING
from rlmetrics.names.meanings.view import FrameworkView

if TYPE_CHECKING:
    from rlmetrics.names.meanings.protocol import View
    from rlmetrics.names.tables.tables import Tables

__all__ = ["beside", "friends_of", "is_of_any", "look_alikes", "spelled", "unlike"]

_OF_ANY = "element"
"""The quantity of metrics that say how a number is made and not of what it is: two keys of them share nothing more."""
_STATISTICS = {"mean": ("avg", "mean"), "max": ("max",), "min": ("min",), "std": ("std",)}
"""Words of keys for what a number is of its elements."""


def friends_of(metric: str, tables: Tables) -> dict[str, str]:
    """Return the declared look-alikes of a metric, and why they are none."""
    friends: dict[str, str] = dict(tables.metrics.get(metric, {}).get("false_friends", {}))
    return friends


def is_of_any(metric: str, tables: Tables) -> bool:
    """Tell whether a metric says only how a number is made, such as the largest element, whatever the elements are."""
    return bool(tables.metrics.get(metric, {}).get("identity", {}).get("quantity") == _OF_ANY)


def look_alikes(tables: Tables, framework: str, release: str, friend: str) -> list[str]:
    """Return the keys of training by which a look-alike is told; none of one that says only how a number is made."""
    return [] if is_of_any(friend, tables) else spelled(tables, framework, release, friend, "train")


def beside(key: str, statistic: str, keys: Iterable[str]) -> list[str]:
    """Return the keys that differ from one only in the word for the statistic, as ``loss/avg`` from ``loss/max``.

    Args:
        key: A key or template.
        statistic: Which one is looked for, such as ``mean``.
        keys: All keys of the component.
    """
    others = {word for name, words in _STATISTICS.items() if name != statistic for word in words}
    parts = re.split(r"([/_.])", key)
    made = {
        "".join([*parts[:at], word, *parts[at + 1 :]])
        for at, part in enumerate(parts)
        if part in others
        for word in _STATISTICS.get(statistic, ())
    }
    return [name for name in keys if name in made]


def unlike(view: View, metric: str, mode: str, component: str, key: str | None = None) -> list[tuple[str, str]]:
    """Return names that look like a metric and are none, each with the reason; those of the same component first.

    A key that measures the metric, too, as other settings have it, is no look-alike. Where either metric only says how
    a number is made, the look-alike is the key beside the given one, if there is one, and no other that is made so.

    Args:
        view: The source at which the metric was found.
        metric: Its canonical name.
        mode: ``train`` or ``eval``.
        component: The component that logs it.
        key: As that component logs it, if a key was asked for.
    """
    tables = view.tables
    pairs: list[tuple[str, str]] = []
    same = {name: _newest(tables, name, metric, mode, at_all=True) for name in tables.frameworks}
    for friend, why in friends_of(metric, tables).items():
        names: list[str] = []
        if is_of_any(metric, tables) or is_of_any(friend, tables):
            if key is not None and isinstance(view, FrameworkView):
                logged = view.components[component].keys
                names = beside(key, str(tables.metrics[friend].get("identity", {}).get("statistic")), logged)
            if names:
                pairs.append((", ".join(names), why))
            continue
        if isinstance(view, FrameworkView):
            source = view.source.framework, view.source.release
            own = spelled(tables, *source, metric, mode, component, at_all=True)
            names += [key for key in spelled(tables, *source, friend, mode, component) if key not in own]
        for framework in tables.frameworks:
            if framework != view.source.framework:
                keys = [key for key in _newest(tables, framework, friend, mode) if key not in same[framework]]
                names += [f"{tables.frameworks[framework]['title']}'s {key}" for key in keys[:1]]
        names = [name for name in names if name != key]
        if names:
            pairs.append((", ".join(dict.fromkeys(names[:3])), why))
    return pairs


def _newest(tables: Tables, framework: str, metric: str, mode: str, *, at_all: bool = False) -> list[str]:
    """Return the keys under which the newest release of a framework logs a metric; found out once."""
    table = tables.framework(framework)
    asked = spelled, metric, mode, at_all
    if asked not in table.kept:
        table.kept[asked] = spelled(tables, framework, table.releases.names[-1], metric, mode, at_all=at_all)
    keys: list[str] = table.kept[asked]
    return keys


def spelled(
    tables: Tables,
    framework: str,
    release: str,
    metric: str,
    mode: str,
    component: str | None = None,
    *,
    at_all: bool = False,
) -> list[str]:
    """Return the keys under which the foremost component of a release, or a named one, logs a metric.

    Args:
        tables: The spec.
        framework: Whose keys.
        release: Of which release.
        metric: Its canonical name.
        mode: ``train`` or ``eval``.
        component: Whose keys alone.
        at_all: Whether keys count that measure something else first, and the metric under some settings.
    """
    table = tables.framework(framework)
    stems = tables.logged_by(metric).get(framework, ())
    for name, stem, ranges, module in table.components:
        if stem not in stems or not table.releases.covers(ranges, release):
            continue
        if component not in (None, name, f"{module}.{name}"):
            continue
        own = table.component(stem)
        rows = [row for row in own.measuring(metric) if table.releases.covers(row.ranges, release)]
        keys = [own.bare(row) for row in rows if row.mode == mode and (at_all or metric in row.metrics[:1])]
        if keys:
            return list(dict.fromkeys(keys))
    return []
