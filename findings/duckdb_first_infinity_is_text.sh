#!/usr/bin/env bash
# duckdb 2.0.1, CSV: an infinity as a column's first value makes the column text; then the smallest of 10.5 and 9.5 is
# 10.5.
#
# Guess:    inf is a number wherever it stands, as NaN is, or nowhere.
# Seen:     in the second row or later it is one, and the column DOUBLE; in the first row, or the first that is not
#           empty, the column is VARCHAR, for inf, -inf and Infinity, however many numbers follow and with all rows
#           sampled. NaN and 1e400 (which is infinite) in the same place are numbers. min, max, arg_min and "order by"
#           then go by the alphabet and say nothing; avg and a comparison with a number stop with an error.
# Hurts:    columns that hold the best so far, which start at infinity (best_loss, a patience's minimum), and runs that
#           overflow at the first step: "the best of this run, and at which step" is answered with the wrong row.
# Remedy:   types={'best': 'DOUBLE'}.
# Output:   second row: DOUBLE, min 9.5 at step 3; first row: VARCHAR, min 10.5 at step 1
#           first row, all rows sampled: VARCHAR, min 10.5 at step 1; first row, type given: DOUBLE, min 9.5 at step 3
#           first row NaN: DOUBLE, min 9.5 at step 3; first row 1e400: DOUBLE, min 9.5 at step 3
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check duckdb==2.0.1 2> "$work/errors" \
  || { cat "$work/errors" >&2; exit 1; }
cd "$work"
"$work/venv/bin/python" - <<'PY'
import csv
import math

import duckdb


def read(best, options=""):
    with open("run.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["step", "best"])
        rows.writerows(enumerate(best))
    query = f"select any_value(typeof(best)), min(best), arg_min(step, best) from read_csv('run.csv'{options})"
    kind, least, step = duckdb.sql(query).fetchall()[0]
    return f"{kind}, min {least} at step {step}"


number, text = "DOUBLE, min 9.5 at step 3", "VARCHAR, min 10.5 at step 1"
first, second = [math.inf, 10.5, 11.5, 9.5], [10.5, math.inf, 11.5, 9.5]
seen = {
    "second row": read(second),
    "first row": read(first),
    "first row, all rows sampled": read(first, ", sample_size=-1"),
    "first row, type given": read(first, ", types={'best': 'DOUBLE'}"),
    "first row NaN": read([math.nan, *first[1:]]),
    "first row 1e400": read(["1e400", *first[1:]]),
}
said = [f"{what}: {result}" for what, result in seen.items()]
for pair in zip(said[::2], said[1::2], strict=True):
    print("; ".join(pair))
assert [*seen.values()] == [number, text, text, number, number, number], "an infinity is read otherwise now"
PY
