"""What files of a framework leave to its locks: where anchors stand, and the defaults of settings."""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..meaning.resolution import chain
from ..meaning.scope import FrameworkScope
from ..model.config_key import Default
from ..spec import FrameworkSpec
from .lock import Lock
from .lock_text import lock_for_facts

if TYPE_CHECKING:
    from ..model import ConfigKey

__all__ = ["KnownDefault", "LockFacts"]

_UNKNOWN = object()
"""A default that only a run knows, such as the call of a factory."""


class KnownDefault(NamedTuple):
    """A default that the locks have of a setting.

    Attributes:
        value: The default.
        symbol: The one class that has it; nothing if several do.
        releases: The releases, as bits.
    """

    value: object
    symbol: str
    releases: int


class LockFacts:
    """What the locks of a framework know of its files.

    Args:
        spec: The framework as its files say it.
        folder: Its locks; there may be none, as of an overlay's own framework.

    Raises:
        LockError: If a file there is no lock.
    """

    def __init__(self, spec: FrameworkSpec, folder: Path) -> None:
        self._spec = spec
        self._folder = folder
        self._locks = {stem: lock_for_facts(folder / f"{stem}.lock", stem) for stem in spec.files}
        self.scope = FrameworkScope(spec)

    def added(self) -> FrameworkSpec:
        """Return the framework with what the locks know; what a file states stays."""
        files = {
            stem: file.model_copy(
                update={
                    "anchors": {**self.anchors(stem), **file.anchors},
                    "config": {name: self._config_key(stem, name, key) for name, key in file.config.items()},
                }
            )
            for stem, file in self._spec.files.items()
        }
        head = self._spec.framework
        config = {name: key.typed(()) for name, key in head.config.items()}
        base = self._spec.base
        if base is not None:
            base = replace(base, overridden={stem: self._methods(stem) for stem in self._spec.files})
        head = head.model_copy(update={"config": config})
        return replace(self._spec, framework=head, files=files, stated=self._spec.files, base=base)

    def _methods(self, stem: str) -> dict[str, list[str]]:
        """Return the methods that the classes of a file, or of those that extend it, have in their own package."""
        found: dict[str, set[str]] = {}
        for _, table in self._locks[stem].subjects("methods"):
            for method, sources in table.items():
                found.setdefault(method, set()).update(*sources.values())
        order = self.scope.releases
        return {method: order.ranges(self._bits(releases)) for method, releases in found.items()}

    def anchors(self, stem: str) -> dict[str, str]:
        """Return the anchors of a file with their symbols, after the name of another package in which they stand."""
        anchors = _symbols(self._locks[stem], "")
        for path in sorted(self._folder.glob(f"*/{stem}.lock")):
            anchors.update(_symbols(lock_for_facts(path, stem), f"{path.parent.name} "))
        return dict(sorted(anchors.items()))

    def defaults(self, stem: str, name: str, key: ConfigKey) -> list[KnownDefault]:
        """Return the defaults that the classes of a file, or of those that extend it, have of a setting.

        Where two classes differ in a release, or one has it from a class of another package, nothing is said of it.
        """
        held: dict[tuple[type, object], int] = {}
        symbols: dict[tuple[type, object], set[str]] = {}
        clear = self.scope.described(stem)
        for part in self._with_classes(stem):
            everything = named = 0
            for symbol, table in self._locks[part].subjects("defaults"):
                everything |= self._bits({release for row in table.values() for own in row.values() for release in own})
                for text, releases in table.get(name, {}).items():
                    value, covered = _value(text, key), self._bits(releases)
                    asked = type(value), value
                    symbols.setdefault(asked, set()).add(symbol)
                    named |= covered
                    for other in held:
                        clear &= ~(held[other] & covered) if other != asked else -1
                    held[asked] = held.get(asked, 0) | covered
            clear &= ~(everything & ~named)
        return [
            KnownDefault(value, next(iter(symbols[kind, value])) if len(symbols[kind, value]) == 1 else "", known)
            for (kind, value), covered in held.items()
            if value is not _UNKNOWN and (known := covered & clear)
        ]

    def _values(self, stem: str, name: str) -> Iterator[object]:
        """Yield what the classes of a file, or of those that extend it, have for a setting, as far as that is known."""
        for part in self._with_classes(stem):
            for _, table in self._locks[part].subjects("defaults"):
                yield from (value for text in table.get(name, ()) if (value := _literal(text)) is not _UNKNOWN)

    def _bits(self, releases: set[str]) -> int:
        return self.scope.releases.bits(self.scope.releases.among(releases))

    def _with_classes(self, stem: str) -> list[str]:
        """Return the file if it describes classes, else the files that extend it and do."""
        files = self._spec.files
        if files[stem].components:
            return [stem]
        return [user for user, file in files.items() if file.components and stem in chain(files, user)]

    def _config_key(self, stem: str, name: str, key: ConfigKey) -> ConfigKey:
        """Return a setting with its type, and with its defaults in the releases for which its file states none."""
        key = key.typed(self._values(stem, name))
        bits, ranges = self.scope.bits, self.scope.releases.ranges
        stated = 0
        for item in key.defaults:
            stated |= bits(item.releases or "..")
        added = [
            Default.model_validate({"releases": ranges(left), "value": item.value, "symbol": item.symbol or None})
            for item in self.defaults(stem, name, key)
            if (left := item.releases & ~stated)
        ]
        # The lowest bit is that of the earliest release.
        placed = [
            (covered & -covered, item) for item in (*key.defaults, *added) for covered in [bits(item.releases or "..")]
        ]
        ordered = [item for _, item in sorted(placed, key=lambda pair: pair[0])]
        return key.model_copy(update={"defaults": ordered}) if added else key


def _value(text: str, key: ConfigKey) -> object:
    """Return what a class has for a setting, as Python writes it, as the setting's type has it; else `_UNKNOWN`."""
    value = _literal(text)
    if key.type == "float" and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    return value if value is None or key.fits(value) else _UNKNOWN


def _literal(text: str) -> object:
    try:
        return literal_eval(text)
    except (ValueError, SyntaxError):
        return _UNKNOWN


def _symbols(lock: Lock, before: str) -> dict[str, str]:
    names: dict[str, set[str]] = {}
    for _, table in lock.subjects("anchors"):
        for name, values in table.items():
            names.setdefault(name, set()).update(value.partition(" ")[0] for value in values)
    return {name: f"{before}{', '.join(sorted(symbols))}" for name, symbols in names.items()}
