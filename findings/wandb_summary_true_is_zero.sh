#!/usr/bin/env bash
# wandb 0.31.0: in the summaries of define_metric the largest and smallest of booleans are 0 and their mean is NaN.
#
# Guess:    True counts as 1, as in Python and NumPy, or is left out as text is.
# Seen:     of True, True, False, True the summary has max 0, min 0 and mean NaN; of 1, 1, 0, 1 it has max 1, min 0 and
#           mean 0.75. The history keeps true and false, and the summary without define_metric is the last of them. No
#           warning.
# Hurts:    success, format and correctness checks logged as booleans: a run that solves its task three times in four
#           is listed with a success of 0, and a sweep that maximises "solved.max" sees no difference between runs.
# Remedy:   float(value) or int(value) before logging.
# Output:   booleans: max 0, min 0, mean NaN; numbers: max 1, min 0, mean 0.75; plain: True;
#           history: [True, True, False, True]
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check wandb==0.31.0 2> "$work/errors" \
  || { cat "$work/errors" >&2; exit 1; }
cd "$work"
WANDB_MODE=offline WANDB_DIR="$work" WANDB_SILENT=true WANDB_ERROR_REPORTING=false "$work/venv/bin/python" - <<'PY'
import wandb

run = wandb.init(project="finding", settings=wandb.Settings(console="off"))
for how in ("max", "min", "mean"):
    run.define_metric(f"solved_{how}", summary=how)
    run.define_metric(f"number_{how}", summary=how)
for solved in (True, True, False, True):
    row = {"plain": solved}
    for how in ("max", "min", "mean"):
        row |= {f"solved_{how}": solved, f"number_{how}": int(solved)}
    run.log(row)
run.finish()
PY
"$work/venv/bin/wandb" leet inspect --json wandb/offline-run-*/run-*.wandb >records.jsonl
python3 - <<'PY'
import json

records = [json.loads(line) for line in open("records.jsonl")]
items = [record["history"]["item"] for record in records if "history" in record]
updates = [record["summary"].get("update", {}) for record in records if "summary" in record]
last = [update for update in updates if "plain" in update][-1]
kept = {kind: {how: last[f"{kind}_{how}"][how] for how in ("max", "min", "mean")} for kind in ("solved", "number")}
said = {kind: ", ".join(f"{how} {value}" for how, value in values.items()) for kind, values in kept.items()}
history = [item["solved_max"] for item in items]
print(f"booleans: {said['solved']}; numbers: {said['number']}; plain: {last['plain']};")
print(f"history: {history}")
assert kept["number"] == {"max": 1, "min": 0, "mean": 0.75} and last["plain"] is True
assert history == [True, True, False, True]
assert kept["solved"] == {"max": 0, "min": 0, "mean": "NaN"}, "True counts now"
PY
