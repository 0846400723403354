#!/usr/bin/env bash
# torch 2.13.0, torch.utils.tensorboard with tensorboard 2.21.0: a bfloat16 scalar passes through float16 on its way.
#
# Guess:    the event file keeps float32, which holds every bfloat16 number exactly.
# Seen:     a bfloat16 tensor of 1e5 is written as infinity, one of 1e-8 as 0; the same numbers in float32 arrive.
#           float16 ends at 65504 and below 6e-8, bfloat16 reaches as far as float32. No warning.
# Hurts:    training in pure bfloat16: a gradient norm, a perplexity or a count of tokens above 65504 is drawn as a
#           divergence that never was, and a small KL or learning rate as exactly 0. Other trackers of the same run
#           (they call .item()) have the number.
# Remedy:   .item() or .float() before add_scalar.
# Output:   bfloat16: [1.0, inf, 0.0]; float32: [1.0, 99840.0, 1.0011717677116394e-08]
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
{
  "$work/venv/bin/pip" install -q --disable-pip-version-check torch==2.13.0
  "$work/venv/bin/pip" install -q --disable-pip-version-check tensorboard==2.21.0
} 2> "$work/errors" || { cat "$work/errors" >&2; exit 1; }
cd "$work"
"$work/venv/bin/python" -W error::RuntimeWarning - 2> errors <<'PY' || { cat errors >&2; exit 1; }
import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from torch.utils.tensorboard import SummaryWriter

numbers = torch.tensor([1.0, 1e5, 1e-8], dtype=torch.bfloat16)
with SummaryWriter("logs") as writer:
    for step, number in enumerate(numbers):
        writer.add_scalar("bfloat16", number, step)
        writer.add_scalar("float32", number.float(), step)
events = EventAccumulator("logs")
events.Reload()
written = {name: [event.value for event in events.Scalars(name)] for name in ("bfloat16", "float32")}
print(f"bfloat16: {written['bfloat16']}; float32: {written['float32']}")
assert written["float32"] == numbers.tolist()
assert written["bfloat16"] == [1.0, float("inf"), 0.0], "bfloat16 is written as it is now"
PY
