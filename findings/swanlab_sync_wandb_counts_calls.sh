#!/usr/bin/env bash
# swanlab 0.10.3, sync_wandb with wandb 0.31.0: what W&B keeps as one row lies at three steps, and numbers of NumPy and
# nested metrics are missing from the copy.
#
# Guess:    the copy has the rows and steps that the run has in W&B: commit=False waits for the rest of its row.
# Seen:     each call of log is a step of its own, whatever commit says: rows 0, 1, 2, each logged in three parts, are
#           steps 0 to 8, with rewards at 0, 3, 6 and losses at 2, 5, 8. The axis that define_metric names is a metric
#           like others. Values that are no int, float, bool or str of Python are left out: np.float32 and integers of
#           NumPy, arrays and tensors of one element, dictionaries. W&B has all of them; np.float64, which is a float,
#           is copied. Nothing is said.
# Hurts:    whoever moves from W&B by this line, or lays runs of both over each other: reward and loss of one update
#           don't meet at any step, a program with one more log call an update runs "longer", and gradient norms or
#           lengths that NumPy gave look as if they were never logged.
# Remedy:   one call a row, with step=, float(...) around its values, and names written with slashes.
# Output:   W&B, 3 rows: global_step grad_norm length loss reward time val/acc
#           SwanLab: reward [0, 3, 6], time [1, 4, 7], loss [2, 5, 8], global_step [2, 5, 8];
#           missing: grad_norm length val/acc
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check swanlab==0.10.3 wandb==0.31.0 numpy==2.3.5 \
  2> "$work/errors" || { cat "$work/errors" >&2; exit 1; }
cd "$work"
cat > logged.py <<'PY'
import numpy as np
import swanlab

swanlab.sync_wandb(mode="offline", log_dir="copy")

import wandb

with wandb.init(project="finding") as run:
    run.define_metric("*", step_metric="global_step")
    for step in (10, 20, 30):
        run.log({"reward": step / 100}, commit=False)
        run.log({"time": 1.5}, commit=False)
        numpy = {"grad_norm": np.float32(0.5), "length": np.int64(7)}
        run.log({"global_step": step, "loss": 1 / step, "val": {"acc": 0.5}, **numpy})
PY
WANDB_MODE=offline WANDB_API_KEY=$(printf '0%.0s' {1..40}) WANDB_SILENT=true "$work/venv/bin/python" logged.py \
  > printed 2>&1 || { tail -5 printed >&2; exit 1; }
"$work/venv/bin/python" - <<'PY'
import glob
import json
from collections import defaultdict

from swanlab.proto.swanlab.record.v1.record_pb2 import Record as Copied
from swanlab.sdk.internal.core_python.store import DataStoreReader
from wandb.proto.wandb_internal_pb2 import Record


def flat(name, value):
    if isinstance(value, dict):
        return {leaf for key, inner in value.items() for leaf in flat(f"{name}/{key}", inner)}
    return {name}


(path,) = glob.glob("wandb/offline-run-*/*.wandb")
content, names, rows, at = open(path, "rb").read(), set(), 0, 7
while at + 7 <= len(content):
    size = int.from_bytes(content[at + 4 : at + 6], "little")
    record = Record.FromString(content[at + 7 : at + 7 + size])
    at += 7 + size
    if record.HasField("history"):
        found = set()
        for item in record.history.item:
            found |= flat("/".join(item.nested_key) or item.key, json.loads(item.value_json))
        names |= {name for name in found if not name.startswith("_")}
        rows += bool(found)

(path,) = glob.glob("copy/run-*/*.swanlab")
reader, steps = DataStoreReader(), defaultdict(list)
reader.open(path)
for data in reader:
    record = Copied()
    record.ParseFromString(data)
    if record.HasField("scalar"):
        steps[record.scalar.key].append(record.scalar.step)

missing = sorted(names - steps.keys())
print(f"W&B, {rows} rows: {' '.join(sorted(names))}")
copied = ", ".join(f"{name} {steps[name]}" for name in ("reward", "time", "loss", "global_step"))
print(f"SwanLab: {copied}; missing: {' '.join(missing)}")
assert rows == 3 and steps["reward"] == [0, 3, 6] and steps["loss"] == [2, 5, 8], "rows stay together now"
assert missing == ["grad_norm", "length", "val/acc"], "other values are copied now"
PY
