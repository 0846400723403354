"""Which emissions apply to a component: its own, and those it takes over and neither replaces nor omits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .tables import FrameworkTable

__all__ = ["AppliedRow", "applied_rows", "prefixed_key"]

_MODES = ("train", "eval")


@dataclass(frozen=True, slots=True)
class AppliedRow:
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


def applied_rows(table: FrameworkTable, stem: str, releases: Sequence[str]) -> Iterator[AppliedRow]:
    """Yield every emission that applies to the components of a file, the file's own first.

    A placeholder that has one possible value here, such as the class's name in the keys of a shared fragment, is filled
    in.

    Args:
        table: The framework.
        stem: The file.
        releases: Described releases.
    """
    taken: dict[tuple[str, str], set[str]] = {}
    amended: list[Mapping[str, Any]] = []
    chain = table.chain(stem)
    constants = _constants(table, chain)
    for part in chain:
        file = table.file(part)
        amended += file.get("amends", ())
        own: list[tuple[str, str, tuple[str, ...]]] = []
        for row in file.get("emissions", ()):
            covered = _covered(table, row, releases)
            if covered and constants and "{" in row["key"]:
                row = {**row, "key": _filled(row["key"], constants)}
            for mode in row.get("modes") or file["modes"] if covered else ():
                key = prefixed_key(row["key"], mode, file)
                own.append((key, mode, covered))
                gone = taken.get((key, mode))
                left = covered if gone is None else tuple(release for release in covered if release not in gone)
                if left and amended:
                    yield from _amended(table, AppliedRow(part, row, mode, key, left), amended)
                elif left:
                    yield AppliedRow(part, row, mode, key, left)
        for row in file.get("omits", ()):
            covered = _covered(table, row, releases)
            own += [(prefixed_key(row["key"], mode, file), mode, covered) for mode in row.get("modes", _MODES)]
        for key, mode, covered in own:
            taken.setdefault((key, mode), set()).update(covered)


def _amended(
    table: FrameworkTable, applied: AppliedRow, amendments: Sequence[Mapping[str, Any]]
) -> Iterator[AppliedRow]:
    """Yield an emission as it is where nothing amends it, and with what is added where something does."""
    for index, amendment in enumerate(amendments):
        covered = _covered(table, amendment, applied.releases)
        if applied.row["key"] not in amendment["keys"] or applied.mode not in amendment.get("modes", _MODES):
            continue
        row, rest = applied.row, amendments[index + 1 :]
        if covered:
            added = {
                "traits": [*row.get("traits", ()), *amendment.get("traits", ())],
                "note": " ".join(note for note in (row.get("note"), amendment["note"]) if note),
                "evidence": [*row.get("evidence", ()), *amendment["evidence"]],
            }
            yield from _amended(table, replace(applied, row={**row, **added}, releases=covered), rest)
        left = tuple(release for release in applied.releases if release not in covered)
        if left:
            yield from _amended(table, replace(applied, releases=left), rest)
        return
    yield applied


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


def _covered(table: FrameworkTable, row: Mapping[str, Any], releases: Sequence[str]) -> tuple[str, ...]:
    ranges = row.get("releases")
    if ranges is None:
        return tuple(releases)
    covered = table.releases.covered(ranges)
    return tuple(release for release in releases if release in covered)
