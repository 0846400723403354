#!/usr/bin/env bash
# polars 2.1.0, DataFrame of a list of rows: fractions that come after 100 whole numbers lose their fraction.
#
# Guess:    the column becomes Float64, or there is an error: the same values by columns give one, and `strict=True`,
#           the default, is said to refuse what doesn't match.
# Seen:     the type is that of the first 100 rows, Int64, and what follows is cut toward zero: 0.6 is 0, 1.9 is 1, -0.6
#           is 0. Rows may be dictionaries or tuples, strict=True may be spelled out, and from_dicts does the same. A
#           NaN among dictionaries does stop it, so something is checked. With 99 rows before, all is well.
# Hurts:    a trainer's log_history, or rows of json.loads, whose reward, KL, loss or clip fraction is 0 (an integer)
#           while nothing has happened: all of the training that follows reads as 0, and its mean, its best step and its
#           curve are those of a run that never learned.
# Remedy:   infer_schema_length=None, or schema_overrides={"reward": polars.Float64}.
# Output:   99 rows before: Float64 [0.6, 1.9, -0.6], mean 0.0186; 100 rows before: Int64 [0, 1, 0], mean 0.0097
#           from_dicts: Int64 [0, 1, 0]; all rows: Float64 [0.6, 1.9, -0.6]
#           tuples: Int64 [0, 1, 0]; a dictionary of lists: TypeError; rows with a NaN: ComputeError
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check polars==2.1.0
cd "$work"
"$work/venv/bin/python" -W error - <<'PY'
import math

import polars as pl

late = [0.6, 1.9, -0.6]


def rows(before, values):
    return [{"step": step, "reward": value} for step, value in enumerate([0] * before + values)]


def seen(frame):
    column = frame["reward"]
    return f"{column.dtype} {column.tail(3).to_list()}"


def refused(make):
    try:
        make()
    except Exception as error:
        return type(error).__name__
    return "taken"


short, long = pl.DataFrame(rows(99, late)), pl.DataFrame(rows(100, late), strict=True)
dicts, whole = pl.from_dicts(rows(100, late)), pl.DataFrame(rows(100, late), infer_schema_length=None)
tuples = pl.DataFrame([tuple(row.values()) for row in rows(100, late)], schema=["step", "reward"], orient="row")
columns = refused(lambda: pl.DataFrame({"reward": [row["reward"] for row in rows(100, late)]}))
broken = refused(lambda: pl.DataFrame(rows(100, [math.nan])))
means = [round(frame["reward"].mean(), 4) for frame in (short, long)]
print(f"99 rows before: {seen(short)}, mean {means[0]}; 100 rows before: {seen(long)}, mean {means[1]}")
print(f"from_dicts: {seen(dicts)}; all rows: {seen(whole)}")
print(f"tuples: {seen(tuples)}; a dictionary of lists: {columns}; rows with a NaN: {broken}")
assert seen(short) == seen(whole) == f"Float64 {late}"
assert seen(long) == seen(dicts) == seen(tuples) == "Int64 [0, 1, 0]", "late fractions are kept or refused now"
assert columns != "taken" and broken != "taken"
PY
