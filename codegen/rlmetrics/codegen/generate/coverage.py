"""Which metrics are logged where, for the index of metrics, frameworks and releases."""

from __future__ import annotations

from collections.abc import Iterable

from rlmetrics.names.tables.versions import Releases

from ..spec import Spec
from .metric_usage import MetricKey

__all__ = ["coverage"]


def coverage(spec: Spec, logged_keys: Iterable[MetricKey]) -> dict[str, dict[str, dict[str, str]]]:
    """Return metric → framework → component → the releases that log it, as text."""
    logged: dict[str, dict[str, dict[str, set[str]]]] = {}
    for one in logged_keys:
        components = logged.setdefault(one.metric, {}).setdefault(one.framework, {})
        components.setdefault(one.component, set()).update(one.releases)
    orders = {
        name: Releases([(item.release, item.date) for item in framework.framework.releases])
        for name, framework in spec.frameworks.items()
    }
    return {
        metric: {
            name: {component: orders[name].text(covered) for component, covered in components.items()}
            for name, components in logged.get(metric, {}).items()
        }
        for metric in spec.metrics
    }
