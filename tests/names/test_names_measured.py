"""Numbers that rlmetrics logs beside a trainer's own, under ``exact/``."""

from __future__ import annotations

import pytest
from rlmetrics.cli import main
from rlmetrics.names import resolve
from rlmetrics.translate import Translator

GRPO = "trl[GRPOTrainer]==1.16.0"


@pytest.mark.parametrize("at", [GRPO, "verl==0.9.1", "auto"])
@pytest.mark.parametrize(
    ("key", "metric", "mode"),
    [
        ("exact/kl/reference/k3", "kl/reference/k3", "train"),
        ("train/exact/kl/reference/k3", "kl/reference/k3", "train"),
        ("eval_exact/entropy/policy", "entropy/policy", "eval"),
        ("eval/exact/entropy/policy", "entropy/policy", "eval"),
    ],
)
def test_they_mean_the_same_in_every_source(at: str, key: str, metric: str, mode: str) -> None:
    """They have the spec's meaning, whatever logs them, and are nobody's own choice of a name."""
    assert [(item.metric, item.mode, item.component) for item in resolve(key, at)] == [(metric, mode, "canonical")]


def test_other_names_of_this_form_are_the_users() -> None:
    """After ``exact/`` must come a name of the spec."""
    assert [item.metric for item in resolve("exact/mine", GRPO)] == ["group/user_metric"]


def test_they_keep_their_names_in_a_translation() -> None:
    """The trainer's number gets the canonical name, and the exact one stands beside it as before."""
    row = {"kl": 0.1, "exact/kl/reference/k3": 0.2}
    assert Translator(GRPO, "canonical").row(row) == {"kl/reference/k3": 0.1, "exact/kl/reference/k3": 0.2}


@pytest.mark.parametrize("options", [[], ["--at", GRPO]])
def test_the_answer_begins_with_who_measured(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """The first line says that the number is not the trainer's."""
    assert main(["resolve", "exact/kl/reference/k3", *options]) == 0
    first = " ".join(capsys.readouterr().out.split("\n\n")[0].split())
    assert "`exact/kl/reference/k3` is measured by rlmetrics" in first
    assert "`kl/reference/k3` as the spec defines it" in first
