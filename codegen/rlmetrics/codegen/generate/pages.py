"""The reference pages: indexes, inputs, conventions, the linter's checks, and one page for each family of metrics."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rlmetrics.health.conditions import FUNCTIONS
from rlmetrics.health.series import Series

from ..lint import CHECKS
from ..model import HealthRule, Metric
from ..spec import Spec
from ..tables.health import all_rules, metrics_of_rule
from .cited import Cited
from .conditions import Conditions
from .coverage import coverage
from .docstring import AXES_TEXT
from .functions import Function
from .logged_keys import LoggedKey, logged_keys
from .markdown import markdown
from .spellings import Spellings, share, spellings
from .store import Output
from .templating import template
from .text import anchor, module_name

FOLDER = "docs/reference"

_DIRECTIONS = {"higher": "higher is better", "lower": "lower is better", "target": "close to a target is better"}


@dataclass(frozen=True)
class _Page:
    """What a metric's section shows, in Markdown."""

    id: str
    anchor: str
    metric: Metric
    facts: list[tuple[str, str]]
    rules: Sequence[HealthRule]
    functions: Sequence[Function]
    spellings: Sequence[Spellings]

    @property
    def sources(self) -> frozenset[str]:
        """The files in which its keys stand."""
        return frozenset().union(*(one.sources for one in self.spellings))


def emit(spec: Spec, functions: Mapping[str, Sequence[Function]]) -> Iterator[Output]:
    """Yield the reference pages."""
    link = _Links(spec)
    logged = list(logged_keys(spec))
    by_family: dict[str, list[LoggedKey]] = {}
    for one in logged:
        by_family.setdefault(spec.family_of.get(one.metric, ""), []).append(one)
    tools: dict[str, object] = {"link": link}
    judged: dict[str, list[HealthRule]] = {}
    covers = {rule.id: metrics_of_rule(rule, spec.metrics) for rule in all_rules(spec)}
    for rule in all_rules(spec):
        for metric_id in covers[rule.id]:
            judged.setdefault(metric_id, []).append(rule)
    for family, described in spec.families.items():
        own: dict[str, list[Function]] = {}
        for function in functions.get(family, ()):
            own.setdefault(function.metric_id, []).append(function)
        conditions = Conditions()
        spelled, shared = share(spellings(spec, by_family.get(family, ()), link, conditions))
        sections = [
            _Page(
                metric_id,
                anchor(metric_id),
                metric,
                list(_facts(spec, metric)),
                judged.get(metric_id, ()),
                own.get(metric_id, ()),
                spelled.get(metric_id, ()),
            )
            for metric_id, metric in described.metrics.items()
        ]
        source = f"spec/metrics/{family}.yaml"
        text = template("reference_family.md.j2").render(
            source=source,
            family=described,
            sections=sections,
            shared=shared,
            conditions=conditions.listed,
            cited=Cited(described.metrics.values()),
            module=module_name(family),
            **tools,
        )
        yield Output(f"{FOLDER}/{family}.md", text.replace(f"]({family}.md#", "](#"), source)
    yield _single("index.md", "spec/metrics", spec, tools)
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
    yield _single("health.md", "spec/health", spec, {**tools, "covers": covers, "words": words_of_conditions()})
    yield _single("checks.md", "codegen/rlmetrics/codegen/lint", spec, {**tools, "checks": CHECKS})


def _single(name: str, source: str, spec: Spec, tools: Mapping[str, object]) -> Output:
    text = template(f"reference_{name}.j2").render(source=source, spec=spec, axes=AXES_TEXT, **tools)
    return Output(f"{FOLDER}/{name}", text, source)


def words_of_conditions() -> dict[str, str]:
    """Return the words of conditions, each as it is written, with what it means."""
    found = {}
    for name in FUNCTIONS:
        method = getattr(Series, name)
        taken = list(inspect.signature(method).parameters.values())[1:]
        shown = [item.name if item.default is item.empty else f"{item.name}={item.default!r}" for item in taken]
        found[f"{name}({', '.join(['x', *shown])})"] = " ".join((method.__doc__ or "").split()).replace("``", "`")
    return found


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
    spec: Spec, functions: Mapping[str, Sequence[Function]]
) -> dict[str, list[tuple[str, Metric, list[Function]]]]:
    """Return by family the metrics without a compute function, each with the functions that its variants have."""
    found: dict[str, list[tuple[str, Metric, list[Function]]]] = {}
    for family, described in spec.families.items():
        for metric_id, metric in described.metrics.items():
            if metric.formula is None and metric.impl is None:
                own = [function for function in functions.get(family, ()) if function.metric_id == metric_id]
                found.setdefault(family, []).append((metric_id, metric, own))
    return found


class _Links:
    """Makes links to metrics from any page of the folder."""

    def __init__(self, spec: Spec) -> None:
        self._pages = spec.family_of

    def __call__(self, metric_id: str) -> str:
        page = self._pages.get(metric_id)
        return f"`{metric_id}`" if page is None else f"[`{metric_id}`]({page}.md#{anchor(metric_id)})"


def _facts(spec: Spec, metric: Metric) -> Iterator[tuple[str, str]]:
    """Yield the short facts of a metric as label and Markdown."""
    yield "Unit", "pure number" if metric.unit == "1" else markdown(metric.unit)
    low, high = metric.range
    if low is not None or high is not None:
        yield "Range", f"{'−∞' if low is None else f'{low:g}'} to {'∞' if high is None else f'{high:g}'}"
    if metric.direction in _DIRECTIONS:
        yield "Direction", _DIRECTIONS[metric.direction]
    population = spec.signatures.populations.get(metric.population or "")
    if population is not None:
        yield "Population", markdown(population.brief)
    identity = metric.identity
    if identity.estimator:
        yield "Estimator", f"`{identity.estimator}`"
    if identity.distributions:
        yield "Between", " and ".join(markdown(side) for side in identity.distributions)
    if metric.aggregation:
        levels = (f"{level.replace('_', '-')}: {operation}" for level, operation in metric.aggregation.items())
        yield "Aggregation", "; ".join(levels)
    if metric.atom is not None:
        yield "May not be cut", f"a {metric.atom}" if metric.atom != "batch" else "an update"
    if metric.empty is not None:
        names = {"nan": "NaN", "omit": "left out", 0: "0"}
        yield "Over nothing", names[metric.empty]
    if metric.nan == "skip":
        yield "NaN values", "left out"
    if metric.aliases:
        yield "Also called", ", ".join(f"`{alias}`" for alias in metric.aliases)
    if metric.rev > 1:
        yield "Revision", str(metric.rev)
