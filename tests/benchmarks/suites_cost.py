"""What a suite costs next to other ways to the same numbers: medians of paired runs, as ratios.

    python tests/benchmarks/suites_cost.py [--rounds 15] [--rows 64] [--columns 1024]

In each round every way runs once, so that a busy machine slows all of them alike. A step is update, compute and reset.

- functions: each metric's own function, then one `.item()` each
- by hand: the same numbers in eager code as trainers have it, each brought to the host on its own
- torchmetrics: a MetricCollection of means, if it is installed (it is no dependency)
- sync: one all-gather of the suite's state next to one all-reduce for each metric, on two gloo ranks
"""

from __future__ import annotations

import argparse
import multiprocessing as mp
import statistics
import tempfile
import time
from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist
from rlmetrics.functional import REGISTRY
from rlmetrics.suites import PPOSuite
from torch import Tensor

Batch = dict[str, Tensor]
Way = Callable[[], Any]


def make_batch(rows: int, columns: int) -> Batch:
    """Make float32 inputs of a PPO step."""
    torch.manual_seed(0)

    def noise(scale: float) -> Tensor:
        return torch.randn(rows, columns) * scale

    logprobs = -torch.rand(rows, columns) * 3
    return {
        "logprobs": logprobs,
        "old_logprobs": logprobs + noise(0.1),
        "ref_logprobs": logprobs + noise(0.2),
        "advantages": noise(1.0),
        "mask": torch.arange(columns) < torch.randint(1, columns + 1, (rows, 1)),
        "values": noise(1.0),
        "old_values": noise(1.0),
        "returns": noise(1.0),
        "scores": torch.randn(rows),
        "lengths": torch.randint(1, columns + 1, (rows,)),
        "terminated": torch.rand(rows) < 0.9,
    }


def separately(batch: Batch, suite: PPOSuite) -> Way:
    """Return a step by the metrics' own functions."""
    metrics = [REGISTRY[name] for name in suite.update(**batch).compute()]
    suite.reset()
    calls = []
    for metric in metrics:
        inputs = [batch[word] for word, _, _ in metric.inputs]
        calls.append((metric, inputs, {word: suite.parameters[word] for word in metric.parameters}))
    return lambda: {metric.id: metric(*args, **kwargs).item() for metric, args, kwargs in calls}


def by_hand(batch: Batch) -> dict[str, float]:
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


def collection(batch: Batch) -> Way | None:
    """Return a step of torchmetrics' MetricCollection over as many means, or None if it is not installed."""
    try:
        from torchmetrics import MeanMetric, MetricCollection  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        return None
    metrics = MetricCollection({f"m{i}": MeanMetric() for i in range(len(PPOSuite().update(**batch).compute()))})
    mask = batch["mask"].float()
    value = batch["logprobs"]

    def step() -> dict[str, float]:
        metrics.update(value, weight=mask)
        results = {name: number.item() for name, number in metrics.compute().items()}
        metrics.reset()
        return results

    return step


def medians(ways: dict[str, Way], rounds: int) -> dict[str, float]:
    """Return the median time of each way in microseconds, one run of each in every round."""
    times: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(rounds + 2):
        for name, way in ways.items():
            start = time.perf_counter()
            way()
            if number > 1:
                times[name].append(time.perf_counter() - start)
    return {name: 1e6 * statistics.median(values) for name, values in times.items()}


def steps(rows: int, columns: int, rounds: int) -> None:
    """Print what a step costs, each way."""
    batch = make_batch(rows, columns)
    eager, fused = PPOSuite(), PPOSuite()
    compiled = torch.compile(fused.update, fullgraph=True)

    def suite_step() -> dict[str, float]:
        eager.reset().update(**batch)
        return eager.compute()

    def compiled_step() -> dict[str, float]:
        fused.reset()
        compiled(**batch)
        return fused.compute()

    hand, ours = by_hand(batch), suite_step()
    assert hand.keys() == ours.keys()
    worst = max(abs(hand[name] - ours[name]) / (1e-3 + abs(ours[name])) for name in ours)
    assert worst < 1e-2, worst
    ways: dict[str, Way] = {
        "suite": suite_step,
        "suite, compiled": compiled_step,
        "functions": separately(batch, PPOSuite()),
        "by hand": lambda: by_hand(batch),
    }
    other = collection(batch)
    if other is not None:
        ways["torchmetrics"] = other
    found = medians(ways, rounds)
    print(f"{rows} x {columns} tokens, {len(ours)} numbers, {torch.get_num_threads()} threads")
    for name, value in found.items():
        print(f"  {name:16} {value:10.0f} us   {value / found['suite']:6.2f} x suite")
    if other is None:
        print("  torchmetrics     not installed")


def _rank(rank: int, store: str, rounds: int) -> None:
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    suite = PPOSuite().update(**make_batch(4, 16))
    numbers = [torch.ones(()) for _ in suite.compute()]

    def reduce_each() -> None:
        for number in numbers:
            dist.all_reduce(number)

    found = medians({"suite": suite.sync, "all_reduce each": reduce_each}, rounds)
    if rank == 0:
        print(f"two gloo ranks, {len(numbers)} numbers")
        for name, value in found.items():
            print(f"  {name:16} {value:10.0f} us   {value / found['suite']:6.2f} x suite")
    dist.destroy_process_group()


def main() -> None:
    """Run everything and print it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--rows", type=int, default=64)
    parser.add_argument("--columns", type=int, default=1024)
    options = parser.parse_args()
    steps(options.rows, options.columns, options.rounds)
    steps(2, 8, 20 * options.rounds)
    with tempfile.TemporaryDirectory() as folder:
        context = mp.get_context("spawn")
        ranks = [
            context.Process(target=_rank, args=(rank, f"{folder}/store", 10 * options.rounds)) for rank in range(2)
        ]
        for process in ranks:
            process.start()
        for process in ranks:
            process.join()


if __name__ == "__main__":
    main()
