"""A small spec for the tests of names."""

from __future__ import annotations

from pathlib import Path

import pytest
from names.private_overlay import write_overlay
from names.small_spec import small_tables
from rlmetrics.names import Tables, View, open_view


@pytest.fixture(scope="session")
def tables() -> Tables:
    """The tables of ``tests/fixtures/spec_names``."""
    return small_tables()


@pytest.fixture(scope="session")
def new(tables: Tables) -> View:
    """The newest release of one trainer."""
    return open_view("alpha[NewTrainer]==1.0.0", spec=tables)


@pytest.fixture(scope="session")
def beta(tables: Tables) -> View:
    """All components of the newest release of the other framework."""
    return open_view("beta==0.5", spec=tables)


@pytest.fixture
def overlay(tmp_path: Path) -> Path:
    """An overlay that adds a private trainer to the real spec."""
    return write_overlay(tmp_path)
