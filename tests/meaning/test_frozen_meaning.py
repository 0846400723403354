"""The meaning of every key is what it was before the spec was written as facts, but for listed corrections."""

from __future__ import annotations

import pytest
from meaning.frozen import compare, components, corrections, is_listed

SAMPLE = 12
"""Configurations of a key that are tried here; ``python tests/meaning/frozen.py`` tries all."""


@pytest.mark.parametrize("component", components())
def test_keys_mean_what_they_meant(component: str) -> None:
    """In every release and mode, under a sample of the configurations that the guards tell apart."""
    listed = corrections()
    found = [item for item in compare(component, most=SAMPLE) if not is_listed(item, listed)]
    assert [str(item) for item in found[:3]] == []
