"""Loads the shipped spec once for all tests that change it in memory."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from rlmetrics.codegen.loader import load
from rlmetrics.codegen.spec import Spec


@lru_cache(maxsize=1)
def real_spec() -> Spec:
    """Return the spec of this checkout."""
    return load(Path(__file__).parents[2] / "spec")
