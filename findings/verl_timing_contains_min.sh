#!/usr/bin/env bash
# verl 0.9.1: a metric whose name contains "min" or "max" anywhere is reduced by it; "timing" does, "terminal" too.
#
# Guess:    names with a part "min" or "max" (x/min, max_x) are reduced by it, all others are averaged.
# Seen:     reduce_metrics looks for the letters: timing_s/step, actor/minibatch_loss and terminal_reward become the
#           smallest of their values, climax/reward the largest; only loss is a mean.
# Hurts:    whoever adds a metric to an actor's or critic's update: of the micro-batches' losses the smallest is
#           logged under a name that says nothing of it, and slow ranks never show in a time.
# Output:   {'loss': 5.0, 'timing_s/step': 1.0, 'actor/minibatch_loss': 1.0, 'terminal_reward': 1.0, 'climax/reward': 9.0}
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check torch==2.13.0 numpy
"$work/venv/bin/pip" download -q --disable-pip-version-check --no-deps -d "$work" verl==0.9.1
cd "$work"
"$work/venv/bin/python" - <<'PY'
import glob
import importlib.util
import sys
import zipfile

zipfile.ZipFile(glob.glob("verl-*.whl")[0]).extract("verl/utils/metric/utils.py")
# The module alone: importing the package starts with Ray, which the function does not use.
spec = importlib.util.spec_from_file_location("verl_metric_utils", "verl/utils/metric/utils.py")
module = importlib.util.module_from_spec(spec)
sys.modules[spec.name] = module
spec.loader.exec_module(module)

names = ["loss", "timing_s/step", "actor/minibatch_loss", "terminal_reward", "climax/reward"]
reduced = {name: float(value) for name, value in module.reduce_metrics({name: [1.0, 9.0] for name in names}).items()}
print(reduced)
assert [*reduced.values()] == [5.0, 1.0, 1.0, 1.0, 9.0], "names are read otherwise now"
PY
