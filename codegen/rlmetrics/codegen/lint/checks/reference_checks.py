"""Names that must exist."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ..lint_check import Check, Hit, check
from ..mentions import in_component_file, variants_of_shared
from ..vocabulary_lookups import inputs, levels, missing, parts, population, traits

if TYPE_CHECKING:
    from ...loader import YamlPath
    from ...model import Metric, Population
    from ..context import Context

__all__ = ["CHECKS"]


@check(
    "broken-reference",
    "error",
    what="A name that nothing defines: a metric, input, population, trait, level of reduction, profile, placeholder, "
    "configuration key, short name, guard, anchor, formula variant, guide, fragment, tracker route, key, component or "
    "named fact.",
    fix="correct the name or define it",
)
def broken_reference(context: Context) -> Iterator[Hit]:
    for metric_id, metric in context.spec.metrics.items():
        ref = f"metrics/{context.spec.family_of[metric_id]}"
        yield from _in_metric(context, metric, ref, ("metrics", metric_id))
    for name, item in context.spec.signatures.populations.items():
        yield from _in_population(context, item, ("populations", name))
    for name, left in context.spec.signatures.without.items():
        known = context.spec.signatures.traits
        yield from missing(context, "trait", "traits", left.trait, known, "signatures", ("without", name, "trait"))
    for scope in context.files.values():
        yield from in_component_file(context, scope)
    for name, framework in context.spec.frameworks.items():
        components = {item.name: item for file in framework.files.values() for item in file.components}
        ref = f"frameworks/{name}/framework"
        for index, component in enumerate(framework.framework.foremost):
            yield from missing(context, "component", "components", component, components, ref, ("foremost", index))
        yield from _in_moves(context, name, {**components, **framework.framework.programs})
        yield from parts(context, framework.framework.single, ref, ("single",))
    yield from _in_shaping(context)
    yield from _in_limits(context)
    yield from _in_former_names(context)
    yield from variants_of_shared(context)
    for name, convention in context.spec.conventions.items():
        yield from traits(context, convention.traits, f"conventions/{name}", ("traits",))
        base = convention.known_by.built_on if convention.known_by is not None else None
        if base is not None:
            ref, frameworks = f"conventions/{name}", context.spec.frameworks
            yield from missing(context, "framework", "frameworks", base, frameworks, ref, ("known_by", "built_on"))
        for index, each in enumerate(convention.names):
            place = ("names", index, "metric")
            yield from missing(
                context, "metric", "metrics", each.metric, context.spec.metrics, f"conventions/{name}", place
            )
    for name, suite in context.spec.suites.items():
        for index, key in enumerate(suite.metrics):
            yield from _function(context, key, f"suites/{name}", ("metrics", index))
    for index, rename in enumerate(context.spec.info.renamed):
        yield from missing(
            context, "metric", "metrics", rename.to, context.spec.metrics, "spec", ("renamed", index, "to")
        )


def _in_moves(context: Context, name: str, known: Mapping[str, object]) -> Iterator[Hit]:
    """Find what people move between that a framework does not have: components, programs and minor releases."""
    spec, ref = context.spec.frameworks[name], f"frameworks/{name}/framework"
    for task, doing in spec.framework.tasks.items():
        yield from missing(context, "component", "components", doing, known, ref, ("tasks", task))
    for index, components in enumerate(spec.framework.steps):
        for place, component in enumerate(components):
            yield from missing(context, "component", "components", component, known, ref, ("steps", index, place))
    for ended, successor in spec.framework.succeeded.items():
        yield from missing(context, "component", "components", ended, known, ref, ("succeeded", ended), value=False)
        yield from missing(context, "component", "components", successor, known, ref, ("succeeded", ended))
    minors = {".".join(release.split(".")[:2]) for release, _ in spec.releases}
    for index, minor in enumerate(spec.framework.jumps):
        yield from missing(context, "minor release", "minor releases", minor, minors, ref, ("jumps", index))


def _in_shaping(context: Context) -> Iterator[Hit]:
    """Find settings that move every key whose parts at a level are put together."""
    known = context.spec.signatures.levels
    for ref, node in context.spec.roots():
        for name, item in getattr(node, "shaping", {}).items():
            if item.level is not None:
                yield from missing(
                    context, "level of reduction", "levels", item.level, known, ref, ("shaping", name, "level")
                )


def _in_limits(context: Context) -> Iterator[Hit]:
    """Find settings that limit a metric which nothing defines."""
    for ref, node in context.spec.roots():
        for name, item in getattr(node, "config", {}).items():
            for index, metric in enumerate(item.limits):
                place = ("config", name, "limits", index)
                yield from missing(context, "metric", "metrics", metric, context.spec.metrics, ref, place)


def _in_former_names(context: Context) -> Iterator[Hit]:
    """Find settings whose former name is none of another setting that is defined beside them."""
    for ref, node in context.spec.roots():
        config = getattr(node, "config", {})
        for name, item in config.items():
            if item.formerly is not None:
                place, others = ("config", name, "formerly", "name"), [other for other in config if other != name]
                yield from missing(context, "configuration key", "config", item.formerly.name, others, ref, place)


def _function(context: Context, key: str, ref: str, path: YamlPath) -> Iterator[Hit]:
    """Yield a metric, or ``metric@variant``."""
    name, _, variant = key.partition("@")
    yield from missing(context, "metric", "metrics", name, context.spec.metrics, ref, path)
    if variant and name in context.spec.metrics:
        known = context.spec.metrics[name].variants
        yield from missing(context, f"variant of `{name}`", "metrics", variant, known, ref, path)


def _in_metric(context: Context, metric: Metric, ref: str, path: YamlPath) -> Iterator[Hit]:
    spec = context.spec
    yield from inputs(context, metric.inputs, ref, (*path, "inputs"))
    yield from population(context, metric.population, ref, (*path, "population"))
    yield from levels(context, metric.aggregation, ref, (*path, "aggregation"))
    for index, friend in enumerate(metric.false_friends):
        place = (*path, "false_friends", index, "metric")
        yield from missing(context, "metric", "metrics", friend.metric, spec.metrics, ref, place)
    for name, variant in metric.variants.items():
        yield from inputs(context, variant.inputs or [], ref, (*path, "variants", name, "inputs"))
        yield from population(context, variant.population, ref, (*path, "variants", name, "population"))


def _in_population(context: Context, item: Population, path: YamlPath) -> Iterator[Hit]:
    signatures = context.spec.signatures
    yield from traits(context, item.traits, "signatures", (*path, "traits"))
    yield from population(context, item.of, "signatures", (*path, "of"))
    for index, name in enumerate(item.without):
        place = (*path, "without", index)
        yield from missing(context, "part of a population", "without", name, signatures.without, "signatures", place)


CHECKS: tuple[Check, ...] = (broken_reference,)
