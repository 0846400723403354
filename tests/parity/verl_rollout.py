"""Rows of what verl says about the distance between rollout engine and trainer, and about its correction."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

import torch
from torch import Tensor

from .quantities import Quantity
from .verl_answers import LOSS_MODE, Config, accepted, told
from .verl_policy import GRADIENT, SETTINGS
from .verl_records import records
from .verl_reduction import row
from .verl_rows import Explained, Row
from .verl_scenario import Number, Scenario

Level = Literal["token", "sequence"]

BOUND = 20.0
"""verl bounds log-ratios before it exponentiates them."""

COMPARED: Config = {"actor_rollout_ref.rollout.calculate_log_probs": True}
CORRECTION = "algorithm.rollout_correction."
BYPASS = "actor_rollout_ref.actor.policy_loss.rollout_correction."
BYPASS_LOSS: Mapping[str, Config] = {
    "ppo_clip": {LOSS_MODE: "bypass_mode", f"{BYPASS}loss_type": "ppo_clip"},
    "reinforce": {LOSS_MODE: "bypass_mode", f"{BYPASS}loss_type": "reinforce"},
}

WEIGHT_TENSOR = Explained("rollout weight of each token, which enters actor/pg_loss; not a logged number")
MASK_TENSOR = Explained("response mask after rejection; its share of rejected tokens is reproduced, it is not logged")


@dataclass(frozen=True)
class Weights:
    """A call that computes rollout weights.

    Attributes:
        level: Whether each token has its weight or each response.
        lower: Weights below become 0; None caps at ``upper`` instead.
        upper: Largest weight.
    """

    level: Level
    lower: float | None = None
    upper: float = 2.0

    @property
    def threshold(self) -> str:
        """``rollout_is_threshold``."""
        return f"{self.upper}" if self.lower is None else f"{self.lower}_{self.upper}"


@dataclass(frozen=True)
class Rejection:
    """A call that rejects tokens or responses.

    Attributes:
        criterion: ``rollout_rs``, such as ``seq_mean_k3``.
        lower: Bound on the statistic, for k1 only; elsewhere it is 0.
        upper: Bound on the statistic.
    """

    criterion: str
    lower: float
    upper: float

    @property
    def has_lower(self) -> bool:
        """Whether values below ``lower`` are rejected."""
        return self.criterion.endswith("k1")

    @property
    def is_per_token(self) -> bool:
        """Whether each token is judged on its own."""
        return self.criterion.startswith("token")


CRITERIA = (
    "token_k1",
    "token_k2",
    "token_k3",
    "seq_sum_k1",
    "seq_sum_k2",
    "seq_sum_k3",
    "seq_mean_k1",
    "seq_mean_k2",
    "seq_mean_k3",
    "seq_max_k2",
    "seq_max_k3",
)


def _rejection(criterion: str) -> Rejection:
    bounds = (math.log(0.5), math.log(2.0)) if criterion.endswith("k1") else (0.0, 0.01)
    return Rejection(criterion, *bounds)


WEIGHTED = {
    **{
        f"is={level},thr=2,bn={normalised}": Weights(level)
        for level in ("token", "sequence")
        for normalised in ("False", "True")
    },
    "is=token,thr=0.5_2.0": Weights("token", lower=0.5),
    "is=token+rs=seq_mean_k3": Weights("token"),
}
REJECTING = {
    **{f"rs={criterion}": _rejection(criterion) for criterion in CRITERIA},
    "is=token+rs=seq_mean_k3": _rejection("seq_mean_k3"),
}
BYPASS_WEIGHTS = Weights("token")
BYPASS_REJECTION = Rejection("seq_mean_k3", 0.0, 0.01)


def statistic(batch: Scenario, criterion: str) -> Tensor:
    """Return what a criterion looks at, float32 ``[B, T]``; criteria on responses repeat it on each token."""
    tensors = batch.tensors
    ratio = (tensors["old_logprobs"] - tensors["rollout_logprobs"]).clamp(-BOUND, BOUND)
    ratio = torch.where(batch.mask, ratio, 0)
    estimate = {"k1": -ratio, "k2": 0.5 * ratio**2, "k3": torch.exp(ratio) - 1.0 - ratio}[criterion[-2:]]
    extent = criterion[:-3]
    if extent == "token":
        return estimate
    if extent == "seq_max":
        values = torch.where(batch.mask, estimate, -torch.inf).amax(-1)
        values = torch.where(batch.mask.any(-1), values, 0)
    else:
        values = estimate.sum(-1)
        if extent == "seq_mean":
            values = values / (batch.mask.sum(-1) + 1e-8)
    return values.unsqueeze(-1).expand_as(estimate)


def rejecting(rejection: Rejection) -> Callable[[Scenario], Scenario]:
    """Return what adds the statistic of a criterion and the tokens that it rejects."""

    def prepare(batch: Scenario) -> Scenario:
        values = statistic(batch, rejection.criterion)
        rejected = values > rejection.upper
        if rejection.has_lower:
            rejected = rejected | (values < rejection.lower)
        return batch.with_tensors(rejection_statistic=values, rejected_tokens=rejected)

    return prepare


def current_policy(batch: Scenario) -> Scenario:
    """Put the current policy where the functions expect the old one."""
    return batch.with_tensors(old_logprobs=batch.tensors["logprobs"])


def rows(release: str) -> Iterator[tuple[tuple[str, str], Row]]:
    """Yield the rows of rollout correction."""
    for function, output in records(release):
        call, _, key = output.rpartition("|")
        if output.endswith("__exception__"):
            continue
        if function == "compute_offpolicy_metrics":
            yield (function, output), row(told(release, f"rollout_corr/{key}", COMPARED))
        elif function == "compute_rollout_corr_metrics_from_logprobs":
            found = row(told(release, key, COMPARED), prepare=current_policy, how="current policy for the old one")
            yield (function, output), found
        elif function == "calculate_debug_metrics":
            yield (function, output), row(told(release, key, COMPARED))
        elif function == "rollout_correction":
            yield (function, output), _corrected(release, key, Call(WEIGHTED.get(call), REJECTING.get(call)))
        elif function == "policy_loss_bypass_mode":
            yield (function, output), _bypassed(release, call, key)


@dataclass(frozen=True)
class Call:
    """A call that corrects a batch.

    Attributes:
        weights: How it weights.
        rejection: What it rejects.
        before: Replaces tensors of the batch first.
        how: What that does, in words.
        prefix: What stands before the names of its keys when they are logged.
        settings: What the spec calls its settings, up to the last word.
        config: What else is set.
    """

    weights: Weights | None
    rejection: Rejection | None
    before: Callable[[Scenario], Scenario] = lambda batch: batch
    how: str = ""
    prefix: str = ""
    settings: str = CORRECTION
    config: Config = field(default_factory=lambda: COMPARED)

    def told(self, release: str, key: str) -> Quantity:
        """Return what the spec says about a key of this call."""
        config = {
            **self.config,
            f"{self.settings}rollout_is": self.weights.level if self.weights else None,
            f"{self.settings}rollout_is_threshold": self.weights.threshold if self.weights else None,
            f"{self.settings}rollout_rs": self.rejection.criterion if self.rejection else None,
        }
        return told(release, self.prefix + key, config)


def _corrected(release: str, key: str, call: Call) -> Row:
    """Return the row of an output of ``compute_rollout_correction_and_rejection_mask``."""
    if key in ("__weights__", "__mask__"):
        return WEIGHT_TENSOR if key == "__weights__" else MASK_TENSOR
    quantity = call.told(release, key)
    name = key.removeprefix("rollout_corr/")
    if name.startswith("rollout_is_"):
        assert call.weights is not None
        return _weight(name.removeprefix("rollout_is_"), quantity, call.weights, call)
    if name.startswith("rollout_rs_"):
        assert call.rejection is not None
        return _rejection_row(name, quantity, call.rejection, call)
    return row(quantity, prepare=call.before, how=call.how)


def _rejection_row(name: str, quantity: Quantity, rejection: Rejection, call: Call) -> Row:
    if name.endswith("fraction_low") and not rejection.has_lower:
        return Explained("a constant 0: this criterion has no lower bound", constant=0.0)
    reject = rejecting(rejection)
    bounds: dict[str, Number] = {"upper": rejection.upper, "lower": rejection.lower}
    parameters = accepted(quantity.function, bounds)
    return row(quantity, parameters, lambda batch: reject(call.before(batch)), how=call.how)


def _weight(name: str, quantity: Quantity, weights: Weights, call: Call) -> Row:
    """Return the row of a statistic of the rollout weights."""
    lower = weights.lower or 1 / weights.upper
    bounds: dict[str, Number] = {"upper": weights.upper, "lower": lower, "cap": weights.upper}
    bounds |= {"weight_max": weights.upper, "weight_min": weights.lower or 0.0}
    parameters = accepted(quantity.function, bounds)
    return row(quantity, parameters, call.before, how=call.how)


def _bypassed(release: str, call: str, key: str) -> Row:
    """Return the row of bypass_mode, where the rollout engine stands for the old policy."""
    if key.startswith("__grad"):
        return GRADIENT
    correction = Call(
        BYPASS_WEIGHTS, BYPASS_REJECTION, _against_old, "current policy for the old one", "actor/", BYPASS,
        BYPASS_LOSS[call],
    )  # fmt: skip
    if key.startswith(("__", "rollout_corr/")):
        return _corrected(release, key, correction)
    quantity = told(release, key, BYPASS_LOSS[call])
    kept = "without rejected tokens"
    if key == "actor/pg_loss":
        return row(quantity, accepted(quantity.function, SETTINGS), lambda batch: _weighted(_kept(batch)), how=kept)
    if "rollout" not in quantity.function:
        return row(quantity, accepted(quantity.function, SETTINGS), _kept, how=kept)
    return row(quantity, prepare=lambda batch: _against_old(_kept(batch)), how=kept)


def _kept(batch: Scenario) -> Scenario:
    """Drop the tokens that bypass_mode rejects."""
    rejected = rejecting(BYPASS_REJECTION)(_against_old(batch)).tensors["rejected_tokens"]
    return batch.with_tensors(mask=batch.mask & ~rejected)


def _weighted(batch: Scenario) -> Scenario:
    """Add the weight of each token, for losses that take it."""
    weights = torch.exp(batch.tensors["logprobs"] - batch.tensors["old_logprobs"]).clamp(max=BYPASS_WEIGHTS.upper)
    return batch.with_tensors(rollout_weights=weights)


def _against_old(batch: Scenario) -> Scenario:
    """Put the current policy where the functions expect the old one, and the old one for the rollout engine."""
    tensors = batch.tensors
    return batch.with_tensors(old_logprobs=tensors["logprobs"], rollout_logprobs=tensors["old_logprobs"])
