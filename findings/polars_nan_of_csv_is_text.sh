#!/usr/bin/env bash
# polars 2.1.0, read_csv: "nan", as Python writes it, makes a column text if it is among the first 100 rows, and is a
# number from there on; "inf" is a number everywhere.
#
# Guess:    one or the other, wherever it stands; what pandas and DuckDB read as a number is one.
# Seen:     types are guessed from the first 100 rows by spellings: NaN, inf and -inf are numbers, nan, Inf and Infinity
#           are text. Of a reward of 10.25, 9.5, nan the column is String: min() is 10.25, max() is "nan", a mean
#           in describe() is null and Series.mean() None. With 100 numbers before, the same rows are Float64, with a
#           true NaN. Polars writes NaN itself; csv.writer, str() and NumPy's savetxt write nan.
# Hurts:    logs of trainers in CSV; those of Lightning and Stable-Baselines3 hold nan and inf as Python writes
#           them. Of runs with a NaN in warm-up, as fp16 loss scaling gives, the smallest value goes by the alphabet,
#           while that of runs with a NaN later is right.
# Remedy:   schema_overrides={"reward": polars.Float64}, or infer_schema=False and a cast.
# Output:   nan: String, min 10.25, mean None; after 100 rows: Float64, min 9.5, mean nan
#           inf: Float64, min 9.5, mean inf; NaN: Float64, min 9.5, mean nan; Infinity: String, min 10.25, mean None
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check polars==2.1.0 2> "$work/errors" \
  || { cat "$work/errors" >&2; exit 1; }
cd "$work"
"$work/venv/bin/python" -W error - <<'PY'
import csv
import math

import polars


def read(*rewards):
    with open("run.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["step", "reward"])
        rows.writerows(enumerate(rewards))
    column = polars.read_csv("run.csv")["reward"]
    return f"{column.dtype}, min {column.min()}, mean {column.mean()}"


rest = (10.25, 9.5)
seen = {
    "nan": read(*rest, math.nan),
    "after 100 rows": read(*[9.5] * 100, *rest, math.nan),
    "inf": read(*rest, math.inf),
    "NaN": read(*rest, "NaN"),
    "Infinity": read(*rest, "Infinity"),
}
said = [f"{what}: {result}" for what, result in seen.items()]
print("; ".join(said[:2]))
print("; ".join(said[2:]))
text = "String, min 10.25, mean None"
assert seen["nan"] == seen["Infinity"] == text, "the spellings of Python are numbers now"
assert seen["after 100 rows"] == seen["NaN"] == "Float64, min 9.5, mean nan"
assert seen["inf"] == "Float64, min 9.5, mean inf"
PY
