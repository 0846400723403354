#!/usr/bin/env bash
# mlflow-skinny 3.17.2, SQL stores: what is logged at one step within one millisecond comes back in the order of its
# size, and the largest of it counts as the latest.
#
# Guess:    the history keeps the order in which values were logged, and the latest value is the last one.
# Seen:     losses 1.0, 0.5, 0.25, logged in this order, are read back as 0.25, 0.5, 1.0; the run's metric is 1.0.
# Hurts:    loops that log without a step, so that every row is of step 0, fast enough for several rows a millisecond,
#           and imports that give many points one time: a falling loss rises, and "latest" and whatever chooses the
#           best run by it take the largest value instead of the last.
# Remedy:   give a step.
# Output:   history [0.25, 0.5, 1.0], latest 1.0
#           with steps: history [1.0, 0.5, 0.25], latest 0.25
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check mlflow-skinny==3.17.2 sqlalchemy==2.0.51 alembic==1.18.5
cd "$work"
"$work/venv/bin/python" - <<'PY' 2>/dev/null
from mlflow import MlflowClient

client = MlflowClient(tracking_uri="sqlite:///runs.db")
experiment = client.create_experiment("losses")
losses = [1.0, 0.5, 0.25]


def stored(steps):
    run = client.create_run(experiment).info.run_id
    for step, loss in zip(steps, losses):
        client.log_metric(run, "loss", loss, timestamp=1_700_000_000_000, step=step)
    history = [point.value for point in client.get_metric_history(run, "loss")]
    return history, client.get_run(run).data.metrics["loss"]


same, ordered = stored([0, 0, 0]), stored([0, 1, 2])
print(f"history {same[0]}, latest {same[1]}")
print(f"with steps: history {ordered[0]}, latest {ordered[1]}")
assert same == ([0.25, 0.5, 1.0], 1.0)
assert ordered == ([1.0, 0.5, 0.25], 0.25)
PY
