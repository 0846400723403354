"""Writes out what the files of a framework refer to by name: groups of facts; guards, profiles and tracking of others.

A record, a fact or an entry of ``shared`` that names groups says what their facts say, a fact with its own releases,
modes and condition besides. A name is looked for in the file, in those that it extends, then in ``framework.yaml``. A
``*`` in a key of ``shared`` stands for any text. What comes out are files without groups and without such keys, in
which every entry knows where it was written.
"""

from __future__ import annotations

import difflib
import operator
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rlmetrics.names.settings.guards import GuardError, names_in
from rlmetrics.names.tables.versions import RangeError, Releases

from ..meaning.overridden import of_base
from ..meaning.resolution import chain
from ..meaning.spelled import fitting, spelled
from ..model import ComponentFile, Fact, Framework, Piece, Ranges, Record, SharedFact, Tracking
from .alike_records import AlikeRecords
from .citations import cite
from .kept_fields import KeptFields

if TYPE_CHECKING:
    from ..spec import FrameworkBase
    from .document import YamlPath

__all__ = ["GroupFault", "WrittenOut", "write_out"]

_FRAMEWORK = "framework"
_Place = tuple[str, "YamlPath"]


@dataclass(frozen=True)
class GroupFault:
    """A group that cannot be written out, or that nothing needs.

    Attributes:
        check: ``unknown-group``, ``group-cycle``, ``unused-group``, ``unknown-keys`` or ``unknown-record``.
        stem: The file, ``framework`` for the framework's own.
        path: The place in it.
        message: What is wrong.
        fix: What to do about it.
    """

    check: str
    stem: str
    path: YamlPath
    message: str
    fix: str


@dataclass
class WrittenOut:
    """The files of a framework without groups.

    Attributes:
        files: By stem.
        groups: For each file that has some, its groups as they were written; derived frameworks may name them.
        moved: For each file, entries that were written elsewhere: in which file, at which place.
        faults: What is wrong with groups.
    """

    files: dict[str, ComponentFile]
    groups: dict[str, dict[str, list[Fact]]] = field(default_factory=dict)
    moved: dict[str, dict[YamlPath, _Place]] = field(default_factory=dict)
    faults: list[GroupFault] = field(default_factory=list)


def write_out(
    framework: Framework, files: Mapping[str, ComponentFile], base: FrameworkBase | None = None
) -> WrittenOut:
    """Write out the groups, and the guards and profiles of other files that a file uses.

    Args:
        framework: The framework.
        files: Its component files by stem.
        base: What it takes over from the framework that it derives from, with groups written out and as they were.
    """
    alike = AlikeRecords(files if base is None else {**base.files, **files})
    kept = KeptFields(alike.files)
    files = {stem: kept.files[stem] for stem in files}
    groups = {stem: file.groups for stem, file in files.items() if file.groups}
    result = WrittenOut(dict(files), groups, faults=[GroupFault("unknown-record", *fault) for fault in alike.faults])
    rows = [(item.release, item.date) for item in framework.releases] if base is None else base.releases
    order = Releases(rows)
    used: set[_Place] = set()
    known = files if base is None else {**base.files, **files}
    heads: list[tuple[str, Framework]] = [(_FRAMEWORK, framework)]
    if base is not None:
        heads.append((f"{base.name}/{_FRAMEWORK}", base.head))
    for stem in files:
        taken = {**alike.moved[stem], **kept.moved[stem]}
        writer = _Writer(heads, known, stem, order, used, taken)
        result.files[stem] = cite(writer.file(), stem, order, lambda ranges: _bits(order, ranges), writer.moved)
        if writer.moved:
            result.moved[stem] = writer.moved
        result.faults += writer.faults
    owners: list[tuple[str, Framework | ComponentFile]] = [(_FRAMEWORK, framework), *files.items()]
    for stem, owner in owners:
        tables = ("groups", "guards", "profiles", "tracking") if stem == _FRAMEWORK else ("groups",)
        for table in tables:
            for name in getattr(owner, table):
                if (stem, (table, name)) not in used:
                    message = f"nothing uses the {table.removesuffix('s')} `{name}`"
                    result.faults.append(GroupFault("unused-group", stem, (table, name), message, "remove it"))
    return result


class _Writer:
    """Writes out one file."""

    def __init__(
        self,
        heads: Sequence[tuple[str, Framework]],
        files: Mapping[str, ComponentFile],
        stem: str,
        order: Releases,
        used: set[_Place],
        taken: Mapping[YamlPath, _Place],
    ) -> None:
        self._heads = heads
        self._own = files[stem]
        self._stem = stem
        self._order = order
        self._used = used
        self._chain = [(part, files[part]) for part in chain(files, stem)]
        self._taken: dict[str, dict[str, Any]] = {"guards": {}, "profiles": {}}
        self._described: int | None = None
        self._before = taken
        self.moved: dict[YamlPath, _Place] = dict(taken)
        self.faults: list[GroupFault] = []
        for item in self._own.components:
            self._described = (self._described or 0) | self._bits(item.releases)

    def file(self) -> ComponentFile:
        """Return the file written out."""
        changed: dict[str, Any] = {}
        keys = {
            name: self._record(records, ("keys", name))
            if isinstance(records, Record)
            else [self._record(each, ("keys", name, index)) for index, each in enumerate(records)]
            for name, records in self._own.keys.items()
        }
        if any(keys[name] is not records and keys[name] != records for name, records in self._own.keys.items()):
            changed["keys"] = keys
        shared = self._shared()
        if shared != self._own.shared:
            changed["shared"] = shared
        tracking = [self._tracked(item, index) for index, item in enumerate(self._own.tracking)]
        if tracking != self._own.tracking:
            changed["tracking"] = tracking
        written = self._own.model_copy(update=changed) if changed else self._own
        self._take_guards(written)
        for table, taken in self._taken.items():
            if taken:
                changed[table] = {**getattr(self._own, table), **taken}
        if self._own.groups:
            changed["groups"] = {}
        return self._own.model_copy(update=changed) if changed else self._own

    def _tracked(self, item: Tracking, index: int) -> Tracking:
        """Return what a kind of tracking of the framework says, with the settings of this file."""
        if item.like is None:
            return item
        having = [owner for owner, head in self._heads if item.like in head.tracking]
        if not having:
            known = ", ".join(name for _, head in self._heads for name in head.tracking) or "none"
            message = f"framework.yaml has no tracking `{item.like}`"
            place: YamlPath = ("tracking", index, "like")
            self.faults.append(GroupFault("unknown-group", self._stem, place, message, f"it has {known}"))
            return item
        self._used.add((having[0], ("tracking", item.like)))
        kind = dict(self._heads)[having[0]].tracking[item.like]
        said = {"route": kind.route, "enable": kind.enable, "x_axis": kind.x_axis}
        said = {name: text.replace("{settings}", item.settings or "") for name, text in said.items()}
        rhythm = {"in_training": kind.in_training, "every": kind.every, "interval": kind.interval}
        return item.model_copy(update={**said, **rhythm, "like": None, "settings": None})

    def _record(self, record: Record, path: YamlPath) -> Record:
        self._take_profile(record)
        if record.condition is not None and record.logged_by_default is None:
            # What no setting tells is not so by default, unless the record says that it is.
            record = record.model_copy(update={"logged_by_default": False})
        covered = self._covered(record)
        facts: list[Fact] = []
        for index, fact in enumerate(record.facts):
            for each, place in self._facts(fact, (*path, "facts", index), covered):
                self._put(facts, (*path, "facts"), each, place)
        for each, place in self._named(record.groups, path, covered, ()):
            self._put(facts, (*path, "facts"), each, place)
        for each, place in self._older(record):
            self._put(facts, (*path, "facts"), each, place)
        if not record.groups and len(facts) == len(record.facts) and all(map(operator.is_, facts, record.facts)):
            return record
        return record.model_copy(update={"facts": facts, "groups": []})

    def _older(self, record: Record) -> Iterator[tuple[Fact, _Place]]:
        """Yield the profiles that records with this profile have in other releases."""
        found = None if record.profile is None else self._find("profiles", record.profile)
        if found is None:
            return
        covered = self._covered(record)
        for releases, name in found[1].older.items():
            if self._within(releases, covered) != 0:
                place: YamlPath = ("profiles", str(record.profile), "older", releases)
                yield Fact(releases=releases, profile=name), (found[0], place)

    def _shared(self) -> list[SharedFact]:
        shared: list[SharedFact] = []
        for index, entry in enumerate(self._own.shared):
            path: YamlPath = ("shared", index)
            entry = self._spelled_out(entry, path)
            said: list[tuple[Fact, _Place]] = []
            for number, fact in enumerate(entry.facts):
                said += self._facts(fact, (*path, "facts", number), self._described)
            if entry.facts:
                head = entry.model_copy(update={"facts": []})
                said = [(_under(fact, head, self._order), place) for fact, place in said]
                said += [
                    (_under(fact, head, self._order), place)
                    for fact, place in self._named(entry.groups, path, self._described, ())
                ]
            else:
                said = [*self._facts(entry, path, self._described)]
            for fact, place in said:
                whole = fact if isinstance(fact, SharedFact) and not fact.facts else _about(fact, entry.keys)
                self._put(shared, ("shared",), whole, place)
        return shared

    def _spelled_out(self, entry: SharedFact, path: YamlPath) -> SharedFact:
        """Return an entry with the keys that ``*`` stands for: those of the file and of the extended ones."""
        if not entry.keys or not any("*" in key for key in entry.keys):
            return entry
        keys: list[str] = []
        for index, key in enumerate(entry.keys):
            found = fitting(key, self._spellings)
            if not found:
                place: YamlPath = (*path, "keys", index)
                message = f"no key of this file or of those that it extends is like `{key}`"
                self.faults.append(GroupFault("unknown-keys", self._stem, place, message, "correct or remove it"))
            keys += found
        return entry.model_copy(update={"keys": [*dict.fromkeys(keys)]})

    @cached_property
    def _spellings(self) -> list[str]:
        """The keys of the file and of those that it extends, in order."""
        keys = (item.key for _, file in self._chain for name, _, each in file.records() for item in spelled(name, each))
        return [*dict.fromkeys(keys)]

    def _put(self, into: list[Any], path: YamlPath, fact: Fact, place: _Place) -> None:
        """Add a fact to a list, with where it was written unless that is where it now stands."""
        here: YamlPath = (*path, len(into))
        place = self._before.get(place[1], place) if place[0] == self._stem else place
        if place != (self._stem, here):
            self.moved[here] = place
        self._take_profile(fact)
        into.append(fact)

    def _facts(
        self, fact: Fact, path: YamlPath, covered: int | None, open_: tuple[str, ...] = (), stem: str | None = None
    ) -> Iterator[tuple[Fact, _Place]]:
        """Yield what a fact says, and what the groups say that it names."""
        if not fact.groups:
            yield fact, (stem or self._stem, path)
            return
        head = fact.model_copy(update={"groups": []})
        if head.says_something():
            yield head, (stem or self._stem, path)
        within = self._within(fact.releases, covered)
        for each, place in self._named(fact.groups, path, within, open_, stem):
            whole = _under(each, head, self._order)
            if whole.modes != []:
                yield whole, place

    def _named(
        self,
        names: Sequence[str],
        path: YamlPath,
        covered: int | None,
        open_: tuple[str, ...],
        stem: str | None = None,
    ) -> Iterator[tuple[Fact, _Place]]:
        """Yield the facts of groups that can hold in some releases, each with where it was written."""
        for index, name in enumerate(names):
            place: YamlPath = (*path, "groups", index)
            found = self._find("groups", name)
            if found is None:
                self._unknown(stem or self._stem, place, name)
                continue
            owner, facts = found
            if name in open_:
                way = " → ".join(f"`{each}`" for each in (*open_[open_.index(name) :], name))
                message = f"the group refers to itself: {way}"
                self.faults.append(
                    GroupFault("group-cycle", owner, ("groups", name), message, "write out what it stands for")
                )
                continue
            self._used.add((owner, ("groups", name)))
            for number, fact in enumerate(facts):
                if of_base(owner) and fact.at:
                    # Lines of the base prove nothing of the code for which a file of this framework says the same.
                    fact = fact.model_copy(update={"at": []})
                if self._within(fact.releases, covered) != 0:
                    yield from self._facts(fact, ("groups", name, number), covered, (*open_, name), owner)

    def _unknown(self, stem: str, path: YamlPath, name: str) -> None:
        known = {each for _, file in self._chain for each in file.groups}
        known.update(each for _, head in self._heads for each in head.groups)
        near = difflib.get_close_matches(name, sorted(known), n=1)
        message = f"no group is called `{name}`: neither here, nor in extended files, nor in framework.yaml"
        fix = f"did you mean `{near[0]}`?" if near else "define it under `groups`"
        fault = GroupFault("unknown-group", stem, path, message, fix)
        if fault not in self.faults:
            self.faults.append(fault)

    def _find(self, table: str, name: str) -> tuple[str, Any] | None:
        for stem, file in self._chain:
            if name in getattr(file, table):
                return stem, getattr(file, table)[name]
        for owner, head in self._heads:
            if name in getattr(head, table):
                return owner, getattr(head, table)[name]
        return None

    def _take_profile(self, piece: Piece) -> None:
        """Take over a profile of the framework, unless the file or an extended one has one of this name."""
        name = piece.profile
        if name is None or name in self._taken["profiles"]:
            return
        found = self._find("profiles", name)
        if found is not None and any(found[0] == owner for owner, _ in self._heads):
            self._take("profiles", name, found[0], found[1])

    def _take_guards(self, written: ComponentFile) -> None:
        """Take over the guards of other files that the file names."""
        asked = [*_expressions(written)]
        while asked:
            for name in sorted(_names(asked.pop())):
                if name in self._own.guards or name in self._taken["guards"] or name in self._own.names:
                    continue
                found = self._find("guards", name)
                if found is None:
                    continue
                stem, guard = found
                if not isinstance(guard, str):
                    kept = [item for item in guard if self._within(item.releases, self._described) != 0]
                    guard = kept or guard[:1]
                self._take("guards", name, stem, guard)
                asked += [guard] if isinstance(guard, str) else [item.when for item in guard]

    def _take(self, table: str, name: str, stem: str, item: Any) -> None:
        self._taken[table][name] = item
        self._used.add((stem, (table, name)))
        self.moved[table, name] = (stem, (table, name))

    def _bits(self, ranges: Ranges) -> int:
        return _bits(self._order, ranges)

    def _within(self, ranges: Ranges | None, covered: int | None) -> int | None:
        """Return the releases in both, as bits; None where nothing limits them."""
        if ranges is None:
            return covered
        bits = self._bits(ranges)
        return bits if covered is None else bits & covered

    def _covered(self, record: Record) -> int | None:
        if record.releases is None:
            return self._described
        ranges = record.releases.values() if isinstance(record.releases, Mapping) else [record.releases]
        bits = 0
        for each in ranges:
            bits |= self._bits(each)
        return bits if self._described is None else bits & self._described


def _bits(order: Releases, ranges: Ranges) -> int:
    """Return the releases of a range as bits; none for one that cannot be read, which lint reports."""
    try:
        return order.bits(order.checked([ranges] if isinstance(ranges, str) else ranges))
    except RangeError:
        return 0


def _under(fact: Fact, outer: Fact, order: Releases) -> Fact:
    """Return a fact that holds only where another one does, with the anchors of both."""
    changed: dict[str, Any] = {}
    if outer.releases is not None:
        both = None if fact.releases is None else _bits(order, fact.releases) & _bits(order, outer.releases)
        changed["releases"] = outer.releases if both is None else order.ranges(both)
    if outer.modes is not None:
        changed["modes"] = [mode for mode in outer.modes if fact.modes is None or mode in fact.modes]
    if outer.when is not None:
        changed["when"] = outer.when if fact.when is None else f"({outer.when}) and ({fact.when})"
    if outer.at:
        changed["at"] = [*dict.fromkeys([*fact.at, *outer.at])]
    if outer.name is not None:
        changed["name"] = outer.name
    return fact.model_copy(update=changed) if changed else fact


def _about(fact: Fact, keys: list[str] | None) -> SharedFact:
    """Return a fact as one about several keys."""
    stated = {name: getattr(fact, name) for name in fact.model_fields_set}
    return SharedFact.model_construct(fact.model_fields_set | {"keys"}, **{**stated, "keys": keys, "facts": []})


def _expressions(file: ComponentFile) -> Iterator[str]:
    """Yield everything in which a file can name a guard."""
    pieces: list[Piece] = [*file.shared]
    for _, _, record in file.records():
        pieces += [record, *record.facts]
    for piece in pieces:
        for text in (getattr(piece, "when", None), piece.logged_when):
            if text is not None:
                yield text
    for table in (file.guards, file.single):
        for guard in table.values():
            yield from [guard] if isinstance(guard, str) else [item.when for item in guard]
    bound = [*file.bind.values(), *(value for piece in pieces for value in piece.bind.values())]
    for value in bound:
        if isinstance(value, list):
            yield from (item.when for item in value if item.when is not None)


def _names(text: str) -> Collection[str]:
    try:
        return names_in(text)
    except GuardError:
        return ()
