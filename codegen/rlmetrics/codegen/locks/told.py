"""Changed code that needs no reading: what the spec was edited for, and what other items tell whole."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator

from .anchor_marks import places_of
from .component_lock import Claim, LockedComponent
from .news_items import ReleaseStep
from .symbol_changes import changed_places
from .symbols import Symbol

__all__ = ["Told"]


class Told:
    """Answers, for the symbols of two releases, whether a person has dealt with all that changed in them.

    Args:
        step: The releases.
    """

    def __init__(self, step: ReleaseStep) -> None:
        self._step = step
        self._begun = {component.stem: frozenset(_begun(step, component)) for component in step.components}
        self._configured = {
            subject
            for lock in step.locks.values()
            for subject, table in lock.subjects("defaults")
            if any(step.new.release in releases for row in table.values() for releases in row.values())
        }
        self._written: dict[str, list[tuple[int, str, str]]] = {}
        for (stem, key), (path, line, _) in step.written.items():
            self._written.setdefault(path, []).append((line, stem, key))

    def __call__(self, old: Symbol, new: Symbol) -> bool:
        """Tell whether nothing is left to read of a symbol that both releases have.

        That is so if only defaults of a configuration class changed, which are items of their own; or if all
        statements that changed do nothing but write keys, and the spec says something new of each of these keys.
        """
        return self._defaults_only(old, new) or self._edited(old, new)

    def _defaults_only(self, old: Symbol, new: Symbol) -> bool:
        if old.name not in self._configured or [s.parent for s in old.statements] != [s.parent for s in new.statements]:
            return False
        gone, come = changed_places(old, new), changed_places(new, old)
        if gone != come or not gone:
            return False
        a, b = (self._step.old.texts[old.path].splitlines(), self._step.new.texts[new.path].splitlines())
        return all((before := _field(old, p, a)) and before == _field(new, p, b) for p in gone)

    def _edited(self, old: Symbol, new: Symbol) -> bool:
        gone, come = changed_places(old, new), changed_places(new, old)
        if not come or not gone:
            return False
        keys: set[tuple[str, str]] = set()
        for place in come:
            here = self._keys_at(new, place)
            if not here:
                return False
            keys |= here
        anchored: set[int] = set()
        for component in self._step.components:
            lock = self._step.locks[component.stem]
            for name, claim in _named(component, {self._step.old.release, self._step.new.release}):
                for item in lock.found(name, self._step.old.release):
                    if (item.path, item.mark.symbol) == (old.path, old.name):
                        hit = gone.intersection(places_of(old, item.mark))
                        anchored |= hit
                        keys |= {(component.stem, key) for key in claim.keys if hit}
        return gone <= anchored and all(self._is_new(stem, key) for stem, key in keys)

    def _keys_at(self, symbol: Symbol, place: int) -> set[tuple[str, str]]:
        """Return the keys that a simple statement writes."""
        statement = symbol.statements[place]
        if statement.end != statement.last:
            return set()
        written = self._written.get(symbol.path, ())
        return {(stem, key) for line, stem, key in written if statement.first <= line <= statement.last}

    def _is_new(self, stem: str, key: str) -> bool:
        """Tell whether the file that describes a key says something of it that begins with the release."""
        component = self._step.nearest(stem, key) or self._step.nearest(stem, f"eval_{key}")
        if component is None:
            return False
        return bool({key, key.removeprefix(component.prefix)} & self._begun[component.stem])


def _named(component: LockedComponent, releases: set[str]) -> Iterator[tuple[str, Claim]]:
    """Yield the anchors that claims of any of some releases name, with the claims."""
    for claim in component.claims:
        if releases & claim.releases:
            yield from ((name, claim) for name in claim.at)


def _begun(step: ReleaseStep, component: LockedComponent) -> Iterator[str]:
    """Yield the keys of which a file says something that holds from the new release on."""
    for claim in component.claims:
        if step.new.release in claim.releases and step.old.release not in claim.releases:
            yield from claim.keys
    for key, releases in component.keys.items():
        if (step.new.release in releases) != (step.old.release in releases):
            yield key.removeprefix(component.prefix)


def _field(symbol: Symbol, place: int, lines: list[str]) -> str:
    """Return a field of a class without its default, or nothing where the statement is another one."""
    statement = symbol.statements[place]
    if statement.parent != 0:
        return ""
    try:
        node = ast.parse(textwrap.dedent("\n".join(lines[statement.first - 1 : statement.end]))).body[0]
    except (SyntaxError, IndexError):
        return ""
    if not isinstance(node, ast.AnnAssign):
        return ""
    if isinstance(node.value, ast.Call) and getattr(node.value.func, "id", "") == "field":
        for keyword in node.value.keywords:
            if keyword.arg in ("default", "default_factory"):
                keyword.arg, keyword.value = "default", ast.Constant(None)
    else:
        node.value = None
    return ast.dump(node)
