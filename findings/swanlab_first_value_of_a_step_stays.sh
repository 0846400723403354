#!/usr/bin/env bash
# swanlab 0.10.3: of two values of a metric at one step the first is kept, and nothing is said on the terminal.
#
# Guess:    the later value replaces the earlier one (as in a dictionary, and as W&B merges the rows of a step), both
#           are kept (as in TensorBoard and MLflow), or a warning says that one was dropped.
# Seen:     the record of the run holds the first value only. A step that is lower than the last one is taken, in its
#           place; a step that is a NumPy integer is refused with an error, and with it the whole row.
# Hurts:    a training that crashed at step 120 and went on from the checkpoint at 100: twenty steps show the numbers of
#           the attempt that died, joined to those of the other at 121. Loops that log a step twice, first a partial
#           mean and then the final one. `for step in np.arange(...)`: an empty run.
# Remedy:   log each step once, with int(step); after a resume, a run of its own.
# Output:   kept: [('loss', 4, 3.0), ('loss', 5, 1.0)]; said of the second value: nothing; rows of NumPy steps: 0
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check swanlab==0.10.3 numpy==2.3.5 2> "$work/errors" \
  || { cat "$work/errors" >&2; exit 1; }
cd "$work"
cat > logged.py <<'PY'
import sys

import numpy as np
import swanlab

swanlab.init(project="finding", mode="offline", logdir="logs")
swanlab.log({"loss": 1.0}, step=5)
print("BEGIN", flush=True)
swanlab.log({"loss": 2.0}, step=5)
print("END", flush=True)
swanlab.log({"loss": 3.0}, step=4)
swanlab.log({"late": 1.0}, step=np.int64(6))
swanlab.finish()
PY
"$work/venv/bin/python" logged.py > printed 2>&1
"$work/venv/bin/python" - <<'PY'
import glob

from swanlab.proto.swanlab.record.v1.record_pb2 import Record
from swanlab.sdk.internal.core_python.store import DataStoreReader

(path,) = glob.glob("logs/run-*/*.swanlab")
reader = DataStoreReader()
reader.open(path)
kept = []
for data in reader:
    record = Record()
    record.ParseFromString(data)
    if record.HasField("scalar"):
        kept.append((record.scalar.key, record.scalar.step, record.scalar.value.number))
said = open("printed").read().partition("BEGIN")[2].partition("END")[0].strip()
late = [key for key, _, _ in kept if key == "late"]
print(f"kept: {sorted(kept)}; said of the second value: {said or 'nothing'}; rows of NumPy steps: {len(late)}")
assert (sorted(kept), said, late) == ([("loss", 4, 3.0), ("loss", 5, 1.0)], "", []), "it does something else now"
PY
