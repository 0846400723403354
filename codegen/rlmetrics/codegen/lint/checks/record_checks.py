"""Records: complete, and about the things that their metrics are about."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..lint_check import Check, Hit, check
from ..logged import logged_with, metrics_with, under
from ..said import records, said_anywhere

if TYPE_CHECKING:
    from ...loader import YamlPath
    from ...meaning import SpecPiece
    from ..context import ComponentScope, Context

__all__ = ["CHECKS"]


@check(
    "missing-metric",
    "error",
    what="A record that does not say which metric it logs: neither itself, nor its profile, nor in every configuration "
    "a fact.",
    fix="add `metric:`, or a fact that sets it there",
    whole=True,
)
def missing_metric(context: Context) -> Iterator[Hit]:
    reported: set[tuple[str, YamlPath]] = set()
    for component in context.components:
        scope = component.scope
        for item in component.resolved:
            place = component.ref(item), item.path
            if place in reported or _names_metric(context, component, item.record):
                continue
            naming = [piece for piece in item.facts if _names_metric(context, component, piece)]
            if any(piece.when is None for piece in naming):
                continue
            config = logged_with(context, scope, item, *(f"not ({piece.when})" for piece in naming))
            if config is not None:
                reported.add(place)
                where = "" if not naming else under(config)
                message = f"`{item.key}` has no metric{where}{component.elsewhere(item.stem)}"
                yield Hit(*place, message)


def _names_metric(context: Context, component: ComponentScope, piece: SpecPiece) -> bool:
    if "metric" in piece.says:
        return True
    name = piece.says.get("profile")
    if name is None:
        return False
    framework = component.scope.framework
    profile = context.profile(framework, piece.stem, name) or context.profile(framework, component.scope.stem, name)
    # What does not exist `broken-reference` reports.
    return profile is None or profile.metric is not None


@check(
    "condition-default",
    "error",
    what="A condition in words of a fact, or of a further key, without `logged_by_default` there or in the record, so "
    "that nobody can tell whether the defaults log the key.",
    fix="add `logged_by_default: true` or `false`, or say the condition as a guard under `logged_when`",
)
def condition_default(context: Context) -> Iterator[Hit]:
    for said in said_anywhere(context):
        of_record = said.record.logged_by_default if said.record is not None else None
        if said.fields.condition is not None and said.fields.logged_by_default is None and of_record is None:
            message = f"`{said.name}` has a condition but not `logged_by_default`"
            yield Hit(said.ref, (*said.path, "condition"), message)
    for scope in context.files.values():
        for _, path, record in records(scope):
            for key, copy in record.also.items():
                if copy.condition is not None and copy.logged_by_default is None and record.logged_by_default is None:
                    message = f"`{key}` has a condition but not `logged_by_default`"
                    yield Hit(scope.ref, (*path, "also", key, "condition"), message)


_COMPLETES = ("after", "at", "by", "every", "for", "from", "if", "in", "on", "when", "where", "with", "without")
"""Words with one of which a condition begins: behind "logged only" it makes a sentence."""


@check(
    "condition-wording",
    "error",
    what="A condition in words that does not complete “logged only …”, as answers say it, or of more than one clause.",
    fix="begin it with if, where, with, in, on or the like, and put what is beside the point in brackets",
)
def condition_wording(context: Context) -> Iterator[Hit]:
    found = [(said.ref, said.path, said.fields.condition) for said in said_anywhere(context)]
    for scope in context.files.values():
        for _, path, record in records(scope):
            found += [(scope.ref, (*path, "also", key), copy.condition) for key, copy in record.also.items()]
    for ref, path, condition in found:
        if condition is not None and (condition.split(" ")[0] not in _COMPLETES or "; " in condition):
            yield Hit(ref, (*path, "condition"), f"“logged only {condition}” is no sentence", value=True)


@check(
    "population-domain",
    "error",
    what="A population of other things than the metric reduces, such as tokens for a metric over sequences.",
    fix="choose a population of the right domain from signatures.yaml",
)
def population_domain(context: Context) -> Iterator[Hit]:
    spec = context.spec
    domains = {name: population.domain for name, population in spec.signatures.populations.items()}
    for name, metric in spec.metrics.items():
        inputs = {spec.inputs[word].domain for word in metric.inputs if word in spec.inputs}
        is_of_tokens = domains.get(metric.population or "") == "token"
        if is_of_tokens and inputs and not inputs & {"token", "vocab"}:
            message = f"`{name}` has a population of tokens, but no input over tokens"
            yield Hit(f"metrics/{spec.family_of[name]}", ("metrics", name, "population"), message, value=True)
    reported: set[tuple[str, YamlPath]] = set()
    reduced = {name: _domain(context, name) for name in spec.metrics}
    for component in context.components:
        for item in component.resolved:
            for piece in (item.record, *item.facts):
                place = component.ref(piece), (*piece.path, "population")
                given = domains.get(piece.says.get("population", ""))
                if given is None or place in reported:
                    continue
                wrong = {name for name, domain in reduced.items() if domain not in (None, given)}
                for name in metrics_with(context, component.scope, item, piece, wrong.__contains__):
                    reported.add(place)
                    what = f"a population of {given}s, but that of `{name}` is one of {_domain(context, name)}s"
                    yield Hit(*place, f"`{piece.says['population']}` is {what}", value=True)
                    break


def _domain(context: Context, metric: str) -> str | None:
    """Return what a metric reduces, None if that is not known."""
    definition = context.spec.metrics.get(metric)
    population = None if definition is None or definition.population is None else definition.population
    known = context.spec.signatures.populations.get(population or "")
    return None if known is None else known.domain


CHECKS: tuple[Check, ...] = (missing_metric, condition_default, condition_wording, population_domain)
