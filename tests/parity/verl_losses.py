"""Rows of the value loss, of divergences from the reference policy and of ``agg_loss`` itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from .verl_policy import GRADIENT, fraction
from .verl_reduction import LOCAL, MODES, Normalisation, reduced
from .verl_rows import Reproduced, Row
from .verl_scenario import Number, Scenario

VALUE_CLIP: dict[str, Number] = {"clip_value": 0.5}
COEFFICIENT = 0.02
TARGET, HORIZON = 0.1, 1000
"""Of the adaptive controller."""

ESTIMATORS = {
    "kl": "k1",
    "k1": "k1",
    "k1+": "k1",
    "abs": "abs",
    "mse": "k2",
    "k2": "k2",
    "low_var_kl": "k3@clamped",
    "low_var_kl+": "k3@clamped",
    "k3": "k3@clamped",
    "k3+": "k3@clamped",
}


def rows(release: str) -> Iterator[tuple[tuple[str, str], Row]]:
    """Yield the rows of all of them."""
    yield from _value_loss(release)
    yield from _aggregation(release)
    yield from _estimators(release)
    yield from _penalty()


def _value_loss(release: str) -> Iterator[tuple[tuple[str, str], Row]]:
    function = "compute_value_loss"
    for mode in MODES[release]:
        yield (function, f"{mode}|critic/vf_loss"), reduced("value/loss", mode, parameters=VALUE_CLIP)
        yield (function, f"{mode}|critic/vf_clipfrac"), fraction("value/clip_fraction", VALUE_CLIP)
        yield (function, f"{mode}|__grad_l2__"), _value_gradient() if mode == "token-mean" else GRADIENT


def _value_gradient() -> Reproduced:
    def value(batch: Scenario) -> float:
        if batch.is_empty:
            return 0.0
        leaf = batch.tensors["values"].detach().clone().requires_grad_()
        loss = batch.with_tensors(values=leaf).differentiable("value/loss", **VALUE_CLIP)
        return float(torch.autograd.grad(loss, leaf)[0].double().norm())

    return Reproduced("value/loss", value, "its gradient's length", leaks=True)


def _aggregation(release: str) -> Iterator[tuple[tuple[str, str], Row]]:
    entropy = "entropy/policy@from_token_entropy"
    for mode in MODES[release]:
        yield ("agg_loss", mode), reduced(entropy, mode)
        yield ("agg_loss", f"{mode}|kl_mat"), reduced("kl/reference/k3@clamped", mode)
        if release == "0.5.0":
            continue
        yield ("agg_loss", f"{mode}|dp2"), reduced(entropy, mode, normalisation=Normalisation(ranks=2))
        scaled = Normalisation(width=100) if mode.endswith("norm") else LOCAL
        yield ("agg_loss", f"{mode}|scale100"), reduced(entropy, mode, normalisation=scaled)


def _estimators(release: str) -> Iterator[tuple[tuple[str, str], Row]]:
    for name, estimator in ESTIMATORS.items():
        if name.endswith("+") and release == "0.5.0":
            continue
        key = f"kl/reference/{estimator}"
        yield ("kl_penalty", f"{name}|masked_mean"), fraction(key, {})
        yield ("kl_penalty", f"{name}|mat"), Reproduced(key, _everywhere(key), "of each token, padding included")
        yield ("kl_penalty", f"{name}|grad"), GRADIENT


def _everywhere(key: str) -> Callable[[Scenario], Tensor]:
    def value(batch: Scenario) -> Tensor:
        return batch.with_tensors(mask=torch.ones_like(batch.mask)).by_token(key)

    return value


def _penalty() -> Iterator[tuple[tuple[str, str], Row]]:
    function = "apply_kl_penalty"
    for call, key in (("kl", "kl/old_reference/k1"), ("low_var_kl", "kl/old_reference/k3@clamped")):
        yield (function, f"{call}|actor/reward_kl_penalty"), _penalty_mean(key)
        yield (function, f"{call}|actor/reward_kl_penalty_coeff"), _coefficient(0)
        yield (function, f"{call}|token_level_rewards"), _rewards(key)
    for step in range(3):
        yield (function, f"adaptive|actor/reward_kl_penalty@call{step}"), _penalty_mean("kl/old_reference/k1")
        yield (function, f"adaptive|actor/reward_kl_penalty_coeff@call{step}"), _coefficient(step)
    yield (function, "adaptive|final_coef"), _coefficient(3)


def _mean_of_means(batch: Scenario, key: str) -> float:
    means = batch.by_response(key)
    return float(torch.where(batch.counts > 0, means, 0).mean())


def _penalty_mean(key: str) -> Row:
    def value(batch: Scenario) -> float:
        return _mean_of_means(batch, key)

    return Reproduced(key, value, "of each response, 0 for one without tokens; mean over responses")


def _coefficient(updates: int) -> Row:
    """Return the row of the coefficient after some updates of the controller, each with the same divergence."""

    def value(batch: Scenario) -> float:
        coefficient = torch.tensor(COEFFICIENT, dtype=torch.float64)
        error = _mean_of_means(batch, "kl/old_reference/k1") / TARGET - 1
        for _ in range(updates):
            coefficient = coefficient * (1 + max(-0.2, min(0.2, error)) * len(batch.mask) / HORIZON)
        return batch.with_tensors(kl_coefficient=coefficient).compute("kl/coefficient")

    how = "what the adaptive controller makes of the reproduced penalty" if updates else "as configured"
    return Reproduced("kl/coefficient", value, how)


def _rewards(key: str) -> Row:
    def value(batch: Scenario) -> Tensor:
        penalty = torch.where(batch.mask, batch.by_token(key), 0)
        return batch.tensors["token_level_scores"] - COEFFICIENT * penalty

    how = "of each token, times minus the coefficient, plus the token's score"
    return Reproduced(key, value, how, leaks=True)
