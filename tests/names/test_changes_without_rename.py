"""Changes of meaning under an unchanged name, as the sources of consecutive releases show them.

The rows of ``tests/fixtures/changes_without_rename`` were read from the sources, line against line: which key
changed, with which release, and what sets the two numbers apart. A row whose ``differs`` is empty names a change of the
code that leaves the number as it is. Each row states everything that differs, so it fails if the spec tells the change
under another facet, tells more than there is, or tells it with another release.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pytest
import yaml
from folders import FIXTURES
from rlmetrics.names import DiffResult, diff, load_tables, open_views
from rlmetrics.names.tables.key_records import Entry

ROWS = FIXTURES / "changes_without_rename"
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True)
class Change:
    """One key of a row."""

    source: str
    key: str
    to: str
    old: str
    new: str
    config: tuple[tuple[str, Any], ...] = ()
    differs: frozenset[str] = frozenset()
    says: tuple[str, ...] = field(default=())

    def __str__(self) -> str:
        """Return what the row is about, as the test's name."""
        config = ",".join(f"{key}={value}" for key, value in self.config)
        return f"{self.source} {self.key} {self.old}->{self.new} {config}".strip()


@cache
def _rows(name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = yaml.load((ROWS / name).read_text("utf-8"), _LOADER)
    return rows


def _changes(name: str) -> list[Change]:
    return [
        Change(
            source=row["source"],
            key=key,
            to=row.get("renamed", key),
            old=row["before"]["release"],
            new=row["after"]["release"],
            config=tuple(row.get("config", {}).items()),
            differs=frozenset(row["differs"]),
            says=tuple(row.get("says", ())),
        )
        for row in _rows(name)
        for key in row["keys"]
    ]


CHANGES = [*_changes("trl.yaml"), *_changes("verl.yaml")]


@cache
def _entries(
    source: str, old: str, new: str, config: tuple[tuple[str, Any], ...]
) -> tuple[tuple[Entry, ...], tuple[Entry, ...]]:
    views = open_views([f"{source}=={old}", f"{source}=={new}"], config=dict(config))
    before, after = (tuple(view.entries()) for view in views)
    return before, after


@cache
def _diff(source: str, old: str, new: str, config: tuple[tuple[str, Any], ...]) -> DiffResult:
    return diff(f"{source}=={old}", f"{source}=={new}", config=dict(config))


def _pair(change: Change) -> tuple[Entry, Entry]:
    """Return the entries of a key before and after, of one component if that lives on."""
    before, after = _entries(change.source, change.old, change.new, change.config)
    old = [entry for entry in before if entry.key == change.key]
    new = [entry for entry in after if entry.key == change.to]
    assert old, f"{change.key} is not logged in {change.old}"
    assert new, f"{change.to} is not logged in {change.new}"
    same = [(mine, other) for mine in old for other in new if mine.component == other.component]
    return same[0] if same else (old[0], new[0])


def _differences(old: Entry, new: Entry) -> frozenset[str]:
    """Return all that sets two entries apart, in the words of the fixtures."""
    tables = load_tables()
    mine, other = old.signature, new.signature
    pairs = [("metric", old.metric, new.metric), ("kind", old.kind, new.kind), ("logged", old.logged, new.logged)]
    pairs += [(name, getattr(mine, name), getattr(other, name)) for name in _FIELDS]
    pairs += [("formula", mine.reproduced_by or "plain", other.reproduced_by or "plain")]
    pairs += [
        (f"reduction over {level}", mine.reduction.get(level, "default"), other.reduction.get(level, "default"))
        for level in tables.signatures["LEVELS"]
    ]
    told = {f"{name} {first} -> {second}" for name, first, second in pairs if first != second}
    if mine.span != other.span:
        told.add("span")
    for word, has, lacks in (("without", mine.traits, other.traits), ("with", other.traits, mine.traits)):
        told |= {f"{tables.traits[trait]['facet']} {word} {trait}" for trait in has if trait not in lacks}
    return frozenset(told)


_FIELDS = ("population", "snapshot", "scale", "offset", "lag")

_BY_NAME = [change for change in CHANGES if change.key == change.to]


def _by_step(changes: Iterable[Change]) -> list[Any]:
    """Return the changes from one release to another together, for one test each."""
    steps: dict[str, list[Change]] = {}
    for change in changes:
        steps.setdefault(f"{change.source} {change.old}->{change.new}", []).append(change)
    return [pytest.param(several, id=step) for step, several in steps.items()]


@pytest.mark.parametrize("changes", _by_step(CHANGES))
def test_keys_differ_between_two_releases_by_exactly_what_the_sources_show(changes):
    """Population, reduction, sign, scale, defects, predicate, span, default: all that differs is told, and no more."""
    for change in changes:
        assert _differences(*_pair(change)) == change.differs, change


@pytest.mark.parametrize("changes", _by_step(change for change in _BY_NAME if change.differs))
def test_changes_under_an_unchanged_name_are_told(changes):
    """With the release that brought them, in words, and with where they stand; none passes as the same number."""
    for change in changes:
        told = {item.key: item for item in _diff(change.source, change.old, change.new, change.config).changed}
        assert change.key in told, f"{change.key} is taken to mean the same in {change.old} and {change.new}"
        found = told[change.key]
        assert found.since == change.new, change
        assert found.evidence, change
        only_logged = all(text.startswith("logged ") for text in change.differs)
        assert (found.relation == "exact") == only_logged, change
        assert [text for text in change.says if text not in found.what] == [], change


@pytest.mark.parametrize("changes", _by_step(change for change in _BY_NAME if not change.differs))
def test_numbers_that_stay_the_same_are_not_told_as_changed(changes):
    """However much the lines around them changed, under this configuration."""
    for change in changes:
        changed = {item.key for item in _diff(change.source, change.old, change.new, change.config).changed}
        assert change.key not in changed, change


@pytest.mark.parametrize("changes", _by_step(change for change in CHANGES if change.key != change.to))
def test_changes_that_hide_behind_a_new_name_are_told(changes):
    """A key that is renamed and changed at once is no plain renaming."""
    for change in changes:
        renamed = {item.from_: item for item in _diff(change.source, change.old, change.new, change.config).renamed}
        assert renamed[change.key].to == change.to, change
        assert renamed[change.key].relation != "exact", change


def test_every_row_cites_a_line_of_both_releases():
    """So that a reader can lay the two side by side."""
    for name in ("trl.yaml", "verl.yaml"):
        for row in _rows(name):
            for side in (row["before"], row["after"]):
                assert set(side) == {"release", "path", "line"}
                assert side["line"] > 0
            assert row["change"].endswith(".")
