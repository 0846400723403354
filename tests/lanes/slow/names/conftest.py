"""What tests of names share that read the real spec."""

from __future__ import annotations

from pathlib import Path

import pytest
from names.private_overlay import write_overlay
from rlmetrics.names import load_tables
from rlmetrics.names.tables.tables import Tables


@pytest.fixture(scope="session")
def tables() -> Tables:
    """The spec."""
    return load_tables()


@pytest.fixture
def overlay(tmp_path: Path) -> Path:
    """An overlay that adds a private trainer to the real spec."""
    return write_overlay(tmp_path)
