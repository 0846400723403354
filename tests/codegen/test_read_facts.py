"""What was read of tables is noted: as long as that is the same, reading again gives the same."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rlmetrics.codegen.generate.read_facts import Files, ReadTables
from rlmetrics.names.tables.table_text import Rows

NAMES = ("a", "b", "c")
PLACES = st.one_of(st.sampled_from(NAMES), st.integers(-2, 10))
LEAVES = st.one_of(st.integers(0, 1), st.sampled_from(["", "a", "0.1.."]), st.none(), st.booleans())
ROWS = st.lists(st.one_of(LEAVES, st.lists(st.sampled_from(NAMES), min_size=1, max_size=2)), max_size=10)
ENTRIES = st.dictionaries(st.sampled_from(NAMES), st.one_of(LEAVES, st.dictionaries(st.sampled_from(NAMES), LEAVES)))
TABLES = st.dictionaries(st.sampled_from(NAMES), st.one_of(LEAVES, ROWS, ENTRIES))
SPECS = st.fixed_dictionaries({}, optional={"metrics/a": TABLES, "frameworks/a": TABLES})


def _plain(value: Any) -> Any:
    """Return all that a reader can see of a value."""
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    return [*value] if isinstance(value, Rows) else value


WAYS: Mapping[str, Callable[[Any, Any], Any]] = {
    "[]": lambda value, place: value[place],
    "get": lambda value, place: value.get(place),
    "in": lambda value, place: place in value,
    "len": lambda value, _: len(value),
    "names": lambda value, _: [*value] if isinstance(value, Mapping) else None,
    "items": lambda value, _: _plain(dict(value.items())),
    "all": lambda value, _: _plain(value),
    "unpacked": lambda value, _: _plain({**value}),
    "reversed": lambda value, _: [*reversed(value)],
    "slice": lambda value, place: value[place:],
    "beginning": lambda value, place: value.beginning(place),
    "equal": lambda value, _: value == {"a": 1},
}


def read(tables: ReadTables, steps: list[tuple[str, str, Any]]) -> list[Any]:
    """Return what a reader finds out who goes on from what it was given last, where that has parts."""
    found: list[Any] = []
    value: Any = None
    for table, way, place in steps:
        try:
            given = WAYS[way](tables.load(table) if value is None else value, place)
        except (KeyError, IndexError, TypeError, AttributeError) as error:
            found.append(type(error))
            value = None
            continue
        value = given if isinstance(given, Mapping | Rows) and way in ("[]", "get") else None
        found.append((value is None, repr(given) if value is None else type(given)))
    return found


@settings(max_examples=400, deadline=None)
@given(
    SPECS,
    SPECS,
    st.lists(st.tuples(st.sampled_from(["metrics/a", "frameworks/a"]), st.sampled_from([*WAYS]), PLACES), max_size=6),
)
def test_what_holds_reads_the_same(before, after, steps):
    """Whatever the tables say before and after, and in whichever ways they are read."""
    files, changed = (Files({name: json.dumps(table) for name, table in spec.items()}) for spec in (before, after))
    tables = ReadTables(files)
    found = read(tables, steps)

    assert files.hold(tables.seen())
    if changed.hold(tables.seen()):
        assert read(ReadTables(changed), steps) == found


TABLE = {
    "$comment": "made from a file",
    "KEYS": {"kl": ["kl/reference/k3"], "loss": ["loss/policy"]},
    "ROWS": [[name, number] for name in ("kl", "loss", "kl", "lr") for number in range(3)],
    "METRICS": {"kl": {"brief": "A brief.", "kind": "scalar"}, "loss": {"brief": "Another.", "kind": "scalar"}},
}


def changed(path: list[Any], value: Any) -> dict[str, Any]:
    """Return the table with another value at a place."""
    table = json.loads(json.dumps(TABLE))
    inner = table
    for name in path[:-1]:
        inner = inner[name]
    inner[path[-1]] = value
    return table


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["$comment"], "made from another file"),
        (["KEYS", "loss"], ["loss/value"]),
        (["KEYS", "entropy"], ["entropy/mean"]),
        (["ROWS", 3], ["loss", 7]),
        (["METRICS", "kl", "brief"], "Now a longer brief."),
        (["METRICS", "loss", "kind"], "counter"),
        (["NEW"], 1),
    ],
)
def test_what_was_not_read_may_change(path, value):
    """Another field, entry, row, or field of the same metric."""
    files = Files({"metrics/kl": json.dumps(TABLE)})
    tables = ReadTables(files)
    table = tables.load("metrics/kl")

    assert table["KEYS"]["kl"] == ["kl/reference/k3"]
    assert "lr" not in table["KEYS"]
    assert table["ROWS"].beginning("kl")[-1] == ["kl", 2]
    assert table["ROWS"][1] == ["kl", 1]
    assert table["METRICS"]["kl"]["kind"] == "scalar"
    assert Files({"metrics/kl": json.dumps(changed(path, value))}).hold(tables.seen())


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["KEYS", "kl"], ["kl/reference/k2"]),
        (["KEYS", "lr"], ["optimizer/lr"]),
        (["ROWS", 1], ["kl", 7]),
        (["ROWS", 3], ["kl", 7]),
        (["METRICS", "kl", "kind"], "counter"),
        (["METRICS", "kl"], "a text"),
    ],
)
def test_what_was_read_may_not(path, value):
    """Nor may there be what was looked for in vain."""
    files = Files({"metrics/kl": json.dumps(TABLE)})
    tables = ReadTables(files)
    table = tables.load("metrics/kl")
    found = table["KEYS"]["kl"], "lr" in table["KEYS"], table["ROWS"].beginning("kl"), table["METRICS"]["kl"]["kind"]

    assert found[1] is False
    assert not Files({"metrics/kl": json.dumps(changed(path, value))}).hold(tables.seen())
