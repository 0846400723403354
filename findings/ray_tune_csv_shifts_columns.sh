#!/usr/bin/env bash
# ray 2.60.0 (ray.tune), progress.csv: keys that the first row lacks are never written, and after a restore the numbers
# can stand under the names of other metrics.
#
# Guess:    the file has a column for each key that was ever reported, or a key that comes late is an error; what a
#           restored experiment appends is put under the columns that are there.
# Seen:     the columns are the keys of the first result; eval_reward, reported from the second on, is left out without
#           a word. Tuner.restore takes the keys of its own first result, in their order, and appends below the old
#           head: with eval_reward first, the eval_reward of 0.95 stands under loss and the loss under reward.
#           result.json beside it has all of it right.
# Hurts:    whoever reads progress.csv with pandas: no evaluation in the file at all, and a run that was restored at an
#           evaluation goes on with the evaluation's reward as its loss and its loss as its reward.
# Remedy:   read result.json.
# Output:   columns of ours: ['loss', 'reward']
#           loss: reported [0.5, 0.4, 0.3, 0.2], in the file [0.5, 0.4, 0.95, 0.97]
#           reward: reported [0.1, 0.2, 0.7, 0.8], in the file [0.1, 0.2, 0.3, 0.2]
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check "ray[tune]==2.60.0" 2> "$work/errors" \
  || { cat "$work/errors" >&2; exit 1; }
cd "$work"
export RAY_AIR_NEW_OUTPUT=0 RAY_USAGE_STATS_ENABLED=0
"$work/venv/bin/python" - 2> errors <<'PY' || { tail -5 errors >&2; exit 1; }
import csv
import glob
import json
import os

import ray
from ray import tune

ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level="CRITICAL")


def loop(config):
    if os.path.exists(config["stopped"]):
        tune.report({"eval_reward": 0.95, "loss": 0.3, "reward": 0.7})
        tune.report({"eval_reward": 0.97, "loss": 0.2, "reward": 0.8})
        return
    tune.report({"loss": 0.5, "reward": 0.1})
    tune.report({"loss": 0.4, "reward": 0.2, "eval_reward": 0.9})
    open(config["stopped"], "w").close()
    raise RuntimeError("stopped before its end")


folder = os.path.abspath("runs")
run = tune.RunConfig(name="finding", storage_path=folder, verbose=0)
tune.Tuner(loop, param_space={"stopped": os.path.abspath("stopped")}, run_config=run).fit()
tune.Tuner.restore(f"{folder}/finding", loop, resume_errored=True).fit()
(path,) = glob.glob("runs/finding/*/progress.csv")
with open(path, newline="") as file:
    rows = [*csv.DictReader(file)]
with open(path.replace("progress.csv", "result.json")) as file:
    reported = [json.loads(line) for line in file]
columns = [name for name in rows[0] if name in ("loss", "reward", "eval_reward")]
kept = {name: [float(row[name]) for row in rows] for name in columns}
print(f"columns of ours: {columns}")
for name in columns:
    print(f"{name}: reported {[row[name] for row in reported]}, in the file {kept[name]}")
assert [row.get("eval_reward") for row in reported] == [None, 0.9, 0.95, 0.97]
assert columns == ["loss", "reward"], "keys that come late have a column now"
assert kept == {"loss": [0.5, 0.4, 0.95, 0.97], "reward": [0.1, 0.2, 0.3, 0.2]}, "the head is kept to now"
PY
