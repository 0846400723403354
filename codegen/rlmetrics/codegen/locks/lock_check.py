"""Holds the claims of a component against its locks, without the packages; and a lock against a package."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from .anchor_marks import places_of
from .component_lock import Claim, LockedComponent
from .lock import Lock
from .packages import Package

__all__ = ["Problem", "check_component", "differences", "unproven"]

LockOf = Callable[[str], Lock]
"""The component's lock of a package."""


class Problem(NamedTuple):
    """Something about anchors that is wrong.

    Attributes:
        id: ``unknown-anchor``, ``unused-anchor``, ``anchor-not-found``, ``idle-anchor`` or ``unproven``.
        claim: The claim that it is about, or None where it is about an anchor.
        anchor: The anchor that it is about, or nothing.
        message: What is wrong.
        fix: What to do.
    """

    id: str
    claim: Claim | None
    anchor: str
    message: str
    fix: str


def check_component(component: LockedComponent, lock_of: LockOf, order: Sequence[str]) -> Iterator[Problem]:
    """Yield what is wrong with the anchors of a component.

    Args:
        component: The component.
        lock_of: Its locks.
        order: All releases of its framework, oldest first.
    """
    used: set[str] = set()
    missing: set[str] = set()
    for name, anchor in component.anchors.items():
        if not lock_of(anchor.package).proven(name):
            missing.add(name)
    for claim in component.claims:
        used.update(claim.at)
        for name in claim.at:
            if name not in component.anchors:
                fix = f"run `rlmetrics anchor add {name} RELEASE PATH:LINE`, or name another one"
                yield Problem("unknown-anchor", claim, name, f"`{name}` is no anchor of this file", fix)
        yield from _unproven(component, claim, lock_of, order, missing)
    for name in sorted(missing & used):
        symbols = " or ".join(component.anchors[name].symbols)
        fix = f"run `rlmetrics anchor add {name} RELEASE PATH:LINE`"
        yield Problem("anchor-not-found", None, name, f"`{name}` was never found in {symbols}", fix)
    for name in sorted(component.anchors.keys() - used):
        yield Problem("unused-anchor", None, name, f"no fact names the anchor `{name}`", "delete it")


def unproven(component: LockedComponent, claim: Claim, lock_of: LockOf) -> frozenset[str]:
    """Return the releases of a claim in which no anchor in the framework's own package is found, its own or its key's.

    A claim without such an anchor is held by the watched symbols of its component alone, and is not unproven.
    """
    own = _own(component, claim.at)
    backed = _own(component, claim.backed)
    proven = frozenset(release for name in (*own, *backed) for release in lock_of(component.package).proven(name))
    return claim.releases - proven if own else frozenset()


def _own(component: LockedComponent, names: Iterable[str]) -> list[str]:
    known = ((name, component.anchors.get(name)) for name in names)
    return [name for name, anchor in known if anchor and anchor.package == component.package]


def _unproven(
    component: LockedComponent, claim: Claim, lock_of: LockOf, order: Sequence[str], missing: Iterable[str]
) -> Iterator[Problem]:
    lock = lock_of(component.package)
    for name in _own(component, claim.at):
        if name not in missing and claim.releases and not claim.releases & lock.proven(name):
            message = f"`{name}` is found in none of the releases of {claim.name}"
            yield Problem("idle-anchor", claim, name, message, "name an anchor of these releases, or change the range")
    left = unproven(component, claim, lock_of)
    if left:
        shown = [release for release in order if release in left]
        text = shown[0] if len(shown) == 1 else f"{shown[0]} to {shown[-1]}, {len(shown)} releases"
        fix = "name an anchor that stands there, add one with `rlmetrics anchor add`, or end the range before"
        yield Problem("unproven", claim, "", f"no anchor of {claim.name} is found in {text}", fix)


def differences(lock: Lock, package: Package) -> list[str]:
    """Say how a lock differs from the release that it speaks of: moved lines and other fingerprints.

    Args:
        lock: A component's lock.
        package: A release that it covers.
    """
    release = package.release
    lines: list[str] = []
    for name in sorted(lock.anchors()):
        for mark, path, offsets in lock.found(name, release):
            module = package.module(path)
            symbol = module.symbols.get(mark.symbol) if module else None
            if symbol is None:
                lines.append(f"{name}: {path} has no {mark.symbol}")
                continue
            first = symbol.statements[0].first
            here = tuple(symbol.statements[place].first - first for place in places_of(symbol, mark))
            if here != offsets:
                lines.append(f"{name}: {mark} stands at {here or 'no line'} of its symbol, not at {offsets}")
        for path, line in lock.places(name, release):
            module = package.module(path)
            symbol = module.symbol_at(line) if module else None
            marks = {item.mark.fingerprint for item in lock.found(name, release)}
            place = symbol.place_at(line) if symbol else None
            if symbol is None or place is None or symbol.statements[place].fingerprint not in marks:
                lines.append(f"{name}: {path}:{line} says something else")
    for (path, name), said in sorted(lock.watched(release).items()):
        module = package.module(path)
        symbol = module.symbols.get(name) if module else None
        if symbol is None or symbol.fingerprint != said:
            lines.append(f"{path} {name}: another fingerprint")
    return lines
