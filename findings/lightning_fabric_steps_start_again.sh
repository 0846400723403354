#!/usr/bin/env bash
# lightning 2.6.6, Fabric.log without a step: the CSV counts 0…99 again and again, TensorBoard gets step 0 every time.
#
# Guess:    `step` is optional, and the page says what happens without it: "most Logger implementations auto-increment
#           the step value by one with every log call". Both loggers that come with Fabric do, or one for all.
# Seen:     neither does. CSVLogger numbers the rows that it hasn't written yet, so steps start again at 0 after each
#           write, by default every 100 rows: of 250 rows no step is above 99, and three of them have step 0.
#           TensorBoardLogger writes 0 for each point. No warning. The CSVLogger of lightning.pytorch does as this one.
# Hurts:    training loops by hand, which Fabric is for: a curve of the CSV runs back to 0 every hundred steps, joined
#           by step it keeps the first or last of several rows, and TensorBoard shows a single dot or an upright line.
# Remedy:   fabric.log(name, value, step=step).
# Output:   CSV: 250 rows, steps 0 to 99, step 0 in 3 rows; TensorBoard: 250 points, steps [0]
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
{
  "$work/venv/bin/pip" install -q --disable-pip-version-check torch==2.13.0
  "$work/venv/bin/pip" install -q --disable-pip-version-check lightning==2.6.6 tensorboard==2.21.0
} 2> "$work/errors" || { cat "$work/errors" >&2; exit 1; }
cd "$work"
"$work/venv/bin/python" - 2> errors <<'PY' || { cat errors >&2; exit 1; }
import csv
import glob

from lightning.fabric import Fabric
from lightning.fabric.loggers import CSVLogger, TensorBoardLogger
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

table, events = CSVLogger("table"), TensorBoardLogger("events")
fabric = Fabric(accelerator="cpu", devices=1, loggers=[table, events])
for step in range(250):
    fabric.log("reward", step / 250)
for logger in (table, events):
    logger.save()
    logger.finalize("success")

with open(glob.glob("table/**/metrics.csv", recursive=True)[0]) as file:
    steps = [int(row["step"]) for row in csv.DictReader(file)]
read = EventAccumulator(*glob.glob("events/**/events.*", recursive=True)).Reload()
points = [point.step for point in read.Scalars("reward")]
print(
    f"CSV: {len(steps)} rows, steps {min(steps)} to {max(steps)}, step 0 in {steps.count(0)} rows; "
    f"TensorBoard: {len(points)} points, steps {sorted(set(points))}"
)
assert (len(steps), max(steps), steps.count(0)) == (250, 99, 3), "the CSV counts on now"
assert (len(points), set(points)) == (250, {0}), "TensorBoard's points have steps now"
PY
