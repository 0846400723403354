"""A real training of transformers that is resumed from a checkpoint; prints what its monitor knows at the end.

Runs in an environment of its own, where neither pytest nor the other modules of the tests are: FOLDER JOBS.
"""

# pyright: reportMissingImports=false
from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

import torch
from rlmetrics.trainers.transformers import MetricsCallback
from transformers import Trainer, TrainingArguments

STEPS, BROKEN = 8, 2


class Line(torch.nn.Module):
    """A model of two weights."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(7)
        self.inner = torch.nn.Linear(1, 1)

    def forward(self, x: Any, labels: Any = None) -> dict[str, Any]:
        """Return a loss."""
        said = self.inner(x)
        return {"loss": (said - labels).square().mean(), "logits": said}


def trainer_in(folder: Path, **more: Any) -> tuple[Trainer, MetricsCallback]:
    """Return a trainer that saves every other step, and its callback."""
    data = [{"x": torch.tensor([float(n)]), "labels": torch.tensor([2.0 * n])} for n in range(4)]
    arguments = TrainingArguments(
        str(folder),
        max_steps=STEPS,
        logging_steps=1,
        per_device_train_batch_size=2,
        report_to="none",
        use_cpu=True,
        disable_tqdm=True,
        save_steps=2,
        eval_strategy="steps",
        eval_steps=2,
        learning_rate=0.02,
        **more,
    )
    callback = MetricsCallback(at="trl[SFTTrainer]==1.16.0", health=True)
    trainer = Trainer(Line(), arguments, train_dataset=data, eval_dataset=data, callbacks=[callback])
    log = trainer.log

    def broken(row: dict[str, Any], *rest: Any, **named: Any) -> None:
        lost = trainer.state.global_step == BROKEN and "grad_norm" in row
        log({**row, "loss": math.nan, "grad_norm": math.nan} if lost else row, *rest, **named)

    trainer.log = broken
    return trainer, callback


def main(folder: Path, jobs: list[dict[str, Any]]) -> None:
    """Train each job, or take it up in the middle, and write rows, findings and levels of health."""
    for job in jobs:
        trainer, callback = trainer_in(folder / job["name"], **job["arguments"])
        trainer.train()
        if job["from"]:
            trainer, callback = trainer_in(folder / job["name"], **job["arguments"])
            trainer.train(resume_from_checkpoint=str(folder / job["name"] / f"checkpoint-{job['from']}"))
        assert callback.attached is not None
        monitor = callback.attached.monitor
        last = [row for row in trainer.state.log_history if "grad_norm" in row][-1]
        found = {
            "rows": monitor.state_dict()["rows"],
            "findings": [[item.rule, item.first_step, item.last_step] for item in monitor.findings()],
            "levels": {name: value for name, value in last.items() if name.startswith("health/")},
            "faults": callback.faults.count + callback.attached.faults.count,
        }
        (folder / f"{job['name']}.json").write_text(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]), json.loads(sys.argv[2]))
