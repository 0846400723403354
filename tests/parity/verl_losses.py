"""Rows of the value loss, of divergences from the reference policy and of ``agg_loss`` itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from .quantities import Quantity
from .verl_answers import ACTOR, AGGREGATION, CRITIC_AGGREGATION, Config, told
from .verl_policy import GRADIENT, fraction
from .verl_records import records
from .verl_reduction import MODES, Normalisation, logged, plain, row
from .verl_rows import Reproduced, Row
from .verl_scenario import Number, Scenario

VALUE_CLIP: dict[str, Number] = {"clip_value": 0.5}
COEFFICIENT = 0.02
WIDTH_SETTING = f"{ACTOR}loss_scale_factor"
TARGET, HORIZON = 0.1, 1000
"""Of the adaptive controller."""


def rows(release: str) -> Iterator[tuple[tuple[str, str], Row]]:
    """Yield the rows of all of them."""
    yield from _value_loss(release)
    yield from _aggregation(release)
    yield from _estimators(release)
    yield from _penalty(release)


def _value_loss(release: str) -> Iterator[tuple[tuple[str, str], Row]]:
    function = "compute_value_loss"
    for mode in MODES[release]:
        config = {CRITIC_AGGREGATION: mode}
        loss, clipped = (told(release, f"critic/{name}", config) for name in ("vf_loss", "vf_clipfrac"))
        leaks = mode.startswith("seq")
        yield (
            (function, f"{mode}|critic/vf_loss"),
            row(loss, VALUE_CLIP, normalisation=plain(release), leaks=leaks),
        )
        yield (function, f"{mode}|critic/vf_clipfrac"), row(clipped, VALUE_CLIP)
        yield (function, f"{mode}|__grad_l2__"), _value_gradient(loss) if mode == "token-mean" else GRADIENT


def _value_gradient(loss: Quantity) -> Reproduced:
    def value(batch: Scenario) -> float:
        if batch.is_empty:
            return 0.0
        leaf = batch.tensors["values"].detach().clone().requires_grad_()
        found = batch.with_tensors(values=leaf).differentiable(loss.function, **VALUE_CLIP)
        return float(torch.autograd.grad(found, leaf)[0].double().norm())

    return Reproduced(loss.function, value, "its gradient's length", leaks=True)


def _aggregation(release: str) -> Iterator[tuple[tuple[str, str], Row]]:
    """Yield the rows of ``agg_loss`` on its own, which reduces any tensor as it reduces the policy loss."""
    functions = {"": "entropy/policy@from_token_entropy", "kl_mat": "kl/reference/k3@clamped"}
    for function, output in records(release):
        if function == "agg_loss" and not output.endswith("__exception__"):
            mode, _, call = output.partition("|")
            config: Config = {AGGREGATION: mode, **({WIDTH_SETTING: 100} if call == "scale100" else {})}
            loss = told(release, "actor/pg_loss", config).of_another(functions.get(call, functions[""]))
            normalisation = Normalisation(ranks=2) if call == "dp2" else plain(release)
            yield (function, output), row(loss, normalisation=normalisation, leaks=mode.startswith("seq"))


def _estimators(release: str) -> Iterator[tuple[tuple[str, str], Row]]:
    """Yield the rows of ``kl_penalty``, whose estimator a setting chooses."""
    for function, output in records(release):
        name, _, what = output.partition("|")
        if function == "kl_penalty" and not output.endswith("__exception__"):
            config: Config = {f"{ACTOR}use_kl_loss": True, f"{ACTOR}kl_loss_type": name}
            key = told(release, "actor/kl_loss", config).function
            found: Row = GRADIENT
            if what == "masked_mean":
                found = fraction(key, {})
            elif what == "mat":
                found = Reproduced(key, _everywhere(key), "of each token, padding included")
            yield (function, output), found


def _everywhere(key: str) -> Callable[[Scenario], Tensor]:
    def value(batch: Scenario) -> Tensor:
        return batch.with_tensors(mask=torch.ones_like(batch.mask)).by_token(key)

    return value


def _penalty(release: str) -> Iterator[tuple[tuple[str, str], Row]]:
    function = "apply_kl_penalty"
    penalty = {name: _told_penalty(release, name) for name in ("kl", "low_var_kl")}
    for call, quantity in penalty.items():
        yield (function, f"{call}|actor/reward_kl_penalty"), row(quantity)
        yield (function, f"{call}|actor/reward_kl_penalty_coeff"), _coefficient(quantity, 0)
        yield (function, f"{call}|token_level_rewards"), _rewards(quantity.function)
    for step in range(3):
        yield (function, f"adaptive|actor/reward_kl_penalty@call{step}"), row(penalty["kl"])
        yield (function, f"adaptive|actor/reward_kl_penalty_coeff@call{step}"), _coefficient(penalty["kl"], step)
    yield (function, "adaptive|final_coef"), _coefficient(penalty["kl"], 3)


def _told_penalty(release: str, estimator: str) -> Quantity:
    config: Config = {"algorithm.use_kl_in_reward": True, "algorithm.kl_penalty": estimator}
    return told(release, "actor/reward_kl_penalty", config)


def _coefficient(penalty: Quantity, updates: int) -> Row:
    """Return the row of the coefficient after some updates of the controller, each with the same divergence."""

    def value(batch: Scenario) -> float:
        coefficient = torch.tensor(COEFFICIENT, dtype=torch.float64)
        divergence = float(logged(penalty, batch))
        error = divergence / TARGET - 1
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
