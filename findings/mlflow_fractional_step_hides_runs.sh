#!/usr/bin/env bash
# mlflow-skinny 3.17.2: a step that is no whole number is taken; in a folder of files it makes the run, and the search
# of its whole experiment, unreadable, while a database keeps the fraction.
#
# Guess:    it is refused, or cut to a whole number, when it is logged; both stores do the same.
# Seen:     log_metric(step=1.5) returns. The history of a database says step 1.5, though steps are declared integers.
#           Of the folder, get_run ends in "invalid literal for int()", and so does search_runs over the experiment,
#           so that a sound run beside it is not listed either.
# Hurts:    loops that log by the epoch, as trainers count it in fractions: training ends well, and nothing of the
#           experiment can be read until the line is edited by hand.
# Remedy:   step=int(...), with the epoch as a metric of its own.
# Output:   database: steps [1, 1.5]
#           folder: run and search end in ValueError: invalid literal for int() with base 10: '1.5'
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check mlflow-skinny==3.17.2 sqlalchemy==2.0.51 alembic==1.18.5
cd "$work"
MLFLOW_ALLOW_FILE_STORE=true "$work/venv/bin/python" - <<'PY' 2>/dev/null
from mlflow import MlflowClient


def logged(uri):
    client = MlflowClient(tracking_uri=uri)
    experiment = client.create_experiment("epochs")
    sound, run = (client.create_run(experiment).info.run_id for _ in range(2))
    client.log_metric(sound, "loss", 1.0, step=1)
    client.log_metric(run, "loss", 1.0, step=1)
    client.log_metric(run, "loss", 0.5, step=1.5)
    return client, experiment, sound, run


client, experiment, sound, run = logged("sqlite:///runs.db")
steps = [point.step for point in client.get_metric_history(run, "loss")]
print(f"database: steps {steps}")
assert steps == [1, 1.5]

client, experiment, sound, run = logged("file:runs")
assert client.get_run(sound).data.metrics == {"loss": 1.0}
ended = []
for read in (lambda: client.get_run(run), lambda: client.search_runs([experiment])):
    try:
        read()
    except ValueError as error:
        ended.append(str(error))
print(f"folder: run and search end in ValueError: {ended[-1]}")
assert len(ended) == 2
PY
