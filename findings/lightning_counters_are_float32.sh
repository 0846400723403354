#!/usr/bin/env bash
# lightning 2.6.6: self.log turns whole numbers into float32, whatever the logger: counters stop being exact at 16.7
# million, and then go up in jumps or not at all.
#
# Guess:    an int arrives at the logger as an int, or as a float of Python's, which is exact to 9e15.
# Seen:     a count of tokens that goes up by one is 16777216, 16777216, 16777218, 16777220. It is rounded before a
#           logger sees it, so none that stores float64 can help. A float64 tensor comes through exact. No warning.
#           At 10 billion tokens the numbers that are left lie 1024 apart.
# Hurts:    tokens, samples or environment steps seen, and whatever is drawn over them or worked out from two rows:
#           tokens a step come out as 0, then as twice the truth.
# Remedy:   self.log(name, torch.tensor(count, dtype=torch.float64)), or log_metrics of the logger itself.
# Output:   int: [16777216.0, 16777216.0, 16777218.0, 16777220.0]
#           float64 tensor: [16777216.0, 16777217.0, 16777218.0, 16777219.0]
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
{
  "$work/venv/bin/pip" install -q --disable-pip-version-check torch==2.13.0
  "$work/venv/bin/pip" install -q --disable-pip-version-check lightning==2.6.6
} 2> "$work/errors" || { cat "$work/errors" >&2; exit 1; }
cd "$work"
"$work/venv/bin/python" - 2> errors <<'PY' || { cat errors >&2; exit 1; }
import csv
import glob

import lightning
import torch
from lightning.pytorch.loggers import CSVLogger


class Counted(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(1, 1)
        self.tokens = 2**24

    def training_step(self, batch, index):
        self.log("int", self.tokens)
        self.log("float64 tensor", torch.tensor(self.tokens, dtype=torch.float64))
        self.tokens += 1
        return self.inner(batch).mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


trainer = lightning.Trainer(
    accelerator="cpu",
    max_steps=4,
    logger=CSVLogger("logs"),
    log_every_n_steps=1,
    enable_progress_bar=False,
    enable_checkpointing=False,
    enable_model_summary=False,
)
trainer.fit(Counted(), torch.utils.data.DataLoader(torch.ones(4, 1)))
(path,) = glob.glob("logs/**/metrics.csv", recursive=True)
with open(path, newline="") as file:
    rows = [*csv.DictReader(file)]
kept = {name: [float(row[name]) for row in rows] for name in ("int", "float64 tensor")}
for name, values in kept.items():
    print(f"{name}: {values}")
start = 2.0**24
assert kept["float64 tensor"] == [start, start + 1, start + 2, start + 3]
assert kept["int"] == [start, start, start + 2, start + 4], "whole numbers are logged as they are now"
PY
