"""What a step of a suite costs where the tensors cost nothing: 2 responses of 8 tokens.

    python tests/benchmarks/suite_overhead.py [--write]

A step is update, compute and reset of PPOSuite with all inputs that its 35 numbers need.

- suite: as it is
- suite, compiled: ``PPOSuite().compile()``
- by hand: the same numbers in eager torch, each brought to the host on its own
- torchmetrics: a MetricCollection of 35 means
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / name) for name in ("adapters", "tests")]

import torch  # noqa: E402
from benchmarks import measure  # noqa: E402
from benchmarks.batches import make_batch  # noqa: E402
from benchmarks.by_hand import collection, ppo_numbers  # noqa: E402
from rlmetrics.suites import PPOSuite  # noqa: E402


def main() -> None:
    """Measure and report."""
    options = measure.parser(__doc__).parse_args()
    torch.set_num_threads(options.threads)
    batch = make_batch(2, 8, options.device)
    inputs = {name: batch[name] for name in PPOSuite().fusion.inputs if name in batch}
    del inputs["token_entropy"], inputs["token_rewards"]
    numbers = len(ppo_numbers(batch))

    def step(suite: PPOSuite) -> object:
        suite.update(**inputs)
        results = suite.compute()
        suite.reset()
        return results

    eager, compiled = PPOSuite(), PPOSuite().compile()
    ways: dict[str, measure.Way] = {
        "suite": lambda: step(eager),
        "suite, compiled": lambda: step(compiled),
        "by hand": lambda: ppo_numbers(batch),
    }
    if measure.installed("torchmetrics"):
        ways["torchmetrics"] = collection(batch, numbers)
    with torch.no_grad():
        found = measure.paired(ways, 20 * options.rounds, options.device)
    measure.report("suite_overhead", options, {"one step": {"numbers": numbers, "ways": found}})


if __name__ == "__main__":
    main()
