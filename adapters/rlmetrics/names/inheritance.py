"""Which emissions apply to a component: its own, and those it takes over and neither replaces nor omits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .records import BETWEEN
from .tables import FrameworkTable

__all__ = ["AppliedRow", "Place", "applied_rows", "both", "prefixed_key"]

_MODES = ("train", "eval")
_OR = re.compile(r"\bor\b")

Place = tuple[str, str]
"""A key with the mode's prefix, and the mode."""


class AppliedRow(NamedTuple):
    """An emission in one mode.

    Attributes:
        stem: The file in which it stands.
        row: What it says, with what amendments add to it.
        mode: ``train`` or ``eval``.
        key: The key with the mode's prefix.
        releases: The releases in which it applies, in the order in which they were asked for.
    """

    stem: str
    row: Mapping[str, Any]
    mode: str
    key: str
    releases: tuple[str, ...]


class _Amendment(NamedTuple):
    """What is added to emissions, in which modes and releases."""

    modes: Sequence[str]
    releases: frozenset[str]
    added: Mapping[str, Any]


_Amendments = Mapping[str | None, tuple[_Amendment, ...]]
"""Amendments of each key that one names; under None those of all other keys."""

_UNAMENDED: _Amendments = {None: ()}


class _Statement(NamedTuple):
    """What a file says about a key in one mode: an emission, or that an inherited one is omitted, in some releases."""

    row: Mapping[str, Any]
    place: Place
    omits: bool
    releases: frozenset[str]


class _File:
    """What one file says, whichever file extends it.

    Args:
        table: The framework.
        stem: The file.
        constants: Placeholders that have one possible value.
    """

    def __init__(self, table: FrameworkTable, stem: str, constants: Mapping[str, str]) -> None:
        self.stem = stem
        self._all = list(_read(table, table.file(stem), constants))
        self._at: dict[str, tuple[list[AppliedRow], frozenset[Place]]] = {}
        self._of: dict[Place, list[_Statement]] | None = None

    def statements(self, place: Place | None) -> Sequence[_Statement]:
        """Return all statements, or those about a place."""
        if place is None:
            return self._all
        if self._of is None:
            self._of = {}
            for item in self._all:
                self._of.setdefault(item.place, []).append(item)
        return self._of.get(place, ())

    def at(self, release: str) -> tuple[list[AppliedRow], frozenset[Place]]:
        """Return the emissions of a release as they are without amendments, and every place that is spoken of."""
        if release not in self._at:
            said = [item for item in self._all if release in item.releases]
            rows = [
                AppliedRow(self.stem, item.row, item.place[1], item.place[0], (release,))
                for item in said
                if not item.omits
            ]
            self._at[release] = rows, frozenset(item.place for item in said)
        return self._at[release]


def applied_rows(
    table: FrameworkTable, stem: str, releases: Sequence[str], place: Place | None = None
) -> Iterator[AppliedRow]:
    """Yield every emission that applies to the components of a file, the file's own first.

    A placeholder that has one possible value here, such as the class's name in the keys of a shared fragment, is filled
    in.

    Args:
        table: The framework.
        stem: The file.
        releases: Described releases.
        place: Only emissions of this key in this mode.
    """
    asked = tuple(releases)
    if len(asked) == 1 and place is None:
        yield from _of_release(table, stem, asked[0])
        return
    wanted = frozenset(asked)
    taken: dict[Place, frozenset[str]] = {}
    for file, amendments in _files(table, stem):
        said = file.statements(place)
        for item in said:
            left = wanted & item.releases
            if item.place in taken:
                left -= taken[item.place]
            if left and not item.omits:
                covered = asked if len(left) == len(asked) else tuple(release for release in asked if release in left)
                added = amendments.get(item.row["key"], amendments[None])
                for row, part in _amended(table, item, covered, added):
                    yield AppliedRow(file.stem, row, item.place[1], item.place[0], part)
        # What a file says itself does not hide what else it says, only what it extends.
        for item in said:
            taken[item.place] = taken.get(item.place, frozenset()) | item.releases


def _of_release(table: FrameworkTable, stem: str, release: str) -> Iterator[AppliedRow]:
    """Yield the same for one release, for which whole files are taken over at once."""
    taken: set[Place] = set()
    for file, amendments in _files(table, stem):
        rows, places = file.at(release)
        left = [row for row in rows if (row.key, row.mode) not in taken] if taken else rows
        if amendments is _UNAMENDED:
            yield from left
        else:
            rest = amendments[None]
            for row in left:
                added = _reaching(table, amendments.get(row.row["key"], rest), row.mode, release)
                yield AppliedRow(row.stem, _with(table, row.row, added), *row[2:]) if added else row
        taken |= places


def _files(table: FrameworkTable, stem: str) -> Sequence[tuple[_File, _Amendments]]:
    """Return a file and those that it extends, each with the amendments that reach it: its own and nearer ones."""
    found: list[tuple[_File, _Amendments]] | None = table.stated.get(stem)
    if found is None:
        found = table.stated[stem] = []
        chain = table.chain(stem)
        constants = _constants(table, chain)
        amendments = _UNAMENDED
        for part in chain:
            for item in table.file(part).get("amends", ()):
                amendment = _Amendment(item.get("modes", _MODES), _covered(table, item), item)
                keys = {_filled(key, constants) for key in item["keys"]} if "keys" in item else amendments
                before = {key: amendments.get(key, amendments[None]) for key in keys}
                # Keys that shared all amendments share one tuple again: what these add is worked out once.
                longer = {id(each): each for each in before.values()}
                longer = {place: (*each, amendment) for place, each in longer.items()}
                amendments = {**amendments, **{key: longer[id(each)] for key, each in before.items()}}
            found.append((_file(table, part, constants), amendments))
    return found


def _file(table: FrameworkTable, stem: str, constants: Mapping[str, str]) -> _File:
    """Return what a file says; one and the same for all that extend it and fill in the same."""
    rows = [*table.file(stem).get("emissions", ()), *table.file(stem).get("omits", ())] if constants else []
    needed = {name: value for name, value in constants.items() if any(f"{{{name}}}" in row["key"] for row in rows)}
    place = stem, *needed.items()
    if place not in table.read:
        table.read[place] = _File(table, stem, needed)
    found: _File = table.read[place]
    return found


def _read(table: FrameworkTable, file: Mapping[str, Any], constants: Mapping[str, str]) -> Iterator[_Statement]:
    for row in file.get("emissions", ()):
        if constants and "{" in row["key"]:
            row = {**row, "key": _filled(row["key"], constants)}
        covered = _covered(table, row)
        for mode in row.get("modes") or file["modes"]:
            yield _Statement(row, (prefixed_key(row["key"], mode, file), mode), omits=False, releases=covered)
    for row in file.get("omits", ()):
        covered, key = _covered(table, row), _filled(row["key"], constants)
        for mode in row.get("modes", _MODES):
            yield _Statement(row, (prefixed_key(key, mode, file), mode), omits=True, releases=covered)


def _amended(
    table: FrameworkTable, item: _Statement, releases: tuple[str, ...], amendments: Sequence[_Amendment]
) -> Iterator[tuple[Mapping[str, Any], tuple[str, ...]]]:
    """Yield an emission as it is where nothing amends it, and with what is added where something does."""
    if not amendments:
        yield item.row, releases
        return
    mode = item.place[1]
    if len(releases) == 1:
        yield _with(table, item.row, _reaching(table, amendments, mode, releases[0])), releases
        return
    bits = table.releases.bits
    parts: list[tuple[int, tuple[Mapping[str, Any], ...]]] = [(bits(releases), ())]
    for modes, ranges, added in amendments:
        covered = bits(ranges) if mode in modes else 0
        if any(covered & left for left, _ in parts):
            split = [(left & covered, (*before, added)) for left, before in parts]
            parts = [part for part in (*split, *((left & ~covered, before) for left, before in parts)) if part[0]]
    for left, all_added in parts:
        row = _with(table, item.row, all_added)
        yield row, releases if len(parts) == 1 else table.releases.among(releases, left)


def _reaching(
    table: FrameworkTable, amendments: Sequence[_Amendment], mode: str, release: str
) -> Sequence[Mapping[str, Any]]:
    """Return what amendments add in one mode and release; most keys of a file share theirs."""
    place = id(amendments), mode, release
    if place not in table.reaching:
        table.reaching[place] = [each.added for each in amendments if mode in each.modes and release in each.releases]
    return table.reaching[place]


def _with(table: FrameworkTable, row: Mapping[str, Any], amendments: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Return an emission with what amendments add; kept by the table, so that it is one and the same for all."""
    if not amendments:
        return row
    place = id(row), *map(id, amendments)
    if place not in table.amended:
        for amendment in amendments:
            row = _with_one(row, amendment)
        table.amended[place] = row
    return table.amended[place]


def _with_one(row: Mapping[str, Any], amendment: Mapping[str, Any]) -> Mapping[str, Any]:
    added: dict[str, Any] = {
        "traits": [*row.get("traits", ()), *amendment.get("traits", ())],
        "evidence": BETWEEN.join(filter(None, (row.get("evidence"), amendment["evidence"]))),
    }
    note = " ".join(note for note in (row.get("note"), amendment.get("note")) if note)
    if note:
        added["note"] = note
    if "constant_when" in amendment:
        added["constant_when"] = amendment["constant_when"]
    if "when" in amendment:
        added["when"] = both(row.get("when"), amendment["when"])
    if "drops" in amendment:
        added |= _without(row, amendment)
    if "fails" in amendment:
        conditions = (row.get("condition"), amendment["fails"])
        added |= {"condition": "; ".join(text for text in conditions if text), "logged_by_default": False}
    return {**row, **added}


def _without(row: Mapping[str, Any], amendment: Mapping[str, Any]) -> dict[str, Any]:
    """Return the traits and variants of a row that are left once those that cannot occur are dropped."""
    dropped = frozenset(amendment["drops"])
    variants = []
    for item in row.get("variants", ()):
        if item["name"] in dropped:
            continue
        if dropped.intersection(item.get("traits", ())):
            item = {**item, "traits": [trait for trait in item["traits"] if trait not in dropped]}
        variants.append(item)
    kept = [trait for trait in row.get("traits", ()) if trait not in dropped]
    return {"traits": [*kept, *amendment.get("traits", ())], "variants": variants}


def both(guard: str | None, other: str) -> str:
    """Return a guard that holds where both do; the first may be missing."""
    if guard is None:
        return other
    return " and ".join(f"({each})" if _OR.search(each) else each for each in (guard, other))


def prefixed_key(key: str, mode: str, file: Mapping[str, Any]) -> str:
    """Return the key that is logged in a mode: evaluation puts the file's prefix in front."""
    return f"{file['eval_prefix']}{key}" if mode == "eval" else key


def _constants(table: FrameworkTable, chain: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for part in reversed(chain):
        for name, row in table.file(part).get("placeholders", {}).items():
            found.pop(name, None)
            if row["examples"] == [row["pattern"]] and row["pattern"].isalnum():
                found[name] = row["pattern"]
    return found


def _filled(key: str, constants: Mapping[str, str]) -> str:
    for name, value in constants.items():
        key = key.replace(f"{{{name}}}", value)
    return key


def _covered(table: FrameworkTable, row: Mapping[str, Any]) -> frozenset[str]:
    ranges = row.get("releases")
    return table.releases.all if ranges is None else table.releases.covered(ranges)
