"""The tables of metrics: what relations need, and apart from it the long texts that only ``show`` loads."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ..meaning import chain, spelled
from ..output.prose import function_name, module_name
from .data import Row, Table, plain, row, source

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..model import FormulaVariant, Metric
    from ..spec import FrameworkSpec, Spec

__all__ = ["metrics_tables", "texts_of"]

_OTHERS = {"rollout_": "engine", "teacher_": "teacher", "ref_": "reference", "of_teacher": "teacher"}
"""What inputs begin with that another model gives: what is made of them alone is the same whenever it is computed."""
_PLACEHOLDER = re.compile(r"\{(\w+)\}")


def metrics_tables(spec: Spec) -> dict[str, Table]:
    """Return what each metric is: in short, and apart from it the long texts; one table of each for each family."""
    templates = _templates(spec)
    tables = {
        "families": Table("spec/metrics", {"FAMILY_OF": spec.family_of}),
        "inputs": Table("spec/inputs.yaml", {"INPUTS": spec.inputs}),
    }
    for name, family in spec.families.items():
        source = f"spec/metrics/{name}.yaml"
        metrics = {key: _metric(name, key, metric, templates.get(key, ())) for key, metric in family.metrics.items()}
        texts = {key: _texts(metric) for key, metric in family.metrics.items()}
        tables[f"metrics/{name}"] = Table(source, {"METRICS": metrics})
        tables[f"texts/{name}"] = Table(source, {"TEXTS": texts})
    return tables


def _metric(family: str, name: str, metric: Metric, templates: Sequence[dict[str, str]]) -> Row:
    computed = metric.formula is not None or metric.impl is not None
    partly = any(variant.formula is not None or variant.impl is not None for variant in metric.variants.values())
    function = f"rlmetrics.functional.{module_name(family)}.{function_name(name)}"
    return row(
        rev=metric.rev,
        brief=metric.brief,
        unit=metric.unit,
        kind=metric.kind,
        aliases=metric.aliases,
        range=metric.range if metric.range != (None, None) else None,
        direction=metric.direction if metric.direction != "none" else None,
        identity=metric.identity.model_dump(exclude_none=True),
        population=metric.population,
        aggregation=metric.aggregation,
        function=function if computed else None,
        variant_functions=function if partly and not computed else None,
        variants={variant: item.brief for variant, item in metric.variants.items()},
        ranges={variant: item.range for variant, item in metric.variants.items() if item.range is not None},
        same=[variant for variant, item in metric.variants.items() if item.same],
        false_friends={friend.metric: friend.why for friend in metric.false_friends},
        templates=templates,
        given_by=_given_by(metric),
    )


def _given_by(metric: Metric) -> str | None:
    """Return the model that is not trained and whose numbers alone enter a metric; None if there is none."""
    found = {
        next((model for start, model in _OTHERS.items() if name.startswith(start)), None)
        for name in metric.inputs
        if name != "mask"
    }
    return found.pop() if len(found) == 1 else None


def texts_of(metric: Metric) -> Row:
    """Return the long texts of a metric and how it is computed, as the tables have them."""
    texts: Row = plain(_texts(metric))
    return texts


def _texts(metric: Metric) -> Row:
    return row(
        description=metric.description,
        inputs=metric.inputs,
        parameters=metric.parameters,
        let=metric.let,
        formula=metric.formula,
        impl=metric.impl,
        measured=metric.measured,
        variants={name: _variant(item) for name, item in metric.variants.items()},
        atom=metric.atom,
        empty=metric.empty,
        nan=metric.nan if metric.nan != "propagate" else None,
        crucial=None if metric.crucial is None else (metric.crucial.why, source(metric.crucial.source)),
        references=[source(item) for item in metric.references],
        reads=metric.reads,
    )


def _variant(item: FormulaVariant) -> Row:
    return row(brief=item.brief, let=item.let, formula=item.formula, impl=item.impl)


def _templates(spec: Spec) -> dict[str, list[dict[str, str]]]:
    """Return, for each metric, the placeholders with their patterns under which it is logged, once for each way."""
    templates: dict[str, dict[tuple[str, ...], dict[str, str]]] = {}
    for framework in spec.frameworks.values():
        for stem, file in framework.files.items():
            for name, _, record in file.records():
                stated = [record.metric, *(fact.metric for fact in record.facts)]
                for item in spelled(name, record):
                    names = tuple(dict.fromkeys(_PLACEHOLDER.findall(item.key)))
                    patterns = {name: _pattern(framework, stem, name) for name in names}
                    for metric in dict.fromkeys([*stated, item.says.get("metric")]):
                        if metric is not None:
                            templates.setdefault(metric, {}).setdefault(names, patterns)
    return {
        metric: [ways[names] for names in sorted(ways, key=lambda names: (len(names), names))]
        for metric, ways in templates.items()
        if any(ways)
    }


def _pattern(framework: FrameworkSpec, stem: str, name: str) -> str:
    for table in _scopes(framework, stem):
        if name in table:
            return str(table[name].pattern)
    return "[^/]+"


def _scopes(framework: FrameworkSpec, stem: str) -> Iterator[Any]:
    for part in chain(framework.files, stem):
        yield framework.files[part].placeholders
    yield framework.framework.placeholders
    for file in framework.files.values():
        if stem in file.extends:
            yield file.placeholders
