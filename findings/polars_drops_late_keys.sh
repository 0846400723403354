#!/usr/bin/env bash
# polars 2.1.0 and duckdb 2.0.1: keys of JSON lines that come late in the file vanish without a word.
#
# Guess:    a column with nulls before the key's first row (as pandas and pyarrow give), or an error.
# Seen:     polars.read_ndjson takes the columns from the first 100 rows; a key that appears later, such as eval_loss
#           at the first evaluation, is no column, and nothing says so. DuckDB does the same after 20,480 rows.
# Hurts:    logs of trainers are rows with other keys at other times: evaluation rows, end-of-run rows, metrics that
#           begin after a warm-up. "This run has no eval_loss" is then read off a file that is full of it.
# Remedy:   polars: infer_schema_length=None; DuckDB: sample_size=-1.
# Output:   polars            ['step', 'loss']
#           polars, all rows  ['step', 'loss', 'eval_loss']
#           duckdb            ['step', 'loss']
#           pandas            ['step', 'loss', 'eval_loss']
#           pyarrow           ['step', 'loss', 'eval_loss']
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check polars==2.1.0 duckdb==2.0.1 pandas==3.1.1 pyarrow==26.0.1
cd "$work"
"$work/venv/bin/python" - <<'PY'
import json

import duckdb
import pandas
import polars
import pyarrow.json


def log(name: str, rows: int, first_evaluation: int) -> str:
    with open(name, "w") as file:
        for step in range(1, rows + 1):
            row = {"step": step, "loss": 0.5}
            if step >= first_evaluation:
                row["eval_loss"] = 0.4
            file.write(json.dumps(row) + "\n")
    return name


short, long = log("short.jsonl", 300, 150), log("long.jsonl", 60_000, 40_000)
described = duckdb.sql(f"describe select * from read_json_auto('{long}')").fetchall()
seen = {
    "polars": polars.read_ndjson(short).columns,
    "polars, all rows": polars.read_ndjson(short, infer_schema_length=None).columns,
    "duckdb": [row[0] for row in described],
    "pandas": [*pandas.read_json(short, lines=True).columns],
    "pyarrow": pyarrow.json.read_json(long).column_names,
}
for what, columns in seen.items():
    print(f"{what:16}  {columns}")
without, whole = ["step", "loss"], ["step", "loss", "eval_loss"]
assert seen["polars"] == without and seen["duckdb"] == without, "late keys are read now"
assert seen["polars, all rows"] == seen["pandas"] == seen["pyarrow"] == whole
PY
