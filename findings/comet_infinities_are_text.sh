#!/usr/bin/env bash
# comet_ml 3.58.8: NaN, infinities, True and lists leave the client as text, in a metric whose other points are numbers.
#
# Guess:    log_metric sends numbers: NaN and infinities as such (or null), True as 1; what is no number is refused.
# Seen:     the record of an offline experiment has "NaN", "Infinity", "True" and "[1, 2]" as strings beside numbers
#           of the same metric, and no warning; None alone is left out. `prefix="train"` joins plain keys with "_" and
#           keys of nested dictionaries with "/". (What the server makes of it was not looked at.)
# Hurts:    whoever reads the archive, or exports from it: a column of one metric has two types, a mean over it raises
#           or joins texts, and max() over strings is not the maximum. A diverged loss is the row that trips it.
# Remedy:   float() on what is read: Python takes "NaN" and "Infinity"; no booleans or lists as metrics.
# Output:   loss: [0.5, 'NaN', 'Infinity'], flag: 'True', pair: '[1, 2]', none: left out; train_loss, train_sub/kl
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check comet_ml==3.58.8 numpy==2.3.5 2> "$work/errors" \
  || { cat "$work/errors" >&2; exit 1; }
cd "$work"
COMET_LOGGING_CONSOLE=ERROR "$work/venv/bin/python" - <<'PY'
import glob
import json
import zipfile

import comet_ml

experiment = comet_ml.OfflineExperiment(
    project_name="finding",
    offline_directory=".",
    log_code=False,
    log_graph=False,
    parse_args=False,
    log_env_details=False,
    auto_param_logging=False,
    auto_metric_logging=False,
    display_summary_level=0,
)
for step, value in enumerate([0.5, float("nan"), float("inf")]):
    experiment.log_metric("loss", value, step=step)
experiment.log_metric("flag", True, step=1)
experiment.log_metric("pair", [1, 2], step=1)
experiment.log_metric("none", None, step=1)
experiment.log_metrics({"loss": 1.0, "sub": {"kl": 2.0}}, prefix="train", step=2)
experiment.end()
logged = {}
(path,) = glob.glob("*.zip")
for line in zipfile.ZipFile(path).read("messages.json").decode().splitlines():
    message = json.loads(line)
    if message["type"] == "metric_msg":
        metric = message["payload"]["metric"]
        logged.setdefault(metric["metricName"], []).append(metric["metricValue"])
joined = [name for name in logged if name.startswith("train")]
print(
    f"loss: {logged['loss']}, flag: {logged['flag'][0]!r}, pair: {logged['pair'][0]!r}, "
    f"none: {logged.get('none', 'left out')}; {', '.join(joined)}"
)
assert logged["loss"] == [0.5, "NaN", "Infinity"], "they are no text now"
assert (logged["flag"], logged["pair"], "none" in logged) == (["True"], ["[1, 2]"], False)
assert joined == ["train_loss", "train_sub/kl"]
PY
