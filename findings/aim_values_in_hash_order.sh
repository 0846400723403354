#!/usr/bin/env bash
# aim 3.29.1: metric.values of a run that was read back is in the order of hashes, with hashes for steps; the last value
# is that of any step, and it is no longer that of the last one.
#
# Guess:    `steps, values = metric.values.sparse_numpy()` gives what track() was given, in the order of steps, and
#           values.last_value() is the latest, as the names say.
# Seen:     values are stored under a hash of their step. The "steps" are numbers such as 487590686800389010, the values
#           of 0 to 9 come as 0, 4, 6, 8, 1, 9, 3, 5, 7, 2, and the last of them is 2. Of 2000 steps it is 1718. For the
#           same steps it is the same order in each run, so two runs agree. dataframe() sorts, and is right.
# Hurts:    scripts that compare runs by their last reward, or draw and smooth the arrays: the final reward is one from
#           within the training, a curve that rises is noise around its mean, and reading off where it broke is chance.
# Remedy:   metric.dataframe().
# Output:   10 steps, values: 0 4 6 8 1 9 3 5 7 2; last 2; steps as given: False; dataframe: 0 1 2 3 4 5 6 7 8 9
#           2000 steps, last: 1718; dataframe: 1999
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check aim==3.29.1 numpy==2.4.6 pandas==3.1.1 2> "$work/errors" \
  || { cat "$work/errors" >&2; exit 1; }
cd "$work"
"$work/venv/bin/python" - 2> errors <<'PY' || { tail -5 errors >&2; exit 1; }
from aim import Run

run = Run(repo="store", system_tracking_interval=None, log_system_params=False, capture_terminal_logs=False)
for name, length in {"short": 10, "long": 2000}.items():
    for step in range(length):
        run.track(float(step), name=name, step=step)
run.close()
PY
echo y | "$work/venv/bin/aim" storage --repo store reindex > printed 2>&1 || { tail -5 printed >&2; exit 1; }
"$work/venv/bin/python" - 2> errors <<'PY' || { tail -5 errors >&2; exit 1; }
from aim import Repo

(run,) = Repo("store").iter_runs()
read = {metric.name: metric for metric in run.metrics()}


def told(values):
    return " ".join(f"{value:g}" for value in values)


steps, values = read["short"].values.sparse_numpy()
last = {name: metric.values.last_value() for name, metric in read.items()}
frames = {name: [*metric.dataframe()["value"]] for name, metric in read.items()}
same = sorted(steps.tolist()) == list(range(10))
print(
    f"10 steps, values: {told(values)}; last {last['short']:g}; steps as given: {same};"
    f" dataframe: {told(frames['short'])}"
)
print(f"2000 steps, last: {last['long']:g}; dataframe: {frames['long'][-1]:g}")
assert sorted(values) == frames["short"] == list(range(10)) and frames["long"] == list(range(2000))
assert not same and [*values] != frames["short"], "values are in order now"
assert last["short"] != 9 and last["long"] != 1999, "the last value is that of the last step now"
PY
