#!/usr/bin/env bash
# pandas 3.1.1: std, var and sem of a float16 column are 0.0 if it has more than 65,519 values, or a small spread; mean,
# groupby and rolling are right.
#
# Guess:    float16 gives three digits of it, as the mean does, which pandas computes in a wider type.
# Seen:     the number of values is turned into the column's type, where 65,520 is infinite: a sum of squares divided by
#           it is 0. Of 0.5 and 1.5 in turn the deviation is 0.5 up to 65,519 values and 0.0 from 65,520 on, in
#           describe() as well, beside the right mean; groupby(...).std() and rolling(...).std() of the same column are
#           0.5. Squares are taken in float16, too, so a spread of 0.0001 is 0.0 for any number of values, there without
#           a word; in the first case NumPy warns of an "overflow encountered in cast".
# Hurts:    per-token log-probabilities, entropies, advantages and KL kept in half precision, of which a few batches
#           have more than 65,519: "no variance" is what a collapsed policy and a dead reward look like, an error bar by
#           sem vanishes, and normalising by it divides by 0. A table by groups contradicts its own total.
# Remedy:   astype("float32") first.
# Output:   65,519 values: std 0.5, sem 0.00196; 65,520 values: std 0.0, sem 0.0, mean 1.0, describe 0.0
#           65,520 values: one group 0.5, rolling 0.5, in float32 0.5
#           1,000 values of 0.0001 and 0.0003: std 0.0, mean 0.0002, one group 0.0001
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check pandas==3.1.1 numpy==2.4.6
cd "$work"
"$work/venv/bin/python" -W ignore - <<'PY'
import numpy as np
import pandas as pd


def turns(count, low, high):
    values = np.full(count, low, np.float16)
    values[1::2] = high
    return pd.Series(values)


def grouped(column):
    return round(float(column.groupby(np.zeros(len(column), int)).std()[0]), 4)


fits, many, small = turns(65_519, 0.5, 1.5), turns(65_520, 0.5, 1.5), turns(1000, 0.0001, 0.0003)
seen = [float(many.std()), float(many.sem()), float(many.mean()), float(many.describe()["std"])]
print(
    f"65,519 values: std {fits.std()}, sem {fits.sem():.5f}; 65,520 values: std {seen[0]}, sem {seen[1]}, "
    f"mean {seen[2]}, describe {seen[3]}"
)
rolling = round(float(many.rolling(len(many)).std().iloc[-1]), 4)
single = round(float(many.astype("float32").std()), 4)
print(f"65,520 values: one group {grouped(many)}, rolling {rolling}, in float32 {single}")
print(f"1,000 values of 0.0001 and 0.0003: std {small.std()}, mean {small.mean():.4f}, one group {grouped(small)}")
assert float(fits.std()) == 0.5 and seen == [0.0, 0.0, 1.0, 0.0], "the number of values may be above 65,519 now"
assert grouped(many) == rolling == single == 0.5
assert float(small.std()) == 0 and grouped(small) == 0.0001, "squares are taken in a wider type now"
PY
