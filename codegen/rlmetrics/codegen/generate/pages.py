"""The reference pages: an index, the input vocabulary, the linter's checks, and one page for each family of metrics."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..lint import CHECKS
from ..model import Health, Metric, Source
from ..spec import Spec
from .docstring import AXES_TEXT
from .functions import Function
from .spellings import Spelling, spellings
from .store import Output
from .templating import template
from .text import anchor, module_name

FOLDER = "docs/reference"

_CODE = re.compile(r"(`+[^`]*`+)")
_SPECIAL = re.compile(r"([\\*_\[\]<>{}#|])")
_HEALTH_KINDS = {"info": "info", "warning": "warning", "error": "danger"}
_DIRECTIONS = {"higher": "higher is better", "lower": "lower is better", "target": "close to a target is better"}
_TRENDS = {
    "rising": "keeps rising",
    "falling": "keeps falling",
    "spike": "jumps",
    "plateau": "stops moving",
    "non_finite": "is NaN or infinite",
}


@dataclass(frozen=True)
class _Page:
    """What a metric's section shows, in Markdown."""

    id: str
    anchor: str
    metric: Metric
    facts: list[tuple[str, str]]
    functions: Sequence[Function]
    spellings: Sequence[Spelling]


def emit(spec: Spec, functions: Mapping[str, Sequence[Function]]) -> Iterator[Output]:
    """Yield the reference pages."""
    spelled = spellings(spec)
    tools = {
        "md": markdown,
        "cell": cell,
        "link": _Links(spec),
        "source_link": source_link,
        "signature": signature,
        "rule": rule,
        "health_kind": _HEALTH_KINDS.__getitem__,
        "anchor": anchor,
    }
    for family, described in spec.families.items():
        own: dict[str, list[Function]] = {}
        for function in functions.get(family, ()):
            own.setdefault(function.metric_id, []).append(function)
        sections = [
            _Page(
                metric_id,
                anchor(metric_id),
                metric,
                list(_facts(spec, metric)),
                own.get(metric_id, ()),
                spelled.get(metric_id, ()),
            )
            for metric_id, metric in described.metrics.items()
        ]
        source = f"spec/metrics/{family}.yaml"
        text = template("reference_family.md.j2").render(
            source=source, family=described, sections=sections, module=module_name(family), **tools
        )
        yield Output(f"{FOLDER}/{family}.md", text, source)
    yield _single("index.md", "spec/metrics", spec, tools)
    yield _single("inputs.md", "spec/inputs.yaml", spec, tools)
    yield _single("checks.md", "codegen/rlmetrics/codegen/lint", spec, {**tools, "checks": CHECKS})


def _single(name: str, source: str, spec: Spec, tools: Mapping[str, object]) -> Output:
    text = template(f"reference_{name}.j2").render(source=source, spec=spec, axes=AXES_TEXT, **tools)
    return Output(f"{FOLDER}/{name}", text, source)


# What the templates call


def markdown(text: str) -> str:
    """Return plain text so that Markdown shows it as it is; ``code`` in backticks stays code."""
    parts = _CODE.split(" ".join(text.split()))
    return "".join(part if place % 2 else _SPECIAL.sub(r"\\\1", part) for place, part in enumerate(parts))


def cell(text: str) -> str:
    """Return Markdown for a cell of a table."""
    parts = _CODE.split(" ".join(text.split()))
    return "".join(
        part.replace("|", "\\|") if place % 2 else _SPECIAL.sub(r"\\\1", part) for place, part in enumerate(parts)
    )


def signature(function: Function) -> str:
    """Return how a function is called."""
    parameters = [
        name if parameter.default is None else f"{name}={parameter.default!r}"
        for name, parameter in function.parameters.items()
    ]
    return f"{function.name}({', '.join([*function.inputs, *(['*', *parameters] if parameters else [])])})"


def source_link(source: Source) -> str:
    """Return a source as Markdown: its title, linked where it has an address, and its place in a release."""
    title = markdown(source.title)
    place = ""
    if source.path is not None:
        place = f" `{source.path}{f':{source.line}' if source.line else ''}`"
    release = f" ({source.release})" if source.release else ""
    return f"{f'[{title}](<{source.url}>)' if source.url else title}{release}{place}"


def rule(health: Health) -> str:
    """Return when a health rule fires, in words."""
    conditions = []
    if health.above is not None:
        conditions.append(f"above {health.above:g}")
    if health.below is not None:
        conditions.append(f"below {health.below:g}")
    if health.stuck_at is not None:
        conditions.append(f"stuck at {health.stuck_at:g}")
    if health.trend is not None:
        conditions.append(_TRENDS[health.trend])
    text = " or ".join(conditions)
    if health.steps > 1:
        text += f" for {health.steps} logged steps"
    if health.warm_up:
        text += f", after the first {health.warm_up}"
    if health.when:
        text += f", {markdown(health.when)}"
    return text


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
