"""Emissions: complete, and about the things that their metrics are about."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .registry import Check, Hit, check

if TYPE_CHECKING:
    from ..loader import YamlPath
    from ..model import Emission, Variant
    from .context import Context, Entry

__all__ = ["CHECKS"]

_SAYS_NOTHING = frozenset({"name", "when", "evidence"})


def _parts(entry: Entry) -> Iterator[tuple[YamlPath, Emission | Variant]]:
    yield entry.path, entry.emission
    for index, variant in enumerate(entry.emission.variants):
        yield (*entry.path, "variants", index), variant


def _metric(context: Context, entry: Entry, part: Emission | Variant) -> str | None:
    """The metric of an emission or variant: its own, else its profile's."""
    if part.metric is not None:
        return part.metric
    profile = None if part.profile is None else context.profile(entry.framework, entry.stem, part.profile)
    return None if profile is None else profile.metric


@check(
    "missing-metric",
    "error",
    what="An emission that does not say which metric it logs, neither itself nor by its profile.",
    fix="add `metric:`",
)
def missing_metric(context: Context) -> Iterator[Hit]:
    for entry in context.entries:
        if _metric(context, entry, entry.emission) is None:
            yield Hit(entry.ref, entry.path, f"`{entry.emission.key}` has no metric")


@check(
    "condition-default",
    "error",
    what="A condition in words without `logged_by_default`, so that nobody can tell whether the defaults log the key.",
    fix="add `logged_by_default: true` or `false`, or say the condition as a guard under `when`",
)
def condition_default(context: Context) -> Iterator[Hit]:
    for entry in context.entries:
        if entry.emission.condition is not None and entry.emission.logged_by_default is None:
            message = f"`{entry.emission.key}` has a condition but not `logged_by_default`"
            yield Hit(entry.ref, (*entry.path, "condition"), message)


@check(
    "empty-variant",
    "warning",
    what="A variant that changes nothing.",
    fix="say what differs under its guard, or remove it",
)
def empty_variant(context: Context) -> Iterator[Hit]:
    for entry in context.entries:
        for path, part in _parts(entry):
            if part is not entry.emission and part.model_fields_set <= _SAYS_NOTHING:
                yield Hit(entry.ref, path, f"a variant of `{entry.emission.key}` says only when it applies")


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
    for entry in context.entries:
        for path, part in _parts(entry):
            own = spec.metrics.get(_metric(context, entry, part) or _metric(context, entry, entry.emission) or "")
            if part.population is None or own is None or own.population is None:
                continue
            given, wanted = domains.get(part.population), domains.get(own.population)
            if given is not None and wanted is not None and given != wanted:
                message = f"`{part.population}` is a population of {given}s, but the metric's is one of {wanted}s"
                yield Hit(entry.ref, (*path, "population"), message, value=True)


CHECKS: tuple[Check, ...] = (missing_metric, condition_default, empty_variant, population_domain)
