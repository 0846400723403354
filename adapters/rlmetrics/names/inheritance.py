"""Which emissions apply to a component: its own, and those it takes over and neither replaces nor omits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .records import BETWEEN
from .tables import FrameworkTable

__all__ = ["AppliedRow", "Place", "applied_rows", "prefixed_key"]

_MODES = ("train", "eval")

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


_Amendment = tuple[frozenset[str], Mapping[str, Any]]
"""What is added to emissions, and in which releases."""


class _Stated(NamedTuple):
    """What a file says about a key in one mode: an emission, or that an inherited one is omitted, in some releases.

    Amendments are added only where a row is asked for: most releases never are.
    """

    stem: str
    row: Mapping[str, Any]
    place: Place
    omits: bool
    releases: frozenset[str]
    amendments: Sequence[_Amendment] = ()


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
    taken: dict[Place, set[str]] = {}
    own: list[_Stated] = []
    part = stem
    for item in _stated(table, stem).get(place, ()):
        if item.releases.isdisjoint(releases):
            continue
        if item.stem != part:
            # What a file says itself does not hide what else it says, only what it extends.
            for earlier in own:
                taken.setdefault(earlier.place, set()).update(earlier.releases)
            own, part = [], item.stem
        own.append(item)
        if not item.omits:
            gone = taken.get(item.place, ())
            left = tuple(release for release in releases if release in item.releases and release not in gone)
            for row, covered in _amended(table, item.row, left, item.amendments) if left else ():
                yield AppliedRow(part, row, item.place[1], item.place[0], covered)


def _stated(table: FrameworkTable, stem: str) -> Mapping[Place | None, Sequence[_Stated]]:
    """Return what a file and those that it extends say: all of it under None, and by place."""
    found: dict[Place | None, list[_Stated]] | None = table.stated.get(stem)
    if found is None:
        found = {None: list(_read(table, stem))}
        for item in found[None]:
            found.setdefault(item.place, []).append(item)
        table.stated[stem] = found
    return found


def _read(table: FrameworkTable, stem: str) -> Iterator[_Stated]:
    chain = table.chain(stem)
    constants = _constants(table, chain)
    amendments: dict[str | None, list[tuple[Sequence[str], _Amendment]]] = {None: []}
    for part in chain:
        file = table.file(part)
        for item in file.get("amends", ()):
            amendment = item.get("modes", _MODES), (_covered(table, item), item)
            for key in {_filled(key, constants) for key in item["keys"]} if "keys" in item else amendments:
                amendments.setdefault(key, amendments[None].copy()).append(amendment)
        for row in file.get("emissions", ()):
            if constants and "{" in row["key"]:
                row = {**row, "key": _filled(row["key"], constants)}
            amended = amendments.get(row["key"], amendments[None])
            for mode in row.get("modes") or file["modes"]:
                place = prefixed_key(row["key"], mode, file), mode
                added = [amendment for modes, amendment in amended if mode in modes]
                yield _Stated(part, row, place, omits=False, releases=_covered(table, row), amendments=added)
        for row in file.get("omits", ()):
            for mode in row.get("modes", _MODES):
                place = prefixed_key(_filled(row["key"], constants), mode, file), mode
                yield _Stated(part, row, place, omits=True, releases=_covered(table, row))


def _amended(
    table: FrameworkTable, row: Mapping[str, Any], releases: tuple[str, ...], amendments: Sequence[_Amendment]
) -> Iterator[tuple[Mapping[str, Any], tuple[str, ...]]]:
    """Yield an emission as it is where nothing amends it, and with what is added where something does."""
    if len(releases) == 1:
        yield _with(table, row, [item for covered, item in amendments if releases[0] in covered]), releases
        return
    parts: list[tuple[frozenset[str], tuple[Mapping[str, Any], ...]]] = [(frozenset(releases), ())]
    for ranges, item in amendments:
        if ranges.isdisjoint(releases):
            continue
        split = [(covered & ranges, (*added, item)) for covered, added in parts]
        parts = [part for part in (*split, *((covered - ranges, added) for covered, added in parts)) if part[0]]
    for covered, added in parts:
        yield _with(table, row, added), tuple(release for release in releases if release in covered)


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
    if "drops" in amendment:
        added["variants"] = [item for item in row.get("variants", ()) if item["name"] not in amendment["drops"]]
    if "fails" in amendment:
        conditions = (row.get("condition"), amendment["fails"])
        added |= {"condition": "; ".join(text for text in conditions if text), "logged_by_default": False}
    return {**row, **added}


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
