#!/usr/bin/env bash
# neptune 1.14.0.post2: a NaN leaves no point, and a loss that is NaN from its first row on has no curve at all.
#
# Guess:    NaN and infinities are stored as such, or refused with an error.
# Seen:     of a loss of 0.7, NaN, inf, 0.6 the points at steps 0 and 3 are kept, joined by a line where it is drawn. One
#           warning a kind of value says so, once a process. None and dictionaries are left out in the same way.
# Hurts:    a run whose weights are lost looks as if it had been cut off at its last good step; a threshold on "the last
#           loss" is judged by that one; who asks for a curve that was NaN all along is told that there is none.
# Remedy:   log a count of what is not finite beside it.
# Output:   [(0, 0.7), (3, 0.6)] []
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check neptune==1.14.0.post2 "setuptools<81"
cd "$work"
"$work/venv/bin/python" - <<'PY'
import json
import math
from pathlib import Path

import neptune

run = neptune.init_run(mode="offline", capture_hardware_metrics=False, git_ref=False)
for step, value in enumerate([0.7, math.nan, math.inf, 0.6]):
    run["train/loss"].append(value, step=step)
    run["train/never"].append(math.nan, step=step)
run.stop()
kept = {}
for path in Path(".neptune").rglob("*.log"):
    for line in path.read_text().splitlines():
        operation = json.loads(line)["obj"]
        points = [(point["step"], point["value"]) for point in operation.get("values", ())]
        kept.setdefault("/".join(operation["path"]), []).extend(points)
found = kept["train/loss"], kept.get("train/never", [])
print(*found)
assert found == ([(0, 0.7), (3, 0.6)], []), "what is not finite is kept now"
PY
