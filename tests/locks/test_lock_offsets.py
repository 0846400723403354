"""Offsets of anchors are written once for all statements that moved together, and come back as they were."""

from __future__ import annotations

import re

import pytest
from folders import ROOT
from hypothesis import given
from hypothesis import strategies as st
from rlmetrics.codegen.locks.lock import Lock, Table
from rlmetrics.codegen.locks.lock_offsets import fold, unfold
from rlmetrics.codegen.locks.lock_text import read_lock, write_lock

RELEASES = [f"1.{minor}" for minor in range(6)]
LOCKS = sorted(path for path in (ROOT / "spec" / "locks").rglob("*.lock") if path.name != "dates.lock")


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Anchors at random places of two functions, some of which say the same twice."""
    table: Table = {}
    for name in draw(st.lists(st.sampled_from("abcdefgh"), unique=True)):
        for release in draw(st.lists(st.sampled_from(RELEASES), unique=True, min_size=1)):
            symbol, said = draw(st.sampled_from(["T.loss", "T.log"])), draw(st.sampled_from(["aa", "bb/cc"]))
            offsets = sorted(draw(st.sets(st.integers(0, 9), min_size=1, max_size=2)))
            value = f"{symbol} {said} {','.join(f'+{offset}' for offset in offsets)}"
            table.setdefault(name, {}).setdefault(value, set()).add(release)
    return table


@given(tables())
def test_any_offsets_come_back(table: Table) -> None:
    """Whatever stood where in which release."""
    assert unfold(*fold(table, RELEASES), RELEASES) == table
    lock = Lock("pkg", "a", RELEASES, {("anchors", "a.py"): table} if table else {})
    assert read_lock(write_lock(lock), "a.lock", "a") == lock


def test_statements_that_moved_together_have_one_row_each_and_one_number_a_release() -> None:
    """Two below an edit; the one above it has its offset, without a part."""
    table: Table = {
        "top": {"T.loss aa +1": {"1.0", "1.1", "1.2"}},
        "kl": {"T.loss bb +4": {"1.0"}, "T.loss bb +6": {"1.1", "1.2"}},
        "loss": {"T.loss cc +5": {"1.0"}, "T.loss cc +7": {"1.1"}, "T.loss dd +7": {"1.2"}},
    }
    assert fold(table, RELEASES) == (
        {
            "top": {"T.loss aa +1": {"1.0", "1.1", "1.2"}},
            "kl": {"T.loss bb +4@1": {"1.0", "1.1", "1.2"}},
            "loss": {"T.loss cc +5@1": {"1.0", "1.1"}, "T.loss dd +7": {"1.2"}},
        },
        {"T.loss @1": {"+2": {"1.1", "1.2"}}},
    )


def test_another_release_leaves_what_was_written_of_earlier_ones() -> None:
    """Its lock's diff holds the new lines alone."""
    before: Table = {"kl": {"T.loss bb +4": {"1.0"}, "T.loss bb +6": {"1.1"}}}
    after: Table = {"kl": {**before["kl"], "T.loss bb +9": {"1.2"}}, "new": {"T.loss ee +2": {"1.2"}}}
    assert fold(before, RELEASES[:2]) == ({"kl": {"T.loss bb +4@1": {"1.0", "1.1"}}}, {"T.loss @1": {"+2": {"1.1"}}})
    assert fold(after, RELEASES[:3]) == (
        {"kl": {"T.loss bb +4@1": {"1.0", "1.1", "1.2"}}, "new": {"T.loss ee +2": {"1.2"}}},
        {"T.loss @1": {"+2": {"1.1"}, "+5": {"1.2"}}},
    )


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_offset_of_the_locks_is_what_its_rows_say(path) -> None:
    """Added up here from the text: the row's first offset, and by how many lines its part moved in the release."""
    text = path.read_text(encoding="utf-8")
    lock = read_lock(text, path.name, path.stem)
    assert write_lock(lock) == text
    moved = {
        (subject, row.split("\t")[0], release): int(distance)
        for subject, rows in re.findall(r"^\[moved (.*)\]\n((?:.+\n)+)", text, re.M)
        for row in rows.splitlines()
        for distance, ranges in zip(row.split("\t")[1::2], row.split("\t")[2::2], strict=True)
        for release in _releases(ranges, lock.releases)
    }
    said = set()
    for subject, rows in re.findall(r"^\[anchors (.*)\]\n((?:.+\n)+)", text, re.M):
        for row in rows.splitlines():
            name, value, ranges = row.split("\t")
            symbol, fingerprint, place = value.split(" ")
            lines, at, part = place.partition("@")
            for release in _releases(ranges, lock.releases):
                more = moved.get((subject, f"{symbol} @{part}", release), 0) if at else 0
                offsets = tuple(int(line) + more for line in lines.split(","))
                said.add((subject, name, symbol, fingerprint, offsets, release))
    read = {
        (subject, name, symbol, fingerprint, tuple(map(int, lines.split(","))), release)
        for subject, table in lock.subjects("anchors")
        for name, values in table.items()
        for value, releases in values.items()
        for symbol, fingerprint, lines in [value.split(" ")]
        for release in releases
    }
    assert read == said


def _releases(ranges: str, order: list[str]) -> list[str]:
    found = []
    for item in ranges.split(" "):
        first, dots, last = item.partition("..")
        begin = order.index(first)
        end = order.index(last) if last else len(order) - 1 if dots else begin
        found += order[begin : end + 1]
    return found
