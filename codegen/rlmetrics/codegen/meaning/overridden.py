"""Keys of an extended class that a derived class may write otherwise, since it has a method of its own for them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

__all__ = ["Overridden", "of_base"]

EVERY = "*"
"""Stands for all methods, where a class has code of its own for most of what it logs."""
_Kept = tuple[frozenset[str], Sequence[re.Pattern[str]] | None, int, tuple[str, ...]]


def of_base(stem: str) -> bool:
    """Tell whether a file belongs to the framework that this one derives from."""
    return "/" in stem


@dataclass(frozen=True)
class Overridden:
    """The methods that the classes of a file have in place of those that they extend.

    Attributes:
        stem: The file.
        methods: The methods, each with the releases as bits.
        kept: Methods that leave keys as they are: which, which keys (None for every key), releases and anchors.
        writing: Gives the methods in which anchors of a file lie.
        component: What the class is called.
        base: What the framework is called that it derives from.
    """

    stem: str
    methods: Mapping[str, int]
    kept: Sequence[_Kept]
    writing: Callable[[str, Sequence[str]], frozenset[str]]
    component: str
    base: str

    def note(self, methods: Sequence[str]) -> str:
        """Return what is said of a key that own methods write."""
        if EVERY in methods:
            return f"{self.component} writes with code of its own; nobody has compared this key with {self.base}'s."
        named = " and ".join(f"`{method}`" for method in methods)
        have, write = (f"a {named} of its own", "writes") if len(methods) == 1 else (f"{named} of its own", "write")
        return f"{self.component} has {have}, which {write} this key in {self.base}; nobody has compared the two."

    def changed(self, methods: Sequence[str]) -> str:
        """Return what is said of a key of which own methods may change something that a fact of the base says."""
        named = " and ".join(f"`{method}`" for method in methods)
        have, add = (f"a {named} of its own", "adds") if len(methods) == 1 else (f"{named} of its own", "add")
        unsure = f"what {self.base}'s {add} to this key may not hold, and nobody has compared the two"
        return f"{self.component} has {have}; {unsure}."

    def unread(self, stem: str, anchors: Sequence[str], key: str, releases: int) -> Iterator[tuple[int, list[str]]]:
        """Yield in which releases a key of an extended file is written by methods that nobody compared, and which.

        Args:
            stem: The file in which its record stands.
            anchors: Those of the record.
            key: The key.
            releases: The releases to look at, as bits.
        """
        if of_base(stem):
            yield from self._not_kept(self.writing(stem, anchors) | {EVERY}, key, releases)

    def lost(self, stem: str, anchors: Sequence[str], key: str, releases: int) -> Iterator[tuple[int, list[str]]]:
        """Yield in which releases methods are replaced that prove what a fact of an extended file says, and which.

        Args:
            stem: The file in which the fact stands.
            anchors: Those of the fact.
            key: The key.
            releases: The releases to look at, as bits.
        """
        if of_base(stem):
            yield from self._not_kept(self.writing(stem, anchors), key, releases)

    def _not_kept(self, names: frozenset[str], key: str, releases: int) -> Iterator[tuple[int, list[str]]]:
        by_releases: dict[int, list[str]] = {}
        for method in sorted(names & self.methods.keys()):
            covered = self.methods[method] & releases
            for methods, keys, where, _ in self.kept:
                if method in methods and (keys is None or any(each.fullmatch(key) for each in keys)):
                    covered &= ~where
            if covered:
                by_releases.setdefault(covered, []).append(method)
        yield from by_releases.items()

    def read(self, stem: str, anchors: Sequence[str], key: str, releases: int) -> Iterator[tuple[int, tuple[str, ...]]]:
        """Yield the anchors in own methods that write a key as the extended ones do, with the releases."""
        if not of_base(stem):
            return
        writing = self.writing(stem, anchors) | {EVERY}
        for methods, keys, where, at in self.kept:
            covered = where & releases
            named = keys is None or any(each.fullmatch(key) for each in keys)
            if named and at and covered and not writing.isdisjoint(methods):
                yield covered, at
