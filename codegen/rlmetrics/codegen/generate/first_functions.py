"""Which functions people look for first: the package shows these, and has all others too."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from ..spec import Spec
from ..tables.health_table import all_rules, metrics_of_rule
from .functions import ComputeFunction
from .reference_pages import MetricKey

__all__ = ["first_functions"]


def first_functions(
    spec: Spec, families: Mapping[str, Sequence[ComputeFunction]], logged: Iterable[MetricKey]
) -> dict[str, list[ComputeFunction]]:
    """Return by topic the functions of metrics that several trainers log, a rule or a guide watches or a suite takes.

    Args:
        spec: The spec.
        families: All functions by family.
        logged: What every component logs.
    """
    trainers: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for key in logged:
        trainers[key.metric].add((key.framework, key.component))
    wanted = {metric for metric, found in trainers.items() if len(found) > 1}
    wanted.update(metric for metric, described in spec.metrics.items() if described.crucial)
    wanted.update(metric for rule in all_rules(spec) for metric in metrics_of_rule(rule, spec.metrics))
    wanted.update(name.partition("@")[0] for suite in spec.suites.values() for name in suite.metrics)
    by_topic = {
        spec.families[family].title: [one for one in members if one.variant is None and one.metric_id in wanted]
        for family, members in families.items()
    }
    return {topic: found for topic, found in sorted(by_topic.items()) if found}
