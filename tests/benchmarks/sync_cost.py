"""What it costs to make the numbers of two ranks one: gloo, two processes, one thread each.

    python tests/benchmarks/sync_cost.py [--write]

- suite: ``PPOSuite.sync`` and ``compute``: one all-gather for all 35 numbers
- torchmetrics: ``compute`` of a MetricCollection of 35 means, which synchronises each of them
- all-reduce each: one ``all_reduce`` for each of 35 numbers, as in hand-written code
"""

from __future__ import annotations

import multiprocessing as mp
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / name) for name in ("adapters", "tests")]

import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402
from benchmarks import measure  # noqa: E402
from benchmarks.batches import make_batch  # noqa: E402
from benchmarks.by_hand import ppo_numbers  # noqa: E402
from rlmetrics.suites import PPOSuite  # noqa: E402


def rank(number: int, store: str, rounds: int, answers: mp.SimpleQueue[dict[str, dict[str, float]]]) -> None:
    """Take part as one rank; the first one answers."""
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=number, world_size=2)
    batch = make_batch(4, 16)
    suite = PPOSuite()
    suite.update(**{name: batch[name] for name in suite.fusion.inputs if name in batch})
    numbers = [torch.ones(()) for _ in ppo_numbers(batch)]

    def reduce_each() -> list[float]:
        for one in numbers:
            dist.all_reduce(one)
        return [one.item() for one in numbers]

    ways: dict[str, measure.Way] = {"suite": lambda: suite.sync().compute(), "all-reduce each": reduce_each}
    if measure.installed("torchmetrics"):
        from torchmetrics import MeanMetric, MetricCollection  # pyright: ignore[reportMissingImports]

        metrics = MetricCollection({f"m{place}": MeanMetric() for place in range(len(numbers))})

        def together() -> dict[str, float]:
            # A result is kept until the next update, which is therefore part of a step.
            metrics.update(batch["logprobs"], weight=batch["mask"].float())
            return {name: one.item() for name, one in metrics.compute().items()}

        ways["torchmetrics"] = together
    found = measure.paired(ways, rounds, "wall")
    if number == 0:
        answers.put(found)
    dist.destroy_process_group()


def main() -> None:
    """Measure and report."""
    options = measure.parser(__doc__).parse_args()
    torch.set_num_threads(1)
    context = mp.get_context("spawn")
    answers: mp.SimpleQueue[dict[str, dict[str, float]]] = context.SimpleQueue()
    with tempfile.TemporaryDirectory() as folder:
        ranks = [
            context.Process(target=rank, args=(number, f"{folder}/store", options.rounds, answers))
            for number in range(2)
        ]
        for process in ranks:
            process.start()
        for process in ranks:
            process.join()
    measure.report("sync_cost", options, {"two ranks": {"numbers": 35, "ways": answers.get()}})


if __name__ == "__main__":
    main()
