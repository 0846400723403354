"""Which settings a framework's releases have, whatever the spec says of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache

from rlmetrics.lazy_typing import Any

from .versions import Releases

__all__ = ["KnownSettings"]


class KnownSettings:
    """The names of all settings of every release.

    Args:
        data: Ranges of releases, joined by spaces, to names of settings under ``NAMES``, those of packages that any
            release may come with under an empty text; under ``OPEN`` sections that users fill.
        releases: The releases of the framework.
        base: The settings of the framework that it derives from, with the release of that one under each of these.
    """

    def __init__(
        self,
        data: Mapping[str, Any],
        releases: Releases,
        base: tuple[KnownSettings, Mapping[str, str]] | None = None,
    ) -> None:
        self._base = base
        self._named: Mapping[str, Sequence[str]] = data.get("NAMES", {})
        self._open: Sequence[str] = data.get("OPEN", ())
        self._releases = releases
        self.of = lru_cache(maxsize=4)(self._of)
        """Returns the names of the settings of a release."""

    def _of(self, release: str) -> frozenset[str]:
        covers = self._releases.covers
        own = frozenset(
            name
            for ranges, names in self._named.items()
            if not ranges or covers(ranges.split(" "), release)
            for name in names
        )
        return own if self._base is None else own | self._base[0].of(self._base[1][release])

    def lists(self, release: str) -> bool:
        """Tell whether all settings of a release are named: those of a base are not all of what derives from it."""
        covers = self._releases.covers
        return any(ranges and covers(ranges.split(" "), release) for ranges in self._named)

    def has(self, given: str, release: str) -> bool:
        """Tell whether a release has a setting: under that name, one that ends with it, or in a section to be filled.

        ``+`` before a name adds a setting, as hydra does: then it is enough that the release has its section.
        """
        return self._among(given, self.of(release))

    def inherits(self, name: str) -> bool:
        """Tell whether a setting is one of another package's classes, which all of the framework's extend."""
        return name in self._named.get("", ()) or (self._base is not None and self._base[0].inherits(name))

    def had(self, given: str) -> bool:
        """Tell whether any release has a setting."""
        return self._among(given, self.every)

    @cached_property
    def every(self) -> frozenset[str]:
        """The names of the settings that any release has."""
        own = frozenset(name for names in self._named.values() for name in names)
        return own if self._base is None else own | self._base[0].every

    def _among(self, given: str, names: frozenset[str]) -> bool:
        name = given.lstrip("+")
        if name in names or any(known.endswith(f".{name}") for known in names):
            return True
        sections = self._open if self._base is None else (*self._open, *self._base[0]._open)
        if any(name.startswith(f"{section}.") for section in sections if section in names):
            return True
        section = name.rpartition(".")[0]
        return given.startswith("+") and bool(section) and any(known.startswith(f"{section}.") for known in names)
