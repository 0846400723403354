"""The numbers of PPOSuite as trainers write them: in plain torch, and with torchmetrics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from .batches import Batch

Numbers = dict[str, float]


def ppo_numbers(batch: Batch) -> Numbers:
    """Compute the numbers of the suite as trainers do: masked sums in float32, one `.item()` for each."""
    mask = batch["mask"].float()
    log_ratio = batch["logprobs"] - batch["old_logprobs"]
    ratio = log_ratio.exp()
    advantages, values, returns = batch["advantages"], batch["values"], batch["returns"]

    def mean(x: Tensor) -> Tensor:
        return (x * mask).sum() / mask.sum()

    plain, clipped = -advantages * ratio, -advantages * ratio.clamp(0.8, 1.2)
    to_reference = batch["ref_logprobs"] - batch["logprobs"]
    from_old = batch["old_logprobs"] - batch["ref_logprobs"]
    near = batch["old_values"] + (values - batch["old_values"]).clamp(-0.2, 0.2)
    losses = (values - returns).square(), (near - returns).square()
    kept = batch["mask"]
    chosen_returns, chosen_errors = returns[kept], (returns - batch["old_values"])[kept]
    lengths = batch["lengths"].float()
    numbers = {
        "policy/loss": mean(torch.max(plain, clipped)),
        "policy/clip_fraction": mean((clipped > plain).float()),
        "policy/clip_fraction_low": mean(((ratio < 0.8) & (advantages < 0)).float()),
        "policy/clip_fraction_high": mean(((ratio > 1.2) & (advantages > 0)).float()),
        "policy/outside_region_fraction": mean(((ratio < 0.8) | (ratio > 1.2)).float()),
        "policy/ratio/mean": mean(ratio),
        "kl/old/k1": mean(-log_ratio),
        "kl/old/k2": mean(0.5 * log_ratio.square()),
        "kl/old/k3": mean(ratio - 1 - log_ratio),
        "advantage/mean": mean(advantages),
        "advantage/max": advantages[kept].max(),
        "advantage/min": advantages[kept].min(),
        "entropy/surprisal_sum": (-batch["old_logprobs"] * mask).sum(1).mean(),
        "kl/reference/k1": mean(-to_reference),
        "kl/reference/k3": mean(to_reference.exp() - to_reference - 1),
        "kl/old_reference/k1": mean(from_old),
        "kl/old_reference_sum/k1": (from_old * mask).sum(1).mean(),
        "reward/non_score/sum": (-0.05 * from_old * mask).sum(1).mean(),
        "value/loss": 0.5 * mean(torch.max(*losses)),
        "value/clip_fraction": mean((losses[1] > losses[0]).float()),
        "value/error": mean(losses[0]),
        "value/prediction_mean": mean(values),
        "value/mean": mean(batch["old_values"]),
        "value/explained_variance": 1 - chosen_errors.var() / chosen_returns.var(),
        "return/mean": chosen_returns.mean(),
        "return/max": chosen_returns.max(),
        "return/min": chosen_returns.min(),
        "reward/score/mean": batch["scores"].mean(),
        "reward/score/std": batch["scores"].std(),
        "reward/score/max": batch["scores"].max(),
        "reward/score/min": batch["scores"].min(),
        "length/response/mean": lengths.mean(),
        "length/response/max": lengths.max(),
        "length/response/min": lengths.min(),
        "length/truncated_fraction": 1 - batch["terminated"].float().mean(),
    }
    return {name: number.item() for name, number in numbers.items()}


def careful_tensor(batch: Batch, *, exact: bool = False) -> Tensor:
    """Return the same numbers with care, nothing twice and as one tensor, which ``torch.compile`` takes as it is.

    Sums are float32 products with the mask, as long as padding holds numbers; means of what is not centred are exact
    enough that way, and nothing is kept to merge micro-batches or ranks.

    Args:
        batch: The tensors.
        exact: Whether padding may hold anything and sums are kept in float64, as those of suites are.
    """
    mask = batch["mask"]
    keep = mask.to(torch.float32)
    count = mask.sum()
    logprobs, old_logprobs, ref_logprobs = batch["logprobs"], batch["old_logprobs"], batch["ref_logprobs"]
    advantages, values, old_values, returns = (
        batch[name] for name in ("advantages", "values", "old_values", "returns")
    )
    log_ratio = logprobs - old_logprobs
    ratio = log_ratio.exp()
    negative = -advantages
    plain, clipped = negative * ratio, negative * ratio.clamp(0.8, 1.2)
    low, high = ratio < 0.8, ratio > 1.2
    to_reference, from_old = ref_logprobs - logprobs, old_logprobs - ref_logprobs
    near = old_values + (values - old_values).clamp(-0.2, 0.2)
    plain_loss, near_loss = (values - returns).square(), (near - returns).square()
    errors = returns - old_values

    def total(x: Tensor) -> Tensor:
        return torch.where(mask, x, 0).sum(dtype=torch.float64) if exact else (x * keep).sum()

    def number(condition: Tensor) -> Tensor:
        return (condition & mask).sum()

    def spread(x: Tensor, mean: Tensor) -> Tensor:
        if exact:
            return torch.where(mask, x.double() - mean, 0).square().sum()
        return ((x - mean).square() * keep).sum()

    rows = mask.shape[0]
    mean_of = {name: total(x) / count for name, x in {"returns": returns, "errors": errors, "log": log_ratio}.items()}
    mean_ratio, mean_from_old = total(ratio) / count, total(from_old)
    mean_to_reference = total(to_reference) / count
    lengths = batch["lengths"].float()
    scores = batch["scores"]
    return torch.stack(
        [
            total(torch.maximum(plain, clipped)) / count,
            number(clipped > plain) / count,
            number(low & (advantages < 0)) / count,
            number(high & (advantages > 0)) / count,
            number(low | high) / count,
            mean_ratio,
            -mean_of["log"],
            0.5 * total(log_ratio * log_ratio) / count,
            mean_ratio - 1 - mean_of["log"],
            total(advantages) / count,
            torch.where(mask, advantages, -torch.inf).amax(),
            torch.where(mask, advantages, torch.inf).amin(),
            -total(old_logprobs) / rows,
            -mean_to_reference,
            total(to_reference.exp()) / count - mean_to_reference - 1,
            mean_from_old / count,
            mean_from_old / rows,
            -0.05 * mean_from_old / rows,
            0.5 * total(torch.maximum(plain_loss, near_loss)) / count,
            number(near_loss > plain_loss) / count,
            total(plain_loss) / count,
            total(values) / count,
            total(old_values) / count,
            1 - spread(errors, mean_of["errors"]) / spread(returns, mean_of["returns"]),
            mean_of["returns"],
            torch.where(mask, returns, -torch.inf).amax(),
            torch.where(mask, returns, torch.inf).amin(),
            scores.mean(),
            scores.std(),
            scores.max(),
            scores.min(),
            lengths.mean(),
            lengths.max(),
            lengths.min(),
            1 - batch["terminated"].float().mean(),
        ]
    )


CAREFUL = (
    "policy/loss",
    "policy/clip_fraction",
    "policy/clip_fraction_low",
    "policy/clip_fraction_high",
    "policy/outside_region_fraction",
    "policy/ratio/mean",
    "kl/old/k1",
    "kl/old/k2",
    "kl/old/k3",
    "advantage/mean",
    "advantage/max",
    "advantage/min",
    "entropy/surprisal_sum",
    "kl/reference/k1",
    "kl/reference/k3",
    "kl/old_reference/k1",
    "kl/old_reference_sum/k1",
    "reward/non_score/sum",
    "value/loss",
    "value/clip_fraction",
    "value/error",
    "value/prediction_mean",
    "value/mean",
    "value/explained_variance",
    "return/mean",
    "return/max",
    "return/min",
    "reward/score/mean",
    "reward/score/std",
    "reward/score/max",
    "reward/score/min",
    "length/response/mean",
    "length/response/max",
    "length/response/min",
    "length/truncated_fraction",
)
"""The names of the numbers of :func:`careful_tensor`."""


def collection(batch: Batch, number: int) -> Callable[[], Numbers]:
    """Return a step of torchmetrics' MetricCollection over some means of one tensor."""
    from torchmetrics import MeanMetric, MetricCollection  # pyright: ignore[reportMissingImports]

    metrics = MetricCollection({f"m{place}": MeanMetric() for place in range(number)}).to(batch["mask"].device)
    mask = batch["mask"].float()

    def step() -> Numbers:
        metrics.update(batch["logprobs"], weight=mask)
        results = {name: number.item() for name, number in metrics.compute().items()}
        metrics.reset()
        return results

    return step


def same_by_torchmetrics(batch: Batch) -> Callable[[], Numbers]:
    """Return a step that keeps the numbers of the suite in torchmetrics, each metric given its own tensor."""
    from torchmetrics import MaxMetric, MeanMetric, MinMetric  # pyright: ignore[reportMissingImports]

    device = batch["mask"].device
    kinds = {"max": MaxMetric, "min": MinMetric}
    metrics: dict[str, Any] = {}

    def add(name: str, value: Tensor, weight: Tensor | None = None) -> None:
        kind = kinds.get(name.rpartition("/")[2], MeanMetric)
        if name not in metrics:
            metrics[name] = kind().to(device)
        if weight is None:
            metrics[name].update(value)
        elif kind is MeanMetric:
            metrics[name].update(value, weight)
        else:
            metrics[name].update(value[weight.bool()])

    def step() -> Numbers:
        mask = batch["mask"].float()
        log_ratio = batch["logprobs"] - batch["old_logprobs"]
        ratio = log_ratio.exp()
        advantages, values, returns = batch["advantages"], batch["values"], batch["returns"]
        plain, clipped = -advantages * ratio, -advantages * ratio.clamp(0.8, 1.2)
        low, high = ratio < 0.8, ratio > 1.2
        to_reference = batch["ref_logprobs"] - batch["logprobs"]
        from_old = batch["old_logprobs"] - batch["ref_logprobs"]
        near = batch["old_values"] + (values - batch["old_values"]).clamp(-0.2, 0.2)
        losses = (values - returns).square(), (near - returns).square()
        summed = (from_old * mask).sum(1)
        add("policy/loss", torch.max(plain, clipped), mask)
        add("policy/clip_fraction", (clipped > plain).float(), mask)
        add("policy/clip_fraction_low", (low & (advantages < 0)).float(), mask)
        add("policy/clip_fraction_high", (high & (advantages > 0)).float(), mask)
        add("policy/outside_region_fraction", (low | high).float(), mask)
        add("policy/ratio/mean", ratio, mask)
        add("kl/old/k1", -log_ratio, mask)
        add("kl/old/k2", 0.5 * log_ratio.square(), mask)
        add("kl/old/k3", ratio - 1 - log_ratio, mask)
        add("advantage/mean", advantages, mask)
        add("advantage/max", advantages, mask)
        add("advantage/min", advantages, mask)
        add("entropy/surprisal_sum", (-batch["old_logprobs"] * mask).sum(1))
        add("kl/reference/k1", -to_reference, mask)
        add("kl/reference/k3", to_reference.exp() - to_reference - 1, mask)
        add("kl/old_reference/k1", from_old, mask)
        add("kl/old_reference_sum/k1", summed)
        add("reward/non_score/sum", -0.05 * summed)
        add("value/loss", 0.5 * torch.max(*losses), mask)
        add("value/clip_fraction", (losses[1] > losses[0]).float(), mask)
        add("value/error", losses[0], mask)
        add("value/prediction_mean", values, mask)
        add("value/mean", batch["old_values"], mask)
        add("return/mean", returns, mask)
        add("return/max", returns, mask)
        add("return/min", returns, mask)
        errors = returns - batch["old_values"]
        for name, value in {"returns": returns, "errors": errors}.items():
            add(f"{name} squared", value.square(), mask)
            add(name, value, mask)
        scores, lengths = batch["scores"], batch["lengths"].float()
        add("reward/score/mean", scores)
        add("scores squared", scores.square())
        add("reward/score/max", scores)
        add("reward/score/min", scores)
        add("length/response/mean", lengths)
        add("length/response/max", lengths)
        add("length/response/min", lengths)
        add("length/truncated_fraction", 1 - batch["terminated"].float())
        found = {name: metric.compute().item() for name, metric in metrics.items()}
        for metric in metrics.values():
            metric.reset()
        spread = {name: found.pop(f"{name} squared") - found.pop(name) ** 2 for name in ("returns", "errors")}
        found["value/explained_variance"] = 1 - spread["errors"] / spread["returns"]
        count = scores.numel()
        variance = (found.pop("scores squared") - found["reward/score/mean"] ** 2) * count / (count - 1)
        found["reward/score/std"] = variance**0.5
        return found

    return step
