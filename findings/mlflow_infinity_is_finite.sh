#!/usr/bin/env bash
# mlflow-skinny 3.17.2, SQL stores: an infinite metric comes back as a finite number.
#
# Guess:    inf comes back as inf, as NaN comes back as NaN.
# Seen:     +inf is stored as 1.7976931348623157e+308 and read back so, -inf likewise: isinf is false, isfinite true.
#           NaN does come back as NaN.
# Hurts:    whoever looks for broken steps with isfinite over MLflow's history: an overflow of a loss or of a gradient
#           norm passes, and the mean over the run overflows where it should be inf or be left out.
# Output:   [1.0, nan, 1.7976931348623157e+308, -1.7976931348623157e+308]
#           finite: [True, False, True, True]
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check mlflow-skinny==3.17.2 sqlalchemy==2.0.51 alembic==1.18.5
cd "$work"
"$work/venv/bin/python" - 2>/dev/null <<'PY'
import math
import sys

from mlflow.tracking import MlflowClient

client = MlflowClient("sqlite:///mlflow.db")
run = client.create_run(client.create_experiment("finding")).info.run_id
for step, value in enumerate([1.0, math.nan, math.inf, -math.inf]):
    client.log_metric(run, "grad_norm", value, step=step)
values = [point.value for point in sorted(client.get_metric_history(run, "grad_norm"), key=lambda point: point.step)]
print(values)
finite = [math.isfinite(value) for value in values]
print("finite:", finite)
assert finite == [True, False, True, True], "infinities are kept now"
assert values[2:] == [sys.float_info.max, -sys.float_info.max]
PY
