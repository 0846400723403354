#!/usr/bin/env bash
# tianshou 2.0.1, MovAvg: it "will automatically exclude the infinity and NaN", and excludes the one NaN that is np.nan.
#
# Guess:    a NaN of any making is left out, as an infinity is.
# Seen:     each number is looked up in a list that holds np.nan. NaN equals nothing, so only the very object np.nan is
#           found; float("nan"), a NaN out of an array or a tensor, and inf - inf go in, and the average is NaN for the
#           next 100 entries. Infinities are left out whatever they come from.
# Hurts:    the trainers' smoothed losses: one step without a finite loss blanks the smoothed curve for a hundred
#           updates, while one that overflowed to infinity doesn't show in it at all. A test with np.nan passes.
# Remedy:   numpy.isfinite before add.
# Output:   0.5 and np.nan: 0.5; float("nan"): nan; tensor: nan; array: nan; inf: 0.5, inf of a tensor: 0.5
#           finite again after 100 more numbers
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check torch==2.13.0 numpy==2.4.6
"$work/venv/bin/pip" download -q --disable-pip-version-check --no-deps -d "$work" tianshou==2.0.1
cd "$work"
"$work/venv/bin/python" - <<'PY'
import glob
import importlib.util
import math
import zipfile

import numpy as np
import torch

path = zipfile.ZipFile(glob.glob("tianshou-*.whl")[0]).extract("tianshou/utils/statistics.py")
# The module alone: the package asks for simulators and much else that the class does not use.
spec = importlib.util.spec_from_file_location("tianshou_statistics", path)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)


def averaged(*values):
    average = module.MovAvg()
    for value in values:
        average.add(value)
    return average.get()


named = averaged(0.5, np.nan)
others = [averaged(0.5, value) for value in (float("nan"), torch.tensor(math.nan), np.array([1.0, math.nan]))]
infinite = [averaged(0.5, value) for value in (math.inf, torch.tensor(math.inf))]
later = next(count for count in range(200) if math.isfinite(averaged(0.5, float("nan"), *[0.4] * count)))
print(
    f'0.5 and np.nan: {named}; float("nan"): {others[0]}; tensor: {others[1]}; array: {others[2]}; '
    f"inf: {infinite[0]}, inf of a tensor: {infinite[1]}"
)
print(f"finite again after {later} more numbers")
assert named == infinite[0] == infinite[1] == 0.5
assert all(map(math.isnan, others)) and later == 100, "NaN of any making is left out now"
PY
