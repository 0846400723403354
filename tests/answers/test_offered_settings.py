"""Which settings are offered as ones that change a key."""

from __future__ import annotations

import pytest
from rlmetrics.cli.main import main


def _told(capsys: pytest.CaptureFixture[str], key: str, at: str, *more: str) -> str:
    assert main(["resolve", key, "--at", at, *more]) == 0
    return " ".join(capsys.readouterr().out.split())


def test_the_other_of_two_choices_is_offered(capsys):
    """The squared loss of OnlineDPOTrainer, although only the logistic one is named by what holds."""
    told = _told(capsys, "loss", "trl[OnlineDPOTrainer]==0.28.0")
    assert 'loss_type = "ipo" ("sigmoid")' in told.partition("Settings that change it")[2]
