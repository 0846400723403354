#!/usr/bin/env bash
# clearml 2.1.12: NaN and infinities are reported as 0.0.
#
# Guess:    NaN is stored as NaN, or the point is left out.
# Seen:     the stored points of a loss of 0.7, NaN, inf, -inf, 0.6 are 0.7, 0, 0, 0, 0.6. One line of level INFO
#           says so, once a process, at the first NaN and at the first infinity.
# Hurts:    a run whose weights are lost shows a loss and a gradient norm of exactly 0, which reads as "nothing left to
#           learn" or "the mask is empty", never as "broken"; who reads the scalars back can't tell the two apart.
# Remedy:   Logger.set_reporting_nan_value and set_reporting_inf_value, to a number that no metric has.
# Output:   [0.7, 0.0, 0.0, 0.0, 0.6]
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check clearml==2.1.12
cd "$work"
CLEARML_CACHE_DIR="$work/cache" CLEARML_OFFLINE_MODE=1 "$work/venv/bin/python" - <<'PY'
import json
import math
from pathlib import Path

from clearml import Task

Task.set_offline(True)
task = Task.init(
    "finding", "nan", auto_connect_frameworks=False, auto_connect_arg_parser=False, auto_resource_monitoring=False
)
for step, value in enumerate([0.7, math.nan, math.inf, -math.inf, 0.6]):
    task.get_logger().report_scalar("train", "loss", value, step)
task.get_logger().flush(wait=True)
folder = Path(task.get_offline_mode_folder())
points = [
    point
    for line in (folder / "metrics.jsonl").read_text().splitlines()
    for point in json.loads(line)
    if point.get("variant") == "loss"
]
values = [point["value"] for point in sorted(points, key=lambda point: point["iter"])]
print(values)
task.close()
assert values == [0.7, 0.0, 0.0, 0.0, 0.6], "numbers that are not finite are kept now"
PY
