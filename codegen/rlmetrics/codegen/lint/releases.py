"""Releases: known, in order, without overlap or hole, and shown by evidence."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ..releases import RangeError, Releases
from .evidence import lines
from .guardsets import can_both_hold
from .registry import Check, Hit, check

if TYPE_CHECKING:
    from ..loader import YamlPath
    from ..model import Ranges
    from .context import Context, Entry, FileScope, Scope

__all__ = ["CHECKS"]

_DATE = re.compile(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])")
_NUMBER = re.compile(r"\d+|[a-z]+")
_PRE = {"dev": -4, "a": -3, "b": -2, "rc": -1, "post": 1}


def _ranges(context: Context) -> Iterator[tuple[str, str, YamlPath, Ranges]]:
    """Every range of releases: framework, file, path, range."""
    for name, framework in context.spec.frameworks.items():
        ref = f"frameworks/{name}/framework"
        for path, ranges in _defaults(framework.framework.config):
            yield name, ref, path, ranges
    for framework_name, stem, file in context.spec.component_files():
        ref = f"frameworks/{framework_name}/{stem}"
        found: list[tuple[YamlPath, Ranges | None]] = list(_defaults(file.config))
        for field in ("components", "tracking", "emissions", "omits", "amends", "unlogged"):
            found += [((field, index, "releases"), item.releases) for index, item in enumerate(getattr(file, field))]
        found += [(("profiles", key, "releases"), profile.releases) for key, profile in file.profiles.items()]
        for index, emission in enumerate(file.emissions):
            for number, documented in enumerate(emission.documented):
                found.append((("emissions", index, "documented", number, "releases"), documented.releases))
        for path, ranges_or_none in found:
            if ranges_or_none is not None:
                yield framework_name, ref, path, ranges_or_none


def _defaults(config: dict[str, Any]) -> Iterator[tuple[YamlPath, Ranges]]:
    for key, definition in config.items():
        for index, default in enumerate(definition.defaults):
            if default.releases is not None:
                yield ("config", key, "defaults", index, "releases"), default.releases


@check(
    "unknown-release",
    "error",
    what="A release that the framework's list does not have, or a range that ends before it starts.",
    fix="use a release of framework.yaml, or add it there",
)
def unknown_release(context: Context) -> Iterator[Hit]:
    for framework, ref, path, ranges in _ranges(context):
        items = [ranges] if isinstance(ranges, str) else ranges
        for index, item in enumerate(items):
            try:
                context.releases[framework].expand(item)
            except RangeError as error:
                if error.release is not None and context.spec.is_unread("releases", error.release):
                    continue
                place = path if isinstance(ranges, str) else (*path, index)
                yield Hit(ref, place, str(error), value=True)
    for framework, ref, path, evidence in lines(context):
        release = evidence.release
        if release not in context.releases[framework] and not context.spec.is_unread("releases", release):
            message = f"the release `{release}` is not among the releases of the framework"
            yield Hit(ref, (*path, "release"), message, value=True)


@check(
    "release-order",
    "error",
    what="Releases of a framework that are out of order, twice in the list, or dated in another way than 2025-06-30.",
    fix="list the releases from the oldest to the newest version",
)
def release_order(context: Context) -> Iterator[Hit]:
    for name, framework in context.spec.frameworks.items():
        ref = f"frameworks/{name}/framework"
        previous: tuple[tuple[int, ...], str] | None = None
        for index, release in enumerate(framework.framework.releases):
            version = _version(release.release)
            if previous is not None and version <= previous[0]:
                message = f"`{release.release}` stands after `{previous[1]}`"
                yield Hit(ref, ("releases", index, "release"), message, value=True)
            previous = (version, release.release)
            if not _DATE.fullmatch(release.date):
                message = f"`{release.date}` is not a date"
                yield Hit(ref, ("releases", index, "date"), message, "write it like 2025-06-30", value=True)


@check(
    "release-dates",
    "warning",
    what="A release that is older than the one before it.",
    fix="check the dates; a late patch of an old series needs an `allow` with that reason",
)
def release_dates(context: Context) -> Iterator[Hit]:
    for name, framework in context.spec.frameworks.items():
        dates = [(i, r) for i, r in enumerate(framework.framework.releases) if _DATE.fullmatch(r.date)]
        for (_, before), (index, release) in pairwise(dates):
            if release.date < before.date:
                message = f"`{release.release}` ({release.date}) is older than `{before.release}` ({before.date})"
                yield Hit(f"frameworks/{name}/framework", ("releases", index, "date"), message, value=True)


def _version(text: str) -> tuple[int, ...]:
    """A sortable form of the versions that occur: 0.4.2, 0.2.0.post1, 1.0.0rc1."""
    parts = [int(part) if part.isdigit() else _PRE.get(part, 0) * 10_000 for part in _NUMBER.findall(text)]
    numbers: list[int] = []
    for position, part in enumerate(parts):
        if part < 0 or part >= 10_000:
            padded = numbers + [0] * (4 - len(numbers))
            return (*padded, part, *parts[position + 1 :])
        numbers.append(part)
    return (*(numbers + [0] * (4 - len(numbers))), 0)


@check(
    "component-overlap",
    "error",
    what="Two component files that describe the same class in the same release.",
    fix="give each release of the class to one file",
)
def component_overlap(context: Context) -> Iterator[Hit]:
    seen: dict[tuple[str, str, str], list[tuple[frozenset[str], str]]] = defaultdict(list)
    for framework, stem, file in context.spec.component_files():
        for index, component in enumerate(file.components):
            releases = context.expand(framework, component.releases)
            for others, place in seen[framework, component.name, component.module]:
                if releases & others:
                    shared = _span(context.releases[framework], releases & others)
                    message = f"`{component.name}` is described in {place} too, for {shared}"
                    yield Hit(f"frameworks/{framework}/{stem}", ("components", index, "releases"), message, value=True)
            seen[framework, component.name, component.module].append((releases, f"{framework}/{stem}.yaml"))


@check(
    "release-overlap",
    "error",
    what="Two emissions of one key in the same component, release and mode that can both apply.",
    fix="give each release to one of them, or make one a variant of the other",
)
def release_overlap(context: Context) -> Iterator[Hit]:
    reported: set[tuple[str, YamlPath, str, YamlPath]] = set()
    for scope in context.scopes:
        for entries in _by_key(scope).values():
            for position, entry in enumerate(entries):
                for other in entries[:position]:
                    shared = entry.releases & other.releases
                    pair = (entry.ref, entry.path, other.ref, other.path)
                    if not shared or not entry.modes & other.modes or pair in reported:
                        continue
                    if not can_both_hold(context, entry, entry.emission.when, other.emission.when):
                        continue
                    reported.add(pair)
                    place = context.spec.locate(other.ref, (*other.path, "key"), value=True)
                    span = _span(context.releases[entry.framework], shared)
                    message = f"`{entry.emission.key}` stands for {span} at {place} too"
                    yield Hit(entry.ref, (*entry.path, "key"), message, value=True)


def _by_key(scope: Scope) -> dict[str, list[Entry]]:
    groups: dict[str, list[Entry]] = defaultdict(list)
    for entry in scope.entries:
        groups[entry.emission.key].append(entry)
    return groups


@check(
    "release-hole",
    "warning",
    what="A key that is missing in a described release although older and newer ones have it.",
    fix="describe that release too, or allow the hole with the reason why the key was not logged there",
)
def release_hole(context: Context) -> Iterator[Hit]:
    reported: set[tuple[str, YamlPath]] = set()
    for scope in context.scopes:
        order = scope.scope.releases
        described = order.sort(scope.scope.described)
        for key, entries in _by_key(scope).items():
            covered = frozenset[str]().union(*(entry.releases for entry in entries))
            inside = [position for position, release in enumerate(described) if release in covered]
            if not inside:
                continue
            hole = [release for release in described[inside[0] : inside[-1]] if release not in covered]
            entry = entries[0]
            if hole and (entry.ref, entry.path) not in reported:
                reported.add((entry.ref, entry.path))
                message = f"`{key}` is not described for {_span(order, frozenset(hole))}"
                yield Hit(entry.ref, (*entry.path, "releases"), message, value=True)


@check(
    "not-described",
    "error",
    what="An emission whose releases lie outside those that its file describes.",
    fix="extend the releases of the component or correct those of the emission",
)
def not_described(context: Context) -> Iterator[Hit]:
    for entry in context.entries:
        scope = context.files[entry.framework, entry.stem]
        ranges = entry.emission.releases
        if ranges is None or not scope.described or not context.expand(entry.framework, ranges):
            continue
        if not entry.releases:
            message = f"no described release of this file is in {_written(ranges)}"
            yield Hit(entry.ref, (*entry.path, "releases"), message, value=True)


@check(
    "omits-nothing",
    "error",
    what="A key that a file omits although none of the files that it extends logs it in those releases.",
    fix="correct the key or the releases, or remove the entry",
)
def omits_nothing(context: Context) -> Iterator[Hit]:
    for framework, stem, file in context.spec.component_files():
        inherited = [context.files[framework, part] for part in context.chain(framework, stem)[1:]]
        for index, omission in enumerate(file.omits):
            described = context.files[framework, stem].described
            releases = described if omission.releases is None else context.expand(framework, omission.releases)
            if not _logs(context, framework, inherited, omission.key, releases):
                message = f"no extended file logs `{omission.key}` in these releases"
                yield Hit(f"frameworks/{framework}/{stem}", ("omits", index, "key"), message, value=True)


@check(
    "amends-nothing",
    "error",
    what="A key that a file amends, or a variant or trait that it drops, although neither it nor a file that it "
    "extends has it in those releases.",
    fix="correct the key, the variant, the trait or the releases, or remove it",
)
def amends_nothing(context: Context) -> Iterator[Hit]:
    for framework, stem, file in context.spec.component_files():
        scopes = [context.files[framework, part] for part in context.chain(framework, stem)]
        for index, amendment in enumerate(file.amends):
            described = context.files[framework, stem].described
            releases = described if amendment.releases is None else context.expand(framework, amendment.releases)
            for number, key in enumerate(amendment.keys or ()):
                if not _logs(context, framework, scopes, key, releases):
                    message = f"no record of `{key}` in these releases"
                    yield Hit(f"frameworks/{framework}/{stem}", ("amends", index, "keys", number), message, value=True)
            had = _variants_and_traits(context, framework, scopes, amendment.keys, releases) if amendment.drops else ()
            for number, name in enumerate(amendment.drops):
                if name not in had:
                    message = f"no record of these keys has a variant or trait `{name}` in these releases"
                    yield Hit(f"frameworks/{framework}/{stem}", ("amends", index, "drops", number), message, value=True)


def _variants_and_traits(
    context: Context, framework: str, scopes: Sequence[FileScope], keys: Sequence[str] | None, releases: frozenset[str]
) -> set[str]:
    found: set[str] = set()
    for scope in scopes:
        for emission in scope.file.emissions:
            if keys is not None and emission.key not in keys:
                continue
            if emission.releases is None or context.expand(framework, emission.releases) & releases:
                found.update(emission.traits, *((each.name, *each.traits) for each in emission.variants))
    return found


def _logs(context: Context, framework: str, scopes: Sequence[FileScope], key: str, releases: frozenset[str]) -> bool:
    return any(
        emission.key == key and (emission.releases is None or context.expand(framework, emission.releases) & releases)
        for scope in scopes
        for emission in scope.file.emissions
    )


def _span(order: Releases, releases: frozenset[str]) -> str:
    names = order.sort(releases)
    return names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}" if len(names) > 2 else " and ".join(names)


def _written(ranges: Ranges) -> str:
    return f"`{ranges}`" if isinstance(ranges, str) else ", ".join(f"`{item}`" for item in ranges)


CHECKS: tuple[Check, ...] = (
    unknown_release,
    release_order,
    release_dates,
    component_overlap,
    release_overlap,
    release_hole,
    not_described,
    omits_nothing,
    amends_nothing,
)
