"""The reference pages that stand alone: inputs, conventions, health rules, the linter's checks, what covers what."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rlmetrics.health.conditions import FUNCTIONS
from rlmetrics.health.series import Series
from rlmetrics.names.tables.versions import Releases

from ..lint import CHECKS
from ..meaning import Resolved, scope_of
from ..model import Metric
from ..output.store import Output
from ..spec import Spec
from ..tables.health_table import all_rules, metrics_of_rule
from .docstring import AXES_TEXT
from .functions import ComputeFunction
from .templating import template

FOLDER = "docs/reference"


def emit(
    spec: Spec, functions: Mapping[str, Sequence[ComputeFunction]], logged: Iterable[MetricKey]
) -> Iterator[Output]:
    """Yield the reference pages; those of metrics, keys and releases are pages of the site.

    Args:
        spec: The spec.
        functions: All functions by family.
        logged: What every component logs, as ``logged_keys`` says.
    """
    tools: dict[str, object] = {"link": _link(spec)}
    yield _single("coverage.md", "spec", spec, {**tools, "coverage": coverage(spec, logged)})
    yield _single(
        "not_computed.md",
        "spec/metrics",
        spec,
        {
            **tools,
            "left": not_computed(spec, functions),
            "why": why_not_computed,
        },
    )
    yield _single("inputs.md", "spec/inputs.yaml", spec, tools)
    yield _single("conventions.md", "spec/conventions", spec, tools)
    yield _single("health.md", "spec/health", spec, {**tools, "words": words_of_conditions()})
    yield from _health(spec)
    yield _single("checks.md", "codegen/rlmetrics/codegen/lint", spec, {**tools, "checks": CHECKS})


def _health(spec: Spec) -> Iterator[Output]:
    """Yield a page for each file of rules, and one for the diagnoses."""
    link = _link(spec, "../../m")
    covers = {rule.id: metrics_of_rule(rule, spec.metrics) for rule in all_rules(spec)}
    page_of = {rule.id: stem for stem, file in spec.health.items() for rule in file.rules}
    for stem, file in spec.health.items():
        source = f"spec/health/{stem}.yaml"
        text = template("reference_rules.md.j2").render(source=source, file=file, covers=covers, link=link)
        yield Output(f"{FOLDER}/health/{stem}.md", text, source)
    text = template("reference_diagnoses.md.j2").render(source="spec/health", spec=spec, page_of=page_of)
    yield Output(f"{FOLDER}/health/diagnoses.md", text, "spec/health")


def _single(name: str, source: str, spec: Spec, tools: Mapping[str, object]) -> Output:
    text = template(f"reference_{name}.j2").render(source=source, spec=spec, axes=AXES_TEXT, **tools)
    return Output(f"{FOLDER}/{name}", text, source)


def words_of_conditions() -> dict[str, str]:
    """Return the words of conditions, each as it is written, with what it means."""
    words = {}
    for name in FUNCTIONS:
        method = getattr(Series, name)
        taken = list(inspect.signature(method).parameters.values())[1:]
        shown = [item.name if item.default is item.empty else f"{item.name}={item.default!r}" for item in taken]
        words[f"{name}({', '.join(['x', *shown])})"] = " ".join((method.__doc__ or "").split()).replace("``", "`")
    return words


_REASONS = {
    "clock": "a clock reads it",
    "counter": "counted where it happens",
    "setting": "a setting",
    "memory": "the allocator or the machine counts it",
    "text": "texts or a picture, no number",
    "state": "state of a queue or a controller, read where it is held",
    "program": "the objective of the trainer, or the model itself, gives it",
}
"""Why a metric has no function, by what gives the number instead."""


def why_not_computed(metric: Metric) -> str:
    """Return why no function computes a metric."""
    units = {"s": "clock", "byte": "memory", "MiB": "memory", "GiB": "memory"}
    told = "text" if metric.kind == "text" else units.get(metric.unit, "counter")
    return _REASONS[metric.measured_by or told]


def not_computed(
    spec: Spec, functions: Mapping[str, Sequence[ComputeFunction]]
) -> dict[str, list[tuple[str, Metric, list[ComputeFunction]]]]:
    """Return by family the metrics without a compute function, each with the functions that its variants have."""
    left: dict[str, list[tuple[str, Metric, list[ComputeFunction]]]] = {}
    for family, described in spec.families.items():
        for metric_id, metric in described.metrics.items():
            if metric.formula is None and metric.impl is None:
                own = [function for function in functions.get(family, ()) if function.metric_id == metric_id]
                left.setdefault(family, []).append((metric_id, metric, own))
    return left


def _link(spec: Spec, metrics: str = "../m") -> Callable[[str], str]:
    """Return what makes links to the pages of metrics, which are in that folder."""

    def link(metric_id: str) -> str:
        return f"[`{metric_id}`]({metrics}/{metric_id}.md)" if metric_id in spec.metrics else f"`{metric_id}`"

    return link


def coverage(spec: Spec, logged_keys: Iterable[MetricKey]) -> dict[str, dict[str, dict[str, str]]]:
    """Return metric → framework → component → the releases that log it, as text."""
    logged: dict[str, dict[str, dict[str, set[str]]]] = {}
    for one in logged_keys:
        components = logged.setdefault(one.metric, {}).setdefault(one.framework, {})
        components.setdefault(one.component, set()).update(one.releases)
    orders = {name: Releases(framework.releases) for name, framework in spec.frameworks.items()}
    return {
        metric: {
            name: {component: orders[name].text(covered) for component, covered in components.items()}
            for name, components in logged.get(metric, {}).items()
        }
        for metric in spec.metrics
    }


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
