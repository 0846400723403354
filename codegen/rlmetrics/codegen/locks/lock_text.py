"""Locks as text: sorted, one row for a name and a value, with ranges of releases; see also `lock_offsets`."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import get_args

from rlmetrics.names.tables.user_errors import UserError

from ..cache import kept
from .lock import Kind, Lock, Table
from .lock_offsets import fold, unfold

__all__ = ["LockError", "lock_for_facts", "read_lock", "write_lock"]

_HEAD = "# Kept by `rlmetrics release add` and `rlmetrics anchor add`. Do not edit.\n"
_KINDS: tuple[Kind, ...] = get_args(Kind)
_MOVED = "moved"
"""The table that follows the anchors of a file: parts of symbols, and by how many lines they moved."""
_OF_FACTS: tuple[Kind, ...] = ("anchors", "defaults", "methods")
"""What facts are held against."""
_BY_NAME: dict[str, Kind] = {str(kind): kind for kind in _KINDS}


class LockError(UserError):
    """A lock that can't be read."""


def write_lock(lock: Lock) -> str:
    """Return the text of a lock."""
    parts = [_HEAD, f"package {lock.package}\n", f"releases {' '.join(lock.releases)}\n"]
    for kind, subject in sorted(lock.tables, key=lambda key: (_KINDS.index(key[0]), key[1])):
        table, moved = lock.tables[kind, subject], Table()
        if kind == "anchors":
            table, moved = fold(table, lock.releases)
        parts.append(f"\n[{kind} {subject}]\n" if subject else f"\n[{kind}]\n")
        parts.extend(_rows(table, lock.releases, joined=kind == "lines"))
        if moved:
            parts.append(f"\n[{_MOVED} {subject}]\n")
            parts.extend(_rows(moved, lock.releases, joined=True))
    return "".join(parts)


def read_lock(text: str, file: str, component: str, only: Collection[Kind] = _KINDS) -> Lock:
    """Read a lock.

    Args:
        text: Its text.
        file: Its path, for messages.
        component: The component that it belongs to.
        only: The tables to read; the others are left out.

    Raises:
        LockError: If it is not a lock.
    """
    lock = Lock("", component)
    table: Table | None = None
    moved: dict[str, Table] = {}
    skipped = False
    for number, line in enumerate(text.splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        section = re.fullmatch(r"\[(\w+)(?: (.*))?\]", line) if line[0] == "[" else None
        try:
            if section:
                subject = section[2] or ""
                kind = _BY_NAME["anchors" if section[1] == _MOVED else section[1]]
                skipped = kind not in only
                if skipped or section[1] == _MOVED:
                    table = moved.setdefault(subject, {})
                else:
                    table = lock.tables.setdefault((kind, subject), {})
            elif skipped:
                continue
            elif table is None:
                word, _, rest = line.partition(" ")
                if word == "package":
                    lock.package = rest
                elif word == "releases":
                    lock.releases = rest.split()
                else:
                    raise ValueError(word)
            else:
                name, *cells = line.split("\t")
                for value, ranges in zip(cells[::2], cells[1::2], strict=True):
                    values = table.setdefault(name, {})
                    values[value] = _expand(ranges, lock.releases)
        except (ValueError, IndexError, KeyError):
            msg = f"{file}:{number}:1: not a line of a lock, which only the machine writes; restore the file with git"
            raise LockError(msg) from None
    for subject in moved:
        if ("anchors", subject) in lock.tables:
            lock.tables["anchors", subject] = unfold(lock.tables["anchors", subject], moved[subject], lock.releases)
    return lock


def lock_for_facts(path: Path, component: str) -> Lock:
    """Return what facts are held against of a lock, which is empty where there is none. It is not to be changed.

    To read them all takes most of a second, several checks ask for them, and most edits change none.
    """
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    made_from = (path.as_posix(), component, text)
    return kept("locks", made_from, lambda: read_lock(text, path.as_posix(), component, _OF_FACTS))


def _rows(table: Table, releases: Sequence[str], *, joined: bool) -> list[str]:
    order = {release: index for index, release in enumerate(releases)}
    rows: list[str] = []
    for name in sorted(table):
        cells = [
            (min(order[release] for release in spans), f"{value}\t{_ranges(spans, releases, order)}")
            for value, spans in table[name].items()
        ]
        texts = [text for _, text in sorted(cells)]
        rows.extend([f"{name}\t" + "\t".join(texts) + "\n"] if joined else [f"{name}\t{text}\n" for text in texts])
    return rows


def _ranges(among: Collection[str], releases: Sequence[str], order: dict[str, int]) -> str:
    """Return ranges such as ``0.14.0 0.16.0..0.18.0 1.0.0..``; the last is open if it reaches the last release."""
    places = sorted(order[release] for release in among)
    runs: list[list[int]] = []
    for place in places:
        if runs and runs[-1][1] == place - 1:
            runs[-1][1] = place
        else:
            runs.append([place, place])
    last = len(releases) - 1
    return " ".join(
        f"{releases[low]}.." if high == last else releases[low] if low == high else f"{releases[low]}..{releases[high]}"
        for low, high in runs
    )


def _expand(ranges: str, releases: Sequence[str]) -> set[str]:
    expanded: set[str] = set()
    for item in ranges.split(" "):
        first, dots, last = item.partition("..")
        low = releases.index(first)
        high = (releases.index(last) if last else len(releases) - 1) if dots else low
        expanded.update(releases[low : high + 1])
    return expanded
