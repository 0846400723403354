#!/usr/bin/env bash
# wandb 0.31.0: an axis that is declared and never logged is stored as 0 in every row, as openrlhf 0.11.2 does to eval/*.
#
# Guess:    a metric whose step_metric is never logged has no axis, and the run's own step is used.
# Seen:     OpenRLHF declares eval/epoch as the axis of eval/*, logs eval/global_step and never eval/epoch; step_sync puts
#           a 0 into each of these rows. Its samples, which it logs alone, stand at train/global_step 0 until one other
#           row was logged.
# Hurts:    evaluations of a whole training lie upon each other at x = 0 in the default charts; who reads the history back
#           takes them for evaluations before the training, which is where a best step is then found.
# Remedy:   choose eval/global_step as the axis of these charts.
# Output:   [{'eval/epoch': '0', 'eval/global_step': '10'}, {'eval/epoch': '0', 'eval/global_step': '20'}]
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check wandb==0.31.0
"$work/venv/bin/pip" download -q --disable-pip-version-check --no-deps openrlhf==0.11.2 -d "$work/wheel"
cd "$work"
WANDB_MODE=offline WANDB_API_KEY=$(printf '0%.0s' {1..40}) WANDB_SILENT=true "$work/venv/bin/python" - <<'PY'
import glob
import importlib.util
import zipfile
from types import SimpleNamespace

from wandb.proto.wandb_internal_pb2 import Record

(wheel,) = glob.glob("wheel/*.whl")
with zipfile.ZipFile(wheel) as archive:
    (name,) = (name for name in archive.namelist() if name.endswith("openrlhf/utils/logging_utils.py"))
    archive.extract(name)
spec = importlib.util.spec_from_file_location("loggers", name)
loggers = importlib.util.module_from_spec(spec)
spec.loader.exec_module(loggers)
settings = SimpleNamespace(key=None, org=None, project="finding", group=None, run_name="run")
logger = loggers.WandbLogger(SimpleNamespace(logger=SimpleNamespace(wandb=settings)))
for step in (10, 20):
    logger.log_train(step, {"reward": 0.5})
    logger.log_eval(step, {"pass1": 0.5})
logger.close()

(path,) = glob.glob("wandb/offline-run-*/*.wandb")
content, rows, at = open(path, "rb").read(), [], 7
while at + 7 <= len(content):
    size = int.from_bytes(content[at + 4 : at + 6], "little")
    record = Record.FromString(content[at + 7 : at + 7 + size])
    at += 7 + size
    if record.HasField("history"):
        row = {"/".join(item.nested_key) or item.key: item.value_json for item in record.history.item}
        rows.append({name: row[name] for name in ("eval/epoch", "eval/global_step") if "eval/pass1" in row})
found = [row for row in rows if row]
print(found)
assert found == [{"eval/epoch": "0", "eval/global_step": str(step)} for step in (10, 20)], "it has an axis now"
PY
