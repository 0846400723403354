"""What a row shows about its run: settings that its keys prove, defaults that its values refute, and empty parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rlmetrics.answers.judgement import Judgement
from rlmetrics.answers.missing import missing_lines
from rlmetrics.answers.pasted import Given
from rlmetrics.answers.value_answer import judge_row
from rlmetrics.answers.value_evidence import RowEvidence, evidence_of
from rlmetrics.answers.value_limits import at_limit
from rlmetrics.names import open_view
from rlmetrics.names.lookup.resolving import resolve_in
from rlmetrics.names.settings.configuration import UNKNOWN

GRPO = "trl[GRPOTrainer]==1.0.0"
Row = Mapping[str, float]


def given_row(row: Row) -> dict[str, Given]:
    """Values as somebody gave them."""
    return {key: Given(repr(number), number) for key, number in row.items()}


def evidence(at: str, row: Row, **config: Any) -> RowEvidence:
    """What a row shows."""
    view = open_view(at, config=config)
    return evidence_of(view, given_row(row), {key: resolve_in(view, [key]) for key in row})


def heads(at: str, row: Row, **config: Any) -> dict[str, Judgement]:
    """What is said first of each value of a row."""
    return {item.found.key: item.judged[0] for item in judge_row(open_view(at, config=config), given_row(row), config)}


def test_a_key_proves_its_condition() -> None:
    """GRPO logs kl only with a beta: that it is there shows that beta is not 0, though 0 is the default."""
    shown = evidence(GRPO, {"kl": 0.01, "loss": 0.1})

    assert shown.settings == {"beta": UNKNOWN}
    assert shown.says == ["kl is logged: beta does not have its default here"]


def test_a_value_refutes_what_would_keep_it_constant() -> None:
    """Clipping above 0 shows that ratios left 1; then a 0 beside it is a measurement, no constant."""
    row = {"clip_ratio/low_mean": 0.003, "clip_ratio/high_mean": 0.0}

    assert "num_iterations" in evidence(GRPO, row).settings
    assert heads(GRPO, row)["clip_ratio/high_mean"].origin == "reading"
    assert heads(GRPO, {"clip_ratio/high_mean": 0.0})["clip_ratio/high_mean"].origin == "constant"


def test_what_was_given_is_not_contradicted() -> None:
    """A setting that was given keeps its value, whatever the row shows of the others."""
    shown = evidence(GRPO, {"clip_ratio/low_mean": 0.003}, num_iterations="1")
    assert "num_iterations" not in shown.settings
    assert "steps_per_generation" in shown.settings

    first = heads("trl[GRPOTrainer]==0.17.0", {"clip_ratio/low_mean": 0.003}, num_iterations="1")
    assert (first["clip_ratio/low_mean"].level, first["clip_ratio/low_mean"].origin) == ("warning", "constant")
    assert "does not fit the settings" in first["clip_ratio/low_mean"].says


def test_a_row_without_evidence_changes_nothing() -> None:
    """Values that fit the defaults show nothing."""
    assert evidence(GRPO, {"loss": 0.1, "reward": 0.5, "clip_ratio/low_mean": 0.0})[:3] == ({}, [], {})


@pytest.mark.parametrize("share", [1.0, 0.5])
def test_zeros_of_an_empty_rest_are_no_measurement(share: float) -> None:
    """Where truncated responses are left out and all are truncated, an entropy of 0 measures nothing."""
    said = heads(GRPO, {"entropy": 0.0, "completions/clipped_ratio": share}, mask_truncated_completions="true")[
        "entropy"
    ]

    assert "nothing was counted" in said.says
    assert (said.origin == "empty") is (share == 1.0)


@given(st.integers(1, 4000), st.integers(1, 4000))
def test_a_length_is_below_its_limit_at_it_or_impossible(length: int, limit: int) -> None:
    """Of a longest response and the longest allowed exactly one of three is said."""
    view = open_view("trl[GRPOTrainer]==0.18.2", config={"max_completion_length": limit})
    (found,) = resolve_in(view, ["completions/max_length"])
    said = at_limit(view, found, Given(str(length), float(length)))

    assert [item.level for item in said] == (["error"] if length > limit else ["info"] if length == limit else [])


def test_a_default_limit_accuses_nobody() -> None:
    """Above the default the run had another limit; at it, that is only a guess."""
    view = open_view("trl[GRPOTrainer]==0.18.2")
    (found,) = resolve_in(view, ["completions/max_length"])

    assert at_limit(view, found, Given("300", 300.0)) == []
    assert "if the run left it so" in at_limit(view, found, Given("256", 256.0))[0].says


def missing(at: str, keys: list[str], **config: Any) -> str:
    """What a row with some keys lacks."""
    view = open_view(at, config=config)
    return " ".join(" ".join(missing_lines(view, [item for key in keys for item in resolve_in(view, [key])])).split())


def test_a_row_says_what_it_lacks_and_why() -> None:
    """Keys of a generation are absent where completions are reused, unless one of them is there."""
    update = ["loss", "grad_norm", "learning_rate", "entropy", "epoch"]

    assert "reward, reward_std" in missing(GRPO, update)
    assert "reuse completions" in missing(GRPO, update)
    assert "reuse completions" not in missing(GRPO, [*update, "completions/min_length"])
    assert missing(GRPO, ["eval_loss", "eval_reward", "eval_runtime", "epoch"]).endswith("a row of an evaluation")
    assert missing(GRPO, ["loss", "reward"]) == ""
    assert "train_runtime" not in missing(GRPO, update)


def test_a_key_that_is_logged_proves_only_what_alone_can_log_it():
    """A setting that changes nothing as long as the rest has its default keeps its own, and with it its meaning."""
    shown = evidence("verl[rollout_correction]==0.7.0", {"rollout_corr/chi2_token": 3.2})

    assert list(shown.settings) == ["actor_rollout_ref.rollout.calculate_log_probs"]
