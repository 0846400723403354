"""All settings that a release has, whatever the spec says of them: fields of dataclasses, keys of hydra's YAML."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

import yaml

from .dataclass_defaults import class_defaults
from .ledger import Ledger
from .packages import Package
from .symbols import Symbol

if TYPE_CHECKING:
    from ..model.config_key import SettingSources

__all__ = ["OPEN", "SETTINGS", "note_settings", "settings_of"]

SETTINGS = "settings"
"""The stem of the lock that keeps them."""

OPEN = "open"
"""Said of a section that is empty by default: its own settings are the user's."""

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_CHOICE = re.compile(r"\\\$\\\{.*?\\\}")
"""A part of a file's name that another setting gives, escaped."""


def note_settings(ledger: Ledger, package: Package, sources: SettingSources | None) -> None:
    """Note the settings of a release in the lock of all settings; what was known of that release is forgotten.

    Args:
        ledger: The locks of the framework.
        package: The release, of the framework's own package or of one whose classes it inherits.
        sources: Where settings stand.
    """
    found = settings_of(package, sources, own=package.name == ledger.package) if sources else {}
    if not found:
        return
    lock = ledger.lock(SETTINGS, package.name)
    known = lock.releases
    lock.forget(package.release)
    lock.releases = known if package.release in known else [*known, package.release]
    for name, said in found.items():
        lock.put("settings", "", name, said, package.release)


def settings_of(package: Package, sources: SettingSources, *, own: bool = True) -> dict[str, str]:
    """Return the settings of a release by name, and what is said of each: nothing, or `OPEN`.

    Args:
        package: The release.
        sources: Where settings stand.
        own: Whether it is the framework's own package, not one whose classes it inherits.
    """
    wanted = sources.classes if own else sources.inherited.get(package.name, [])
    found = dict.fromkeys(_fields(package, wanted), "")
    if own and sources.hydra is not None:
        files = {path: text for path, text in package.texts.items() if _is_in(path, sources.hydra)}
        composed = Composition(files)
        for path in files:
            if PurePosixPath(path).parent.name == sources.hydra:
                found.update(composed.settings(path))
    return found


def _fields(package: Package, wanted: Sequence[str]) -> Iterator[str]:
    for pattern in wanted:
        for symbol in _classes(package, pattern):
            yield from (field for field in class_defaults(package, symbol) if not field.startswith("_"))


def _classes(package: Package, pattern: str) -> list[Symbol]:
    module, _, name = pattern.rpartition(".")
    if module:
        # Of a large package only the module that is named is read.
        named = package.class_named(module, name)
        return [named] if named else []
    symbols = [symbol for name, items in package.by_name.items() if fnmatchcase(name, pattern) for symbol in items]
    return [symbol for symbol in symbols if symbol.kind == "class"]


def _is_in(path: str, folder: str) -> bool:
    return path.endswith((".yaml", ".yml")) and folder in PurePosixPath(path).parts


class Composition:
    """Configurations as hydra composes them, with every option that a setting can choose.

    Args:
        texts: Path to text of all files.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._files: dict[str, dict[str, Any]] = {}
        for path, text in texts.items():
            try:
                data = yaml.load(text, Loader=_LOADER)
            except yaml.YAMLError:
                continue
            if isinstance(data, dict):
                self._files[path] = data

    def settings(self, path: str) -> dict[str, str]:
        """Return the settings of a configuration by dotted names, and what is said of each."""
        return dict(self._composed(path, "", set()))

    def _composed(self, path: str, package: str, seen: set[tuple[str, str]]) -> Iterator[tuple[str, str]]:
        if path not in self._files or (path, package) in seen:
            return
        seen.add((path, package))
        data = self._files[path]
        yield from _flat({name: value for name, value in data.items() if name not in ("defaults", "hydra")}, package)
        for entry in data.get("defaults") or ():
            for name, value in entry.items() if isinstance(entry, dict) else ((entry, None),):
                for other, inside in self._chosen(path, str(name).split()[-1], value, package):
                    yield from self._composed(other, inside, seen)

    def _chosen(self, path: str, name: str, option: Any, package: str) -> Iterator[tuple[str, str]]:
        """Yield the files that an entry of a list of defaults can mean, each with where its settings go."""
        folder = posixpath.dirname(path)
        if option is None:
            inside = package
            wanted = name
        else:
            group, at, place = name.partition("@")
            inside = ".".join(filter(None, (package, place if at else group.strip("./").replace("/", "."))))
            wanted = f"{group}/{option}"
        pattern = _CHOICE.sub(r"[^/]+", re.escape(posixpath.normpath(f"{folder}/{wanted}")))
        here = [other for other in self._files if re.fullmatch(pattern, posixpath.splitext(other)[0])]
        # Another package's configurations are found by hydra's search path: by name alone.
        named = [other for other in self._files if option is None and PurePosixPath(other).stem == name]
        yield from ((other, inside) for other in here or named)


def _flat(settings: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, str]]:
    for name, value in settings.items():
        full = f"{prefix}.{name}" if prefix else str(name)
        if isinstance(value, Mapping) and value:
            yield from _flat(value, full)
        elif not str(name).startswith("_"):
            yield full, OPEN if isinstance(value, Mapping) else ""
