"""Releases: known, in order, without overlap or hole."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from rlmetrics.names.tables.versions import RangeError, Releases, version_key

from ...meaning import spelled
from ..lint_check import Check, Hit, check
from ..said import keys_of, records, said_in

if TYPE_CHECKING:
    from ...loader import YamlPath
    from ...meaning import ExtendedFile, Resolved
    from ...model import Mode, Ranges, Record
    from ..context import ComponentScope, Context, FileScope

__all__ = ["CHECKS"]

_DATE = re.compile(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])")


def _ranges(context: Context) -> Iterator[tuple[str, str, YamlPath, Ranges]]:
    """Yield every range of releases: framework, file, path, range."""
    for name, framework in context.spec.frameworks.items():
        ref = f"frameworks/{name}/framework"
        for path, ranges in _defaults(framework.framework.config):
            yield name, ref, path, ranges
    for scope in context.files.values():
        for path, span in (*_defaults(scope.file.config), *_in_lists(scope), *_in_pieces(scope)):
            if span is not None:
                yield scope.framework, scope.ref, path, span


def _in_lists(scope: FileScope) -> Iterator[tuple[YamlPath, Ranges | None]]:
    for field in ("components", "tracking", "pinned", "kept", "unlogged", "reports"):
        for index, item in enumerate(getattr(scope.file, field)):
            yield (field, index, "releases"), item.releases
    for name, profile in scope.file.profiles.items():
        yield ("profiles", name, "releases"), profile.releases
    for name, guard in scope.file.guards.items():
        for index, part in enumerate(guard if isinstance(guard, list) else ()):
            yield ("guards", name, index, "releases"), part.releases


def _in_pieces(scope: FileScope) -> Iterator[tuple[YamlPath, Ranges | None]]:
    for said in said_in(scope):
        releases = getattr(said.fields, "releases", None)
        if isinstance(releases, dict):
            for mode, ranges in releases.items():
                yield (*said.path, "releases", mode), ranges
        else:
            yield (*said.path, "releases"), releases
        record = said.record if said.record is said.fields else None
        for key, renamed in record.renamed.items() if record else ():
            yield (*said.path, "renamed", key, "releases"), renamed.releases
        for index, documented in enumerate(said.fields.documented):
            yield (*said.path, "documented", index, "releases"), documented.releases


def _defaults(config: dict[str, Any]) -> Iterator[tuple[YamlPath, Ranges]]:
    for key, definition in config.items():
        for index, default in enumerate(definition.defaults):
            if default.releases is not None:
                yield ("config", key, "defaults", index, "releases"), default.releases
        if definition.formerly is not None and definition.formerly.releases is not None:
            yield ("config", key, "formerly", "releases"), definition.formerly.releases


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
                context.releases(framework).checked(item)
            except RangeError as error:
                if error.release is not None and context.spec.is_unread("releases", error.release):
                    continue
                place = path if isinstance(ranges, str) else (*path, index)
                yield Hit(ref, place, str(error), value=True)


@check(
    "release-order",
    "error",
    what="Releases of a framework that are no versions, out of order, twice in the list, or dated in another way than "
    "2025-06-30.",
    fix="list the releases from the oldest to the newest version",
)
def release_order(context: Context) -> Iterator[Hit]:
    for name, framework in context.spec.frameworks.items():
        ref = f"frameworks/{name}/framework"
        previous, before = None, ""
        for index, release in enumerate(framework.framework.releases):
            version = version_key(release.release)
            if version is None:
                message = f"`{release.release}` is no version"
                yield Hit(ref, ("releases", index, "release"), message, "write it as PyPI does", value=True)
            elif previous is not None and version <= previous:
                message = f"`{release.release}` stands after `{before}`"
                yield Hit(ref, ("releases", index, "release"), message, value=True)
            previous, before = version or previous, release.release
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


@check(
    "component-overlap",
    "error",
    what="Two component files that describe the same class in the same release.",
    fix="give each release of the class to one file",
)
def component_overlap(context: Context) -> Iterator[Hit]:
    seen: dict[tuple[str, str, str], list[tuple[int, str]]] = defaultdict(list)
    for (framework, stem), scope in context.files.items():
        for index, component in enumerate(scope.file.components):
            releases = context.bits(framework, component.releases)
            for others, place in seen[framework, component.name, component.module]:
                if releases & others:
                    shared = _span(context.releases(framework), releases & others)
                    message = f"`{component.name}` is described in {place} too, for {shared}"
                    yield Hit(scope.ref, ("components", index, "releases"), message, value=True)
            seen[framework, component.name, component.module].append((releases, f"{framework}/{stem}.yaml"))


@check(
    "release-hole",
    "warning",
    what="A key that is missing in a described release although older and newer ones have it.",
    fix="describe that release too, or allow the hole with the reason why the key was not logged there",
)
def release_hole(context: Context) -> Iterator[Hit]:
    reported: set[tuple[str, YamlPath]] = set()
    for component in context.components:
        described = context.frameworks[component.scope.framework].component(component.scope.stem).described
        covered = _never_logged(context, component)
        first: dict[tuple[str, str], Resolved] = {}
        for item in component.resolved:
            covered[item.key, item.mode] |= item.releases
            first.setdefault((item.key, item.mode), item)
        for (key, mode), item in first.items():
            releases = covered[key, mode]
            place = component.ref(item), item.path
            between = (1 << releases.bit_length()) - (releases & -releases)
            hole = between & described & ~releases
            if hole and place not in reported:
                reported.add(place)
                span = _span(context.releases(component.scope.framework), hole)
                message = f"`{key}` is not described for {span}{component.elsewhere(item.stem)}"
                yield Hit(place[0], (*place[1], "releases"), message, value=True)


def _never_logged(context: Context, scope: ComponentScope) -> dict[tuple[str, str], int]:
    """Return the releases in which a component or a file that it extends says that a key is never logged in a mode."""
    component = context.frameworks[scope.scope.framework].component(scope.scope.stem)
    never: dict[tuple[str, str], int] = defaultdict(int)
    for stem in component.chain:
        file = component.files[stem]
        for name, _, record in file.records():
            for item in spelled(name, record) if record.logged is not None else ():
                for mode in item.modes or record.modes or file.modes:
                    key = component.filled(item.key)
                    shown = f"{file.eval_prefix}{key}" if mode == "eval" else key
                    covered = component.covered(stem, record.releases, mode)
                    never[shown, mode] |= item.within(covered, component.bits)
    return never


@check(
    "not-described",
    "error",
    what="A record whose releases lie outside those that its file describes, or the name of a key in releases in which "
    "the record does not describe it.",
    fix="extend the releases of the component or correct those of the record",
    whole=True,
)
def not_described(context: Context) -> Iterator[Hit]:
    for scope in context.files.values():
        component = context.frameworks[scope.framework].component(scope.stem)
        for _, path, record in records(scope):
            for key, renamed in record.renamed.items():
                bits = context.bits(scope.framework, renamed.releases)
                if bits and scope.described and bits & ~_covered(component, scope.stem, record):
                    message = f"the record describes nothing in all of {_written(renamed.releases)}"
                    yield Hit(scope.ref, (*path, "renamed", key, "releases"), message, value=True)
            ranges = record.releases
            if ranges is None or not scope.described:
                continue
            parts = ranges.items() if isinstance(ranges, dict) else [(None, ranges)]
            for mode, part in parts:
                bits = context.bits(scope.framework, part)
                if bits and not bits & scope.described:
                    place = (*path, "releases") if mode is None else (*path, "releases", mode)
                    message = f"no described release of this file is in {_written(part)}"
                    yield Hit(scope.ref, place, message, value=True)


@check(
    "omits-nothing",
    "error",
    what="A key that a file says it never logs although none of the files that it extends has it in those releases.",
    fix="correct the key or the releases, or remove the entry",
    whole=True,
)
def omits_nothing(context: Context) -> Iterator[Hit]:
    for (framework, stem), scope in context.files.items():
        component = context.frameworks[framework].component(stem)
        inherited: dict[str, int] = defaultdict(int)
        for part in component.chain[1:]:
            for name, path, record in records(context.scope(framework, part)):
                for key, _ in keys_of(name, path, record):
                    inherited[component.filled(key)] |= _covered(component, part, record)
        for name, path, record in records(scope):
            for key, place in keys_of(name, path, record) if record.logged is not None else ():
                if not inherited[component.filled(key)] & _covered(component, stem, record):
                    yield Hit(scope.ref, place, f"no extended file logs `{key}` in these releases")


def _covered(component: ExtendedFile, stem: str, record: Record) -> int:
    """Return the described releases of a record, in any mode."""
    modes: tuple[Mode, ...] = ("train", "eval")
    return component.covered(stem, record.releases, modes[0]) | component.covered(stem, record.releases, modes[1])


def _span(order: Releases, releases: int) -> str:
    names = order.sort(order.of_bits(releases))
    return names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}" if len(names) > 2 else " and ".join(names)


def _written(ranges: Ranges) -> str:
    return f"`{ranges}`" if isinstance(ranges, str) else ", ".join(f"`{item}`" for item in ranges)


CHECKS: tuple[Check, ...] = (
    unknown_release,
    release_order,
    release_dates,
    component_overlap,
    release_hole,
    not_described,
    omits_nothing,
)
