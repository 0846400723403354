#!/usr/bin/env bash
# transformers 4.57.6: the summary of a resumed training has a loss that is too low and a speed that is too high.
#
# Guess:    train_loss is the mean of the losses of the steps, of the whole run or of what was trained since the resume,
#           and train_steps_per_second is steps done over seconds taken.
# Seen:     a loss of exactly 2.0 at each of 40 steps, resumed from the checkpoint at 30: train_loss is 0.5. The losses
#           since the resume are divided by all steps. train_steps_per_second divides all steps by the seconds since
#           the resume. The rows that were logged on the way show 2.0. transformers 5.24.0 has mended both.
# Hurts:    tables of runs, sweeps that sort by train_loss, model cards: the run that crashed last looks best, and four
#           times as fast. W&B keeps this number as the run's summary.
# Remedy:   take the mean of logged losses; measure speed from the steps between two rows.
# Output:   losses logged [2.0, 2.0, 2.0, 2.0]; train_loss whole 2.0, resumed 0.5; speed resumed / whole above 2: True
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
{
  "$work/venv/bin/pip" install -q --disable-pip-version-check torch==2.13.0
  "$work/venv/bin/pip" install -q --disable-pip-version-check transformers==4.57.6 accelerate==1.15.0
} 2> "$work/errors" || { cat "$work/errors" >&2; exit 1; }
cd "$work"
"$work/venv/bin/python" - 2> errors <<'PY' || { cat errors >&2; exit 1; }
import time

import torch
from transformers import PrinterCallback, Trainer, TrainingArguments


class Constant(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(1, 1)

    def forward(self, x, labels=None):
        time.sleep(0.05)
        said = self.inner(x)
        return {"loss": (0 * said + 2.0).mean(), "logits": said}


def trained(**how):
    data = [{"x": torch.tensor([float(n)]), "labels": torch.tensor([0.0])} for n in range(8)]
    arguments = TrainingArguments(
        "out",
        max_steps=40,
        logging_steps=10,
        save_steps=10,
        per_device_train_batch_size=2,
        report_to="none",
        use_cpu=True,
        disable_tqdm=True,
    )
    trainer = Trainer(Constant(), arguments, train_dataset=data)
    trainer.remove_callback(PrinterCallback)
    trainer.train(**how)
    return trainer.state.log_history


whole, resumed = trained(), trained(resume_from_checkpoint="out/checkpoint-30")
losses = [row["loss"] for row in resumed if "loss" in row]
faster = resumed[-1]["train_steps_per_second"] / whole[-1]["train_steps_per_second"] > 2
print(
    f"losses logged {losses}; train_loss whole {whole[-1]['train_loss']}, resumed {resumed[-1]['train_loss']}; "
    f"speed resumed / whole above 2: {faster}"
)
assert (losses, whole[-1]["train_loss"]) == ([2.0] * 4, 2.0)
assert (resumed[-1]["train_loss"], faster) == (0.5, True), "the summary counts what was trained now"
PY
