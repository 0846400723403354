"""What single functions cost next to the same number by hand: 64 × 1024 tokens in float32, from tensors to a float.

    python tests/benchmarks/function_cost.py [--write]

- rlmetrics: the function, which also checks its inputs
- by hand: sums in float32 of products with the mask, as trainers write them; NaN in padding would reach the number
- by hand, as exact: sums in float64 that never read padding

Before anything is timed, each way's number is compared with the function's.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / name) for name in ("adapters", "tests")]

import rlmetrics.functional as F  # noqa: E402, N812
import torch  # noqa: E402
from benchmarks import measure  # noqa: E402
from benchmarks.batches import Batch, make_batch  # noqa: E402
from torch import Tensor  # noqa: E402

Mean = Callable[[Tensor], Tensor]
Ours = Callable[..., Tensor]

FUNCTIONS: dict[str, tuple[Ours, tuple[str, ...], Callable[[Batch], Tensor]]] = {
    "kl_old_k1": (
        F.kl_old_k1,
        ("logprobs", "old_logprobs", "mask"),
        lambda batch: batch["old_logprobs"] - batch["logprobs"],
    ),
    "kl_old_k3": (F.kl_old_k3, ("logprobs", "old_logprobs", "mask"), lambda batch: _k3(batch)),
    "policy_clip_fraction": (
        F.policy_clip_fraction,
        ("logprobs", "old_logprobs", "advantages", "mask"),
        lambda batch: _clipped(batch),
    ),
    "advantage_mean": (F.advantage_mean, ("advantages", "mask"), lambda batch: batch["advantages"]),
}
"""Of each function its inputs, and by hand what is averaged over the mask."""


def _k3(batch: Batch) -> Tensor:
    log_ratio = batch["logprobs"] - batch["old_logprobs"]
    return log_ratio.exp() - 1 - log_ratio


def _clipped(batch: Batch) -> Tensor:
    ratio = (batch["logprobs"] - batch["old_logprobs"]).exp()
    negative = -batch["advantages"]
    return (negative * ratio.clamp(0.8, 1.2) > negative * ratio).float()


def main() -> None:
    """Compare, measure and report."""
    options = measure.parser(__doc__).parse_args()
    torch.set_num_threads(options.threads)
    batch = make_batch(64, 1024, options.device)
    mask = batch["mask"]

    def plain(x: Tensor) -> Tensor:
        kept = mask.float()
        return (x * kept).sum() / kept.sum()

    def exact(x: Tensor) -> Tensor:
        return torch.where(mask, x, 0).sum(dtype=torch.float64) / mask.sum()

    found: dict[str, dict[str, object]] = {}
    for name, (function, inputs, by_hand) in FUNCTIONS.items():
        given = [batch[one] for one in inputs]
        ways = {
            "rlmetrics": lambda function=function, given=given: function(*given).item(),
            "by hand": lambda by_hand=by_hand: plain(by_hand(batch)).item(),
            "by hand, as exact": lambda by_hand=by_hand: exact(by_hand(batch)).item(),
        }
        numbers = {way: compute() for way, compute in ways.items()}
        assert all(math.isclose(one, numbers["rlmetrics"], rel_tol=1e-4) for one in numbers.values()), (name, numbers)
        with torch.no_grad():
            found[name] = {"ways": measure.paired(ways, 4 * options.rounds, options.device)}
    measure.report("function_cost", options, found)


if __name__ == "__main__":
    main()
