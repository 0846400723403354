#!/usr/bin/env bash
# ray 2.60.0 (ray.rllib), MetricsLogger: a value that is NaN for good stays at its last finite one, and the NaN of one
# learner is not in the row of all.
#
# Guess:    NaN in, NaN out, as with np.mean: the row shows that something broke.
# Seen:     mean, max, min and sum skip NaN. The reduction of log_value without arguments is an exponential mean that
#           takes no notice of a NaN at all and outlives the iteration: 0.5 once, then NaN at each call, is 0.5 in this
#           row and in all that follow. Of two learners with losses of 0.5 and NaN, logged with window=1 as RLlib's own
#           losses are, the row has 0.5. Where nothing but NaN was logged, mean and max are NaN.
# Hurts:    custom losses, rewards and callbacks that log with the defaults: a run that is lost draws a flat line at the
#           last good value. With several learners or env runners a part of them can be broken, and curve, alert and
#           stopper see the mean of the sound ones.
# Remedy:   log isnan() as a sum of its own.
# Output:   default: [0.5, 0.5, 0.5]; window=1: [0.5, nan, nan]; mean: [0.5, nan, nan]
#           two learners, 0.5 and NaN: default 0.5, window=1 0.5, mean 0.5, max 0.5, sum 0.5
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check "ray[rllib]==2.60.0" 2> "$work/errors" \
  || { cat "$work/errors" >&2; exit 1; }
cd "$work"
"$work/venv/bin/python" - 2> errors <<'PY' || { tail -5 errors >&2; exit 1; }
import math

from ray.rllib.utils.metrics.metrics_logger import MetricsLogger

WAYS = {
    "default": {},
    "window=1": {"window": 1},
    "mean": {"reduce": "mean"},
    "max": {"reduce": "max"},
    "sum": {"reduce": "sum"},
}


def logged(logger, value):
    for name, way in WAYS.items():
        logger.log_value(name, value, **way)
    return logger


def row_of(logger):
    return {name: float(value) for name, value in logger.reduce(compile=True).items()}


single = MetricsLogger(root=True)
rows = [row_of(logged(single, value)) for value in (0.5, math.nan, math.nan)]
seen = {name: [row[name] for row in rows] for name in ("default", "window=1", "mean")}
print("; ".join(f"{name}: {values}" for name, values in seen.items()))
root = MetricsLogger(root=True)
root.aggregate([logged(MetricsLogger(), value).reduce(compile=False) for value in (0.5, math.nan)])
both = row_of(root)
print("two learners, 0.5 and NaN: " + ", ".join(f"{name} {both[name]}" for name in WAYS))
assert seen["default"] == [0.5] * 3, "NaN reaches the default reduction now"
assert math.isnan(seen["window=1"][1]) and math.isnan(seen["mean"][2])
assert set(both.values()) == {0.5}, "NaN of a learner reaches the row now"
PY
