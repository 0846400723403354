"""Names that must exist, and names that nothing uses."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from .guardsets import names_in
from .keys import placeholders_in
from .registry import Check, Hit, check

if TYPE_CHECKING:
    from ..loader import YamlPath
    from ..model import Emission, FormulaVariant, Metric, SignatureFields
    from .context import Context, FileScope

__all__ = ["CHECKS"]


def _missing(
    context: Context,
    kind: str,
    table: str,
    name: str,
    known: Collection[str],
    ref: str,
    path: YamlPath,
    *,
    value: bool = True,
) -> Iterator[Hit]:
    """A hit if ``name`` is not in ``known``, with the nearest names."""
    if name in known or context.spec.is_unread(table, name):
        return
    near = difflib.get_close_matches(name, known, n=2, cutoff=0.6)
    fix = f"did you mean {' or '.join(f'`{item}`' for item in near)}?" if near else None
    yield Hit(ref, path, f"there is no {kind} `{name}`", fix, value)


@check(
    "broken-reference",
    "error",
    what="A name that nothing defines: a metric, input, population, trait, profile, placeholder, configuration key, "
    "formula variant, fragment or tracker route.",
    fix="correct the name or define it",
)
def broken_reference(context: Context) -> Iterator[Hit]:
    for metric_id, metric in context.spec.metrics.items():
        ref = f"metrics/{context.spec.family_of[metric_id]}"
        yield from _in_metric(context, metric, ref, ("metrics", metric_id))
    for name, population in context.spec.signatures.populations.items():
        yield from _traits(context, population.traits, "signatures", ("populations", name, "traits"))
    for scope in context.files.values():
        yield from _in_component_file(context, scope)
    for name, convention in context.spec.conventions.items():
        yield from _traits(context, convention.traits, f"conventions/{name}", ("traits",))
        for index, item in enumerate(convention.names):
            place = ("names", index, "metric")
            yield from _missing(
                context, "metric", "metrics", item.metric, context.spec.metrics, f"conventions/{name}", place
            )
    for name, suite in context.spec.suites.items():
        yield from _inputs(context, suite.required, f"suites/{name}", ("required",))
        for index, key in enumerate(suite.metrics):
            yield from _function(context, key, f"suites/{name}", ("metrics", index))
    for index, rename in enumerate(context.spec.info.renamed):
        yield from _missing(
            context, "metric", "metrics", rename.to, context.spec.metrics, "spec", ("renamed", index, "to")
        )


def _function(context: Context, key: str, ref: str, path: YamlPath) -> Iterator[Hit]:
    """A metric, or ``metric@variant``."""
    name, _, variant = key.partition("@")
    yield from _missing(context, "metric", "metrics", name, context.spec.metrics, ref, path)
    if variant and name in context.spec.metrics:
        known = context.spec.metrics[name].variants
        yield from _missing(context, f"variant of `{name}`", "metrics", variant, known, ref, path)


def _in_metric(context: Context, metric: Metric, ref: str, path: YamlPath) -> Iterator[Hit]:
    spec = context.spec
    yield from _inputs(context, metric.inputs, ref, (*path, "inputs"))
    yield from _population(context, metric.population, ref, (*path, "population"))
    for index, friend in enumerate(metric.false_friends):
        place = (*path, "false_friends", index, "metric")
        yield from _missing(context, "metric", "metrics", friend.metric, spec.metrics, ref, place)
    for name, variant in metric.variants.items():
        yield from _inputs(context, variant.inputs or [], ref, (*path, "variants", name, "inputs"))
        yield from _population(context, variant.population, ref, (*path, "variants", name, "population"))


def _inputs(context: Context, inputs: list[str], ref: str, path: YamlPath) -> Iterator[Hit]:
    for index, name in enumerate(inputs):
        yield from _missing(context, "input", "inputs", name, context.spec.inputs, ref, (*path, index))


def _population(context: Context, name: str | None, ref: str, path: YamlPath) -> Iterator[Hit]:
    if name is not None:
        known = context.spec.signatures.populations
        yield from _missing(context, "population", "populations", name, known, ref, path)


def _traits(context: Context, names: list[str], ref: str, path: YamlPath) -> Iterator[Hit]:
    for index, name in enumerate(names):
        known = context.spec.signatures.traits
        yield from _missing(context, "trait", "traits", name, known, ref, (*path, index))


def _in_component_file(context: Context, scope: FileScope) -> Iterator[Hit]:
    spec, ref, file = context.spec, scope.ref, scope.file
    stems = spec.frameworks[scope.framework].files
    for index, stem in enumerate(file.extends):
        yield from _missing(context, "file", "emissions", stem, stems, ref, ("extends", index))
    for index, tracking in enumerate(file.tracking):
        yield from _route(context, scope, tracking.route, ("tracking", index, "route"))
    for name, profile in file.profiles.items():
        yield from _in_signature(context, scope, profile, profile.metric, ("profiles", name))
    for index, amendment in enumerate(file.amends):
        yield from _traits(context, amendment.traits, scope.ref, ("amends", index, "traits"))
        yield from _guard(context, scope, amendment.when, ("amends", index, "when"))
    for index, emission in enumerate(file.emissions):
        yield from _in_emission(context, scope, emission, ("emissions", index))
    for index, unlogged in enumerate(file.unlogged):
        yield from _placeholders(context, scope, unlogged.key, ("unlogged", index, "key"))


def _in_emission(context: Context, scope: FileScope, emission: Emission, path: YamlPath) -> Iterator[Hit]:
    profile = None if emission.profile is None else context.profile(scope.framework, scope.stem, emission.profile)
    metric = emission.metric or (profile.metric if profile else None)
    yield from _in_signature(context, scope, emission, metric, path)
    yield from _profile(context, scope, emission.profile, path)
    yield from _placeholders(context, scope, emission.key, (*path, "key"))
    yield from _guard(context, scope, emission.when, (*path, "when"))
    if emission.route is not None:
        yield from _route(context, scope, emission.route, (*path, "route"))
    for name in emission.bind:
        if name not in placeholders_in(emission.key):
            message = f"the key has no placeholder `{name}`"
            yield Hit(scope.ref, (*path, "bind", name), message, "bind only what stands in braces in the key")
    for index, variant in enumerate(emission.variants):
        place = (*path, "variants", index)
        profile = None if variant.profile is None else context.profile(scope.framework, scope.stem, variant.profile)
        own = variant.metric or (profile.metric if profile else None) or metric
        yield from _in_signature(context, scope, variant, own, place)
        yield from _profile(context, scope, variant.profile, place)
        yield from _guard(context, scope, variant.when, (*place, "when"))


def _in_signature(
    context: Context, scope: FileScope, fields: SignatureFields, metric: str | None, path: YamlPath
) -> Iterator[Hit]:
    spec, ref = context.spec, scope.ref
    if fields.metric is not None:
        yield from _missing(context, "metric", "metrics", fields.metric, spec.metrics, ref, (*path, "metric"))
    yield from _population(context, fields.population, ref, (*path, "population"))
    yield from _traits(context, fields.traits, ref, (*path, "traits"))
    for name in ("scale", "offset"):
        expression = getattr(fields, name)
        if isinstance(expression, str):
            yield from _guard(context, scope, expression, (*path, name))
    if fields.reproduced_by is not None and metric is not None and metric in spec.metrics:
        variants = spec.metrics[metric].variants
        place = (*path, "reproduced_by")
        kind = f"variant of the formula of `{metric}` named"
        yield from _missing(context, kind, "metrics", fields.reproduced_by, variants, ref, place)


def _profile(context: Context, scope: FileScope, name: str | None, path: YamlPath) -> Iterator[Hit]:
    if name is not None:
        known = context.known(scope.framework, scope.stem, "profiles")
        yield from _missing(context, "profile", "profiles", name, known, scope.ref, (*path, "profile"))


def _route(context: Context, scope: FileScope, name: str, path: YamlPath) -> Iterator[Hit]:
    routes = {route for tracker in context.spec.trackers.values() for route in tracker.routes}
    yield from _missing(context, "tracker route", "routes", name, routes, scope.ref, path)


def _placeholders(context: Context, scope: FileScope, key: str, path: YamlPath) -> Iterator[Hit]:
    for name in placeholders_in(key):
        if context.placeholder(scope.framework, scope.stem, name) is None:
            known = context.known(scope.framework, scope.stem, "placeholders")
            yield from _missing(context, "placeholder", "placeholders", name, known, scope.ref, path)


def _guard(context: Context, scope: FileScope, text: str | None, path: YamlPath) -> Iterator[Hit]:
    for name in names_in(text):
        if context.config_key(scope.framework, scope.stem, name) is None:
            known = context.known(scope.framework, scope.stem, "config")
            yield from _missing(context, "configuration key", "config", name, known, scope.ref, path)


@check(
    "unused-name",
    "warning",
    what="A trait, population, profile, placeholder, input or configuration key that nothing uses.",
    fix="remove it, or use it where it belongs",
)
def unused_name(context: Context) -> Iterator[Hit]:
    if context.spec.unread:
        return  # what could not be read may use anything
    used = _Uses(context)
    signatures = context.spec.signatures
    for kind, table, names in (
        ("trait", "traits", signatures.traits),
        ("population", "populations", signatures.populations),
    ):
        for name in names:
            if name not in used.words[table]:
                yield Hit("signatures", (table, name), f"no metric or emission has the {kind} `{name}`")
    for name in context.spec.inputs:
        if name not in used.words["inputs"]:
            yield Hit("inputs", ("inputs", name), f"no metric has the input `{name}`")
    kinds = {"profiles": "profile", "placeholders": "placeholder", "config": "configuration key"}
    for ref, node in context.spec.roots():
        if ref.startswith("frameworks/"):
            for table, kind in kinds.items():
                for name in getattr(node, table, {}):
                    if (ref, table, name) not in used.local:
                        yield Hit(ref, (table, name), f"nothing uses the {kind} `{name}`")


class _Uses:
    """Every name that something refers to."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self.words: dict[str, set[str]] = {"traits": set(), "populations": set(), "inputs": set()}
        self.local: set[tuple[str, str, str]] = set()
        for metric in context.spec.metrics.values():
            self._metric(metric)
            for variant in metric.variants.values():
                self._metric(variant)
        for population in context.spec.signatures.populations.values():
            self.words["traits"].update(population.traits)
        for convention in context.spec.conventions.values():
            self.words["traits"].update(convention.traits)
        for scope in context.files.values():
            for profile in scope.file.profiles.values():
                self._signature(scope, profile)
            for amendment in scope.file.amends:
                self.words["traits"].update(amendment.traits)
                self._find(scope, "config", names_in(amendment.when))
            for emission in scope.file.emissions:
                self._emission(scope, emission)
            for unlogged in scope.file.unlogged:
                self._find(scope, "placeholders", placeholders_in(unlogged.key))

    def _metric(self, owner: Metric | FormulaVariant) -> None:
        self.words["inputs"].update(owner.inputs or [])
        self.words["populations"].update([owner.population] if owner.population else [])

    def _signature(self, scope: FileScope, fields: SignatureFields) -> None:
        self.words["traits"].update(fields.traits)
        self.words["populations"].update([fields.population] if fields.population else [])
        for expression in (fields.scale, fields.offset):
            if isinstance(expression, str):
                self._find(scope, "config", names_in(expression))
        for text in fields.constant_when:
            # Written as in `0 when num_iterations == 1`; prose after `when` has no names.
            self._find(scope, "config", names_in(text.partition(" when ")[2]))

    def _emission(self, scope: FileScope, emission: Emission) -> None:
        self._signature(scope, emission)
        self._find(scope, "placeholders", placeholders_in(emission.key))
        self._find(scope, "config", names_in(emission.when))
        self._find(scope, "profiles", [emission.profile] if emission.profile else [])
        for variant in emission.variants:
            self._signature(scope, variant)
            self._find(scope, "config", names_in(variant.when))
            self._find(scope, "profiles", [variant.profile] if variant.profile else [])

    def _find(self, scope: FileScope, table: str, names: Collection[str]) -> None:
        context = self._context
        for name in names:
            # A fragment may be extended by several files that each define the name.
            for stem in (scope.stem, *context.users.get((scope.framework, scope.stem), ())):
                found = context.find(scope.framework, stem, table, name)  # type: ignore[arg-type]
                if found is not None:
                    self.local.add((found[0], table, name))


CHECKS: tuple[Check, ...] = (broken_reference, unused_name)
