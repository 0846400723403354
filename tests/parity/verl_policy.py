"""Rows of verl's policy losses: each ``loss_mode`` under each ``loss_agg_mode``, by the functions the spec names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import torch
from torch import Tensor

from .quantities import Quantity
from .verl_answers import AGGREGATION, LOSS_MODE, accepted, told
from .verl_records import records
from .verl_reduction import GLOBAL, Normalisation, logged, plain, row
from .verl_rows import Explained, Reproduced, Row
from .verl_scenario import Number, Scenario

SETTINGS: Mapping[str, Number] = {
    "clip_low": 0.2,
    "clip_high": 0.28,
    "clip_dual": 3.0,
    "divergence_low": 0.2,
    "divergence_high": 0.28,
    "cap": 3.0,
    "beta": 0.05,
    "coefficient": 1.0,
}
"""What the calls were configured with, by the parameters of the functions."""

ONE_BOUND = "cliprange=0.2 only"
"""A call that left the upper bound to its default, the lower one."""

COVARIANCE_SHARE = 0.02
"""``clip_cov_ratio`` and ``kl_cov_ratio`` of the calls."""

WEIGHT_CAP = 2.0
"""Cap of the rollout weights that the calls were given."""

WEIGHTED = "rollout_is_weights"
WEIGHTS = "algorithm.rollout_correction.rollout_is"
PREFIX = "policy_loss_"

_GEOMETRIC = "objective/geometric_mean_loss@empty_counted"
WHOLE = {"objective/gspo_loss", "objective/sapo_loss", _GEOMETRIC}
"""Losses of a token that depend on other tokens of its response."""

LEAKING = {("objective/dro_loss", True), ("objective/kl_cov_loss", True), (_GEOMETRIC, True), (_GEOMETRIC, False)}
"""Losses whose gradient, or its length, is NaN where padding holds NaN, because they multiply padding by zero."""

DIFFERENTIATED = {
    "policy/loss@dual_clip",
    "objective/reinforce_loss",
    "objective/dro_loss",
    "objective/sapo_loss",
    "objective/kl_cov_loss",
    _GEOMETRIC,
}
"""Losses without a term that the framework holds constant: their gradient is that of the function."""

GRADIENT = Explained("gradient of the loss, recorded beside it; no trainer logs it")

Prepare = Callable[[Scenario], Scenario]


def _as_recorded(batch: Scenario) -> Scenario:
    return batch


def dropped_by_covariance(call: str) -> Prepare:
    """Return what adds the tokens that clip_cov kept: it draws them at random, the recorded gradient shows which."""

    def prepare(batch: Scenario) -> Scenario:
        tensors = batch.tensors
        gradient = batch.recorded("policy_loss_clip_cov", f"{call}|__grad_log_prob__")
        ratio = torch.exp(tensors["logprobs"] - tensors["old_logprobs"])
        plain_loss = -tensors["advantages"] * ratio
        clipped = -tensors["advantages"] * ratio.clamp(0.8, 1.28) > plain_loss
        return batch.with_tensors(kept_tokens=(gradient != 0) | clipped | ~batch.mask)

    return prepare


def penalised_by_covariance(batch: Scenario) -> Scenario:
    """Add the tokens that kl_cov penalises: those whose log-probability varies most with the advantage."""
    chosen = torch.zeros_like(batch.mask).flatten()
    places = batch.mask.flatten().nonzero().squeeze(-1)
    if len(places):
        advantages, logprobs = (batch.tensors[name].flatten()[places] for name in ("advantages", "logprobs"))
        covariance = (advantages - advantages.mean()) * (logprobs - logprobs.mean())
        chosen[places[covariance.topk(max(1, int(len(places) * COVARIANCE_SHARE))).indices]] = True
    return batch.with_tensors(penalised_tokens=chosen.reshape(batch.mask.shape))


def _prepared(function: str, call: str) -> tuple[Prepare, str]:
    """Return what adds the tensors that a function needs beside those of the batch, and what that does, in words."""
    metric = function.partition("@")[0]
    if metric in ("objective/clip_cov_loss", "objective/covariance_dropped_fraction"):
        return dropped_by_covariance(call), "dropped tokens read off the recorded gradient"
    if metric == "objective/kl_cov_loss":
        return penalised_by_covariance, "penalised tokens selected as verl does"
    return _as_recorded, ""


def rows(release: str) -> Iterator[tuple[tuple[str, str], Row]]:
    """Yield the rows of every policy loss but bypass_mode."""
    for function, output in records(release):
        if function.startswith(PREFIX) and "bypass" not in function and not output.endswith("__exception__"):
            yield (function, output), _row(release, function, output)


def _row(release: str, function: str, output: str) -> Row:
    call, _, name = output.partition("|")
    mode, _, rest = call.partition("+")
    config = {} if call == ONE_BOUND else {AGGREGATION: mode}
    named = function.removeprefix(PREFIX)
    if named != "compute_policy_loss":
        config[LOSS_MODE] = named
    normalisation = Normalisation(ranks=2) if GLOBAL.endswith(rest) and rest else plain(release)
    settings = {**SETTINGS, "clip_high": SETTINGS["clip_low"]} if call == ONE_BOUND else SETTINGS
    loss = told(release, "actor/pg_loss", config)
    if name.startswith("__grad"):
        if loss.function in DIFFERENTIATED and rest != WEIGHTED and call != ONE_BOUND:
            return gradient(loss, call, name == "__grad_l2__", normalisation)
        return GRADIENT
    if name == "actor/pg_loss" and rest == WEIGHTED:
        return _weighted(told(release, name, {**config, WEIGHTS: "token"}), call, normalisation)
    quantity = told(release, name, config)
    prepare, how = _prepared(quantity.function, call)
    leaks = name == "actor/pg_loss" and (mode.startswith("seq") or loss.function in WHOLE)
    parameters = accepted(quantity.function, settings)
    return row(quantity, parameters, prepare, normalisation=normalisation, how=how, leaks=leaks)


def gradient(loss: Quantity, call: str, length: bool, normalisation: Normalisation) -> Reproduced:
    """Return the row of a loss's gradient with respect to the log-probabilities, or of its length."""
    prepare, _ = _prepared(loss.function, call)
    parameters = accepted(loss.function, SETTINGS)

    def value(batch: Scenario) -> float | Tensor:
        if length and not batch.counts.all() and bool(logged(loss, beside_full(batch), parameters).isnan()):
            return torch.nan  # the mean of a response without tokens is 0/0, and so is its gradient
        leaf = batch.tensors["logprobs"].detach().clone().requires_grad_()
        changed = prepare(batch).with_tensors(logprobs=leaf)
        if batch.is_empty:
            found = torch.zeros_like(leaf)
        elif loss.function == _GEOMETRIC:
            (found,) = torch.autograd.grad(changed.differentiable(loss.function, **parameters), leaf)
        else:
            (found,) = torch.autograd.grad(logged(loss, changed, parameters, normalisation), leaf)
        return float(found.double().norm()) if length else found

    def beside_full(batch: Scenario) -> Scenario:
        """Return the batch with one more response, of which every token counts."""
        batch = prepare(batch)
        again = {name: torch.cat([tensor, tensor[:1]]) for name, tensor in batch.tensors.items()}
        again["mask"][-1] = True
        return batch.with_tensors(**again)

    how = "its gradient" + ("'s length" if length else "")
    return Reproduced(loss.function, value, how, leaks=(loss.function, length) in LEAKING, inside=not length)


def fraction(
    key: str,
    parameters: Mapping[str, Number],
    prepare: Prepare = _as_recorded,
    how: str = "",
) -> Reproduced:
    """Return the row of a masked mean that no trainer logs, which is 0 in verl where no token is selected."""

    def value(batch: Scenario) -> float:
        return batch.zero_if_empty(prepare(batch).compute(key, **parameters))

    return Reproduced(key, value, how)


def _weighted(loss: Quantity, call: str, normalisation: Normalisation) -> Row:
    """Return the row of a loss whose tokens are multiplied by rollout weights."""
    prepare, added = _prepared(loss.function, call)
    parameters = accepted(loss.function, SETTINGS)

    def weighted(batch: Scenario) -> Scenario:
        weights = torch.exp(batch.tensors["old_logprobs"] - batch.tensors["rollout_logprobs"]).clamp(max=WEIGHT_CAP)
        return prepare(batch).with_tensors(rollout_weights=weights)

    how = "; ".join(word for word in ("the weights as `rollout_weights`", added) if word)
    leaks = loss.function in WHOLE
    return row(loss, parameters, weighted, normalisation=normalisation, how=how, leaks=leaks)
