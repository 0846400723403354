#!/usr/bin/env bash
# duckdb 2.0.1, Parquet files of pyarrow 26.0.1: isnan() is false for every row, NaN among them, and the largest value is
# a finite one.
#
# Guess:    a query gives the same over a Parquet file as over a table with the rows of the file.
# Seen:     writers leave NaN out of the statistics of a column, and DuckDB takes these for bounds of all its values.
#           Over losses of 0.5, NaN, 0.3, NaN `isnan(loss)` and `loss > 1` (NaN is the largest number in DuckDB) find no
#           row where the table has two, `loss between 0 and 1` finds four, not two, and max(loss) is 0.5, not NaN.
#           `not isfinite(loss)` and avg(loss) are right, and so is everything over files that DuckDB wrote.
# Hurts:    whoever looks for broken runs in archives of logs, as pyarrow, Polars and datasets write them: the query for
#           NaN answers "none", and one for a sound range lets the broken steps in.
# Remedy:   `not isfinite(loss)`, or read the file into a table first.
# Output:   isnan(loss): file 0, table 2; loss > 1: file 0, table 2; loss between 0 and 1: file 4, table 2;
#           not isfinite(loss): file 2, table 2; max: file 0.5, table nan; DuckDB's own file: isnan(loss) 2
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check duckdb==2.0.1 pyarrow==26.0.1 2> "$work/errors" \
  || { cat "$work/errors" >&2; exit 1; }
cd "$work"
"$work/venv/bin/python" - <<'PY'
import math

import duckdb
import pyarrow
import pyarrow.parquet

rows = pyarrow.table({"step": [1, 2, 3, 4], "loss": [0.5, math.nan, 0.3, math.nan]})
pyarrow.parquet.write_table(rows, "log.parquet")
duckdb.sql("create table log as select * from 'log.parquet'")
duckdb.sql("copy log to 'own.parquet'")


def asked(what, source):
    ((answer,),) = duckdb.sql(f"select {what} from {source}").fetchall()
    return answer


conditions = ["isnan(loss)", "loss > 1", "loss between 0 and 1", "not isfinite(loss)"]
where = {
    condition: tuple(asked("count(*)", f"{source} where {condition}") for source in ("'log.parquet'", "log"))
    for condition in conditions
}
largest = asked("max(loss)", "'log.parquet'"), asked("max(loss)", "log")
own = asked("count(*)", "'own.parquet' where isnan(loss)")
print("; ".join(f"{condition}: file {file}, table {table}" for condition, (file, table) in where.items()), end="; ")
print(f"max: file {largest[0]}, table {largest[1]}; DuckDB's own file: isnan(loss) {own}")
assert list(where.values()) == [(0, 2), (0, 2), (4, 2), (2, 2)], where
assert largest[0] == 0.5 and math.isnan(largest[1]) and own == 2
PY
