"""Where the repository and the fixtures of its tests are, for tests in folders of any depth."""

from __future__ import annotations

from pathlib import Path

__all__ = ["FIXTURES", "ROOT", "RUNS", "TESTS"]

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
FIXTURES = TESTS / "fixtures"
RUNS = FIXTURES / "runs"
"""Recorded runs of TRL and verl."""
