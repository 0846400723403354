#!/usr/bin/env bash
# trackio 0.43.0: a number that is held in an array of one element is left out of the row, without a word.
#
# Guess:    it is stored as the number, as numpy's scalars are and as W&B does with it, or refused.
# Seen:     of loss = np.array(0.5), kl = np.array([0.1]), lr = np.float32(0.25) only lr is stored; a list that holds
#           a scalar of numpy, and a dictionary that does, are kept whole.
# Hurts:    loops that log a loss without .item(): reductions that keep dimensions, masked arrays and tensors give such
#           arrays (tensors of torch fare alike). The curve is missing and the run looks like one that never logged it.
# Remedy:   float(value) before logging.
# Output:   stored {'lr': 0.25, 'list': [1.0], 'inner': {'a': 2.0}}
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check trackio==0.43.0 numpy==2.2.6
cd "$work"
TRACKIO_DIR="$work/store" "$work/venv/bin/python" - 2>/dev/null <<'PY' | grep stored
import json
import sqlite3
from pathlib import Path

import numpy as np
import trackio

trackio.init(project="losses", name="run", embed=False)
trackio.log(
    {
        "loss": np.array(0.5),
        "kl": np.array([0.1]),
        "lr": np.float32(0.25),
        "list": [np.float32(1.0)],
        "inner": {"a": np.float32(2.0)},
    },
    step=1,
)
trackio.finish()
(path,) = Path("store").rglob("losses.db")
((row,),) = sqlite3.connect(path).execute("select metrics from metrics")
print("stored", json.loads(row))
assert json.loads(row) == {"lr": 0.25, "list": [1.0], "inner": {"a": 2.0}}
PY
