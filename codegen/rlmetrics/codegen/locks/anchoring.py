"""Takes a statement of a release into an anchor."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rlmetrics.names.tables.user_errors import UserError

from .anchor_marks import Mark, find, mark_of
from .component_lock import LockedComponent
from .fetch import CACHE, archive_of
from .ledger import Ledger
from .packages import Package, open_package
from .similar import text_of
from .symbol_changes import parsed
from .symbols import Symbol

__all__ = ["Taken", "add_anchor", "drop_unnamed", "is_trivial", "statement_at"]

_TRIVIAL = re.compile(
    r"(pass|continue|break|try:|else:|finally:|return|return \w+|return self\.\w+|import .*|from .* import .*)"
)


@dataclass(frozen=True)
class Taken:
    """What an anchor took.

    Attributes:
        stems: The files whose anchor it is.
        mark: The statement.
        path: Path of its module.
        line: Its first line.
        text: Its source, for the terminal; it is not stored.
        releases: In which releases it was found; those without an archive were not looked at.
        unseen: The releases that were not looked at.
    """

    stems: tuple[str, ...]
    mark: Mark
    path: str
    line: int
    text: str
    releases: tuple[str, ...]
    unseen: tuple[str, ...]


def statement_at(package: Package, path: str, line: int) -> tuple[Symbol, int]:
    """Return the smallest statement around a line.

    Raises:
        UserError: If there is no such line, or nothing on it.
    """
    module = package.module(path)
    if module is None:
        known = f"name it as the archive does, such as {package.paths[0]}" if package.paths else "is it the right one?"
        msg = f"{package.name} {package.release} has no module {path} that can be parsed; {known}"
        raise UserError(msg)
    symbol = module.symbol_at(line)
    place = symbol.place_at(line) if symbol else None
    if symbol is None or place is None:
        msg = (
            f"{path}:{line}:1: no statement of {package.name} {package.release} stands on this line; name another line"
        )
        raise UserError(msg)
    return symbol, place


def is_trivial(text: str) -> bool:
    """Tell whether a statement proves nothing, such as ``return loss``."""
    return _TRIVIAL.fullmatch(text.partition("#")[0].strip()) is not None


def _words(symbol: Symbol, place: int, lines: Sequence[str]) -> frozenset[str]:
    """Return the words without which no source can make a statement: its names, and texts that are one word."""
    words: set[str] = set()
    for node in ast.walk(parsed(symbol, place, lines)) if symbol.path.endswith(".py") else ():
        for field in ("id", "attr", "arg", "value"):
            word = getattr(node, field, None)
            if isinstance(word, str) and re.fullmatch(r"[A-Za-z_]\w*", word):
                words.add(word)
    return frozenset(words)


def _may_say(package: Package, words: frozenset[str]) -> bool:
    """Tell whether some file of a release has all of some words, so that it is worth parsing."""
    return any(all(word in content for word in words) for content in package.texts.values())


def add_anchor(
    ledger: Ledger,
    components: Mapping[str, LockedComponent],
    name: str,
    package: Package,
    path: str,
    line: int,
    only: str | None = None,
    cache: Path = CACHE,
) -> Taken:
    """Let an anchor stand for a statement, too, in this release and in all others whose archives are at hand.

    Args:
        ledger: The locks of the framework.
        components: Its files by stem.
        name: The anchor.
        package: The release.
        path: Path of the module in its archive.
        line: A line of the statement.
        only: The stem of one file, where several have an anchor of that name.
        cache: Where archives lie.

    Raises:
        UserError: If no file names that anchor, none of those that do describes the release, it stands in another
            package, or the statement is trivial.
    """
    symbol, place = statement_at(package, path, line)
    text = text_of(symbol, place, package.texts[path].splitlines())
    if is_trivial(text):
        msg = f"{path}:{line}:1: `{text}` proves nothing; name the statement that computes or decides"
        raise UserError(msg)
    owners = [c for c in components.values() if only in (None, c.stem) and (name in c.cited() or name in c.anchors)]
    if not owners:
        msg = f"nothing names an anchor {name}; add it to `at:` of the record or fact that the statement proves first"
        raise UserError(msg)
    beside = {c.stem for c in owners if package.name == c.package and package.release not in c.covered()}
    if beside == {c.stem for c in owners}:
        msg = (
            f"{' and '.join(sorted(beside))} does not describe {package.name} {package.release}; take the statement of "
            "a release that it describes, or widen its releases first"
        )
        raise UserError(msg)
    owners = [c for c in owners if c.stem not in beside]
    fitting = [c for c in owners if name not in c.anchors or c.anchors[name].package == package.name]
    if not fitting:
        known = owners[0].anchors[name].package
        msg = f"{name} of {owners[0].stem} stands in {known}; give the statement of {package.name} another name"
        raise UserError(msg)
    mark = mark_of(symbol, place)
    words = _words(symbol, place, package.texts[path].splitlines())
    seen: set[str] = set()
    unseen: set[str] = set()
    for component in fitting:
        lock = ledger.lock(component.stem, package.name)
        if package.release not in lock.releases:
            lock.releases.append(package.release)
        for release in list(lock.releases):
            archive = archive_of(package.listed, release, cache)
            if release == package.release:
                source = package
            elif archive is not None:
                source = open_package(package.name, release, archive, package.listed)
            else:
                unseen.add(release)
                continue
            if not _may_say(source, words):
                continue
            places = find(source, [mark], (path, *lock.near(name)))
            lock.anchor(name, release, places)
            for item in places:
                module = source.module(item.path)
                if module is not None:
                    found_symbol = module.symbols[item.mark.symbol]
                    first = found_symbol.statements[0].first
                    lock.symbol(item.path, found_symbol.name, found_symbol.fingerprint, first, release)
                    seen.add(release)
    order = {release: place for place, release in enumerate(ledger.lock(fitting[0].stem, package.name).releases)}
    return Taken(
        tuple(component.stem for component in fitting),
        mark,
        path,
        symbol.statements[place].first,
        text,
        tuple(sorted(seen, key=order.__getitem__)),
        tuple(sorted(unseen, key=lambda release: order.get(release, 0))),
    )


def drop_unnamed(ledger: Ledger, components: Mapping[str, LockedComponent]) -> list[tuple[str, str]]:
    """Drop the anchors that nothing names any more from the locks of a framework.

    Returns:
        The files' stems with the anchors.
    """
    dropped: list[tuple[str, str]] = []
    for stem, component in components.items():
        for name in sorted(component.anchors.keys() - component.cited()):
            ledger.lock(stem, component.anchors[name].package).drop_anchor(name)
            dropped.append((stem, name))
    return dropped
