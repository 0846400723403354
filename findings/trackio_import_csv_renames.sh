#!/usr/bin/env bash
# trackio 0.43.0: import_csv renames the metrics that trainers log, and by more than punctuation.
#
# Guess:    names stay as the header of the file has them, slashes included: trackio.log takes them as they are.
# Seen:     letters and words are lost: train/reward becomes train/rewa, its neighbours train/rewa_1 and train/rewa_2,
#           clip_ratio/low_mean becomes clipratio/.
# Hurts:    whoever moves histories from W&B or from CSV exports into Trackio: which column was which reward can only
#           be told by the order of the file, and no mapping of names finds the metrics any more.
# Output:   train/reward -> train/rewa
#           train/rewards/accuracy/mean -> train/rewa_1
#           train/rewards/format/mean -> train/rewa_2
#           clip_ratio/low_mean -> clipratio/
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check trackio==0.43.0
cd "$work"
TRACKIO_DIR="$work/trackio" HF_HUB_OFFLINE=1 "$work/venv/bin/python" - <<'PY'
import csv
import json
import sqlite3

import trackio

names = ["train/reward", "train/rewards/accuracy/mean", "train/rewards/format/mean", "clip_ratio/low_mean"]
with open("history.csv", "w", newline="") as file:
    writer = csv.writer(file)
    writer.writerow(["step", *names])
    writer.writerows([step, 0.5, 0.25, 0.125, 0.0] for step in range(3))
trackio.import_csv("history.csv", project="finding", name="run")
(row,) = sqlite3.connect("trackio/finding.db").execute("select metrics from metrics where step = 0").fetchall()
stored = [*json.loads(row[0])]
for name, became in zip(names, stored, strict=True):
    print(f"{name} -> {became}")
assert stored == ["train/rewa", "train/rewa_1", "train/rewa_2", "clipratio/"], "names are kept otherwise now"
PY
