"""The index of the search: what it holds, what it leads to, and its size."""

from __future__ import annotations

import pytest
from rlmetrics.codegen.site.search import search_index
from rlmetrics.codegen.site.site import Site
from rlmetrics.codegen.site.texts import Texts
from search_data import data_of, english, spec, titles

pytestmark = pytest.mark.xdist_group("index")

MOST = 340_000
"""Bytes that the index may have, uncompressed."""


def test_the_index_is_small() -> None:
    """With every page that the spec could have, steps without any change included."""
    assert len(search_index(english(), titles()).text.encode()) < MOST


def test_a_translated_index_is_small() -> None:
    """With each brief in Chinese beside the English one."""
    tables, catalog = english().tables, spec().texts["zh"].catalog()
    site = Site(spec(), {}, tables, Texts("zh", catalog), english().guides)
    assert all(str(row["brief"]) in catalog for row in tables.metrics.values())
    assert len(search_index(site, titles()).text.encode()) < MOST
    data = data_of(site, titles())
    assert all(row[5] == catalog[row[2]] for row in data["metrics"])
    assert ["解释方差", "explained variance"] in data["terms"]
    lengths = [len(word) for word, _ in data["terms"]]
    assert sorted(lengths, reverse=True) == lengths
