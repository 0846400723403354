#!/usr/bin/env bash
# verl 0.9.1, validation: best@4 of four responses is not the best of the four: a prompt that one of them solves counts
# 0.69.
#
# Guess:    best@N with N responses to each prompt is their maximum, averaged over prompts: pass@N for scores of 0 and
#           1.
# Seen:     N responses are drawn out of the N with replacement, a thousand times, so that a given one is missing from
#           about 1/3 of the draws. Prompts of which each is solved once in four have best@4 0.687 (1 is right), and
#           best@2 0.453 (0.5); once in eight best@8 is 0.651. worst@4 is too high likewise. The seed is the same for
#           each prompt, so the error is the same for all of them, and no number of prompts averages it out: it hangs on
#           which place of the four the right response has.
# Hurts:    whoever lays best@N beside pass@N of a paper or of another trainer: it is lower by about a third, the more
#           so the harder the task. A set of which every prompt was solved shows 0.69, as if a third of it were out of
#           the model's reach, and of prompts solved once more responses make it worse.
# Remedy:   the maximum, or pass@k by counts, from the dumped generations.
# Output:   1 of 4 right: mean@4 0.25, best@2 0.453, best@4 0.687; 1 of 8: best@8 0.651; 4 of 4: best@4 1.0
#           the right one first, second, third, last: best@4 [0.687, 0.671, 0.661, 0.685]
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check numpy==2.4.6
"$work/venv/bin/pip" download -q --disable-pip-version-check --no-deps -d "$work" verl==0.9.1
cd "$work"
"$work/venv/bin/python" - <<'PY'
import ast
import glob
import zipfile
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

source = zipfile.ZipFile(glob.glob("verl-*.whl")[0]).read("verl/trainer/ppo/metric_utils.py").decode()
# These three functions alone: importing the module starts with Ray and Transformers, which they do not use.
names = {"bootstrap_metric", "calc_maj_val", "process_validation_metrics"}
tree = ast.parse(source)
tree.body = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name in names]
module = {"np": np, "defaultdict": defaultdict, "partial": partial, "Any": Any, "Callable": Callable}
exec(compile(tree, "metric_utils.py", "exec"), module)


def validated(*scores):
    prompts = 5
    uids = [f"prompt {index}" for index in range(prompts) for _ in scores]
    infos = {"acc": [*map(float, scores)] * prompts}
    found = module["process_validation_metrics"](["math"] * len(uids), uids, infos)["math"]["acc"]
    return {name: round(float(value), 3) for name, value in found.items()}


four, eight, all_right = validated(1, 0, 0, 0), validated(1, *[0] * 7), validated(1, 1, 1, 1)
places = [validated(*(place == right for place in range(4)))["best@4/mean"] for right in range(4)]
print(
    f"1 of 4 right: mean@4 {four['mean@4']}, best@2 {four['best@2/mean']}, best@4 {four['best@4/mean']}; "
    f"1 of 8: best@8 {eight['best@8/mean']}; 4 of 4: best@4 {all_right['best@4/mean']}"
)
print(f"the right one first, second, third, last: best@4 {places}")
assert four["mean@4"] == 0.25 and all_right["best@4/mean"] == 1
assert max(places) < 0.75 and eight["best@8/mean"] < 0.75, "best@N of N responses is their best now"
PY
