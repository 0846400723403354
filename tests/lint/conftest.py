"""Fixtures of the linter's tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from lint.spec_text import SpecText


@pytest.fixture
def spec(tmp_path: Path) -> SpecText:
    """A fresh copy of the base spec."""
    return SpecText(tmp_path / "spec")
