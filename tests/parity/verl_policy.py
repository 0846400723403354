"""Rows of verl's policy losses: each ``loss_mode`` under each ``loss_agg_mode``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from .verl_records import records
from .verl_reduction import GLOBAL, MODES, Normalisation, aggregated, reduced
from .verl_rows import Explained, Reproduced, Row
from .verl_scenario import Number, Scenario

CLIP: dict[str, Number] = {"clip_low": 0.2, "clip_high": 0.28}
DUAL: dict[str, Number] = {**CLIP, "clip_dual": 3.0}
DIVERGENCE: dict[str, Number] = {"divergence_low": 0.2, "divergence_high": 0.28}
CAPPED: dict[str, Number] = {**DIVERGENCE, "cap": 3.0}
SYMMETRIC: dict[str, Number] = {"clip_low": 0.2, "clip_high": 0.2}
COVARIANCE_SHARE = 0.02
"""``clip_cov_ratio`` and ``kl_cov_ratio`` of the calls."""

_GEOMETRIC = "objective/geometric_mean_loss@empty_counted"
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

PLACEHOLDER = Explained("a constant 0 in the code of this loss, computed from nothing", constant=0.0)
GRADIENT = Explained("gradient of the loss, recorded beside it; no trainer logs it")
WEIGHT_CAP = 2.0
"""Cap of the rollout weights that the calls were given."""


def _as_recorded(batch: Scenario) -> Scenario:
    return batch


def dropped_by_covariance(call: str) -> Callable[[Scenario], Scenario]:
    """Return what adds the tokens that clip_cov kept: it draws them at random, the recorded gradient shows which."""

    def prepare(batch: Scenario) -> Scenario:
        tensors = batch.tensors
        gradient = batch.recorded("policy_loss_clip_cov", f"{call}|__grad_log_prob__")
        ratio = torch.exp(tensors["logprobs"] - tensors["old_logprobs"])
        plain = -tensors["advantages"] * ratio
        clipped = -tensors["advantages"] * ratio.clamp(0.8, 1.28) > plain
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


@dataclass(frozen=True)
class Loss:
    """A ``loss_mode`` and what reproduces its numbers.

    Attributes:
        key: The metric of its loss.
        parameters: Of that metric.
        others: Metric and parameters of the other numbers; None for a constant 0.
        prepare: Adds tensors that the metric needs; it gets the call's name.
        how: What that does, in words.
        fixed: The ``loss_agg_mode`` it always uses, or "responses" if it averages over responses on its own.
        splits: Whether a token's loss depends on nothing but that token.
    """

    key: str
    parameters: dict[str, Number] = field(default_factory=dict)
    others: dict[str, tuple[str, dict[str, Number]] | None] = field(default_factory=dict)
    prepare: Callable[[str], Callable[[Scenario], Scenario]] = lambda _: _as_recorded
    how: str = ""
    fixed: str = ""
    splits: bool = True


_KL: dict[str, tuple[str, dict[str, Number]] | None] = {"actor/ppo_kl": ("kl/old/k1", {})}
_CLAMPED_KL: dict[str, tuple[str, dict[str, Number]] | None] = {"actor/ppo_kl": ("kl/old/k1@clamped", {})}
_NO_LOWER = {"actor/pg_clipfrac_lower": None}
_NO_FRACTIONS = {"actor/pg_clipfrac": None, "actor/pg_clipfrac_lower": None}

_VANILLA = Loss(
    "policy/loss@dual_clip",
    DUAL,
    {
        **_CLAMPED_KL,
        "actor/pg_clipfrac": ("policy/clip_fraction", CLIP),
        "actor/pg_clipfrac_lower": ("policy/dual_clip_fraction", DUAL),
    },
)
_CLIP_COV = Loss(
    "objective/clip_cov_loss",
    CLIP,
    {**_KL, **_NO_LOWER, "actor/pg_clipfrac": ("objective/covariance_dropped_fraction", {})},
    dropped_by_covariance,
    how="dropped tokens read off the recorded gradient",
)
_KL_COV = Loss(
    "objective/kl_cov_loss",
    {"coefficient": 1.0},
    {**_NO_FRACTIONS, "actor/ppo_kl": ("objective/abs_log_ratio", {})},
    lambda _: penalised_by_covariance,
    how="penalised tokens selected as verl does",
)
_GPG = Loss("objective/reinforce_loss", {}, {**_NO_FRACTIONS, "actor/ppo_kl": None})

LOSSES: dict[str, dict[str, Loss]] = {
    "0.5.0": {"compute_policy_loss": _VANILLA, "gpg": _GPG, "clip_cov": _CLIP_COV, "kl_cov": _KL_COV},
    "0.9.1": {
        "compute_policy_loss": _VANILLA,
        "vanilla": _VANILLA,
        "gpg": _GPG,
        "clip_cov": _CLIP_COV,
        "kl_cov": _KL_COV,
        "gspo": Loss(
            "objective/gspo_loss",
            CLIP,
            {**_KL, **_NO_LOWER, "actor/pg_clipfrac": ("objective/gspo_clip_fraction", CLIP)},
            splits=False,
        ),
        "sapo": Loss(
            "objective/sapo_loss", {}, {**_CLAMPED_KL, **_NO_FRACTIONS}, fixed="seq-mean-token-mean", splits=False
        ),
        "geo_mean": Loss(
            "objective/geometric_mean_loss@empty_counted",
            CLIP,
            {
                **_KL,
                "actor/pg_clipfrac": ("objective/geometric_mean_clip_fraction_positive", CLIP),
                "actor/pg_clipfrac_lower": ("objective/geometric_mean_clip_fraction_negative", CLIP),
            },
            fixed="responses",
            splits=False,
        ),
        "dro": Loss("objective/dro_loss", {"beta": 0.05}, {**_KL}),
        "cispo": Loss(
            "objective/cispo_loss",
            CLIP,
            {**_CLAMPED_KL, **_NO_LOWER, "actor/pg_clipfrac": ("objective/two_sided_clip_fraction", CLIP)},
        ),
        **{
            f"dppo_{kind}": Loss(
                f"objective/dppo_{kind}_loss",
                CAPPED,
                {
                    **_CLAMPED_KL,
                    "actor/pg_clipfrac": (f"objective/dppo_{kind}_masked_fraction", DIVERGENCE),
                    "actor/pg_clipfrac_lower": (f"objective/dppo_{kind}_truncated_fraction", CAPPED),
                },
            )
            for kind in ("tv", "kl")
        },
    },
}


def rows(release: str) -> Iterator[tuple[tuple[str, str], Row]]:
    """Yield the rows of every policy loss but bypass_mode; 0.9.1 leaves most placeholders out."""
    recorded = records(release)
    yield from ((output, row) for output, row in _all(release) if output in recorded)


def _all(release: str) -> Iterator[tuple[tuple[str, str], Row]]:
    for name, loss in LOSSES[release].items():
        function = f"policy_loss_{name}"
        for call in _calls(name, release):
            yield (function, f"{call}|actor/pg_loss"), _loss(loss, call)
            yield from _others(function, call, loss)
    limited = "cliprange=0.2 only"
    function = "policy_loss_compute_policy_loss"
    yield (function, f"{limited}|actor/pg_loss"), reduced("policy/loss@dual_clip", "token-mean", parameters=SYMMETRIC)
    yield from _others(function, limited, _VANILLA, SYMMETRIC)


def _calls(name: str, release: str) -> Iterator[str]:
    yield from MODES[release]
    if release != "0.5.0" and name != "compute_policy_loss":
        yield "token-mean+rollout_is_weights"
        yield from (mode + GLOBAL for mode in MODES[release])


def _others(
    function: str, call: str, loss: Loss, clip: dict[str, Number] | None = None
) -> Iterator[tuple[tuple[str, str], Row]]:
    for output, metric in loss.others.items():
        row: Row = PLACEHOLDER
        if metric is not None:
            key, parameters = metric
            row = fraction(key, {**parameters, **(clip or {})} if parameters else {}, loss.prepare(call), loss.how)
        yield (function, f"{call}|{output}"), row
    for output in ("__grad_l2__", "__grad_log_prob__"):
        row = GRADIENT
        if loss.key in DIFFERENTIATED and not call.endswith(("rollout_is_weights", "only")):
            row = gradient(loss, call, output == "__grad_l2__")
        yield (function, f"{call}|{output}"), row


def gradient(loss: Loss, call: str, length: bool) -> Reproduced:
    """Return the row of a loss's gradient with respect to the log-probabilities, or of its length."""
    mode, _, rest = call.partition("+")
    mode = loss.fixed or mode
    normalisation = Normalisation(ranks=2 if rest else None)
    prepare = loss.prepare(call)

    def value(batch: Scenario) -> float | Tensor:
        if length and batch.release == "0.5.0" and mode == "seq-mean-token-mean" and not batch.counts.all():
            # The mean of a response without tokens is 0/0, and so is its gradient.
            return torch.nan
        leaf = batch.tensors["logprobs"].detach().clone().requires_grad_()
        changed = prepare(batch).with_tensors(logprobs=leaf)
        if batch.is_empty:
            found = torch.zeros_like(leaf)
        elif loss.fixed == "responses":
            (found,) = torch.autograd.grad(changed.differentiable(loss.key, **loss.parameters), leaf)
        else:
            means = changed.by_response(loss.key, **loss.parameters)
            (found,) = torch.autograd.grad(aggregated(mode, means, batch, normalisation), leaf)
        return float(found.double().norm()) if length else found

    how = "its gradient" + ("'s length" if length else "")
    return Reproduced(loss.key, value, how, leaks=(loss.key, length) in LEAKING, inside=not length)


def fraction(
    key: str,
    parameters: dict[str, Number],
    prepare: Callable[[Scenario], Scenario] = _as_recorded,
    how: str = "",
) -> Reproduced:
    """Return the row of a masked mean, which is 0 in verl where no token is selected."""

    def value(batch: Scenario) -> float:
        return batch.zero_if_empty(prepare(batch).compute(key, **parameters))

    return Reproduced(key, value, how)


def _loss(loss: Loss, call: str) -> Row:
    mode, _, rest = call.partition("+")
    normalisation = Normalisation(ranks=2 if rest.startswith("global") else None)
    prepare = loss.prepare(call)
    if rest == "rollout_is_weights":
        return _weighted(loss, prepare)
    if loss.fixed == "responses":

        def value(batch: Scenario) -> float:
            return batch.compute(loss.key, **loss.parameters)

        return Reproduced(loss.key, value, leaks=True)
    row = reduced(
        loss.key, loss.fixed or mode, prepare, normalisation=normalisation, how=loss.how, parameters=loss.parameters
    )
    return row if loss.splits else replace(row, leaks=True)


def _weighted(loss: Loss, prepare: Callable[[Scenario], Scenario]) -> Row:
    """Return the row of a loss whose tokens are multiplied by rollout weights."""

    def weights(batch: Scenario) -> Tensor:
        return torch.exp(batch.tensors["old_logprobs"] - batch.tensors["rollout_logprobs"]).clamp(max=WEIGHT_CAP)

    def by_token(batch: Scenario) -> float:
        if batch.is_empty:
            return torch.nan
        losses = prepare(batch).by_token(loss.key, **loss.parameters)
        return float((losses * weights(batch))[batch.mask].mean())

    def by_advantage(batch: Scenario) -> float:
        if batch.is_empty:
            return torch.nan
        scaled = batch.with_tensors(advantages=batch.tensors["advantages"] * weights(batch))
        return scaled.compute(loss.key, **loss.parameters)

    def by_response(batch: Scenario) -> float:
        if batch.is_empty:
            return 0.0
        logs = torch.where(batch.mask, torch.log(weights(batch) + 1e-10), 0).sum(-1)
        scale = torch.exp(logs / (batch.counts + 1e-8)).float()
        scaled = batch.with_tensors(advantages=batch.tensors["advantages"] * scale.unsqueeze(-1))
        return scaled.compute(loss.key, **loss.parameters)

    if loss.splits:
        how = "; ".join(word for word in ("of each token, times its rollout weight; mean", loss.how) if word)
        return Reproduced(loss.key, by_token, how)
    if loss.fixed == "responses":
        return Reproduced(loss.key, by_response, "advantages times the geometric mean rollout weight", leaks=True)
    return Reproduced(loss.key, by_advantage, "advantages times rollout weights", leaks=True)
