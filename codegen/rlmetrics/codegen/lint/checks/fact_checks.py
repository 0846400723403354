"""Facts: they agree wherever they hold together, and each of them says something about some key."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING, Any

from ..guardsets import impossible, names_in, witness
from ..lint_check import Check, Hit, check
from ..logged import as_yaml, logged_guards, logged_with, under
from ..said import records

if TYPE_CHECKING:
    from ...loader import YamlPath
    from ...meaning import Resolved, SpecPiece
    from ...model import Record
    from ..context import ComponentScope, Context, FileScope

__all__ = ["CHECKS"]

_SETTERS = frozenset(
    {
        "metric",
        "profile",
        "population",
        "snapshot",
        "span",
        "lag",
        "offset",
        "kind",
        "condition",
        "logged_by_default",
        "logged_by",
        "route",
        "every",
        "axis",
        "bind",
        "reproduced_by",
    }
)

_Place = tuple[str, "YamlPath"]
_Set = tuple["YamlPath", Any, "SpecPiece"]


@check(
    "facts-disagree",
    "error",
    what="Two facts of one key that set the same differently and can hold together while the key is logged.",
    fix="make their guards or their releases exclude each other, or say it once",
    metrics=False,
)
def facts_disagree(context: Context) -> Iterator[Hit]:
    reported: set[tuple[_Place, _Place]] = set()
    meeting = _Meeting(context)
    for component in context.components:
        for item in component.resolved:
            for field, settings in _set(item).items():
                for first, second in meeting.pairs(component.scope, item, field, settings):
                    config = logged_with(context, component.scope, item, first[2].when, second[2].when)
                    if config is None:
                        continue
                    hit, pair = _disagreement(context, component, item, first, second, config)
                    if pair not in reported:
                        reported.add(pair)
                        yield hit


class _Meeting:
    """Facts that disagree where they hold together, worked out once for all components with the same settings."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._differing: dict[tuple[object, ...], tuple[list[str], list[tuple[_Set, _Set]]]] = {}
        self._meeting: dict[tuple[object, ...], list[tuple[_Set, _Set]]] = {}

    def pairs(self, scope: FileScope, item: Resolved, field: str, settings: list[_Set]) -> list[tuple[_Set, _Set]]:
        """Return the pairs that set a field differently and can hold together."""
        place = (scope.framework, field, *((piece.stem, piece.path, piece.when) for _, _, piece in settings))
        if place not in self._differing:
            pairs = [pair for pair in combinations(settings, 2) if _differ(field, *pair, item)]
            guards = {each[2].when for pair in pairs for each in pair}
            self._differing[place] = sorted({name for guard in guards for name in names_in(guard)}), pairs
        names, pairs = self._differing[place]
        if not pairs:
            return pairs
        config = self._context.config(scope.framework, scope.stem)
        here = (place, *(id(config.get(name)) for name in names))
        if here not in self._meeting:
            self._meeting[here] = [
                (first, second)
                for first, second in pairs
                if not impossible(self._context, scope.framework, scope.stem, first[2].when, second[2].when)
            ]
        return self._meeting[here]


def _set(item: Resolved) -> dict[str, list[_Set]]:
    """Return what facts set, by field, where several set the same one: the place in the fact, the value, the fact."""
    settings: dict[str, list[_Set]] = {}
    for piece in item.facts:
        for name, value in piece.says.items():
            if name in _SETTERS:
                settings.setdefault(name, []).append(((name,), value, piece))
            elif name == "reduction":
                for level, operation in value.items():
                    settings.setdefault(f"reduction of {level}", []).append(((name, level), operation, piece))
    return {field: entries for field, entries in settings.items() if len(entries) > 1}


def _differ(field: str, first: _Set, second: _Set, item: Resolved) -> bool:
    if first[1] == second[1]:
        return False
    # A formula variant belongs to the metric that stands with it.
    own = item.record.says.get("metric")
    return field != "reproduced_by" or first[2].says.get("metric", own) == second[2].says.get("metric", own)


def _disagreement(
    context: Context, component: ComponentScope, item: Resolved, first: _Set, second: _Set, config: dict[str, Any]
) -> tuple[Hit, tuple[_Place, _Place]]:
    scope = component.scope
    order = context.frameworks[scope.framework].component(scope.stem).chain
    # The nearer file is the one to be corrected, and in one file the later place.
    near, far = (first, second) if order.index(first[2].stem) < order.index(second[2].stem) else (second, first)
    refs = [component.ref(each[2]) for each in (near, far)]
    paths = [(*each[2].path, *each[0]) for each in (near, far)]
    releases = context.releases(scope.framework)
    what = f"`{near[0][-1]}`" if len(near[0]) == 1 else f"the reduction of `{near[0][-1]}`"
    message = (
        f"{what} of `{item.key}` is `{as_yaml(near[1])}` here and `{as_yaml(far[1])}` at "
        f"{context.spec.locate(refs[1], paths[1], value=True)}; both hold for "
        f"{releases.text(releases.of_bits(item.releases))}{under(config)}{component.elsewhere(near[2].stem)}"
    )
    places = (refs[0], paths[0]), (refs[1], paths[1])
    return Hit(refs[0], paths[0], message, value=True, related=((refs[1], paths[1], "set here too"),)), places


@check(
    "writers-overlap",
    "error",
    what="Two records of one key in the same component, release and mode that can both be logged.",
    fix="give each release to one of them, or make their `logged_when` exclude each other",
    metrics=False,
)
def writers_overlap(context: Context) -> Iterator[Hit]:
    reported: set[tuple[_Place, _Place]] = set()
    for component in context.components:
        by_key: dict[tuple[str, str], list[Resolved]] = defaultdict(list)
        for item in component.resolved:
            by_key[item.key, item.mode].append(item)
        for items in by_key.values():
            for (first, second), (shared, config) in _overlaps(context, component, items).items():
                if (first, second) not in reported:
                    reported.add((first, second))
                    releases = context.releases(component.scope.framework)
                    span = releases.text(releases.of_bits(shared))
                    where = component.elsewhere(second[0].rpartition("/")[2])
                    place = context.spec.locate(*first)
                    message = f"`{items[0].key}` stands for {span} at {place} too{under(config)}{where}"
                    yield Hit(*second, message, related=((*first, "the other record"),))


def _overlaps(
    context: Context, component: ComponentScope, items: list[Resolved]
) -> dict[tuple[_Place, _Place], tuple[int, dict[str, Any]]]:
    """Return the pairs of records of one key that can both be logged, with the releases and a configuration."""
    overlaps: dict[tuple[_Place, _Place], tuple[int, dict[str, Any]]] = {}
    scope = component.scope
    for first, second in combinations(items, 2):
        shared = first.releases & second.releases
        if not shared:
            continue
        guards = [*logged_guards(first), *logged_guards(second)]
        config = witness(context, scope.framework, scope.stem, *guards)
        if config is not None:
            pair = (component.ref(first), first.path), (component.ref(second), second.path)
            before = overlaps.get(pair, (0, config))
            overlaps[pair] = before[0] | shared, before[1]
    return overlaps


@check(
    "dead-fact",
    "warning",
    what="A fact that never applies: its releases or modes are none of its key's, or the key is not logged where it "
    "holds.",
    fix="correct its releases, modes or guard, or remove it",
    whole=True,
    metrics=False,
)
def dead_fact(context: Context) -> Iterator[Hit]:
    applies, lives, living = _alive(context)
    for scope in context.files.values():
        for _, path, record in records(scope):
            if (scope.ref, path) in living:
                for index in range(len(record.facts)):
                    yield from _dead(context, scope, (*path, "facts", index), applies, lives)
        for index, fact in enumerate(scope.file.shared):
            if scope.described and (fact.keys is None or _reaches(context, scope, fact.keys)):
                yield from _dead(context, scope, ("shared", index), applies, lives)


def _dead(
    context: Context, scope: FileScope, path: YamlPath, applies: set[_Place], lives: set[_Place]
) -> Iterator[Hit]:
    place = _written(context, scope.framework, scope.stem, path)
    if place not in applies:
        yield Hit(scope.ref, path, "no key has this fact: its releases or modes lie outside those of the key")
    elif place not in lives:
        yield Hit(scope.ref, path, "no key is logged where this fact holds")


def _alive(context: Context) -> tuple[set[_Place], set[_Place], set[_Place]]:
    """Return the facts that apply in some release, those that also hold somewhere, and the records of some key."""
    applies: set[_Place] = set()
    lives: set[_Place] = set()
    living: set[_Place] = set()
    for component in context.components:
        for item in component.resolved:
            living.add((component.ref(item), item.path))
            for piece in item.facts:
                # A fact of a group lives where one of the records does that refer to it.
                place = _written(context, component.scope.framework, piece.stem, piece.path)
                applies.add(place)
                if place not in lives and (
                    # What keeps a key from being logged holds where it is not logged.
                    piece.says.keys() & {"logged_when", "fails"} or not _never(context, component.scope, item, piece)
                ):
                    lives.add(place)
    return applies, lives, living


def _written(context: Context, framework: str, stem: str, path: YamlPath) -> _Place:
    owner, place = context.spec.frameworks[framework].written(stem, path)
    return f"frameworks/{framework}/{owner}", place


def _never(context: Context, scope: FileScope, item: Resolved, piece: SpecPiece) -> bool:
    if piece.when is None:
        return False
    if logged_with(context, scope, item, piece.when) is not None:
        return False
    return impossible(context, scope.framework, scope.stem, piece.when, *logged_guards(item))


def _reaches(context: Context, scope: FileScope, keys: list[str]) -> bool:
    """Tell whether one of the keys exists; `broken-reference` reports those that do not."""
    known = context.spellings(scope.framework, scope.stem)
    return any(key in known for key in keys)


@check(
    "redundant-range",
    "warning",
    what="Releases of a fact that are all those of its record.",
    fix="leave `releases` out: a fact holds in all releases of its record",
    metrics=False,
)
def redundant_range(context: Context) -> Iterator[Hit]:
    for scope in context.files.values():
        for _, path, record in records(scope):
            covered = _covered(context, scope, record)
            for index, fact in enumerate(record.facts):
                written = context.spec.frameworks[scope.framework].written(scope.stem, (*path, "facts", index))
                # A fact of a group holds for several records.
                if fact.releases is not None and covered and written[1][0] != "groups":
                    bits = context.bits(scope.framework, fact.releases)
                    if bits and covered & ~bits == 0:
                        place = (*path, "facts", index, "releases")
                        yield Hit(scope.ref, place, "these are all releases of the record", value=True)


def _covered(context: Context, scope: FileScope, record: Record) -> int:
    if record.releases is None:
        return scope.described
    ranges = list(record.releases.values()) if isinstance(record.releases, dict) else [record.releases]
    bits = 0
    for each in ranges:
        bits |= context.bits(scope.framework, each)
    return bits & scope.described


CHECKS: tuple[Check, ...] = (facts_disagree, writers_overlap, dead_fact, redundant_range)
