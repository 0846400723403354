"""Names that component files mention."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from rlmetrics.names.differences.severity import UNKNOWN
from rlmetrics.names.settings.guards import SettingName

from .guardsets import parsed
from .key_languages import placeholders_in
from .lint_check import Hit
from .logged import logged_with
from .said import expressions, keys_of, records, said_in, symbols
from .unlocked import is_unlocked
from .vocabulary_lookups import levels, missing, parts, population, traits

if TYPE_CHECKING:
    from ..loader import YamlPath
    from ..model import Fact, Piece, Record, SignatureFields
    from .context import Context, FileScope
    from .said import Said

__all__ = ["in_component_file", "variants_of_shared"]


def in_component_file(context: Context, scope: FileScope) -> Iterator[Hit]:
    """Yield a hit for each name in a component file that nothing defines."""
    ref, file = scope.ref, scope.file
    stems = context.spec.frameworks[scope.framework].known
    for index, stem in enumerate(file.extends):
        yield from missing(context, "file", "keys", stem, stems, ref, ("extends", index))
    for index, tracking in enumerate(file.tracking):
        if tracking.route:
            yield from _route(context, scope, tracking.route, ("tracking", index, "route"))
        yield from _anchors(context, scope, tracking.at, ("tracking", index, "at"))
    for name, full in file.names.items():
        yield from _setting(context, scope, full, ("names", name))
    for index, pinned in enumerate(file.pinned):
        for name in pinned.settings:
            yield from _setting(context, scope, name, ("pinned", index, "settings", name), value=False)
        yield from _anchors(context, scope, pinned.at, ("pinned", index, "at"))
    for index, kept in enumerate(file.kept):
        yield from _anchors(context, scope, kept.at, ("kept", index, "at"))
    yield from parts(context, file.single, ref, ("single",))
    for name, profile in file.profiles.items():
        yield from _in_signature(context, scope, profile, ("profiles", name))
        yield from _variant(context, scope, profile, [profile.metric], ("profiles", name))
    for path, text in expressions(scope):
        yield from _guard(context, scope, text, path)
    for said in said_in(scope):
        yield from _in_piece(context, said)
    for name, path, record in records(scope):
        yield from _in_record(context, scope, name, path, record)
    for index, unlogged in enumerate(file.unlogged):
        for key in unlogged.keys:
            yield from _placeholders(context, scope, key, ("unlogged", index, "keys", key), value=False)
        yield from _guide(context, scope, unlogged.guide, ("unlogged", index, "guide"))
    yield from _about_other_files(context, scope)


def _about_other_files(context: Context, scope: FileScope) -> Iterator[Hit]:
    """Yield facts to be replaced that no extended file names, and keys of shared facts that nothing records."""
    files = context.spec.frameworks[scope.framework].known
    chain = context.chain(scope.framework, scope.stem)
    facts = [fact for stem in chain[1:] for fact in files[stem].shared]
    named = {fact.name for fact in facts if fact.name is not None}
    if context.spec.unread.get("keys") or any(stem not in files for stem in scope.file.extends):
        return  # what could not be read, or is not there, may have them
    for stem in chain[1:]:
        named.update(fact.name for _, _, record in files[stem].records() for fact in record.facts if fact.name)
    for index, name in enumerate(scope.file.replace):
        yield from missing(
            context, "fact of an extended file named", "keys", name, named, scope.ref, ("replace", index)
        )
    known = context.spellings(scope.framework, scope.stem)
    for index, shared in enumerate(scope.file.shared):
        for number, key in enumerate(shared.keys or ()):
            place: YamlPath = ("shared", index, "keys", number)
            yield from missing(context, "record of the key", "keys", key, known, scope.ref, place)


def _in_record(context: Context, scope: FileScope, name: str, path: YamlPath, record: Record) -> Iterator[Hit]:
    spec, ref = context.spec, scope.ref
    for key, place in keys_of(name, path, record):
        yield from _placeholders(context, scope, key, place, value=False)
    for key, metric in record.family.items():
        if metric is not None:
            place = (*path, "family", key)
            yield from missing(context, "metric", "metrics", metric, spec.metrics, ref, place)
    own = record.family or {name: None}
    for key, copy in record.also.items():
        if copy.of is not None:
            place = (*path, "also", key, "of")
            yield from missing(context, "key of this record named", "keys", copy.of, own, ref, place)
    for key, renamed in record.renamed.items():
        if renamed.of is not None:
            place, known = (*path, "renamed", key, "of"), {*own, *record.also}
            yield from missing(context, "key of this record named", "keys", renamed.of, known, ref, place)


def _in_piece(context: Context, said: Said) -> Iterator[Hit]:
    scope, fields, path = said.scope, said.fields, said.path
    yield from _in_signature(context, scope, fields, path)
    yield from _variant(context, scope, fields, _metrics(context, said), path)
    if fields.profile is not None:
        known = context.known(scope.framework, scope.stem, "profiles")
        yield from missing(context, "profile", "profiles", fields.profile, known, scope.ref, (*path, "profile"))
    if fields.route is not None:
        yield from _route(context, scope, fields.route, (*path, "route"))
    if said.record is not None:
        keys = [key for key, _ in keys_of(said.name, path, said.record)]
        for name in fields.bind:
            if name not in _parameters(context) and not any(name in placeholders_in(key) for key in keys):
                message = f"the key has no placeholder `{name}`, and no function such a parameter"
                advice = "bind what stands in braces in the key, or a parameter"
                yield Hit(scope.ref, (*path, "bind", name), message, advice)
    for index, item in enumerate(fields.documented):
        place: YamlPath = (*path, "documented", index)
        if item.cited is None:
            yield Hit(
                scope.ref, place, "neither this statement nor its file names a `guide`", "name the guide that says it"
            )
        else:
            yield from _guide(context, scope, item.cited, (*place, "guide"))
    yield from _anchors(context, scope, fields.at, (*path, "at"))


def _parameters(context: Context) -> set[str]:
    """Return the parameters of all functions."""
    found: set[str] = set()
    for metric in context.spec.metrics.values():
        found.update(metric.parameters)
        for variant in metric.variants.values():
            found.update(variant.parameters or ())
    return found


def _in_signature(context: Context, scope: FileScope, fields: SignatureFields, path: YamlPath) -> Iterator[Hit]:
    spec, ref = context.spec, scope.ref
    if fields.metric is not None:
        yield from missing(context, "metric", "metrics", fields.metric, spec.metrics, ref, (*path, "metric"))
    yield from population(context, fields.population, ref, (*path, "population"))
    for index, name in enumerate(fields.without):
        known = spec.signatures.without
        kind = "part of a population"
        yield from missing(context, kind, "without", name, known, ref, (*path, "without", index))
    yield from levels(context, fields.reduction, ref, (*path, "reduction"))
    yield from traits(context, fields.traits, ref, (*path, "traits"))


def _variant(
    context: Context, scope: FileScope, fields: SignatureFields, metrics: Iterable[str | None], path: YamlPath
) -> Iterator[Hit]:
    """Yield a hit for a formula variant that a metric does not have with which it stands."""
    if fields.reproduced_by is None:
        return
    place = (*path, "reproduced_by")
    for metric in dict.fromkeys(metrics):
        if metric is not None and metric in context.spec.metrics:
            variants = context.spec.metrics[metric].variants
            kind = f"variant of the formula of `{metric}` named"
            yield from missing(context, kind, "metrics", fields.reproduced_by, variants, scope.ref, place)


def _metrics(context: Context, said: Said) -> list[str | None]:
    """Return the metrics that stand with a record or fact: its own, else those of its record."""
    own = _own_metric(context, said.scope, said.fields)
    if own is not None or said.record is None:
        return [own]
    of_record = _own_metric(context, said.scope, said.record)
    family = said.record.family
    return [metric or of_record for metric in family.values()] if family else [of_record]


def variants_of_shared(context: Context) -> Iterator[Hit]:
    """Yield a hit for each formula variant of a shared fact that a key does not have which the fact reaches.

    Of several records of a key, only those count that can be logged where the fact holds.
    """
    reported: set[tuple[str, YamlPath]] = set()
    for component in context.components:
        for item in component.resolved:
            own = context.spec.metrics.get(item.record.says.get("metric", ""))
            for piece in item.facts if own is not None else ():
                name = piece.says.get("reproduced_by")
                place = component.ref(piece), (*piece.path, "reproduced_by")
                if name is None or own is None or piece.path[0] != "shared" or "metric" in piece.says:
                    continue
                if name in own.variants or place in reported:
                    continue
                if logged_with(context, component.scope, item, piece.when) is not None:
                    reported.add(place)
                    kind = f"variant of the formula of `{item.record.says['metric']}` named"
                    yield from missing(context, kind, "metrics", name, own.variants, *place)


def _own_metric(context: Context, scope: FileScope, piece: Piece | Fact) -> str | None:
    if piece.metric is not None or piece.profile is None:
        return piece.metric
    profile = context.profile(scope.framework, scope.stem, piece.profile)
    return None if profile is None else profile.metric


def _anchors(context: Context, scope: FileScope, names: list[str], path: YamlPath) -> Iterator[Hit]:
    if is_unlocked(context, scope):
        return  # that the lock is missing is one finding
    declared = {name for name, _ in symbols(scope)} if names else ()
    for index, name in enumerate(names):
        if name not in declared and not context.spec.unread.get("anchors"):
            near = difflib.get_close_matches(name, declared, n=2, cutoff=0.6)
            taking = f"let it stand for a statement with `rlmetrics anchor add {name} RELEASE PATH:LINE`"
            fix = f"did you mean {' or '.join(f'`{item}`' for item in near)}?" if near else taking
            yield Hit(scope.ref, (*path, index), f"this file has no anchor `{name}`", fix, value=True)


def _guide(context: Context, scope: FileScope, cited: str, path: YamlPath) -> Iterator[Hit]:
    name = cited.partition("#")[0].strip()
    known = context.spec.frameworks[scope.framework].framework.guides
    yield from missing(context, "guide", "guides", name, known, scope.ref, path)


def _route(context: Context, scope: FileScope, name: str, path: YamlPath) -> Iterator[Hit]:
    routes = {route for tracker in context.spec.trackers.values() for route in tracker.routes}
    yield from missing(context, "tracker route", "routes", name, routes, scope.ref, path)


def _placeholders(context: Context, scope: FileScope, key: str, path: YamlPath, *, value: bool = True) -> Iterator[Hit]:
    for name in placeholders_in(key):
        if context.placeholder(scope.framework, scope.stem, name) is None:
            known = context.known(scope.framework, scope.stem, "placeholders")
            yield from missing(context, "placeholder", "placeholders", name, known, scope.ref, path, value=value)


def _guard(context: Context, scope: FileScope, text: str, path: YamlPath) -> Iterator[Hit]:
    expression = parsed(text)
    columns: dict[str, int] = {}
    for node in expression.walk() if expression is not None else ():
        if isinstance(node, SettingName) and not (path[0] in ("guards", "single") and node.name == UNKNOWN):
            columns.setdefault(node.name, node.column)
    for name in sorted(columns):
        if path[-1] in ("scale", "offset") or name not in scope.file.guards:
            for hit in _setting(context, scope, name, path):
                place = context.spec.locate_in_text(scope.ref, path, columns[name] - 1)
                yield replace(hit, location=place)


def _setting(context: Context, scope: FileScope, name: str, path: YamlPath, *, value: bool = True) -> Iterator[Hit]:
    config = context.config(scope.framework, scope.stem)
    is_unread = context.spec.is_unread("guards", name) or context.spec.is_unread("names", name)
    if not is_unread and context.full(scope.framework, scope.stem, name) not in config:
        known = [*config, *scope.file.guards, *scope.file.names]
        yield from missing(context, "configuration key", "config", name, known, scope.ref, path, value=value)
