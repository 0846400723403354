"""Releases read from their source, the newest and older ones, against what the spec says of them."""

from __future__ import annotations

import pytest
from command_line import answered

RELEASES = ("trl==1.16.0", "trl==0.24.0", "trl==0.11.4", "trl==0.2.1", "verl==0.9.1", "verl==0.5.0")


@pytest.mark.parametrize("release", RELEASES)
def test_a_release_logs_what_the_spec_says(release: str) -> None:
    """No key of its source is missing in the spec, and the spec has none that it does not log."""
    answer = answered("audit", release)
    assert answer.code == 0, answer.out + answer.err
