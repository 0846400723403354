#!/usr/bin/env bash
# opentelemetry-sdk 1.45.2: a NaN or an infinity that is set on a gauge is thrown away, and the gauge goes on to report
# the last finite value at every export.
#
# Guess:    the number is exported as NaN, as OTLP and Prometheus can hold it, or the point is missing.
# Seen:     after set(0.5) and set(nan) each later export still has a point of 0.5, with a new time; the one trace is a
#           line in the log of the program.
# Hurts:    trainings whose loss breaks: the dashboard shows a quiet, flat loss from that step on, and no alert on NaN
#           or on a missing series can fire.
# Remedy:   count what is not finite in a counter of its own, and alert on that.
# Output:   after 0.5: 0.5
#           after nan: 0.5
#           after inf: 0.5
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check opentelemetry-sdk==1.45.2 2>/dev/null
cd "$work"
"$work/venv/bin/python" - <<'PY' 2>/dev/null
import math

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader

reader = InMemoryMetricReader()
loss = MeterProvider([reader]).get_meter("training").create_gauge("loss")


def exported():
    data = reader.get_metrics_data()
    (metric,) = data.resource_metrics[0].scope_metrics[0].metrics
    (point,) = metric.data.data_points
    return point.value, point.time_unix_nano


seen = []
for value in (0.5, math.nan, math.inf):
    loss.set(value)
    seen.append(exported())
    print(f"after {value}: {seen[-1][0]}")
assert [value for value, _ in seen] == [0.5, 0.5, 0.5]
assert seen[0][1] < seen[1][1] < seen[2][1]
PY
