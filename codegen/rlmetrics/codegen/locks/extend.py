"""Extends a lock by a release: anchors found again, watched symbols, methods, defaults and keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from .anchor_marks import Found, Mark, find
from .component_lock import LockedComponent
from .dataclass_defaults import class_defaults
from .lock import Lock
from .packages import Package
from .watched import class_of, config_of, methods_of, watched_symbols

__all__ = ["extend", "find_anchor"]


def find_anchor(
    package: Package, lock: Lock, name: str, more: Iterable[Mark] = (), *, anywhere: bool = True
) -> list[Found]:
    """Find an anchor in a release by all statements that it stands for.

    Args:
        package: The release.
        lock: What is known of the anchor.
        name: The anchor.
        more: Statements that the lock does not know yet.
        anywhere: Look at files in which it was never found, too.
    """
    return find(package, (*more, *lock.marks(name)), lock.near(name), anywhere=anywhere)


def extend(
    lock: Lock,
    package: Package,
    component: LockedComponent,
    keys: Mapping[str, Sequence[str]] | None = None,
    more: Mapping[str, Sequence[Mark]] | None = None,
) -> None:
    """Note all that a lock keeps of a release; what it knew of that release is forgotten.

    Args:
        lock: The lock of the component and of this package.
        package: The release.
        component: The component.
        keys: Its keys to where they are written, if the package is the framework's own.
        more: Anchors to statements that the lock does not know yet.
    """
    release = package.release
    own = package.name == component.package
    by_anchor = {
        name: find_anchor(package, lock, name, (more or {}).get(name, ()), anywhere=own)
        for name, anchor in component.anchors.items()
        if anchor.package == package.name
    }
    known = lock.releases
    lock.forget(release)
    lock.releases = [*known, release] if release not in known else known
    for name, places in by_anchor.items():
        lock.anchor(name, release, places)
    flat = [item for places in by_anchor.values() for item in places]
    symbols = watched_symbols(package, component, flat) if own else {}
    for item in flat:
        module = package.module(item.path)
        if module is not None and item.mark.symbol in module.symbols:
            symbols[item.path, item.mark.symbol] = module.symbols[item.mark.symbol]
    for (path, name), symbol in symbols.items():
        lock.symbol(path, name, symbol.fingerprint, symbol.statements[0].first, release)
    for described in component.classes if own else ():
        owner = class_of(package, described, release)
        if owner is None:
            continue
        for method, source in methods_of(package, owner).items():
            lock.put("methods", described.name, method, source, release)
        config = config_of(package, owner)
        for field, default in class_defaults(package, config).items() if config else ():
            lock.put("defaults", config.name if config else "", field, default, release)
    for key, written in (keys or {}).items():
        for place in written:
            lock.put("keys", "", key, place, release)
