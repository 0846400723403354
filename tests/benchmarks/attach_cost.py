"""What `attach` costs a step of training: ``python tests/benchmarks/attach_cost.py [RESULT]``.

A loop with a small network logs every step through a trainer's callbacks, bare and attached with both names and
health, in turn. The ratio is of CPU times, in pairs. A step takes some tens of milliseconds, which is less than a step
of any trainer of language models takes, so that the ratio is an upper bound.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / name) for name in ("adapters", "tests")]

import torch  # noqa: E402
from benchmarks.live_cost import row_keys  # noqa: E402
from benchmarks.paired import options, report  # noqa: E402
from rlmetrics.trainers.transformers import attach  # noqa: E402

AT = "trl[GRPOTrainer]==1.16.0"
STEPS = 20
ROUNDS = 9
AIM = 1.02
SIZE = 384
"""Of the matrices of a step, which takes some tens of milliseconds on one core."""


class Handler:
    """Hands logged rows to callbacks, as a trainer's does."""

    callbacks: tuple[Any, ...] = ()

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, Any], **_: Any) -> Any:
        """Keep nothing."""
        return control


class State:
    """What a trainer says of its place."""

    is_world_process_zero = True
    global_step = 0
    log_history: tuple[dict[str, Any], ...] = ()


class Trainer:
    """As much of a trainer as `attach` asks for."""

    def __init__(self) -> None:
        self.callback_handler = Handler()


def training(attached: bool) -> Callable[[int], None]:
    """Return a function that does steps and logs each."""
    torch.manual_seed(0)
    trainer, state = Trainer(), State()
    if attached:
        attach(trainer, to="verl==0.9.1", both=True, health=True, at=AT, config={})
    weights, names = torch.randn(SIZE, SIZE), row_keys()

    def steps(count: int) -> None:
        for _ in range(count):
            state.global_step += 1
            value = weights
            for _ in range(12):
                value = torch.tanh(value @ weights / SIZE)
            row = {name: 0.5 + 0.01 * (state.global_step * 7 + place) % 1 for place, name in enumerate(names)}
            trainer.callback_handler.on_log(None, state, None, row)

    return steps


def main() -> int:
    """Measure and report; return 1 if attached training takes more than the aim."""
    args = options(__doc__, STEPS)
    torch.set_num_threads(1)
    jobs = {"bare": training(False), "attached": training(True)}
    times: dict[str, list[float]] = {name: [] for name in jobs}
    for steps in jobs.values():
        steps(5)
    for turn in range(ROUNDS):
        for name in sorted(jobs, reverse=bool(turn % 2)):
            before = time.process_time()
            jobs[name](args.points)
            times[name].append(time.process_time() - before)
    ratio = statistics.median(a / b for a, b in zip(times["attached"], times["bare"], strict=True))
    step = statistics.median(times["bare"]) / args.points
    report({"step_ms": round(1000 * step, 2), "ratio": round(ratio, 4), "aim": AIM}, args.result)
    return int(ratio > AIM)


if __name__ == "__main__":
    sys.exit(main())
