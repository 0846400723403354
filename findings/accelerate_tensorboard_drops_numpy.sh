#!/usr/bin/env bash
# accelerate 1.15.0, tracker "tensorboard": NumPy's float32 and integers are dropped without a word.
#
# Guess:    Accelerator.log writes every number of the dictionary, or warns of those that it can't write.
# Seen:     Python's floats, float64 (which is a Python float) and tensors of one element are written; np.float32 and
#           np.int64 are not, and nothing is said. A nested dictionary becomes a run of its own in a sub-folder.
# Hurts:    trainers that log what NumPy gives: means over float32 arrays, counts, lengths. The curve is simply absent
#           in TensorBoard, while the same call with W&B shows it, so it reads as "this trainer does not log it".
# Remedy:   float(...) and int(...) around what is logged.
# Output:   written: ['float64', 'python', 'tensor']; not written: ['float32', 'int64']
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check torch==2.13.0
"$work/venv/bin/pip" install -q --disable-pip-version-check accelerate==1.15.0 tensorboard==2.21.0
cd "$work"
"$work/venv/bin/python" - <<'PY'
import glob

import numpy as np
import torch
from accelerate import Accelerator
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

row = {
    "python": 0.5,
    "float64": np.float64(0.5),
    "float32": np.float32(0.5),
    "int64": np.int64(3),
    "tensor": torch.tensor(0.5),
}
accelerator = Accelerator(log_with="tensorboard", project_dir="logs", cpu=True)
accelerator.init_trackers("finding")
accelerator.log(row, step=1)
accelerator.end_training()
written = set()
for path in glob.glob("logs/**/events*", recursive=True):
    events = EventAccumulator(path)
    events.Reload()
    written |= {*events.Tags()["scalars"]}
print(f"written: {sorted(written)}; not written: {sorted(row.keys() - written)}")
assert written == {"python", "float64", "tensor"}, "other types are written now"
PY
