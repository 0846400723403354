#!/usr/bin/env bash
# ray 2.60.0 (ray.tune), ASHA: a trial whose metric is NaN is never stopped, and trains as long as the best.
#
# Guess:    NaN counts as the worst: the trial ends at its first rung, whether the metric is to be large or small.
# Seen:     a trial is stopped if its value "is below the cutoff", which NaN never is. Of trials with rewards of 1, 0.9,
#           0.5, NaN, 0.1 and 16 iterations at most, the first and the one with NaN are trained for 16, all others for
#           one; so it is with a loss that is minimised. For the cutoff itself NaN is left out, and so it is in the
#           choice of the best result, so that the table looks right. Nothing is said of it.
# Hurts:    sweeps over learning rates, where the largest ones diverge within a few steps: early stopping throws out the
#           mediocre and spends the full budget on each one that is lost.
# Remedy:   report -inf (inf, if it is minimised) in place of NaN, or stop={...} by a function of one's own.
# Output:   max: reward 1.0: 16, 0.9: 1, 0.5: 1, nan: 16, 0.1: 1; best 1.0
#           min: reward 1.0: 16, 1.1: 1, 1.5: 1, nan: 16, 2.0: 1; best 1.0
#           max: reward 1.0: 16, 0.9: 1, -inf: 1; best 1.0
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check "ray[tune]==2.60.0" 2> "$work/errors" \
  || { cat "$work/errors" >&2; exit 1; }
cd "$work"
export RAY_AIR_NEW_OUTPUT=0 RAY_USAGE_STATS_ENABLED=0
"$work/venv/bin/python" - 2> errors <<'PY' || { tail -5 errors >&2; exit 1; }
import math
import os

import ray
from ray import tune
from ray.tune.schedulers import ASHAScheduler

ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level="CRITICAL")


def loop(config):
    for _ in range(16):
        tune.report({"reward": config["reward"]})


def trained(mode, *rewards):
    asha = ASHAScheduler(max_t=16, grace_period=1, reduction_factor=2)
    how = tune.TuneConfig(metric="reward", mode=mode, scheduler=asha, max_concurrent_trials=1)
    run = tune.RunConfig(storage_path=os.path.abspath("runs"), verbose=0)
    space = {"reward": tune.grid_search(list(rewards))}
    results = tune.Tuner(loop, param_space=space, tune_config=how, run_config=run).fit()
    iterations = [(result.config["reward"], result.metrics["training_iteration"]) for result in results]
    told = ", ".join(f"{reward}: {count}" for reward, count in iterations)
    print(f"{mode}: reward {told}; best {results.get_best_result().config['reward']}")
    return [count for _, count in iterations]


largest = trained("max", 1.0, 0.9, 0.5, math.nan, 0.1)
smallest = trained("min", 1.0, 1.1, 1.5, math.nan, 2.0)
infinite = trained("max", 1.0, 0.9, -math.inf)
assert largest == smallest == [16, 1, 1, 16, 1], "trials of NaN are stopped now"
assert infinite == [16, 1, 1]
PY
