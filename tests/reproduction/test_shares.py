"""How much of what releases log is computed exactly."""

from __future__ import annotations

import pytest
from rlmetrics.names.tables.loading import load_tables
from rlmetrics.reproduction import as_logged
from rlmetrics.reproduction.shares import recipes_of, share_of


@pytest.mark.parametrize(("framework", "of_meanings"), [("verl", 0.8), ("trl", 0.8), ("openrlhf", 0.75)])
def test_most_rows_and_meanings_of_the_newest_release_are_exact(framework: str, of_meanings: float) -> None:
    """Of the rows with a function or a constant at least four of five are exact, and most of the meanings.

    OpenRLHF has fewer meanings, and where it trains while it samples no tensor shows which policy sampled.
    """
    newest = load_tables(None).framework(framework).releases.names[-1]
    share = share_of(list(recipes_of(f"{framework}=={newest}")))
    assert share.exact >= 0.8 * share.computable
    assert share.exact_meanings >= of_meanings * share.meanings
    assert share.computable < share.all


@pytest.mark.parametrize(
    ("key", "at", "says"),
    [
        ("num_tokens", "trl[SFTTrainer]==1.16.0", "the counter starts again at 0 when a run is resumed"),
        ("train_steps_per_second", "trl[SFTTrainer]==1.16.0", "everything that the schedule holds counts"),
    ],
)
def test_what_no_tensor_shows_makes_a_number_inexact(key: str, at: str, says: str) -> None:
    """A function never claims to be exact where it leaves out what changes the number, and says what that is."""
    found = as_logged(key, at=at)
    assert not found.exact
    assert any(text.startswith(says) for text in found.left_out)


def test_what_the_tensors_hold_is_told_and_takes_nothing_from_a_number() -> None:
    """What the framework put into its tensors is the caller's business: it is told, and the number stays exact."""
    found = as_logged("eval_rewards/chosen", at="trl[DPOTrainer]==1.16.0")
    assert found.exact
    assert found.left_out == ("samples that were repeated to fill the last batch count again",)
