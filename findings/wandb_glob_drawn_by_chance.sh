#!/usr/bin/env bash
# wandb 0.31.0: of two patterns of define_metric that fit a name, one is drawn by chance, anew for each metric and each
# run.
#
# Guess:    the one that says more, eval/*, wins over "*"; or the one that was defined first, or last.
# Seen:     neither, and the order of the two lines changes only the odds. Of 100 metrics eval/… of one run, logged one
#           by one, some got the axis eval/step and others train/global_step; which ones is another draw in the next
#           run of the same program. No warning.
# Hurts:    trainings with transformers, whose callback defines "*" with the axis train/global_step, and that define
#           eval/* with an axis or a summary of their own: within one run eval/loss lies over one axis and eval/reward
#           over the other, and two seeds of one sweep don't lie over each other.
# Remedy:   define each name in full, or no pattern within another.
# Output:   broad one first: eval/step True, train/global_step True, both runs alike False
#           broad one last: eval/step True, train/global_step True, both runs alike False
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check wandb==0.31.0 2> "$work/errors" \
  || { cat "$work/errors" >&2; exit 1; }
cd "$work"
WANDB_MODE=offline WANDB_API_KEY=$(printf '0%.0s' {1..40}) WANDB_SILENT=true "$work/venv/bin/python" - <<'PY'
import glob

import wandb
from wandb.proto.wandb_internal_pb2 import Record

AXES = {"*": "train/global_step", "eval/*": "eval/step"}
BLOCK = 32768  # records of the file are cut at the ends of blocks


def records(path):
    content, at, record = open(path, "rb").read(), 7, b""
    while at + 7 <= len(content):
        if BLOCK - at % BLOCK < 7:
            at += BLOCK - at % BLOCK
            continue
        size, kind = int.from_bytes(content[at + 4 : at + 6], "little"), content[at + 6]
        record += content[at + 7 : at + 7 + size]
        at += 7 + size
        if kind in (1, 4):  # a whole record, or the last part of one
            yield Record.FromString(record)
            record = b""


def axes_of(patterns):
    with wandb.init(project="finding") as run:
        for pattern in patterns:
            run.define_metric(pattern, step_metric=AXES[pattern])
        run.log({"train/global_step": 10, "eval/step": 1})
        for number in range(100):
            run.log({f"eval/metric_{number}": 0.5})
    (path,) = glob.glob(f"wandb/offline-run-*/run-{run.id}.wandb")
    axes = {}
    for record in records(path):
        row = {"/".join(item.nested_key) or item.key for item in record.history.item}
        (there,) = {name for name in row if name.startswith("eval/metric_")} or {None}
        if there:  # eval/step, itself a name that "*" fits, can bring its own axis along
            axes[there] = "eval/step" if "eval/step" in row else "train/global_step"
            assert axes[there] in row, "no axis is written beside these metrics"
    assert len(axes) == 100, len(axes)
    return axes


for order, patterns in {"broad one first": [*AXES], "broad one last": [*AXES][::-1]}.items():
    first, second = axes_of(patterns), axes_of(patterns)
    seen = {axis: axis in first.values() for axis in ("eval/step", "train/global_step")}
    print(f"{order}: {', '.join(f'{axis} {there}' for axis, there in seen.items())}, both runs alike {first == second}")
    assert all(seen.values()) and first != second, "the choice is no draw any more"
PY
