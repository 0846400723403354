"""What `attach` costs a step of training: ``python tests/benchmarks/attach_cost.py [--write]``.

Two trainings of one tiny language model, on one thread, log every step through a trainer's callbacks: one is bare, the
other attached with both names and health. They take turns, a step each, so that whatever else the machine does meets
both alike. Times are of the processor. The figure is the median over pairs of some steps of either training, with the
interval that holds it in 95 of 100 repetitions; beside it stands what the rows themselves took, all of them, so that
nothing that happens in few rows is lost in a median. Trainers of language models take longer for a step than this
model, which has 0.9 million weights and is given 512 tokens.
"""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / name) for name in ("adapters", "tests")]

import torch  # noqa: E402
from benchmarks import measure  # noqa: E402
from benchmarks.live_cost import row_keys  # noqa: E402
from rlmetrics.trainers.transformers import attach  # noqa: E402

AT = "trl[GRPOTrainer]==1.16.0"
AIM = 1.02
STEPS = 4
"""Of either training in a pair."""
WORDS, WIDTH = 512, 128


class Model(torch.nn.Module):
    """A language model with four layers."""

    def __init__(self) -> None:
        super().__init__()
        self.words = torch.nn.Embedding(WORDS, WIDTH)
        layer = torch.nn.TransformerEncoderLayer(WIDTH, 4, 4 * WIDTH, dropout=0.0, batch_first=True)
        self.layers = torch.nn.TransformerEncoder(layer, 4, enable_nested_tensor=False)
        self.head = torch.nn.Linear(WIDTH, WORDS)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Return the logits of the next tokens, (batch, length, WORDS)."""
        mask = torch.nn.Transformer.generate_square_subsequent_mask(tokens.shape[1])
        found: torch.Tensor = self.head(self.layers(self.words(tokens), mask=mask, is_causal=True))
        return found


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
    """As much of a trainer as `attach` asks for, with a model that it trains."""

    def __init__(self, attached: bool) -> None:
        torch.manual_seed(0)
        self.callback_handler = Handler()
        self.state, self.names, self.logged = State(), row_keys(), 0.0
        self.model = Model()
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4)
        self.batches = torch.randint(WORDS, (16, 8, 65))
        if attached:
            self.attached = attach(self, to="verl==0.9.1", both=True, health=True, at=AT, config={})

    def step(self) -> float:
        """Train a step and log its row; return its processor time, of which ``logged`` adds up that of the row."""
        began = time.process_time()
        self.state.global_step += 1
        batch = self.batches[self.state.global_step % len(self.batches)]
        logits = self.model(batch[:, :-1])
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad()
        value = float(loss.detach())
        row = {name: value + 0.01 * (place % 7) for place, name in enumerate(self.names)}
        trained = time.process_time()
        self.callback_handler.on_log(None, self.state, None, row)
        ended = time.process_time()
        self.logged += ended - trained
        return ended - began


def interval(values: list[float]) -> tuple[float, float]:
    """Return the order statistics between which the median lies with 95 %."""
    ordered, half = sorted(values), 0.98 * len(values) ** 0.5
    middle = len(values) / 2
    return ordered[max(0, int(middle - half))], ordered[min(len(values) - 1, int(middle + half))]


def main() -> int:
    """Measure and report; return 1 if attached training takes more than the aim."""
    parser = measure.parser(__doc__)
    parser.set_defaults(rounds=121)
    options = parser.parse_args()
    torch.set_num_threads(1)
    bare, attached = Trainer(attached=False), Trainer(attached=True)
    for trainer in (bare, attached):
        for _ in range(10):
            trainer.step()
        trainer.logged = 0.0
    ratios, taken = list[float](), list[float]()
    for _ in range(options.rounds):
        pair = [0.0, 0.0]
        for turn in range(STEPS):
            for place in (0, 1) if turn % 2 else (1, 0):
                pair[place] += (bare, attached)[place].step()
        ratios.append(pair[1] / pair[0])
        taken.append(pair[0] / STEPS)
    if attached.attached.faults.count:
        raise SystemExit(attached.attached.faults.last)
    ratio, (low, high) = statistics.median(ratios), interval(ratios)
    count, step = STEPS * options.rounds, statistics.median(taken)
    rows = (attached.logged - bare.logged) / count
    found = {
        "ms a step, bare": round(1e3 * step, 2),
        "attached, times that": round(ratio, 4),
        "low": round(low, 4),
        "high": round(high, 4),
        "us a row": round(1e6 * rows, 1),
        "% of a step": round(100 * rows / step, 2),
    }
    measure.report("attach_cost", options, {f"{count:,} steps, a row of {len(bare.names)} keys each": found})
    return int(ratio > AIM)


if __name__ == "__main__":
    sys.exit(main())
