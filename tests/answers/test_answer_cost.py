"""How much work an answer is, counted in calls, which no other load on the machine changes."""

from __future__ import annotations

import sys
from types import FrameType

import pytest
from rlmetrics.cli import main

MOST = 4000
"""Calls of Python functions that one answer may take when the tables are read."""


def test_a_warm_answer_takes_few_calls(capsys: pytest.CaptureFixture[str]):
    """A key of a release, with its meaning, its settings and what became of it over 99 releases."""
    question = ["resolve", "policy/approxkl_avg", "--at", "trl[PPOTrainer]==0.12.2"]
    main(question)
    first = capsys.readouterr().out
    calls = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        main(question)
    finally:
        sys.setprofile(None)

    assert capsys.readouterr().out == first
    assert "changed" in first
    assert calls <= MOST
