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
