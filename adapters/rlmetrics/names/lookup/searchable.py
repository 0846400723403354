"""What can be searched for: every key of every framework, and every metric, each with how much it is logged."""

from __future__ import annotations

from collections.abc import Iterable

from rlmetrics.lazy_dataclasses import dataclass, field

from ..sources.surfaces import route_surfaces, show_template
from ..tables.tables import Tables
from .spelling_distance import loose

__all__ = ["IndexedKey", "index_prefixes", "indexed_keys", "metric_weight"]


@dataclass
class IndexedKey:
    """A key or template of one framework, in whichever trainer.

    Attributes:
        framework: The framework.
        key: As it is logged.
        metrics: What it can mean.
        components: Who logs it.
        first: The number of the first release in which anyone does.
        last: The number of the last one.
        weight: In how many releases of how many components it is logged.
    """

    framework: str
    key: str
    metrics: dict[str, None] = field(default_factory=dict[str, None])
    components: dict[str, None] = field(default_factory=dict[str, None])
    first: int = 1 << 20
    last: int = -1
    weight: int = 0


def indexed_keys(tables: Tables, frameworks: Iterable[str] | None = None) -> list[IndexedKey]:
    """Return every key and template of every framework, or of some, those of the first components first."""
    found: dict[tuple[str, str], IndexedKey] = {}
    for framework in tables.frameworks if frameworks is None else frameworks:
        table = tables.framework(framework)
        for component, stem, ranges, _ in table.components:
            own, among = table.component(stem), table.releases.covered(ranges)
            for row in own.rows:
                releases = own.releases_of(row, among)
                if not releases:
                    continue
                item = found.setdefault((framework, row.key), IndexedKey(framework, row.key))
                item.metrics.update(dict.fromkeys(row.metrics))
                item.components[component] = None
                numbers = [table.releases.index(release) for release in releases]
                item.first = min(item.first, *numbers)
                item.last = max(item.last, *numbers)
                item.weight += len(releases)
    return list(found.values())


def metric_weight(metric: str, keys: Iterable[IndexedKey]) -> int:
    """Return in how many releases of how many components a metric is logged."""
    return sum(item.weight for item in keys if metric in item.metrics)


def index_prefixes(tables: Tables) -> list[str]:
    """Return what trackers put before names, as they are compared: ``train`` of ``train/kl``; longer first."""
    found: set[str] = set()
    for framework in tables.frameworks:
        table = tables.framework(framework)
        for stem in dict.fromkeys(stem for _, stem, _, _ in table.components):
            own = table.component(stem)
            routes = tuple(dict.fromkeys(str(row["route"]) for row in own.tracking()))
            for _, rules in route_surfaces(tables, routes):
                for key in own.spelled:
                    logged, shown = loose(key), loose(show_template(key, rules))
                    if shown != logged and shown.endswith(f" {logged}"):
                        found.add(shown.removesuffix(f" {logged}"))
    return sorted(found, key=lambda prefix: (-len(prefix), prefix))
