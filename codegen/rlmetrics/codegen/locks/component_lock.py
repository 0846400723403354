"""What locks need to know of a component's file: its classes, anchors, claims and what it watches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

__all__ = ["Anchor", "Claim", "ClassRange", "LockedComponent", "StatedDefault"]

Value = bool | int | float | str | None


@dataclass(frozen=True)
class Anchor:
    """Where to look for a statement.

    Attributes:
        package: The package, as it is imported.
        symbols: Qualified names of the functions, methods and classes that hold it; several where it moved.
    """

    package: str
    symbols: tuple[str, ...]


@dataclass(frozen=True)
class Claim:
    """A key's record, a fact or a guard, and what proves it.

    Attributes:
        path: Where it is written in the file.
        name: How messages call it, such as ``kl`` or ``kl, fact 3``.
        keys: The keys that it is about; empty for all of the file.
        modes: ``train``, ``eval`` or both.
        releases: The releases that it holds in.
        at: Names of its anchors.
        backed: Anchors of the records that it is about: they hold it in releases in which its own are not found.
    """

    path: tuple[str | int, ...]
    name: str
    keys: tuple[str, ...]
    modes: tuple[str, ...]
    releases: frozenset[str]
    at: tuple[str, ...]
    backed: tuple[str, ...] = ()


@dataclass(frozen=True)
class ClassRange:
    """A class that a component is, in some releases."""

    name: str
    module: str
    releases: frozenset[str]


@dataclass(frozen=True)
class StatedDefault:
    """A default of a configuration key, as the spec has it.

    Attributes:
        stem: The file that says it.
        path: Where it is written in that file.
        ranges: Its releases as they are written.
        releases: Its releases.
        value: The default.
        written: Whether a person wrote it; else the locks have it.
    """

    stem: str
    path: tuple[str | int, ...]
    ranges: str
    releases: frozenset[str]
    value: Value
    written: bool = True


@dataclass(frozen=True)
class LockedComponent:
    """One file of ``spec/frameworks``.

    Attributes:
        framework: The framework.
        package: Its package, as it is imported.
        stem: Name of the file without its suffix.
        classes: What it describes; empty for a file that only others extend.
        extends: Stems of the files that it extends, directly.
        anchors: Anchors by name.
        claims: All records and facts.
        watch: Symbols and paths that it watches besides its own.
        keys: Keys to the releases that they are described for.
        prefix: What stands before a key in evaluation.
        defaults: Configuration keys to the defaults that the nearest file says of them.
    """

    framework: str
    package: str
    stem: str
    classes: tuple[ClassRange, ...] = ()
    extends: tuple[str, ...] = ()
    anchors: Mapping[str, Anchor] = field(default_factory=dict)
    claims: tuple[Claim, ...] = ()
    watch: tuple[str, ...] = ()
    keys: Mapping[str, frozenset[str]] = field(default_factory=dict)
    prefix: str = "eval_"
    defaults: Mapping[str, tuple[StatedDefault, ...]] = field(default_factory=dict)

    def packages(self) -> tuple[str, ...]:
        """Return the packages that it has anchors in, its own first."""
        others = {anchor.package for anchor in self.anchors.values()} - {self.package}
        return (self.package, *sorted(others))

    def covered(self) -> frozenset[str]:
        """Return the releases that it describes; a derived class that says nothing may have methods of its own."""
        return frozenset[str]().union(
            *(claim.releases for claim in self.claims), *(item.releases for item in self.classes)
        )

    def cited(self) -> frozenset[str]:
        """Return the anchors that its claims name."""
        return frozenset(name for claim in self.claims for name in claim.at)

    def needed(self, release: str) -> Iterator[tuple[str, Claim]]:
        """Yield the anchors that claims of a release name, with the claims."""
        for claim in self.claims:
            if release in claim.releases:
                for name in claim.at:
                    yield name, claim
