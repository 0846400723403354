"""Which records and facts apply to a component, in which releases: own ones, and those of the files that it extends."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from rlmetrics.names.settings.guards import Not, Or, parse

from ..model.key_record import Piece, Record
from .expand import Bits, Expander
from .guard_texts import text
from .overridden import Overridden
from .replaced_code import without_replaced
from .spec_pieces import BoundRow, Resolved, SpecPiece
from .spelled import Spelled, spelled

if TYPE_CHECKING:
    from ..loader.document import YamlPath
    from ..model import ComponentFile, Fact, Mode, Ranges, SharedFact

__all__ = ["ExtendedFile", "chain", "constants"]

_WHERE = frozenset(
    ("name", "releases", "modes", "when", "keys", "family", "also", "renamed", "facts", "allow", "logged", "reason")
)
"""Fields that say where a piece applies; what a record is `like` is written out by now."""


@cache
def _sayings(kind: type[Piece]) -> tuple[str, ...]:
    """Return the fields of a kind of piece that say something, and not where it applies."""
    return tuple(name for name in kind.model_fields if name not in (*_WHERE, "like", "instead"))


def chain(files: Mapping[str, ComponentFile], stem: str) -> list[str]:
    """Return a file and, nearest first, the files whose keys it takes over."""
    stems: list[str] = []
    waiting = [stem]
    while waiting:
        current = waiting.pop(0)
        if current in files and current not in stems:
            stems.append(current)
            waiting += files[current].extends
    return stems


def constants(files: Sequence[ComponentFile]) -> dict[str, str]:
    """Return the placeholders that have one possible value, such as the name of a class; the nearest file first."""
    fixed: dict[str, str] = {}
    for file in reversed(files):
        for name, item in file.placeholders.items():
            fixed.pop(name, None)
            if item.examples == [item.pattern] and item.pattern.isalnum():
                fixed[name] = item.pattern
    return fixed


class ExtendedFile:
    """A file together with those that it extends.

    Args:
        files: The files of the framework.
        stem: The file.
        described: The releases to look at, as bits.
        bits: Gives the releases of a range as bits.
        everything: All releases of the framework, as bits.
        shared_config: Configuration keys of the whole framework.
        shared_placeholders: Placeholders of the whole framework.
    """

    def __init__(
        self,
        files: Mapping[str, ComponentFile],
        stem: str,
        described: int,
        bits: Bits,
        everything: int,
        shared_config: Sequence[str] = (),
        shared_placeholders: Collection[str] = (),
    ) -> None:
        self.files = files
        self.stem = stem
        self.described = described
        self.bits = bits
        self.everything = everything
        self.chain = chain(files, stem)
        self.constants = constants([files[part] for part in self.chain])
        self._shared_config = shared_config
        self.shared_placeholders = shared_placeholders
        self._expanders: dict[str, Expander] = {}
        self._filled: dict[str, str] = {}
        self._own: dict[str, int] = {}
        self.overridden: Overridden | None = None
        """What its classes have in place of methods of a framework that theirs derives from."""

    @cached_property
    def resolved(self) -> tuple[Resolved, ...]:
        """Everything that the file's components log, its own keys first, each with the facts that can hold.

        A record of a nearer file takes the place of the others of its key, release and mode; records of one file never
        replace each other. Shared facts reach the keys of their file and of those that it extends.

        Raises:
            GuardError: A guard is too long when it is written out.
        """
        return tuple(_resolved(self))

    def expander(self, stem: str) -> Expander:
        """Return what writes out the guards of a file of the chain."""
        if stem not in self._expanders:
            config = [*self._shared_config]
            for part in dict.fromkeys([*self.chain, *chain(self.files, stem)]):
                config += self.files[part].config
            # What a component does not take concerns what it extends; its own records know.
            nearer = self.chain[: self.chain.index(stem)] if stem in self.chain else []
            pinned = [
                (self.everything if item.releases is None else self.bits(item.releases), item.settings)
                for part in nearer
                for item in self.files[part].pinned
            ]
            self._expanders[stem] = Expander(
                self.files[stem], list(dict.fromkeys(config)), self.bits, self.everything, pinned
            )
        return self._expanders[stem]

    def covered(self, stem: str, ranges: Ranges | Mapping[Mode, Ranges] | None, mode: Mode) -> int:
        """Return the releases of a range, which may be given by mode; without one, those that a file describes."""
        if isinstance(ranges, Mapping):
            return self.bits(ranges[mode]) & self.described if mode in ranges else 0
        return (self.own(stem) if ranges is None else self.bits(ranges)) & self.described

    def values(self, stem: str, stated: Any) -> tuple[BoundRow, ...]:
        """Return what a parameter is taken from, written out, in the order in which it is looked for."""
        expander = self.expander(stem)
        if not isinstance(stated, list):
            return (BoundRow(self.everything, None, expander.number(stated), None, None),)
        rows: list[BoundRow] = []
        for item in stated:
            ranges = getattr(item, "releases", None)
            covered = self.everything if ranges is None else self.bits(ranges)
            guards = [(self.everything, None)] if item.when is None else expander.guard(item.when)
            value = expander.number(item.value)
            rows += [
                BoundRow(covered & where, when, value, item.default, item.part)
                for where, when in guards
                if covered & where
            ]
        return tuple(rows)

    def own(self, stem: str) -> int:
        """Return the releases that a file describes: those of its components, or, of a fragment, all."""
        if stem not in self._own:
            bits = 0
            for item in self.files[stem].components:
                bits |= self.bits(item.releases)
            self._own[stem] = bits or self.everything
        return self._own[stem]

    def filled(self, key: str) -> str:
        """Return a key with the placeholders filled in that have one possible value."""
        filled = self._filled.get(key)
        if filled is None:
            filled = key
            for name, value in self.constants.items():
                filled = filled.replace(f"{{{name}}}", value)
            self._filled[key] = filled
        return filled


def _resolved(component: ExtendedFile) -> Iterator[Resolved]:
    taken: dict[tuple[str, Mode], int] = {}
    reaching: list[tuple[str, int, SharedFact, frozenset[str] | None]] = []
    replaced: set[str | None] = set()
    for stem in component.chain:
        file = component.files[stem]
        reaching += [
            (stem, index, fact, _reached(component, fact))
            for index, fact in enumerate(file.shared)
            if fact.name not in replaced
        ]
        said: list[tuple[str, Mode, int]] = []
        for name, index, record in file.records():
            path: YamlPath = ("keys", name) if not isinstance(file.keys[name], list) else ("keys", name, index)
            for item in spelled(name, record):
                key = component.filled(item.key)
                prefix = file.eval_prefix
                for mode in item.modes or record.modes or file.modes:
                    covered = item.within(component.covered(stem, record.releases, mode), component.bits)
                    shown = f"{prefix}{key}" if mode == "eval" else key
                    said.append((shown, mode, covered))
                    left = covered & ~taken.get((shown, mode), 0)
                    if left and record.logged is None:
                        facts = [each for each in enumerate(record.facts) if each[1].name not in replaced]
                        yield from _key(component, stem, path, record, facts, reaching, name, item, shown, mode, left)
        for shown, mode, covered in said:
            taken[shown, mode] = taken.get((shown, mode), 0) | covered
        replaced.update(file.replace)


def _reached(component: ExtendedFile, fact: SharedFact) -> frozenset[str] | None:
    """Return the names of the keys that a shared fact is about, None for every key."""
    return None if fact.keys is None else frozenset({*fact.keys, *map(component.filled, fact.keys)})


def _key(
    component: ExtendedFile,
    stem: str,
    path: YamlPath,
    record: Record,
    facts: Sequence[tuple[int, Fact]],
    shared: Sequence[tuple[str, int, SharedFact, frozenset[str] | None]],
    name: str,
    item: Spelled,
    shown: str,
    mode: Mode,
    releases: int,
) -> Iterator[Resolved]:
    """Yield one key in one mode, for each set of releases in which the same facts apply."""
    key = component.filled(item.key)
    names = {name, item.key, key}
    pieces: list[tuple[int, SpecPiece]] = []
    base = list(_pieces(component, stem, path, record, item.says, None, releases))
    for index, fact in facts:
        pieces += _fact(component, stem, (*path, "facts", index), fact, mode, releases)
    for where, index, fact, keys in shared:
        if keys is None or not keys.isdisjoint(names):
            pieces += _fact(component, where, ("shared", index), fact, mode, releases)
    if component.overridden is not None:
        base, pieces = without_replaced(component.overridden, stem, record.at, key, releases, base, pieces)
    for covered, record_piece in base:
        for part, active in _parts(covered, pieces):
            yield Resolved(shown, mode, part, stem, path, record_piece, active)


def _fact(
    component: ExtendedFile, stem: str, path: YamlPath, fact: Fact, mode: Mode, releases: int
) -> Iterator[tuple[int, SpecPiece]]:
    if fact.modes is not None and mode not in fact.modes:
        return
    covered = releases & (component.own(stem) if fact.releases is None else component.bits(fact.releases))
    if not covered:
        return
    if fact.when is None:
        yield from _pieces(component, stem, path, fact, {}, None, covered)
        return
    for where, when in component.expander(stem).guard(fact.when):
        if where & covered:
            yield from _pieces(component, stem, path, fact, {}, when, where & covered)


def _pieces(
    component: ExtendedFile,
    stem: str,
    path: YamlPath,
    fields: Piece,
    instead: Mapping[str, Any],
    when: str | None,
    releases: int,
) -> Iterator[tuple[int, SpecPiece]]:
    """Yield a piece for each set of releases in which its guards read alike and a guide says the same."""
    stated = fields.model_fields_set
    says = {
        name: value
        for name in _sayings(type(fields))
        if name in stated and (value := getattr(fields, name)) not in (None, [], {})
    }
    says.update(instead)
    if "bind" in says:
        says.update(_bound(component, stem, says.pop("bind")))
    if "fails" in says:
        says["fails"] = (says["fails"],)
    parts: list[tuple[int, dict[str, Any]]] = [(releases, says)]
    if fields.scale is not None or fields.offset is not None:
        expander = component.expander(stem)
        for name in ("scale", "offset"):
            if name in says:
                says[name] = expander.number(says[name])
    if fields.logged_when is not None:
        parts = [
            (part, {**each, "logged_when": (_under(when, guard),)} if guard is not None else _without(each))
            for covered, each in parts
            for part, guard in _with_never(component, stem, fields.logged_when, covered)
        ]
    if "documented" in says:
        parts = [
            (part, {**each, "documented": tuple(texts)} if texts else _without(each, "documented"))
            for covered, each in parts
            for part, texts in _documented(component, each["documented"], covered)
        ]
    for covered, each in parts:
        if each or when is None:
            yield covered, SpecPiece(stem, path, fields, when, each)


def _bound(component: ExtendedFile, stem: str, bind: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a record binds: placeholders of its key, and parameters of its function."""
    known = {name for part in component.chain for name in component.files[part].placeholders}
    known.update(component.shared_placeholders)
    placeholders = {name: value for name, value in bind.items() if name in known}
    parameters = {name: component.values(stem, value) for name, value in bind.items() if name not in known}
    return {name: said for name, said in (("bind", placeholders), ("parameters", parameters)) if said}


def _under(when: str | None, guard: str) -> str:
    """Return a guard that must hold only where the fact does that asks for it."""
    if when is None:
        return guard
    return text(Or(1, (Not(1, parse(when)), parse(guard))))


def _with_never(component: ExtendedFile, stem: str, guard: str, releases: int) -> Iterator[tuple[int, str | None]]:
    left = releases
    for where, written in component.expander(stem).guard(guard):
        if where & left:
            yield where & left, written
            left &= ~where
    if left:
        yield left, "false"


def _without(says: Mapping[str, Any], name: str = "logged_when") -> dict[str, Any]:
    return {field_: value for field_, value in says.items() if field_ != name}


def _documented(component: ExtendedFile, items: Sequence[Any], releases: int) -> Iterator[tuple[int, list[Any]]]:
    """Yield what a guide says in each set of releases in which that is the same."""
    parts: list[tuple[int, list[Any]]] = [(releases, [])]
    for item in items:
        covered = releases if item.releases is None else component.bits(item.releases)
        split = [(part & covered, [*texts, item]) for part, texts in parts]
        parts = [each for each in (*split, *((part & ~covered, texts) for part, texts in parts)) if each[0]]
    yield from parts


def _parts(releases: int, pieces: Sequence[tuple[int, SpecPiece]]) -> Iterator[tuple[int, tuple[SpecPiece, ...]]]:
    """Yield the sets of releases in which the same pieces apply, oldest first."""
    relevant = [(covered, piece) for covered, piece in pieces if covered & releases]
    parts: dict[tuple[int, ...], int] = {}
    left = releases
    while left:
        low = left & -left
        active = tuple(index for index, (covered, _) in enumerate(relevant) if covered & low)
        same = left
        for index, (covered, _) in enumerate(relevant):
            same &= covered if index in active else ~covered
        parts[active] = parts.get(active, 0) | same
        left &= ~same
    for active, covered in parts.items():
        yield covered, tuple(relevant[index][1] for index in active)
