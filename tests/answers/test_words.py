"""Signatures in words."""

from __future__ import annotations

import pytest
from rlmetrics.names import resolve
from rlmetrics.names.tables.loading import load_tables
from rlmetrics.wording.signature_words import (
    averaged_words,
    population_words,
    quantity_words,
    ranges_words,
    source_words,
)

TABLES = load_tables()


@pytest.mark.parametrize(
    ("key", "at", "said"),
    [
        (
            "policy/approxkl_avg",
            "trl[PPOTrainer]==0.12.2",
            "all response positions, padding and text after the end token counted; a micro-batch at once, "
            "then plain means over micro-batches, mini-batches, epochs and processes",
        ),
        (
            "kl",
            "trl[GRPOTrainer]==0.15.2",
            "all response tokens; plain mean over the tokens of a response, "
            "then plain means over responses and processes, "
            "then one plain mean over micro-batches, mini-batches, epochs and steps since the last log",
        ),
        (
            "loss",
            "trl[DPOTrainer]==1.16.0",
            "all preference pairs of the data set; a micro-batch at once, then plain means over micro-batches and "
            "processes, then plain mean over steps since the last log",
        ),
        ("learning_rate", "trl[DPOTrainer]==1.16.0", "only the last of the steps since the last log"),
        (
            "kl",
            "trl[GRPOTrainer]==1.16.0",
            "all response tokens; a micro-batch of all processes at once, "
            "then one plain mean over micro-batches, mini-batches, epochs and steps since the last log",
        ),
        (
            "rewards/rejected",
            "trl[KTOTrainer]==0.27.2",
            "all labelled completions, only where desirable is false; the whole batch of all processes and all steps "
            "since the last log at once",
        ),
        (
            "mean_token_accuracy",
            "trl[DPOTrainer]==1.9.2",
            "all completion tokens of preferred and rejected responses, only where chosen_mask is true; a micro-batch "
            "of all processes at once, then one plain mean over micro-batches and steps since the last log",
        ),
        (
            "critic/score/max",
            "verl==0.9.1",
            "the responses with at least one token; the whole batch of all processes at once",
        ),
    ],
)
def test_how_a_number_is_averaged(key, at, said):
    """The words follow the resolved signature of that release."""
    (found,) = resolve(key, at)

    assert found.signature is not None
    assert averaged_words(found.signature, found.metric, TABLES) == said


def test_a_divergence_is_told_by_its_two_policies():
    """Which two policies, per what, by which estimator."""
    assert quantity_words("kl/reference/k3", TABLES) == "policy now vs reference, per token, k3"
    assert quantity_words("kl/old_reference_sum/k1", TABLES) == (
        "policy before the update vs reference, summed over each response, k1"
    )


def test_every_metric_and_population_has_words():
    """No answer falls back to an identifier."""
    assert all(quantity_words(metric, TABLES) != metric for metric in TABLES.metrics)
    assert all("_" not in str(population_words(name, TABLES)) for name in TABLES.signatures["POPULATIONS"])
    assert (
        population_words("sequences without truncated_responses", TABLES)
        == "all responses, without responses that the length limit cut off"
    )


def test_ranges_close_at_gaps_and_stay_open_at_the_end():
    """Releases in a row are a range; one that reaches the newest stays open."""
    names = ["1", "2", "3", "4", "5"]

    assert ranges_words(["1", "2", "4"], names) == "1..2, 4"
    assert ranges_words(["2", "5", "4"], names) == "2, 4.."


def test_a_source_in_prose():
    """A source that can be pasted has another form in a sentence."""
    assert source_words("trl[PPOTrainer]==0.12.2", TABLES) == "TRL PPOTrainer 0.12.2"
    assert source_words("verl==0.9.1", TABLES) == "verl 0.9.1"
