"""Rows of what verl says about the distance between rollout engine and trainer, and about its correction."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from .verl_data import answered
from .verl_policy import GRADIENT, SETTINGS, fraction
from .verl_records import records
from .verl_rows import Explained, Reproduced, Row
from .verl_scenario import Number, Scenario

Level = Literal["token", "sequence"]
Metric = tuple[str, dict[str, Number]]

CLIP: dict[str, Number] = {name: SETTINGS[name] for name in ("clip_low", "clip_high")}
DUAL: dict[str, Number] = {**CLIP, "clip_dual": SETTINGS["clip_dual"]}

BOUND = 20.0
"""verl bounds log-ratios before it exponentiates them."""

OFF_POLICY = {
    "kl": "kl/rollout/k1",
    "k3_kl": "kl/rollout/k3",
    "training_ppl": "rollout/perplexity/trainer@empty_counted",
    "training_log_ppl": "rollout/log_perplexity/trainer@empty_counted",
    "rollout_ppl": "rollout/perplexity/engine@empty_counted",
    "rollout_log_ppl": "rollout/log_perplexity/engine@empty_counted",
    "log_ppl_diff": "rollout/log_perplexity_difference/mean@empty_counted",
    "log_ppl_abs_diff": "rollout/log_perplexity_difference/abs_mean@empty_counted",
    "log_ppl_diff_max": "rollout/log_perplexity_difference/max@empty_counted",
    "log_ppl_diff_min": "rollout/log_perplexity_difference/min@empty_counted",
    "ppl_ratio": "rollout/perplexity_ratio@empty_counted",
    "chi2_token": "rollout/chi_squared/token@clamped",
    "chi2_seq": "rollout/chi_squared/sequence@clamped",
}

PROBABILITIES = {
    "training/rollout_probs_diff_valid": "rollout/comparison_valid",
    "training/rollout_probs_diff_max": "rollout/probability_difference/max",
    "training/rollout_probs_diff_mean": "rollout/probability_difference/mean",
    "training/rollout_probs_diff_std": "rollout/probability_difference/std",
    "training/rollout_actor_probs_pearson_corr": "rollout/probability_correlation",
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


def on_each_token(batch: Scenario) -> Scenario:
    """Give each token the log-ratio of its response, so that its weight is the weight of the response."""
    ratio = torch.where(batch.mask, batch.tensors["old_logprobs"] - batch.tensors["rollout_logprobs"], 0).sum(-1)
    repeated = ratio.clamp(-BOUND, BOUND).unsqueeze(-1).expand_as(batch.mask)
    return batch.with_tensors(old_logprobs=repeated, rollout_logprobs=torch.zeros_like(repeated))


def current_policy(batch: Scenario) -> Scenario:
    """Put the current policy where the functions expect the old one."""
    return batch.with_tensors(old_logprobs=batch.tensors["logprobs"])


def rows(release: str) -> Iterator[tuple[tuple[str, str], Row]]:
    """Yield the rows of rollout correction."""
    if release == "0.5.0":
        return
    for name, key in OFF_POLICY.items():
        yield ("compute_offpolicy_metrics", name), _row((key, {}))
        yield (
            ("compute_rollout_corr_metrics_from_logprobs", f"rollout_corr/{name}"),
            _row((key, {}), current_policy, "current policy for the old one"),
        )
    for name, key in PROBABILITIES.items():
        yield ("calculate_debug_metrics", name), _row((key, {}))
    recorded = records(release)
    for call in ("is=None", *WEIGHTED, *(call for call in REJECTING if call not in WEIGHTED)):
        for output, row in _call(call, WEIGHTED.get(call), REJECTING.get(call)):
            if ("rollout_correction", output) in recorded:
                yield ("rollout_correction", output), row
    yield from _bypass(release)


def _call(
    call: str,
    weights: Weights | None,
    rejection: Rejection | None,
    before: Callable[[Scenario], Scenario] = lambda batch: batch,
    how: str = "",
) -> Iterator[tuple[str, Row]]:
    for name, key in OFF_POLICY.items():
        yield f"{call}|rollout_corr/{name}", _row((key, {}), before, how)
    if weights is not None:
        repeated = weights.level == "sequence"
        for name, metric in _weight_metrics(weights).items():
            prepare, words = before, how
            if repeated and name in ("seq_mean", "seq_max", "seq_min"):
                yield f"{call}|rollout_corr/rollout_is_{name}", _sequence_weight(name[4:], weights.upper)
                continue
            if repeated and name.startswith("seq_"):
                prepare, words = on_each_token, "each token with the log-ratio of its response"
            elif repeated and name == "batch_norm_factor":
                prepare, words = answered, "without responses that have no token"
            yield f"{call}|rollout_corr/rollout_is_{name}", _row(metric, prepare, words)
    if rejection is not None:
        reject = rejecting(rejection)
        for name, metric in _rejection_metrics(rejection).items():
            yield f"{call}|rollout_corr/rollout_rs_{name}", _row(metric, lambda batch: reject(before(batch)), how)
        if not rejection.has_lower:
            constant = Explained("a constant 0: this criterion has no lower bound", constant=0.0)
            yield f"{call}|rollout_corr/rollout_rs_{rejection.criterion}_fraction_low", constant
    yield f"{call}|__weights__", WEIGHT_TENSOR
    yield f"{call}|__mask__", MASK_TENSOR


def _sequence_weight(statistic: str, cap: float) -> Row:
    """Return the row of a statistic of the weights of responses; one without tokens counts as 0, not as 1."""
    key = f"sampling/sequence_weight/{statistic}@truncated"

    def value(batch: Scenario) -> float:
        filled = answered(batch)
        found = filled.compute(key, weight_max=cap)
        if statistic == "mean":
            return found * len(filled.mask) / len(batch.mask)
        return min(found, 0.0) if statistic == "min" and len(filled.mask) < len(batch.mask) else found

    return Reproduced(key, value, "without responses that have no token, which count as 0")


def _weight_metrics(weights: Weights) -> dict[str, Metric]:
    upper, lower = weights.upper, weights.lower or 1 / weights.upper
    above: dict[str, Number] = {"upper": upper}
    below: dict[str, Number] = {"lower": lower}
    cap: dict[str, Number] = {"cap": upper}
    if weights.level == "sequence":
        clamped: dict[str, Number] = {"weight_max": upper}
        return {
            "mean": ("sampling/sequence_weight/mean@truncated_on_tokens", clamped),
            "max": ("sampling/sequence_weight/max@clamped", {}),
            "min": ("sampling/sequence_weight/min", {}),
            "std": ("rollout/sequence_weight/std", cap),
            "eff_sample_size": ("rollout/sequence_weight/effective_fraction", cap),
            "ratio_fraction_high": ("rollout/sequence_weight/fraction_above", above),
            "ratio_fraction_low": ("rollout/sequence_weight/fraction_below", below),
            **_per_response(weights, cap),
            "batch_norm_factor": ("sampling/sequence_weight/mean@truncated", clamped),
        }
    bounds: dict[str, Number] = {"weight_min": weights.lower or 0.0, "weight_max": upper}
    treated = "truncated" if weights.lower is None else "zeroed"
    zeroed: dict[str, Number] = cap if weights.lower is None else {"lower": lower, "upper": upper}
    suffix = "" if weights.lower is None else "@zeroed"
    return {
        **{name: (f"sampling/token_weight/{name}@{treated}", bounds) for name in ("mean", "max", "min")},
        "std": (f"rollout/token_weight/std{suffix}", zeroed),
        "eff_sample_size": (f"rollout/token_weight/effective_fraction{suffix}", zeroed),
        "ratio_fraction_high": ("rollout/token_weight/fraction_above", above),
        "ratio_fraction_low": ("rollout/token_weight/fraction_below", below),
        **_per_response(weights, zeroed),
        "oob_ratio": ("rollout/token_weight/zeroed_fraction", {"lower": lower, "upper": upper}),
        "batch_norm_factor": ("rollout/weight_normaliser", cap),
    }


def _per_response(weights: Weights, bounds: dict[str, Number]) -> dict[str, Metric]:
    upper, lower = weights.upper, weights.lower or 1 / weights.upper
    variant = "empty_counted" if weights.lower is None else "zeroed"
    names = ("mean", "std", "max", "min", "max_deviation")
    family = "rollout/weight_per_response"
    return {
        **{f"seq_{name}": (f"{family}/{name}@{variant}", bounds) for name in names},
        "seq_fraction_high": (f"{family}/fraction_above@empty_counted", {"upper": upper}),
        "seq_fraction_low": (f"{family}/fraction_below@empty_counted", {"lower": lower}),
    }


def _rejection_metrics(rejection: Rejection) -> dict[str, Metric]:
    above: dict[str, Number] = {"upper": rejection.upper}
    below: dict[str, Number] = {"lower": rejection.lower}
    family = "rollout/rejection"
    extent = "" if rejection.is_per_token else "response_"
    named: dict[str, Metric] = {
        "mean": (f"{family}/mean", {}),
        "max": (f"{family}/max", {}),
        "min": (f"{family}/min", {}),
        "std": (f"{family}/std", {**above, **below}),
        "fraction_high": (f"{family}/{extent}fraction_above", above),
        "seq_fraction_high": (f"{family}/response_fraction_above", above),
        **{f"seq_{name}": (f"{family}/response_{name}", {}) for name in ("mean", "std", "max", "min", "max_deviation")},
        "masked_fraction": (f"{family}/criterion_token_fraction", {}),
        "seq_masked_fraction": (f"{family}/criterion_response_fraction", {}),
    }
    if rejection.has_lower:
        named["fraction_low"] = (f"{family}/{extent}fraction_below", below)
        named["seq_fraction_low"] = (f"{family}/response_fraction_below", below)
    overall: dict[str, Metric] = {
        "masked_fraction": (f"{family}/token_fraction", {}),
        "seq_masked_fraction": (f"{family}/response_fraction", {}),
    }
    return {**{f"{rejection.criterion}_{name}": metric for name, metric in named.items()}, **overall}


def _row(metric: Metric, prepare: Callable[[Scenario], Scenario] = lambda batch: batch, how: str = "") -> Row:
    key, parameters = metric

    spread = key.partition("@")[0].endswith(("_response/std", "response_std"))

    def value(batch: Scenario) -> float:
        # verl reports 0 for the spread of a single response.
        return 0.0 if spread and len(batch.mask) == 1 else prepare(batch).compute(key, **parameters)

    return Reproduced(key, value, how)


def _bypass(release: str) -> Iterator[tuple[tuple[str, str], Row]]:
    """Yield the rows of bypass_mode, where the rollout engine stands for the old policy."""
    function = "policy_loss_bypass_mode"
    recorded = records(release)
    for call in ("ppo_clip", "reinforce"):
        for output, row in _call(
            call, BYPASS_WEIGHTS, BYPASS_REJECTION, _against_old, "current policy for the old one"
        ):
            if (function, output) in recorded:
                yield (function, output), row
        for output in ("__grad_l2__", "__grad_log_prob__"):
            yield (function, f"{call}|{output}"), GRADIENT
        yield (function, f"{call}|actor/ppo_kl"), fraction(_BYPASS_KL[call], {}, _kept, "without rejected tokens")
    kept = "without rejected tokens"
    clipped = "policy/loss@dual_clip"
    yield (function, "ppo_clip|actor/pg_loss"), Reproduced(clipped, lambda batch: _loss(_kept(batch)), kept)
    yield (function, "ppo_clip|actor/pg_clipfrac"), fraction("policy/clip_fraction", CLIP, _kept, kept)
    yield (function, "ppo_clip|actor/pg_clipfrac_lower"), fraction("policy/dual_clip_fraction", DUAL, _kept, kept)
    how = f"of each token, times its weight; mean {kept}"
    yield (function, "reinforce|actor/pg_loss"), Reproduced("objective/reinforce_loss", _weighted_loss, how)


_BYPASS_KL = {"ppo_clip": "kl/old/k1@clamped", "reinforce": "kl/old/k1"}


def _kept(batch: Scenario) -> Scenario:
    """Drop the tokens that bypass_mode rejects."""
    rejected = rejecting(BYPASS_REJECTION)(_against_old(batch)).tensors["rejected_tokens"]
    return batch.with_tensors(mask=batch.mask & ~rejected)


def _loss(batch: Scenario) -> float:
    return batch.compute("policy/loss@dual_clip", **DUAL)


def _weighted_loss(batch: Scenario) -> float:
    batch = _kept(batch)
    losses = batch.by_token("objective/reinforce_loss")
    weights = torch.exp(batch.tensors["logprobs"] - batch.tensors["old_logprobs"]).clamp(max=BYPASS_WEIGHTS.upper)
    return float((losses * weights)[batch.mask].double().mean())


def _against_old(batch: Scenario) -> Scenario:
    """Put the current policy where the functions expect the old one, and the old one for the rollout engine."""
    tensors = batch.tensors
    return batch.with_tensors(old_logprobs=tensors["logprobs"], rollout_logprobs=tensors["old_logprobs"])
