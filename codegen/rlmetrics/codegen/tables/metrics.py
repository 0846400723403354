"""The tables of metrics: what relations need, and apart from it the long texts that only ``show`` loads."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ..generate.text import function_name, module_name
from .data import Module, Row, row, source, tuples

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..model import FormulaVariant, Metric
    from ..spec import FrameworkSpec, Spec

__all__ = ["health_module", "metrics_modules"]

_PLACEHOLDER = re.compile(r"\{(\w+)\}")


def metrics_modules(spec: Spec) -> dict[str, Module]:
    """Return what each metric is: in short, and apart from it the long texts; one module of each for each family."""
    templates = _templates(spec)
    families = tuple((name, family.title, family.description) for name, family in spec.families.items())
    inputs = {name: tuples(item) for name, item in spec.inputs.items()}
    module_of = {metric: module_name(family) for metric, family in spec.family_of.items()}
    modules = {
        "metrics.__init__": Module("The module of each metric.", "spec/metrics", {"MODULE_OF": module_of}),
        "texts.__init__": Module(
            "What families and inputs are.",
            "spec/metrics and spec/inputs.yaml",
            {"FAMILIES": families, "INPUTS": inputs},
        ),
    }
    for name, family in spec.families.items():
        source = f"spec/metrics/{name}.yaml"
        metrics = {key: _metric(name, key, metric, templates.get(key, ())) for key, metric in family.metrics.items()}
        texts = {key: _texts(metric) for key, metric in family.metrics.items()}
        modules[f"metrics.{module_name(name)}"] = Module(f"{family.title}, in short.", source, {"METRICS": metrics})
        modules[f"texts.{module_name(name)}"] = Module(f"{family.title}, at length.", source, {"TEXTS": texts})
    return modules


def health_module(spec: Spec) -> Module:
    """Return the rules and diagnoses of health."""
    rules = {name: tuple(_rule(rule) for rule in metric.health) for name, metric in spec.metrics.items()}
    diagnoses = tuple(
        row(
            id=item.id,
            title=item.title,
            all_of=tuple(tuples(condition) for condition in item.all_of),
            message=item.message,
            checks=tuple(item.checks),
            sources=tuple(source(entry) for entry in item.sources),
        )
        for file in spec.health.values()
        for item in file.diagnoses
    )
    constants = {"RULES": {name: items for name, items in rules.items() if items}, "DIAGNOSES": diagnoses}
    return Module("Rules about the values of metrics, and what joins them.", "spec/metrics and spec/health", constants)


def _metric(family: str, name: str, metric: Metric, templates: tuple[Any, ...]) -> Row:
    computed = metric.formula is not None or metric.impl is not None
    partly = any(variant.formula is not None or variant.impl is not None for variant in metric.variants.values())
    function = f"rlmetrics.functional.{module_name(family)}.{function_name(name)}"
    return row(
        rev=metric.rev,
        brief=metric.brief,
        unit=metric.unit,
        kind=metric.kind,
        aliases=tuple(metric.aliases),
        range=metric.range if metric.range != (None, None) else None,
        direction=metric.direction if metric.direction != "none" else None,
        identity=tuples(metric.identity.model_dump(exclude_none=True)),
        population=metric.population,
        aggregation=tuple(metric.aggregation.items()),
        function=function if computed else None,
        variant_functions=function if partly and not computed else None,
        variants=tuple((variant, item.brief) for variant, item in metric.variants.items()),
        false_friends=tuple((friend.metric, friend.why) for friend in metric.false_friends),
        templates=templates,
    )


def _texts(metric: Metric) -> Row:
    return row(
        description=metric.description,
        inputs=tuple(metric.inputs),
        parameters=tuple((name, tuples(item)) for name, item in metric.parameters.items()),
        let=tuple(metric.let.items()),
        formula=metric.formula,
        impl=metric.impl,
        measured=metric.measured,
        variants=tuple((name, _variant(item)) for name, item in metric.variants.items()),
        atom=metric.atom,
        empty=metric.empty,
        nan=metric.nan if metric.nan != "propagate" else None,
        crucial=None if metric.crucial is None else (metric.crucial.why, source(metric.crucial.source)),
        references=tuple(source(item) for item in metric.references),
    )


def _variant(item: FormulaVariant) -> Row:
    return row(brief=item.brief, let=tuple((item.let or {}).items()), formula=item.formula, impl=item.impl)


def _rule(rule: Any) -> Row:
    fields = rule.model_dump(exclude={"sources"})
    return row(**fields, sources=tuple(source(item) for item in rule.sources))


def _templates(spec: Spec) -> dict[str, tuple[Any, ...]]:
    """For each metric, the placeholders with their patterns under which it is logged, once for each way."""
    found: dict[str, dict[tuple[str, ...], tuple[tuple[str, str], ...]]] = {}
    for framework in spec.frameworks.values():
        for stem, file in framework.files.items():
            for emission in file.emissions:
                names = tuple(dict.fromkeys(_PLACEHOLDER.findall(emission.key)))
                patterns = tuple((name, _pattern(framework, stem, name)) for name in names)
                for metric in dict.fromkeys([emission.metric, *(variant.metric for variant in emission.variants)]):
                    if metric is not None:
                        found.setdefault(metric, {}).setdefault(names, patterns)
    return {
        metric: tuple(ways[names] for names in sorted(ways, key=lambda names: (len(names), names)))
        for metric, ways in found.items()
        if any(ways)
    }


def _pattern(framework: FrameworkSpec, stem: str, name: str) -> str:
    for table in _scopes(framework, stem):
        if name in table:
            return str(table[name].pattern)
    return "[^/]+"


def _scopes(framework: FrameworkSpec, stem: str) -> Iterator[Any]:
    waiting, seen = [stem], set[str]()
    while waiting:
        current = waiting.pop(0)
        if current in framework.files and current not in seen:
            seen.add(current)
            yield framework.files[current].placeholders
            waiting += framework.files[current].extends
    yield framework.framework.placeholders
    for file in framework.files.values():
        if stem in file.extends:
            yield file.placeholders
