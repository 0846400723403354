#!/usr/bin/env bash
# polars 2.1.0 and duckdb 2.0.1: to a median and a quantile NaN is the largest number, so the median over runs goes up
# with each run that breaks.
#
# Guess:    NaN, as a mean gives and as NumPy's median does, or that of the numbers, as in pandas and PyArrow.
# Seen:     neither: NaN takes a place at the upper end of the order. Of seven runs with rewards of 0.1 to 0.7 the
#           median is 0.4; if the worst one is NaN it is 0.5, with two it is 0.6, with three 0.7, the best of all; only
#           from four on it is NaN. In Polars max() leaves NaN out in the same breath, and the third quartile is NaN
#           while the median is not. group_by, describe and rolling_median do the same, and so do median and
#           quantile_cont of DuckDB; its approx_quantile leaves NaN out. No warning.
# Hurts:    curves of a median and its quartiles over seeds, which are drawn because they bear outliers: the more seeds
#           diverge, the better the algorithm looks, in a step in which one of them has a NaN the band jumps, and the
#           table made with pandas says something else. A loss gets worse by it, in smaller steps than a NaN would show.
# Remedy:   fill_nan(None) before; in DuckDB `filter (not isnan(reward))`.
# Output:   runs that broke, the worst ones: 0, 1, 2, 3, 4
#           polars: 0.4, 0.5, 0.6, 0.7, nan; group_by: 0.4, 0.5, 0.6, 0.7, nan; duckdb: 0.4, 0.5, 0.6, 0.7, nan
#           numpy: 0.4, nan, nan, nan, nan; pandas: 0.4, 0.45, 0.5, 0.55, 0.6; pyarrow: 0.4, 0.45, 0.5, 0.55, 0.6
#           three broke, polars: max 0.7, third quartile nan; filled with null: 0.55
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check polars==2.1.0 duckdb==2.0.1 pandas==3.1.1 pyarrow==26.0.1 \
  numpy==2.4.6
cd "$work"
"$work/venv/bin/python" -W error - <<'PY'
import math

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc


def with_duckdb(rewards):
    steps = pa.table({"reward": rewards})  # named in the query
    return duckdb.sql("select median(reward) from steps").fetchall()[0][0]


def grouped(rewards):
    frame = pl.DataFrame({"step": 1, "reward": rewards})
    return frame.group_by("step").agg(pl.col("reward").median())["reward"].item()


medians = {
    "polars": lambda rewards: pl.Series(rewards).median(),
    "group_by": grouped,
    "duckdb": with_duckdb,
    "numpy": np.median,
    "pandas": lambda rewards: pd.Series(rewards).median(),
    "pyarrow": lambda rewards: pc.quantile(pa.array(rewards), 0.5)[0].as_py(),
}
runs = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]
broken = [runs[count:] + [math.nan] * count for count in range(5)]
seen = {name: [round(float(median(rewards)), 3) for rewards in broken] for name, median in medians.items()}
told = {name: f"{name}: {', '.join(map(str, values))}" for name, values in seen.items()}
three = pl.Series(broken[3])
largest, quartile, filled = three.max(), three.quantile(0.75), round(three.fill_nan(None).median(), 3)
print("runs that broke, the worst ones: 0, 1, 2, 3, 4")
print("; ".join(told[name] for name in ("polars", "group_by", "duckdb")))
print("; ".join(told[name] for name in ("numpy", "pandas", "pyarrow")))
print(f"three broke, polars: max {largest}, third quartile {quartile}; filled with null: {filled}")
for name in ("polars", "group_by", "duckdb"):
    assert seen[name][:4] == [0.4, 0.5, 0.6, 0.7] and math.isnan(seen[name][4]), f"{name} takes NaN otherwise now"
assert all(map(math.isnan, seen["numpy"][1:]))
assert seen["pandas"] == seen["pyarrow"] == [0.4, 0.45, 0.5, 0.55, 0.6]
assert largest == 0.7 and math.isnan(quartile) and filled == 0.55
PY
