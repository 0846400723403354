"""Which metrics are logged where: metrics, frameworks, components and releases."""

from __future__ import annotations

from rlmetrics.lazy_dataclasses import dataclass

from ..tables.loading import load_tables
from ..tables.tables import Overlays, Tables
from ..tables.user_errors import NamesError
from .source import nearest

__all__ = ["Coverage", "coverage"]


@dataclass(frozen=True, slots=True)
class Coverage:
    """One metric in one component.

    Attributes:
        metric: Canonical name.
        framework: The framework; None for a metric that no release logs.
        component: The component that logs it.
        releases: The releases in which it does, oldest first.
        spans: The same in short: ``0.3.0..0.11.4``.
        keys: Under which keys or templates.
    """

    metric: str
    framework: str | None
    component: str | None
    releases: tuple[str, ...]
    spans: str
    keys: tuple[str, ...]


def coverage(framework: str | None = None, *, spec: Overlays | Tables = None) -> list[Coverage]:
    """Return where each metric is logged, in the order of the spec.

    Args:
        framework: Only this framework; all of them if left out.
        spec: Folders with further YAML.

    Returns:
        One record for each metric and component; one without a component for a metric that no release logs.

    Raises:
        NamesError: The framework is unknown.
    """
    tables = load_tables(spec)
    if framework is not None and not tables.head(framework):
        msg = f"unknown framework {framework!r}; {nearest(framework, tables.named, 'frameworks')}"
        raise NamesError(msg)
    logged: dict[str, dict[tuple[str, str], tuple[set[str], dict[str, None]]]] = {name: {} for name in tables.metrics}
    for name in tables.frameworks if framework is None else [framework]:
        table = tables.framework(name)
        for component, stem, ranges, _ in table.components:
            rows, among = table.component(stem), table.releases.covered(ranges)
            for row in rows.rows:
                covered = rows.releases_of(row, among)
                for metric in row.metrics if covered else ():
                    releases, keys = logged[metric].setdefault((name, component), (set(), {}))
                    releases.update(covered)
                    keys[rows.bare(row)] = None
    result: list[Coverage] = []
    for metric, places in logged.items():
        for (name, component), (releases, keys) in places.items():
            order = tables.framework(name).releases
            ordered = tuple(sorted(releases, key=order.index))
            result.append(Coverage(metric, name, component, ordered, order.spans(ordered), tuple(keys)))
        if not places and framework is None:
            result.append(Coverage(metric, None, None, (), "", ()))
    return result
