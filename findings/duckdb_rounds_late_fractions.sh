#!/usr/bin/env bash
# duckdb 2.0.1: fractions that first appear after the sampled rows of a file are rounded to whole numbers, in silence.
#
# Guess:    the column becomes DOUBLE, or the query stops with an error that names the row.
# Seen:     type BIGINT, no error and no warning; a reward of 0.6 reads as 1, in JSON lines and in CSV alike.
#           The sample is the first 20,480 rows.
# Hurts:    whoever analyses logs of many runs with DuckDB. A reward, a loss or a KL that is exactly 0 (written "0")
#           for the first steps, and a fraction later, turns into 0, 1, 1, …: the mean below is 0.333 where it is 0.2.
# Remedy:   give the types (columns={...}), or sample_size=-1.
# Output:   jsonl  ('BIGINT', 1, 0.33335)
#           csv    ('BIGINT', 1, 0.33335)
#           jsonl, whole file sampled  ('DOUBLE', 0.6, 0.20001)
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check duckdb==2.0.1
cd "$work"
"$work/venv/bin/python" - <<'PY'
import json

import duckdb

rewards = [0 if step < 40_000 else 0.6 for step in range(1, 60_001)]
with open("log.jsonl", "w") as jsonl, open("log.csv", "w") as table:
    table.write("step,reward\n")
    for step, reward in enumerate(rewards, 1):
        jsonl.write(json.dumps({"step": step, "reward": reward}) + "\n")
        table.write(f"{step},{reward}\n")


def read(source: str) -> tuple[str, float, float]:
    query = f"select any_value(typeof(reward)), max(reward), avg(reward) from {source}"
    ((kind, largest, mean),) = duckdb.sql(query).fetchall()
    return kind, float(largest), round(mean, 5)


seen = {
    "jsonl": read("read_json_auto('log.jsonl')"),
    "csv": read("read_csv_auto('log.csv')"),
    "jsonl, whole file sampled": read("read_json_auto('log.jsonl', sample_size=-1)"),
}
for what, answer in seen.items():
    print(what, "", answer)
assert seen["jsonl"] == ("BIGINT", 1.0, 0.33335), "JSON lines read otherwise now"
assert seen["csv"] == ("BIGINT", 1.0, 0.33335), "CSV reads otherwise now"
assert seen["jsonl, whole file sampled"] == ("DOUBLE", 0.6, 0.20001)
PY
