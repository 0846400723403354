"""One framework of the spec: its releases as bits, and what its files can refer to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from rlmetrics.names.tables.versions import RangeError, Releases

from .resolution import ExtendedFile, chain

if TYPE_CHECKING:
    from ..model import Profile, Ranges
    from ..spec import FrameworkSpec

__all__ = ["FrameworkScope", "Symbols", "scope_of"]


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
        self.releases = Releases([(item.release, item.date) for item in spec.framework.releases])
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

    def described(self, stem: str) -> int:
        """Return the releases that a file's components cover; of a fragment, those of all files that extend it."""
        files = self.spec.files
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
                self.spec.files, stem, covered, self.bits, self.everything, config, self.spec.framework.placeholders
            )
        return self._components[asked]

    def anchors(self, stem: str) -> Mapping[str, Symbols]:
        """Return the anchors that a file declares, each with its package and symbols."""
        if stem not in self._anchors:
            self._anchors[stem] = {
                name.strip(): _symbols(self.spec.framework.imported, text)
                for names, text in self.spec.files[stem].anchors.items()
                for name in names.split(",")
            }
        return self._anchors[stem]

    def is_foreign(self, stem: str, anchors: Sequence[str]) -> bool:
        """Return whether anchors of a file, if there are any, all stand in other packages."""
        declared = self.anchors(stem)
        packages = [declared[name].package for name in anchors if name in declared]
        return bool(packages) and self.spec.framework.imported not in packages

    def profile(self, component: str, stem: str, name: str) -> Profile:
        """Return a profile as a record or fact of a file knows it, else as the component does.

        Raises:
            KeyError: Neither knows it.
        """
        files = self.spec.files
        for part in (*chain(files, stem), *chain(files, component)):
            if name in files[part].profiles:
                return files[part].profiles[name]
        raise KeyError(name)


@lru_cache(maxsize=4)
def scope_of(spec: FrameworkSpec) -> FrameworkScope:
    """Return the scope of a framework: the same to all who ask, since resolving a whole framework takes a second."""
    return FrameworkScope(spec)
