"""Statements that a key does not change its value, and what is told of keys for which they hold."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rlmetrics.answers.diff_summary import summary
from rlmetrics.names import diff, load_tables
from rlmetrics.names.meanings.constancy import StatedConstant, stated

ONE_UPDATE = "num_iterations == 1 and not use_vllm"


@pytest.mark.parametrize(
    ("text", "constant"),
    [
        (f"0 when {ONE_UPDATE}", StatedConstant("0", ONE_UPDATE, "", always=False, mode=None)),
        (
            f"0 when {ONE_UPDATE}, as long as (two) passes agree",
            StatedConstant("0", ONE_UPDATE, ", as long as (two) passes agree", always=False, mode=None),
        ),
        ("always 0", StatedConstant("0", None, "", always=True, mode=None)),
        ("0 always: there is no critic", StatedConstant("0", None, ": there is no critic", always=True, mode=None)),
        ("1 in evaluation, up to rounding", StatedConstant("1", None, ", up to rounding", always=False, mode="eval")),
        (
            "0 when the model is unknown to the counter",
            StatedConstant("0", None, " when the model is unknown to the counter", always=False, mode=None),
        ),
        ("0, unless nothing ends", StatedConstant("0", None, ", unless nothing ends", always=False, mode=None)),
        ("never below 1 / batch size", None),
    ],
)
def test_a_statement_is_a_value_a_guard_and_a_remark(text: str, constant: StatedConstant | None) -> None:
    """A guard ends where words begin; words alone are no guard, and a bound is no constant."""
    assert stated(text) == constant


@given(st.floats(-9, 9).map(lambda number: round(number, 3)), st.sampled_from(["", ", unless rounding", ": so it is"]))
def test_a_value_and_its_guard_are_read_back(number: float, remark: str) -> None:
    """Whatever the number and whatever is said behind the guard."""
    found = stated(f"{number} when beta == 0 or loss_type in ['grpo', 'bnpo']{remark}")
    assert found is not None
    assert (found.number, found.guard, found.remark) == (number, "beta == 0 or loss_type in ['grpo', 'bnpo']", remark)


def test_a_value_may_be_a_logarithm_or_a_setting() -> None:
    """A logarithm is a number, a setting's name is none."""
    logarithm, setting = stated("ln 2 when beta == 0"), stated("entropy_coef when not use_adaptive_entropy")
    assert logarithm is not None
    assert setting is not None
    assert logarithm.number == math.log(2)
    assert (setting.value, setting.number) == ("entropy_coef", None)


@pytest.mark.parametrize(
    ("component", "old", "new", "key"),
    [
        ("GRPOTrainer", "1.8.0", "1.16.0", "clip_ratio/low_min"),
        ("RLOOTrainer", "1.8.0", "1.9.0", "clip_ratio/high_max"),
        ("GRPOWithReplayBufferTrainer", "1.3.0", "1.13.0", "clip_ratio/low_min"),
    ],
)
def test_what_is_constant_at_both_ends_is_not_seen(component: str, old: str, new: str, key: str) -> None:
    """Ratios are 1 with the default settings of these trainers, so that clipped shares show no change."""
    result = diff(f"trl[{component}]=={old}", f"trl[{component}]=={new}")
    assert [item.applies for item in result.changed if item.key == key and item.mode == "train"] == [False]
    assert "clip_ratio" not in summary(result, load_tables())


def test_ratios_against_an_engine_are_seen() -> None:
    """AsyncGRPOTrainer compares with what the engine reported: its clipped shares are no constants."""
    result = diff("trl[AsyncGRPOTrainer]==1.10.0", "trl[AsyncGRPOTrainer]==1.11.0")
    assert "clip_ratio/{low_min,high_max}: now over tokens of one response" in summary(result, load_tables())


@pytest.mark.parametrize(
    ("old", "new", "keys", "no"),
    [
        ("trl[GRPOTrainer]==1.8.0", "trl[GRPOTrainer]==1.16.0", ["clip_ratio/high_max"], "below the lower bound"),
        ("trl[GRPOTrainer]==0.25.1", "trl[GRPOTrainer]==0.26.0", None, "smallest importance weight"),
        ("verl==0.7.0", "verl==0.7.1", None, "mean importance weight"),
    ],
)
def test_what_is_said_of_several_keys_is_true_of_each(old: str, new: str, keys: list[str] | None, no: str) -> None:
    """Of a minimum, a mean and a maximum that are taken over something else now, it is told over what."""
    result = diff(old, new, keys=keys)
    over = [cause for cause in result.causes if cause.kind == "metric" and cause.what.startswith("over ")]
    assert over
    assert not [cause for cause in over if no in cause.what]
    assert no not in summary(result, load_tables(), key=keys[0] if keys else None)
