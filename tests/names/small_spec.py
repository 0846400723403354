"""Loads the small spec of these tests."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from rlmetrics.codegen.loader import load
from rlmetrics.codegen.spec import Spec
from rlmetrics.codegen.tables import build
from rlmetrics.names import Tables

FOLDER = Path(__file__).parents[1] / "fixtures" / "spec_names"


@lru_cache(maxsize=1)
def small_spec() -> Spec:
    """Return the spec."""
    return load(FOLDER)


@lru_cache(maxsize=1)
def small_tables() -> Tables:
    """Return its tables, built in memory."""
    data = build(small_spec())
    return Tables(lambda table: data[table].data)
