"""A value of which the description of its metric speaks is not called unremarkable above that description."""

from __future__ import annotations

import pytest
from rlmetrics.answers.described_values import described
from rlmetrics.answers.pasted import Given
from rlmetrics.answers.value_answer import judge_row
from rlmetrics.names import load_tables, open_view


@pytest.mark.parametrize(
    ("at", "key", "number", "says"),
    [
        ("verl==0.9.1", "critic/grad_norm", 0.0, "0 means that the critic receives no gradient, "),
        ("trl[GRPOTrainer]==1.16.0", "tools/call_frequency", 0.0, "0 means that the model has stopped using its tools"),
        ("verl==0.9.1", "response/aborted_ratio", 1.0, "1 means that the rollout engine has failed."),
        ("trl[AsyncGRPOTrainer]==1.16.0", "batch/row_fill_frac", 1.0, "1: near 1 packing works."),
    ],
)
def test_what_is_said_of_a_value_is_the_answer(at: str, key: str, number: float, says: str) -> None:
    """As a sentence of its own where the value is its subject, else behind a colon."""
    (value,) = [item for item in judge_row(open_view(at), {key: Given(f"{number:g}", number)}) if item.judged]
    assert value.says.startswith(says)


def test_other_values_and_mentions_are_left_alone() -> None:
    """Of 0.5 nothing is said; where a curve starts, and what an unnamed number does, is nothing about the value."""
    tables = load_tables()
    assert described("critic/gradient_norm", 0.5, "0.5", tables) is None
    assert described("unpaired/reward/chosen", 0.0, "0", tables) is None
    assert described("rollout/comparison_valid", 0.0, "0", tables) is None


def test_every_sentence_is_whole() -> None:
    """Whatever the metric: one sentence, with the value as it is written."""
    tables = load_tables()
    told = [text for name in tables.metrics for text in [described(name, 0.0, "0.0", tables)] if text is not None]
    assert len(told) > 30
    assert all(text.startswith("0.0") and text.endswith(".") and text.count("(") == text.count(")") for text in told)
