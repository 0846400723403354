"""Files of a framework taken over into one that derives from it, with the releases of the derived one in their ranges.

A release of the derived framework runs on a release of the base. Where it accepts several, each pair of the two is a
release of its own, ``4.6.0+trl0.24.0``; what the base's files say of a release then holds in all pairs with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from rlmetrics.names.tables.versions import RangeError, Releases

from ..meaning.resolution import chain
from ..model import ComponentFile, Default, Framework
from ..model.component_file import ReportedFault, Unlogged
from ..spec import FrameworkBase, FrameworkSpec

if TYPE_CHECKING:
    from .document import YamlPath

__all__ = ["DerivationFault", "based_on", "derivation_faults", "in_order", "with_constants", "with_shared"]

_OF_ALL = ("config", "placeholders", "guides", "single")
"""What `framework.yaml` says for all files, and what holds in derived frameworks, too, but for groups and the like."""


@dataclass(frozen=True)
class DerivationFault:
    """What is wrong with how a framework is said to derive from another one.

    Attributes:
        check: ``unknown-base`` or ``derivation-cycle``.
        path: The place in ``framework.yaml``.
        message: What is wrong.
        fix: What to do about it.
        value: Whether the value at the place is wrong.
    """

    check: str
    path: YamlPath
    message: str
    fix: str
    value: bool = True


def in_order(frameworks: Mapping[str, Framework]) -> list[str]:
    """Return the names of frameworks so that each stands behind the one that it derives from."""
    return sorted(frameworks, key=lambda name: (frameworks[name].derives is not None, name))


def derivation_faults(name: str, frameworks: Mapping[str, Framework]) -> Iterator[DerivationFault]:
    """Yield what is wrong with what a framework says of its base: at most one thing."""
    derives = frameworks[name].derives
    if derives is None:
        return
    at: YamlPath = ("derives", "from")
    base = frameworks.get(derives.from_)
    if base is None:
        known = ", ".join(other for other, item in frameworks.items() if item.derives is None)
        message = f"there is no framework `{derives.from_}` to derive from"
        yield DerivationFault("unknown-base", at, message, f"name one of {known}, or add its files")
        return
    if base.derives is not None:
        way = [name]
        while way[-1] not in way[:-1] and (step := frameworks.get(way[-1])) is not None and step.derives is not None:
            way.append(step.derives.from_)
        if way[-1] in way[:-1]:
            message = f"the framework derives from itself: {' → '.join(f'`{each}`' for each in way)}"
            yield DerivationFault("derivation-cycle", at, message, "name a framework that derives from none")
        else:
            message = f"`{derives.from_}` derives from `{base.derives.from_}` itself"
            yield DerivationFault("unknown-base", at, message, f"write `from: {base.derives.from_}`")
        return
    order = Releases([(item.release, item.date) for item in base.releases])
    own = [item.release for item in frameworks[name].releases]
    for release, ranges in derives.base.items():
        place: YamlPath = ("derives", "base", release)
        if release not in own:
            message = f"`{release}` is no release of `{name}`"
            yield DerivationFault("unknown-base", place, message, "list it under `releases`, or remove it", value=False)
            return
        try:
            order.checked(ranges)
        except RangeError as error:
            said = f"`{error.release}` is no release of `{derives.from_}`" if error.release else str(error)
            fix = f"write a release that `{derives.from_}` has, or several as `0.18.0..0.24.0`"
            yield DerivationFault("unknown-base", place, said, fix)
            return
    missing = [release for release in own if release not in derives.base]
    if missing:
        message = f"nothing says on which release of `{derives.from_}` `{missing[0]}` runs"
        yield DerivationFault("unknown-base", ("derives", "base"), message, f"add `{missing[0]}`", value=False)


def based_on(framework: Framework, files: Mapping[str, ComponentFile], base: FrameworkSpec) -> FrameworkBase:
    """Return what a framework takes over from its base: releases, and the files that its own ones extend.

    Args:
        framework: The framework; nothing is wrong with what it says of its base.
        files: Its own files.
        base: The framework that it derives from, with what its locks know.
    """
    derives = framework.derives
    assert derives is not None
    order = Releases(base.releases)
    under: dict[str, str] = {}
    releases: list[tuple[str, str]] = []
    for item in framework.releases:
        accepted = order.sort(order.checked(derives.base[item.release]))
        for release in accepted:
            pair = item.release if len(accepted) == 1 else f"{item.release}+{derives.from_}{release}"
            under[pair] = release
            releases.append((pair, item.date))
    moved = _Moved(order, Releases(releases), under)
    prefix = f"{derives.from_}/"
    stems = dict.fromkeys(
        part
        for file in files.values()
        for stem in file.extends
        if stem.startswith(prefix)
        for part in chain(base.files, stem.removeprefix(prefix))
    )
    imported = base.framework.imported
    taken: dict[str, ComponentFile] = {}
    for stem in stems:
        named = base.files[stem].model_copy(update={"groups": base.groups.get(stem, {})})
        taken[f"{prefix}{stem}"] = moved.file(named, prefix, imported)
    return FrameworkBase(derives.from_, base, moved.head(base.framework), releases, under, taken)


def with_shared(framework: Framework, base: Framework) -> Framework:
    """Return a derived framework with what its base's head says for all files, where it says nothing else itself."""
    tables: dict[str, Any] = {name: {**getattr(base, name), **getattr(framework, name)} for name in _OF_ALL}
    own = framework.audit
    tables["audit"] = base.audit.model_copy(update={name: getattr(own, name) for name in own.model_fields_set})
    return framework.model_copy(update=tables)


def with_constants(files: Mapping[str, ComponentFile], base: FrameworkSpec) -> dict[str, ComponentFile]:
    """Return files of a derived framework in which the name of their own class stands where the base's did.

    Keys of timed calls have the name of the concrete class in them.
    """
    return {stem: _with_own_name(file, base) for stem, file in files.items()}


def _with_own_name(file: ComponentFile, base: FrameworkSpec) -> ComponentFile:
    names = {item.name.rpartition(".")[2] for item in file.components}
    if len(names) != 1:
        return file
    own = next(iter(names))
    added: dict[str, Any] = {}
    for stem in file.extends:
        for part in chain(base.files, stem.partition("/")[2]):
            classes = {item.name.rpartition(".")[2] for item in base.files[part].components}
            for name, item in base.files[part].placeholders.items():
                if item.pattern in classes and item.examples == [item.pattern] and name not in file.placeholders:
                    added.setdefault(name, item.model_copy(update={"pattern": own, "examples": [own]}))
    return file.model_copy(update={"placeholders": {**file.placeholders, **added}}) if added else file


class _Moved:
    """Puts releases of a derived framework in the place of those of the base."""

    def __init__(self, order: Releases, derived: Releases, under: Mapping[str, str]) -> None:
        self._order, self._derived = order, derived
        self._bits = [1 << order.index(under[name]) for name in derived.names]
        self._known: dict[str, list[str]] = {}

    def ranges(self, ranges: Any) -> Any:
        """Return ranges of the base as such of the derived framework; nothing stays nothing."""
        if ranges is None:
            return None
        if isinstance(ranges, Mapping):
            return {mode: self.ranges(each) for mode, each in ranges.items()}
        asked = str(ranges)
        if asked not in self._known:
            covered = self._order.bits(self._order.covered(ranges))
            bits = sum(1 << index for index, bit in enumerate(self._bits) if bit & covered)
            self._known[asked] = self._derived.ranges(bits)
        return self._known[asked]

    def head(self, framework: Framework) -> Framework:
        """Return what a framework says for all of its files, in the releases of the derived framework."""
        tables = {name: self._node(getattr(framework, name)) for name in (*_OF_ALL, "profiles", "guards", "groups")}
        return framework.model_copy(update=tables)

    def file(self, file: ComponentFile, prefix: str, imported: str) -> ComponentFile:
        """Return a file as a fragment: its keys in the releases of the derived framework, its anchors in the base."""
        own = self.ranges([span for item in file.components for span in _listed(item.releases)] or None)
        anchors = {names: _in_package(imported, text) for names, text in file.anchors.items()}
        moved: ComponentFile = self._node(file.model_copy(update={"components": [], "allow": [], "watch": []}))
        keys = {
            name: [_within(each, own) for each in records] if isinstance(records, list) else _within(records, own)
            for name, records in moved.keys.items()
        }
        said = {
            name: [_within(item, own) for item in getattr(moved, name)] for name in ("shared", "tracking", "pinned")
        }
        said["extends"] = [f"{prefix}{stem}" for stem in file.extends]
        return moved.model_copy(update={"anchors": anchors, "keys": keys, **said})

    def _node(self, node: Any) -> Any:
        changed: Any
        if isinstance(node, dict):
            changed = {name: self._node(value) for name, value in node.items()}
            return node if all(changed[name] is value for name, value in node.items()) else changed
        if isinstance(node, list):
            changed = [new for value in node if not _is_over(new := self._node(value))]
            same = len(changed) == len(node) and all(new is old for new, old in zip(changed, node, strict=True))
            return node if same else changed
        if not isinstance(node, BaseModel):
            return node
        fields: dict[str, Any] = {}
        for name in node.model_fields_set:
            value = getattr(node, name)
            if isinstance(value, str | int | float) and name != "releases":
                continue
            new = self.ranges(value) if name == "releases" else self._node(value)
            if new is not value:
                fields[name] = new
        return node.model_copy(update=fields) if fields else node


def _is_over(item: Any) -> bool:
    """Tell whether something of which no place is noted concerns none of the releases."""
    return isinstance(item, Default | Unlogged | ReportedFault) and item.releases == []


def _listed(ranges: str | Sequence[str]) -> list[str]:
    return [ranges] if isinstance(ranges, str) else [*ranges]


def _within(item: Any, own: list[str] | None) -> Any:
    """Return a record or fact that says no releases with those of its file's classes, where it has any."""
    return item if own is None or item.releases is not None else item.model_copy(update={"releases": own})


def _in_package(imported: str, text: str) -> str:
    """Return the symbols of an anchor with the package before them in which they are."""
    return text if " " in text.partition(",")[0].strip() else f"{imported} {text}"
