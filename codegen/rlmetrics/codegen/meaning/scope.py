"""One framework of the spec: its releases as bits, and what its files can refer to."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from rlmetrics.names.tables.versions import RangeError, Releases

from .overridden import Overridden
from .resolution import ExtendedFile, chain

if TYPE_CHECKING:
    from ..model import Profile, Ranges
    from ..spec import FrameworkBase, FrameworkSpec

__all__ = ["FrameworkScope", "Symbols", "scope_of"]

_SCOPE = "_scope"


class Symbols(NamedTuple):
    """Where an anchor stands: in a package, in functions or classes that took turns over time."""

    package: str
    names: tuple[str, ...]


def _symbols(package: str, text: str) -> Symbols:
    """Read ``Class.method, Class.other``, which another package's name may precede."""
    first, _, rest = text.strip().partition(" ")
    if rest and not first.endswith(",") and "." not in first:
        package, text = first, rest
    return Symbols(package, tuple(name.strip() for name in text.split(",")))


class FrameworkScope:
    """A framework with everything that resolving needs, worked out once.

    Args:
        spec: The framework.
    """

    def __init__(self, spec: FrameworkSpec) -> None:
        self.spec = spec
        self.releases = Releases(spec.releases)
        self.everything = (1 << len(self.releases.names)) - 1
        self._bits: dict[str, int] = {}
        self._components: dict[tuple[str, int], ExtendedFile] = {}
        self._anchors: dict[str, dict[str, Symbols]] = {}

    def bits(self, ranges: Ranges) -> int:
        """Return the releases of a range as bits, bit 0 the oldest; nothing for a range that names no release."""
        place = str(ranges)
        if place not in self._bits:
            try:
                self._bits[place] = self.releases.bits(self.releases.checked(ranges))
            except RangeError:
                self._bits[place] = 0
        return self._bits[place]

    def own(self, bits: int) -> frozenset[str]:
        """Return the releases that bits stand for as the framework itself counts them, whatever they run on."""
        return frozenset(name.partition("+")[0] if self.spec.base else name for name in self.releases.of_bits(bits))

    def described(self, stem: str) -> int:
        """Return the releases that a file's components cover; of a fragment, those of all files that extend it."""
        files = self.spec.known
        bits = 0
        for item in files[stem].components:
            bits |= self.bits(item.releases)
        if not files[stem].components:
            for user, file in files.items():
                if user != stem and file.components and stem in chain(files, user):
                    bits |= self.described(user)
        return bits

    def component(self, stem: str, described: int | None = None) -> ExtendedFile:
        """Return a file with those that it extends.

        Args:
            stem: The file.
            described: The releases to look at; those that the file describes if left out.
        """
        covered = self.described(stem) if described is None else described
        asked = stem, covered
        if asked not in self._components:
            config = list(self.spec.framework.config)
            self._components[asked] = ExtendedFile(
                self.spec.known, stem, covered, self.bits, self.everything, config, self.spec.framework.placeholders
            )
            if self.spec.base is not None and stem in self.spec.files:
                self._components[asked].overridden = self._overridden(self.spec.base, stem)
        return self._components[asked]

    def _overridden(self, base: FrameworkBase, stem: str) -> Overridden:
        """Return what is known of methods that a file's classes have in place of those of the base."""
        files = [part for part in chain(self.spec.known, stem) if part in self.spec.files]
        methods: dict[str, int] = {}
        for part in files:
            for method, ranges in base.overridden.get(part, {}).items():
                methods[method] = methods.get(method, 0) | self.bits([*ranges])
            for method in self.spec.files[part].overrides:
                methods[method] = self.everything
        kept = [
            (
                frozenset(item.methods),
                None
                if item.keys is None
                else [re.compile(".*".join(map(re.escape, key.split("*")))) for key in item.keys],
                self.everything if item.releases is None else self.bits(item.releases),
                tuple(item.at),
            )
            for part in files
            for item in self.spec.files[part].kept
        ]
        title = self.spec.files[stem].title
        return Overridden(stem, methods, kept, self._writing, title, base.spec.framework.title)

    def _writing(self, stem: str, anchors: Sequence[str]) -> frozenset[str]:
        """Return the methods in which anchors of an extended file lie."""
        declared = self.anchors(stem)
        symbols = (name for anchor in anchors if anchor in declared for name in declared[anchor].names)
        return frozenset(symbol.partition(".")[2].partition(".")[0] for symbol in symbols if "." in symbol)

    def anchors(self, stem: str) -> Mapping[str, Symbols]:
        """Return the anchors that a file declares, each with its package and symbols."""
        if stem not in self._anchors:
            self._anchors[stem] = {
                name.strip(): _symbols(self.spec.framework.imported, text)
                for names, text in self.spec.known[stem].anchors.items()
                for name in names.split(",")
            }
        return self._anchors[stem]

    def is_foreign(self, stem: str, anchors: Sequence[str]) -> bool:
        """Return whether anchors of a file, if there are any, all stand in other packages."""
        declared = self.anchors(stem)
        packages = [declared[name].package for name in anchors if name in declared]
        own = {self.spec.framework.imported}
        if self.spec.base is not None:
            own.add(self.spec.base.spec.framework.imported)
        return bool(packages) and own.isdisjoint(packages)

    def profile(self, component: str, stem: str, name: str) -> Profile:
        """Return a profile as a record or fact of a file knows it, else as the component does.

        Raises:
            KeyError: Neither knows it.
        """
        files = self.spec.known
        for part in (*chain(files, stem), *chain(files, component)):
            if name in files[part].profiles:
                return files[part].profiles[name]
        raise KeyError(name)


def scope_of(spec: FrameworkSpec) -> FrameworkScope:
    """Return the scope of a framework: the same to all who ask, since resolving a whole framework takes a second."""
    kept = vars(spec)  # as a `cached_property` of it would: it lives as long as the framework, however many there are
    if _SCOPE not in kept:
        kept[_SCOPE] = FrameworkScope(spec)
    scope: FrameworkScope = kept[_SCOPE]
    return scope
