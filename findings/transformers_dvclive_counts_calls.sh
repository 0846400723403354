#!/usr/bin/env bash
# transformers 5.24.0 with dvclive 3.49.1 (DVCLiveCallback): the step of a point is not the step of the training.
#
# Guess:    a point lies at the global step at which the trainer logged it, as with W&B, TensorBoard and MLflow.
# Seen:     the callback never tells DVCLive a step; it asks for the next one after each call. Steps count rows that
#           were logged, evaluations and the last summary among them: 10, 20, 30, 40 become 0, 1, 3, 4.
# Hurts:    whoever lays a curve from DVCLive over one from another tracker, or compares two runs with different
#           logging_steps or eval_steps: the same training looks faster, and has gaps where it was evaluated.
# Remedy:   take global steps from trainer_state.json of the run: rows are in the same order.
# Output:   logged at [10, 20, 30, 40], evaluated at [20, 40]; DVCLive has [0, 1, 3, 4] and [2, 5]
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check torch==2.13.0
"$work/venv/bin/pip" install -q --disable-pip-version-check \
  transformers==5.24.0 accelerate==1.15.0 dvclive==3.49.1 dvc==3.67.1
cd "$work"
"$work/venv/bin/python" - 2> errors <<'PY' || { cat errors >&2; exit 1; }
import csv

import torch
from dvclive import Live
from transformers import PrinterCallback, Trainer, TrainingArguments
from transformers.integrations import DVCLiveCallback


class Line(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(1, 1)

    def forward(self, x, labels=None):
        said = self.inner(x)
        return {"loss": (said - labels).square().mean(), "logits": said}


data = [{"x": torch.tensor([float(n)]), "labels": torch.tensor([2.0 * n])} for n in range(8)]
arguments = TrainingArguments(
    "out",
    max_steps=40,
    logging_steps=10,
    eval_strategy="steps",
    eval_steps=20,
    per_device_train_batch_size=2,
    report_to="none",
    use_cpu=True,
    save_strategy="no",
    disable_tqdm=True,
)
callback = DVCLiveCallback(Live("live", save_dvc_exp=False, dvcyaml=None))
trainer = Trainer(Line(), arguments, train_dataset=data, eval_dataset=data, callbacks=[callback])
trainer.remove_callback(PrinterCallback)
trainer.train()


def steps(path):
    with open(path, newline="") as file:
        return [int(row["step"]) for row in csv.DictReader(file, delimiter="\t")]


logged, evaluated = ([row["step"] for row in trainer.state.log_history if key in row] for key in ("loss", "eval_loss"))
kept = steps("live/plots/metrics/loss.tsv"), steps("live/plots/metrics/eval/loss.tsv")
print(f"logged at {logged}, evaluated at {evaluated}; DVCLive has {kept[0]} and {kept[1]}")
assert (logged, evaluated) == ([10, 20, 30, 40], [20, 40])
assert kept == ([0, 1, 3, 4], [2, 5]), "it takes the steps of the training now"
PY
