#!/usr/bin/env bash
# wandb 0.31.0: one NaN, and the summaries min, max and mean of define_metric are NaN for the rest of the run.
#
# Guess:    NaN takes no part in the smallest, largest or mean value, or only until the next finite number.
# Seen:     a reward of 0.5, NaN, 0.1, 0.9 with summary="max" ends as {"max": NaN}; min and mean likewise. The
#           summary without define_metric (the last value) is fine.
# Hurts:    runs with a skipped step (fp16 loss scaling logs a NaN gradient norm at the first steps of healthy runs),
#           and sweeps that optimise "reward.max" or "kl.min": a run that recovered ranks as if it had no result.
# Output:   last row of the summary: kl {'min': 'NaN'}, reward {'max': 'NaN'}, loss {'mean': 'NaN'}, plain 0.9
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check wandb==0.31.0
cd "$work"
WANDB_MODE=offline WANDB_DIR="$work" WANDB_SILENT=true WANDB_ERROR_REPORTING=false "$work/venv/bin/python" - <<'PY'
import math

import wandb

run = wandb.init(project="finding", settings=wandb.Settings(console="off"))
run.define_metric("kl", summary="min")
run.define_metric("reward", summary="max")
run.define_metric("loss", summary="mean")
for value in [0.5, math.nan, 0.1, 0.9]:
    run.log({"kl": value, "reward": value, "loss": value, "plain": value})
run.finish()
PY
"$work/venv/bin/wandb" leet inspect --json wandb/offline-run-*/run-*.wandb >records.jsonl
python3 - <<'PY'
import json

updates = [json.loads(line).get("summary", {}).get("update", {}) for line in open("records.jsonl") if '"summary"' in line]
summary = [update for update in updates if "kl" in update][-1]
kl, reward, loss, plain = (summary[name] for name in ("kl", "reward", "loss", "plain"))
print(f"last row of the summary: kl {kl}, reward {reward}, loss {loss}, plain {plain}")
assert (kl, reward, loss, plain) == ({"min": "NaN"}, {"max": "NaN"}, {"mean": "NaN"}, 0.9), "NaN is left out now"
PY
