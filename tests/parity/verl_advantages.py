"""Rows of the advantage estimators: the token tensors that they returned, inside the response mask."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from rlmetrics import advantages as estimators
from torch import Tensor

from .verl_records import raw, records
from .verl_rows import Explained, Reproduced, Row
from .verl_scenario import Scenario

GAMMA, LAM = 0.99, 0.95
EPSILON = 1e-6
Estimator = Callable[[Scenario, Tensor, bool], tuple[Tensor, Tensor]]
"""Takes a batch, its token rewards and whether to divide by a standard deviation; returns advantages and returns."""

_BASELINE = "token tensor that enters critic/{}/* as input; rlmetrics has no estimator for {}"
_OTHERS = {
    "adv_optimal_token_baseline": "the optimal token baseline",
    "adv_tir_optimal_token_baseline": "the optimal token baseline over several turns",
}


_SPREAD = 4.0
"""A mean over the smallest spread of a group: verl's rounding of the mean is divided by the spread."""


def rows(release: str) -> Iterator[tuple[tuple[str, str], Row]]:
    """Yield the rows of every estimator."""
    for function, output in records(release):
        if function.startswith("adv_") and not output.endswith("__exception__"):
            yield (function, output), _row(release, function, output)


def _row(release: str, function: str, output: str) -> Row:
    call, _, name = output.partition("|")
    word = f"token_level_{call.partition(',')[0]}"
    if function.endswith("optimal_token_baseline") and name == "returns":
        return Reproduced(
            "advantages.discounted_returns", lambda batch: _remax(batch, batch.tensors[word], False)[1], inside=True
        )
    if function in _OTHERS:
        return Explained(_BASELINE.format(name, _OTHERS[function]))
    place = ("advantages", "returns").index(name)
    key, how, estimate = _ESTIMATORS[function]

    def value(batch: Scenario) -> Tensor:
        return estimate(batch, batch.tensors[word], not call.endswith("norm=False"))[place]

    if key == "advantages.gae" and name == "returns":
        how = ""
    if function == "adv_reinforce_plus_plus":
        how = ", ".join(filter(None, ("of each turn" if release == "0.5.0" else "", "whitened" if not place else "")))
    magnitude = _SPREAD if "group" in key else 1.0
    return Reproduced(key, value, how, leaks=key == "advantages.gae", inside=True, magnitude=magnitude)


def _gae(batch: Scenario, rewards: Tensor, _: bool) -> tuple[Tensor, Tensor]:
    found = estimators.gae(rewards, batch.tensors["old_values"], batch.mask, gamma=GAMMA, lam=LAM, whiten=True)
    return found.advantages, found.returns


def _groups(batch: Scenario) -> Tensor:
    return torch.tensor([int(name[1:]) for name in raw(batch.name)["uid"]])


def _grpo(batch: Scenario, rewards: Tensor, scaled: bool) -> tuple[Tensor, Tensor]:
    std: estimators.Std = "group" if scaled else "none"
    sums = rewards.sum(-1)
    found = estimators.group_relative(sums, _groups(batch), std=std, epsilon=EPSILON, alone="reward")
    result = estimators.per_token(found, batch.mask)
    return result, result


def _gdpo(batch: Scenario, rewards: Tensor, scaled: bool) -> tuple[Tensor, Tensor]:
    result = estimators.whiten(_grpo(batch, rewards, scaled)[0], batch.mask)
    return result, result


def _baseline(batch: Scenario, rewards: Tensor, _: bool) -> tuple[Tensor, Tensor]:
    result = estimators.whiten(_grpo(batch, rewards, False)[0], batch.mask)
    return result, result


def _rloo(batch: Scenario, rewards: Tensor, _: bool, alone: estimators.Alone = "reward") -> tuple[Tensor, Tensor]:
    found = estimators.leave_one_out(rewards.sum(-1), _groups(batch), alone=alone)
    result = estimators.per_token(found, batch.mask)
    return result, result


def _rloo_vectorized(batch: Scenario, rewards: Tensor, scaled: bool) -> tuple[Tensor, Tensor]:
    return _rloo(batch, rewards, scaled, "zero")


def _plus_plus(batch: Scenario, rewards: Tensor, _: bool) -> tuple[Tensor, Tensor]:
    if batch.release == "0.5.0":
        # A gap in the mask stopped the sum, so that each turn stood on its own.
        starts = batch.mask & ~torch.nn.functional.pad(batch.mask, (1, 0))[:, :-1]
        turn = starts.cumsum(-1)
        parts = [batch.mask & (turn == number) for number in range(1, int(turn.max()) + 1)]
        returns = sum(
            (estimators.discounted_returns(rewards, part, gamma=GAMMA) for part in parts), torch.zeros_like(rewards)
        )
    else:
        returns = estimators.discounted_returns(rewards, batch.mask, gamma=GAMMA)
    return estimators.whiten(returns, batch.mask), returns


def _remax(batch: Scenario, rewards: Tensor, _: bool) -> tuple[Tensor, Tensor]:
    returns = estimators.discounted_returns(rewards, batch.mask)
    baselines = estimators.per_token(torch.from_numpy(raw(batch.name)["reward_baselines"]), batch.mask)
    return returns - baselines, returns


def _gpg(batch: Scenario, rewards: Tensor, _: bool) -> tuple[Tensor, Tensor]:
    sums = rewards.sum(-1)
    scale = len(sums) / sums.count_nonzero().clamp(min=1)
    found = scale * estimators.group_relative(sums, _groups(batch), std="none", alone="reward")
    result = estimators.per_token(found, batch.mask)
    return result, result


def _opo(batch: Scenario, rewards: Tensor, _: bool) -> tuple[Tensor, Tensor]:
    lengths = batch.mask.sum(-1)
    found = estimators.group_relative(rewards.sum(-1), _groups(batch), std="none", alone="reward", lengths=lengths)
    result = estimators.per_token(found, batch.mask)
    return result, result


def _passk(batch: Scenario, rewards: Tensor, scaled: bool) -> tuple[Tensor, Tensor]:
    std: estimators.Std = "group" if scaled else "none"
    found = estimators.best_of_group(rewards.sum(-1), _groups(batch), std=std)
    result = estimators.per_token(found, batch.mask)
    return result, result


_ESTIMATORS: dict[str, tuple[str, str, Estimator]] = {
    "adv_gae": ("advantages.gae", "whitened", _gae),
    "adv_grpo": ("advantages.group_relative", "", _grpo),
    "adv_grpo_vectorized": ("advantages.group_relative", "", _grpo),
    "adv_gdpo": ("advantages.group_relative", "whitened", _gdpo),
    "adv_reinforce_plus_plus_baseline": ("advantages.group_relative", "without division, whitened", _baseline),
    "adv_gpg": ("advantages.group_relative", "without division, over the share of rewards that are not 0", _gpg),
    "adv_opo": ("advantages.group_relative", "without division, means weighted with lengths", _opo),
    "adv_grpo_passk": ("advantages.best_of_group", "", _passk),
    "adv_rloo": ("advantages.leave_one_out", "", _rloo),
    "adv_rloo_vectorized": ("advantages.leave_one_out", "", _rloo_vectorized),
    "adv_reinforce_plus_plus": ("advantages.discounted_returns", "", _plus_plus),
    "adv_remax": ("advantages.discounted_returns", "", _remax),
}
