"""A table of which single entries are decoded says what the whole file says."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rlmetrics.codegen.tables.json_tables import text_of
from rlmetrics.names.tables import table_text
from rlmetrics.names.tables.table_text import TableText, TextRows

NAMES = st.text('ab"\\\n/{}[] é中', max_size=8)
CELLS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=60))
VALUES = st.recursive(CELLS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4))
ENTRIES = st.dictionaries(NAMES, VALUES, max_size=12) | st.lists(VALUES, max_size=12)
TABLES = st.dictionaries(NAMES, ENTRIES | VALUES, max_size=5)


@pytest.fixture(autouse=True, params=[1, 50], ids=["soon whole", "single"])
def most(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """After how many single entries all are decoded."""
    monkeypatch.setattr(table_text, "_MANY", request.param)


def looked_up(found: Any, wanted: Any) -> Any:
    """Return what is found, looking for one entry after the other where there are several."""
    if isinstance(wanted, dict) and not isinstance(found, dict):
        return {name: found[name] for name in reversed(wanted)}
    if isinstance(wanted, list) and not isinstance(found, list):
        return [found[place] for place in reversed(range(len(found)))][::-1]
    return found


@given(table=TABLES)
def test_each_entry_is_the_one_of_the_file(table):
    """Whatever it holds, and in whichever order it is asked for."""
    text = text_of(table)
    found = TableText(text)

    assert json.loads(text) == table
    assert {name: looked_up(found[name], table[name]) for name in reversed(table)} == table


@given(table=TABLES)
def test_a_table_as_a_whole_is_the_file(table):
    """Its names in order, and everything in them."""
    found = TableText(text_of(table))

    assert [*found] == [*table]
    for name, wanted in table.items():
        if isinstance(wanted, dict):
            assert [*found[name].items()] == [*wanted.items()]
            assert [*found[name]] == [*found[name].keys()] == [*wanted]
        elif isinstance(wanted, list):
            assert [*found[name]] == wanted
            assert len(found[name]) == len(wanted)


@given(table=TABLES, name=NAMES)
def test_what_is_not_there_is_missing(table, name):
    """A field, or an entry of one: no text within another entry is taken for it."""
    found = TableText(text_of(table))

    assert (name in found) == (name in table)
    for field, wanted in table.items():
        if isinstance(wanted, dict):
            assert (name in found[field]) == (name in wanted)
            assert found[field].get(None) is None


@given(rows=st.lists(st.tuples(NAMES, st.text(max_size=90)), min_size=3, max_size=9), name=NAMES)
def test_rows_are_found_by_their_first_cell(rows, name):
    """All of them, in order."""
    found = TableText(text_of({"keys": [*map(list, rows)]}))["keys"]
    wanted = [[*row] for row in rows if row[0] == name]

    if isinstance(found, TextRows):
        assert found.beginning(name) == wanted
        assert [*found] == [*map(list, rows)]
        assert found.beginning(name) == wanted


def test_an_entry_is_one_object_however_it_is_reached():
    """What was given away before all were decoded stays what it was."""
    found = TableText(text_of({"a": {f"name {number}": [number] * 40 for number in range(200)}}))["a"]
    first = found["name 7"]

    assert found["name 7"] is first
    assert dict(found)["name 7"] is first
