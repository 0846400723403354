"""Releases read from their source, the newest and older ones, against what the spec says of them."""

from __future__ import annotations

import json

import pytest
from command_line import answered

RELEASES = ("trl==1.16.0", "trl==0.24.0", "trl==0.11.4", "trl==0.2.1", "verl==0.9.1", "verl==0.5.0")
OTHERS = (
    "openrlhf==0.11.2",
    "openrlhf==0.9.5",
    "openrlhf==0.8.9",
    "areal==1.0.4",
    "skyrl==0.4.0",
    "axolotl==0.20.0",
    "llamafactory==0.9.4",
    "unsloth==2026.10.9",
    "ms-swift==4.6.0",
)
"""Parts of these the auditor does not follow; it says which."""


@pytest.mark.parametrize("release", RELEASES)
def test_a_release_logs_what_the_spec_says(release: str) -> None:
    """No key of its source is missing in the spec, and the spec has none that it does not log."""
    answer = answered("audit", release)
    assert answer.code == 0, answer.out + answer.err


@pytest.mark.parametrize("release", OTHERS)
def test_no_key_that_is_found_lacks_and_every_anchor_holds(release: str) -> None:
    """Keys are found at all, in every framework beyond the first two; their Python need not be this one."""
    answer = answered("audit", release, "--json")
    told = json.loads(answer.out)
    assert (told["missing"], told["evidence_broken"]) == ([], []), answer.out
    assert told["matched"]
    assert told["evidence_checked"]
