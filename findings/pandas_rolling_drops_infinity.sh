#!/usr/bin/env bash
# pandas 3.1.1: rolling, expanding and ewm take an infinity for a missing value; nothing that they give is ever
# infinite.
#
# Guess:    a window with an infinity has the mean and the maximum inf, as Series.mean(), max() and cummax() give it.
# Seen:     it is turned into NaN before the window is looked at. Of 1, 2, inf, 2, 1 expanding().max() is 2 where
#           cummax() is inf, ewm(...).mean() runs on as over four numbers, and rolling(..., min_periods=1) does the
#           same. With its default rolling() leaves a gap, as over a value that was never logged. Groups likewise. Only
#           count() of the window counts it. No warning.
# Hurts:    curves of a loss, a ratio, a perplexity or a gradient norm, smoothed before they are drawn or compared: the
#           step at which a run overflowed is smooth, the best and the worst so far are finite, and an overflow (inf)
#           can't be told from a step without the metric.
# Remedy:   look at numpy.isinf of the raw column first, or cummax, cummin.
# Output:   expanding max [1.0, 2.0, 2.0, 2.0, 2.0], cummax [1.0, 2.0, inf, inf, inf]
#           ewm mean [1.0, 1.667, 1.667, 1.909, 1.37], of the same with NaN [1.0, 1.667, 1.667, 1.909, 1.37]
#           rolling mean [1.0, 1.5, 1.5, 2.0, 1.5], by default [nan, nan, nan, nan, nan]; rolling count 3 of 3
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check pandas==3.1.1
cd "$work"
"$work/venv/bin/python" -W error - <<'PY'
import math

import pandas as pd

loss = pd.Series([1.0, 2.0, math.inf, 2.0, 1.0])
lost = loss.where(loss < math.inf)


def shown(series):
    return [round(value, 3) for value in series.tolist()]


largest, running = shown(loss.expanding().max()), shown(loss.cummax())
smooth, smooth_lost = shown(loss.ewm(span=3).mean()), shown(lost.ewm(span=3).mean())
window, default = shown(loss.rolling(3, min_periods=1).mean()), shown(loss.rolling(3).mean())
count = int(loss.rolling(3, min_periods=1).count()[2])
print(f"expanding max {largest}, cummax {running}")
print(f"ewm mean {smooth}, of the same with NaN {smooth_lost}")
print(f"rolling mean {window}, by default {default}; rolling count {count} of 3")
grouped = loss.groupby([0] * 5).rolling(3, min_periods=1).max().tolist()
assert loss.mean() == loss.max() == running[-1] == math.inf
assert largest == [1.0, 2.0, 2.0, 2.0, 2.0], "expanding() knows infinity now"
assert smooth == smooth_lost and max(smooth) < 2, "ewm() knows infinity now"
assert window == [1.0, 1.5, 1.5, 2.0, 1.5] and max(grouped) == 2, "rolling() knows infinity now"
assert all(map(math.isnan, default)) and count == 3
PY
