"""Components as locks see them, made from the files of the spec."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ..meaning.resolution import chain
from ..meaning.scope import FrameworkScope, scope_of
from ..meaning.spelled import spelled
from .component_lock import Anchor, Claim, ClassRange, LockedComponent, StatedDefault

if TYPE_CHECKING:
    from ..loader.document import YamlPath
    from ..model import ComponentFile, Default, Mode, Ranges, Record
    from ..spec import Spec

__all__ = ["anchors_of", "component_of", "components_of"]

BOTH = ("train", "eval")


def components_of(spec: Spec, framework: str) -> dict[str, LockedComponent]:
    """Return all files of a framework by stem, those of the framework that it derives from included."""
    scope = scope_of(spec.frameworks[framework])
    return {stem: component_of(scope, framework, stem) for stem in scope.spec.known}


def component_of(scope: FrameworkScope, framework: str, stem: str) -> LockedComponent:
    """Return one file of a framework."""
    file = scope.spec.known[stem]
    package = scope.spec.framework.imported
    claims = tuple(_claims(scope, stem, file))
    keys: dict[str, frozenset[str]] = {}
    for name, _, record in file.records():
        for item in spelled(name, record):
            for mode in item.modes or record.modes or file.modes:
                shown = f"{file.eval_prefix}{item.key}" if mode == "eval" else item.key
                covered = scope.releases.bits(scope.releases.among(_covered(scope, stem, record.releases, mode)))
                named = scope.own(item.within(covered, scope.bits))
                keys[shown] = keys.get(shown, frozenset()) | named
    return LockedComponent(
        framework,
        package,
        stem,
        tuple(ClassRange(item.name, item.module, _expanded(scope, item.releases)) for item in file.components),
        tuple(file.extends),
        anchors_of(file, package),
        claims,
        tuple(file.watch),
        keys,
        file.eval_prefix,
        dict(_defaults(scope, stem)),
    )


def _defaults(scope: FrameworkScope, stem: str) -> Iterator[tuple[str, tuple[StatedDefault, ...]]]:
    """Yield the configuration keys that a file can see, each with the defaults that the nearest file says of it."""
    seen: set[str] = set()
    for part in chain(scope.spec.known, stem):
        for name, key in scope.spec.known[part].config.items():
            if name not in seen:
                seen.add(name)
                yield name, tuple(_default(scope, part, name, item) for item in key.defaults)


def _default(scope: FrameworkScope, stem: str, name: str, item: Default) -> StatedDefault:
    ranges = ".." if item.releases is None else item.releases
    stated = scope.spec.stated.get(stem)
    written = [] if stated is None else stated.config[name].defaults
    place = next((index for index, own in enumerate(written) if own is item), None)
    path: YamlPath = ("config", name) if place is None else ("config", name, "defaults", place)
    return StatedDefault(stem, path, str(ranges), _expanded(scope, ranges), item.value, place is not None)


def anchors_of(file: ComponentFile, package: str) -> dict[str, Anchor]:
    """Return the anchors of a file: names, separated by commas, to ``Symbol, Symbol`` or ``package Symbol, Symbol``."""
    anchors: dict[str, Anchor] = {}
    for names, place in file.anchors.items():
        before, blank, symbols = place.partition(" ") if " " in place.partition(",")[0] else ("", "", place)
        anchor = Anchor(before if blank else package, tuple(symbol.strip() for symbol in symbols.split(",")))
        anchors.update({name.strip(): anchor for name in names.split(",")})
    return anchors


def _claims(scope: FrameworkScope, stem: str, file: ComponentFile) -> Iterator[Claim]:
    proving: dict[str, tuple[str, ...]] = {}
    for name, index, record in file.records():
        path: YamlPath = ("keys", name) if not isinstance(file.keys[name], list) else ("keys", name, index)
        keys = tuple(item.key for item in spelled(name, record)) or (name,)
        modes = tuple(record.modes or file.modes)
        covered = _record_releases(scope, stem, file, record)
        at = tuple(record.at)
        proving.update({key: (*proving.get(key, ()), *at) for key in {name, *keys}})
        yield Claim(path, name, keys, modes, covered, at)
        for number, fact in enumerate(record.facts):
            within = covered if fact.releases is None else covered & _expanded(scope, fact.releases)
            called = f"{name}, fact {number + 1}"
            yield Claim((*path, "facts", number), called, keys, tuple(fact.modes or modes), within, tuple(fact.at), at)
    own = _covered(scope, stem, None, "train")
    described = _described(scope, stem)
    for number, shared in enumerate(file.shared):
        within = own if shared.releases is None else own & _expanded(scope, shared.releases)
        about = tuple(shared.keys or ())
        if about:
            within &= frozenset().union(*(described.get(key, within) for key in about))
        called = f"shared fact {number + 1} on {', '.join(about[:2]) or 'all keys'}"
        backed = tuple(name for key in about or proving for name in proving.get(key, ()))
        yield Claim(("shared", number), called, about, tuple(shared.modes or BOTH), within, tuple(shared.at), backed)
    everything = tuple(dict.fromkeys(name for names in proving.values() for name in names))
    for field in ("tracking", "pinned", "kept"):
        for number, item in enumerate(getattr(file, field)):
            within = own if item.releases is None else own & _expanded(scope, item.releases)
            yield Claim((field, number), field, (), BOTH, within, tuple(item.at), everything)


def _described(scope: FrameworkScope, stem: str) -> dict[str, frozenset[str]]:
    """Return the keys of a file and of those that it extends, by all names in facts, to the releases that log them."""
    described: dict[str, frozenset[str]] = {}
    for part in chain(scope.spec.known, stem):
        file = scope.spec.known[part]
        for name, _, record in file.records():
            covered = _record_releases(scope, part, file, record)
            for key in {name, *(item.key for item in spelled(name, record))}:
                described[key] = described.get(key, frozenset()) | covered
    return described


def _record_releases(scope: FrameworkScope, stem: str, file: ComponentFile, record: Record) -> frozenset[str]:
    releases = frozenset[str]()
    for mode in record.modes or file.modes:
        releases |= _covered(scope, stem, record.releases, mode)
    return releases


def _covered(
    scope: FrameworkScope, stem: str, ranges: Ranges | Mapping[Mode, Ranges] | None, mode: Mode
) -> frozenset[str]:
    if isinstance(ranges, Mapping):
        return _expanded(scope, ranges[mode]) if mode in ranges else frozenset()
    return scope.own(scope.described(stem)) if ranges is None else _expanded(scope, ranges)


def _expanded(scope: FrameworkScope, ranges: Ranges) -> frozenset[str]:
    return scope.own(scope.bits(ranges))
