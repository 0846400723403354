#!/usr/bin/env bash
# dvclive 3.49.1: a metric whose name is the beginning of another's replaces it in the summary, then stops the training.
#
# Guess:    names are labels: `reward` and `reward/std` are two metrics, as they are for every other tracker.
# Seen:     the summary is a tree. After reward/std, logging reward throws reward/std out of metrics.json without a
#           word; the next reward/std raises AttributeError: 'float' object has no attribute 'copy', out of log_metric
#           and so out of the training loop. The curves of both (plots/metrics/*.tsv) are written until then.
# Hurts:    loss beside loss/policy, kl beside kl/max, reward beside reward/std: a run dies at its second logging step,
#           or, with names that are logged once, ends with a summary that lacks some of them.
# Remedy:   other names, or summary values written by hand.
# Output:   after reward/std and reward: {'reward': 1.0, 'step': 1}
#           then reward/std: AttributeError: 'float' object has no attribute 'copy'
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check dvclive==3.49.1
cd "$work"
"$work/venv/bin/python" - <<'PY' 2>/dev/null
import json
from pathlib import Path

from dvclive import Live

with Live("run", dvcyaml=None, save_dvc_exp=False, monitor_system=False) as live:
    live.log_metric("reward/std", 0.5)
    live.log_metric("reward", 1.0)
    live.next_step()
    live.make_summary()
    left = json.loads(Path("run/metrics.json").read_text())
    print(f"after reward/std and reward: {left}")
    try:
        live.log_metric("reward/std", 0.4)
    except AttributeError as error:
        said = f"AttributeError: {error}"
print(f"then reward/std: {said}")
assert "reward" in left and left["reward"] == 1.0 and "std" not in json.dumps(left)
assert said == "AttributeError: 'float' object has no attribute 'copy'"
PY
