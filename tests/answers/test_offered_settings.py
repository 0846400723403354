"""Which settings are offered as ones that change a key, and that those which a trainer refuses are told as that."""

from __future__ import annotations

import pytest
from rlmetrics.cli.main import main

REFUSED = "never, since num_generations below 2 is refused before training starts"


def _told(capsys: pytest.CaptureFixture[str], key: str, at: str, *more: str) -> str:
    assert main(["resolve", key, "--at", at, *more]) == 0
    return " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("at", ["trl[GRPOTrainer]==1.6.0", "trl[RLOOTrainer]==0.23.0", "trl[DPPOTrainer]==1.13.0"])
def test_a_single_completion_is_refused(capsys, at):
    """GRPOConfig and RLOOConfig raise an error for fewer than two, and so do configurations that extend them."""
    told = _told(capsys, "loss", at, "--config", "num_generations=1")
    assert REFUSED in told
    assert "no difference" not in told


@pytest.mark.parametrize("at", ["trl[MiniLLMTrainer]==1.6.0", "ms-swift[GRPOTrainer]==4.6.0"])
def test_configurations_without_the_check_take_it(capsys, at):
    """These leave GRPOConfig's own checks out."""
    assert REFUSED not in _told(capsys, "completions/max_length", at, "--config", "num_generations=1")


def test_the_other_of_two_choices_is_offered(capsys):
    """The squared loss of OnlineDPOTrainer, although only the logistic one is named by what holds."""
    told = _told(capsys, "loss", "trl[OnlineDPOTrainer]==0.28.0")
    assert 'loss_type = "ipo" ("sigmoid")' in told.partition("Settings that change it")[2]


def test_what_is_refused_is_not_offered(capsys):
    """Prompts count once per response with any number of them that GRPOConfig takes."""
    told = _told(capsys, "num_tokens", "trl[GRPOTrainer]==1.7.0")
    _, _, offered = told.partition("Settings that change it")
    assert "tools" in offered
    assert "num_generations" not in offered
