"""The table by which a name without a source is understood says what the components themselves say."""

from __future__ import annotations

import pytest
from rlmetrics.names import Tables, load_tables
from rlmetrics.names.meanings.key_index import catalogue_of
from rlmetrics.names.sources.surfaces import route_surfaces, show_template


@pytest.fixture(scope="module")
def tables() -> Tables:
    """The tables of the spec."""
    return load_tables()


def test_every_component_of_a_key_is_known(tables):
    """All that spell it so, and no other."""
    parts = catalogue_of(tables)._parts
    said = {key: {*numbers} for key, numbers in tables.catalogue["KEYS"].items()}
    spelled: dict[str, set[int]] = {}
    for number, part in enumerate(parts):
        for key in part.own.spelled:
            spelled.setdefault(key, set()).add(number)

    assert said == spelled


def test_every_name_that_a_tracker_shows_is_known(tables):
    """By the key, or by how the template begins and ends."""
    shown, forms = tables.catalogue["SHOWN"], {tuple(row) for row in tables.catalogue["FORMS"]}
    for part in catalogue_of(tables)._parts:
        routes = tuple(dict.fromkeys(row["route"] for row in part.own.tracking()))
        for key in part.own.spelled:
            for name in {key, *(show_template(key, rules) for _, rules in route_surfaces(tables, routes))} - {""}:
                if "{" in key:
                    assert (name.partition("{")[0], name.rpartition("}")[2], key) in forms
                else:
                    assert name == key or key in shown[name]
