"""Who logs which metric in which releases, as far as the reference pages tell it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..meaning import Resolved, scope_of
from ..spec import Spec

__all__ = ["MetricKey", "logged_keys"]


@dataclass(frozen=True)
class MetricKey:
    """One key of one component that means a metric, under some configuration at least.

    Attributes:
        metric: The metric.
        framework: The framework's name.
        component: The class or part that logs it.
        releases: Where it does.
    """

    metric: str
    framework: str
    component: str
    releases: frozenset[str]


def logged_keys(spec: Spec) -> Iterator[MetricKey]:
    """Yield what every component logs, in the order of the spec's files."""
    for name, framework in spec.frameworks.items():
        scope = scope_of(framework)
        for stem, file in framework.files.items():
            for part in file.components:
                for found in scope.component(stem, scope.bits(part.releases)).resolved:
                    releases = scope.releases.of_bits(found.releases)
                    yield from (MetricKey(metric, name, part.name, releases) for metric in _metrics(found))


def _metrics(resolved: Resolved) -> Iterator[str]:
    """Yield the metrics that a key can mean: what it always means, then what some configurations make of it."""
    always = [resolved.record, *(fact for fact in resolved.facts if fact.when is None)]
    own = next((piece.says["metric"] for piece in reversed(always) if "metric" in piece.says), None)
    others = [fact.says["metric"] for fact in resolved.facts if fact.when is not None and "metric" in fact.says]
    yield from dict.fromkeys(metric for metric in (own, *others) if metric is not None)
