"""Numbers of keys in corners: parts without a token, and settings that hold no number."""

from __future__ import annotations

import pickle

import pytest
import torch
from rlmetrics import as_logged
from rlmetrics.names import NamesError


@pytest.mark.parametrize("reduction", ["token-mean", "seq-mean-token-mean", "seq-mean-token-sum-norm"])
def test_a_micro_batch_without_a_token_is_a_zero_in_gspo(reduction: str) -> None:
    """This loss is averaged over responses whatever is configured, and its mean of nothing is 0."""
    loss = as_logged(
        "actor/pg_loss",
        "verl[actor]==0.6.1",
        {
            "actor_rollout_ref.actor.policy_loss.loss_mode": "gspo",
            "actor_rollout_ref.actor.loss_agg_mode": reduction,
        },
    )
    empty = {name: torch.zeros(2, 3) for name in ("logprobs", "old_logprobs", "advantages")}

    assert float(loss({**empty, "mask": torch.zeros(2, 3, dtype=torch.bool)})) == 0


@pytest.mark.parametrize(("threshold", "bounds"), [("0.25_4", {0.25, 4.0}), ("_", set()), ("a_b", set())])
def test_two_bounds_in_one_setting(threshold: str, bounds: set[float]) -> None:
    """Two numbers with an underscore between are the bounds; text that is none ends in no error."""
    weight = as_logged(
        "rollout_corr/rollout_is_mean",
        "verl==0.8.0",
        {
            "algorithm.rollout_correction.rollout_is": "token",
            "actor_rollout_ref.rollout.calculate_log_probs": True,
            "algorithm.rollout_correction.rollout_is_threshold": threshold,
        },
    )

    assert bounds <= {*weight.parameters.values()}


def test_responses_without_a_token_are_left_out() -> None:
    """Since 0.6.0 verl leaves them out of scores; the lengths say which they are, and are asked for."""
    scores = {"scores": torch.tensor([1.0, 4.0, 3.0]), "lengths": torch.tensor([5, 0, 2])}
    older, newer = (as_logged("critic/score/mean", f"verl=={release}") for release in ("0.5.0", "0.6.0"))

    assert (older.inputs, newer.inputs) == (("scores",), ("scores", "lengths"))
    assert (float(older(scores)), float(newer(scores))) == (8 / 3, 2)
    with pytest.raises(ValueError, match="missing: lengths"):
        newer({"scores": scores["scores"]})


@pytest.mark.parametrize(("loss_mode", "expected"), [("gpg", -(2 * 1 * -1 + 0.5 * 3 * -2) / 2), ("geo_mean", -2.0)])
def test_weights_of_the_rollout_multiply_what_enters_a_loss(loss_mode: str, expected: float) -> None:
    """Those of each token in most losses; where responses are averaged, the geometric mean of their tokens."""
    loss = as_logged(
        "actor/pg_loss",
        "verl==0.9.1",
        {
            "actor_rollout_ref.actor.policy_loss.loss_mode": loss_mode,
            "algorithm.rollout_correction.rollout_is": "token",
            "actor_rollout_ref.rollout.calculate_log_probs": True,
        },
    )
    logprobs = torch.tensor([[-1.0, -2.0]])
    given = {"logprobs": logprobs, "old_logprobs": logprobs, "advantages": torch.tensor([[1.0, 3.0]])}
    given |= {"mask": torch.ones(1, 2, dtype=torch.bool), "rollout_weights": torch.tensor([[2.0, 0.5]])}

    assert loss.exact
    assert float(loss(given)) == pytest.approx(expected)
    with pytest.raises(ValueError, match="missing: rollout_weights"):
        loss({name: tensor for name, tensor in given.items() if name != "rollout_weights"})


def test_a_function_is_handed_to_another_process() -> None:
    """It is pickled as the question, with its component, settings and mode, and answers alike."""
    config = {"actor_rollout_ref.actor.policy_loss.loss_mode": "gspo"}
    loss = as_logged("actor/pg_loss", "verl==0.6.1", config)

    again = pickle.loads(pickle.dumps(loss))

    assert (again.source, again.key, again.recipe) == (loss.source, loss.key, loss.recipe)


def test_all_components_that_log_other_numbers_are_named() -> None:
    """Also one that does so only under other settings: somebody who has them means that one."""
    with pytest.raises(NamesError) as raised:
        as_logged("kl", "trl==1.16.0")

    assert "trl[GRPOTrainer]==1.16.0 (not logged with these settings), " in str(raised.value)
    assert "trl[RLOOTrainer]==1.16.0, " in str(raised.value)
