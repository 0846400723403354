"""Pieces of news, and the two neighbouring releases that they are made from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from .component_lock import LockedComponent
from .lock import Lock
from .packages import Package

if TYPE_CHECKING:
    from ..loader.document import YamlPath

__all__ = ["Item", "News", "ReleaseStep", "keys_of"]

Kind = Literal[
    "anchor lost",
    "component",
    "new key",
    "lost key",
    "renamed key",
    "moved key",
    "default",
    "requirement",
    "setting",
    "changed code",
]


@dataclass(frozen=True)
class Item:
    """One piece of news.

    Attributes:
        kind: What it is. All but ``changed code`` and ``setting`` say that the spec may be wrong until it is edited.
        what: One line.
        token: The change in a form that stays the same as long as the change does.
        components: Stems of the files that it is about.
        keys: Keys that depend on it.
        symbols: Path and name of the symbols that it is about.
        diff: Lines with ``- `` or ``+ `` before them.
        hints: Lines that help to repair it.
    """

    kind: Kind
    what: str
    token: str
    components: tuple[str, ...]
    keys: tuple[str, ...] = ()
    symbols: tuple[tuple[str, str], ...] = ()
    diff: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()

    @property
    def tier(self) -> Literal["edit", "read"]:
        """Whether the spec is wrong until it is edited, or the code has to be read."""
        return "read" if self.kind in ("changed code", "setting") else "edit"


@dataclass(frozen=True)
class News:
    """All news of a release.

    Attributes:
        found: How many anchors were found.
        moved: How many of them stand on other lines, or in other files.
        lost: How many were not.
        items: To edit first, then to read, the most relevant first.
        names: Changed code that no fact depends on, and new files.
    """

    found: int
    moved: int
    lost: int
    items: tuple[Item, ...]
    names: tuple[str, ...]


@dataclass(frozen=True)
class ReleaseStep:
    """Two neighbouring releases of a framework and what locks know of them.

    Attributes:
        old: The earlier release.
        new: The later one.
        components: The components, whose claims know the new release.
        locks: Stem to the lock of the framework's own package; both releases are in it.
        shared: The lock of the framework as a whole.
        described: Keys of each component's file that are described in the new release.
        written: Stem and key to the path, line and symbol of a place that writes the key in the new release.
        locate: Says where something of a file is written, as people look for it.
        base: Components of the framework that this one derives from, whose keys are described there.
    """

    old: Package
    new: Package
    components: Sequence[LockedComponent]
    locks: Mapping[str, Lock]
    shared: Lock
    described: Mapping[str, frozenset[str]] = field(default_factory=dict)
    written: Mapping[tuple[str, str], tuple[str, int, str]] = field(default_factory=dict)
    locate: Callable[[str, YamlPath], str] = lambda stem, _: f"{stem}.yaml"
    base: Sequence[LockedComponent] = ()

    def nearest(self, stem: str, key: str) -> LockedComponent | None:
        """Return the file that describes a key, as it is logged: a component's own, or the nearest that it extends."""
        stems = {component.stem: component for component in (*self.components, *self.base)}
        todo, seen = [stem], set[str]()
        while todo:
            component = stems.get(todo.pop(0))
            if component is None or component.stem in seen:
                continue
            if key in component.keys:
                return component
            seen.add(component.stem)
            todo.extend(component.extends)
        return None

    def is_described(self, stem: str, key: str) -> bool:
        """Tell whether a component or a file that it extends describes a key, as it is logged, in the new release."""
        component = self.nearest(stem, key)
        return component is not None and self.new.release in component.keys[key]


def keys_of(uses: Iterable[tuple[LockedComponent, Iterable[str]]]) -> tuple[str, ...]:
    """Return the keys with the stems of their files, as items name them."""
    return tuple(sorted({f"{component.stem}: {key}" for component, keys in uses for key in keys}))
