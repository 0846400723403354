#!/usr/bin/env bash
# polars 2.1.0: the sum of an Int32 column wraps around at 2.1 billion, below zero, while that of an Int16 column does
# not.
#
# Guess:    sums are of 64 bits, as in pandas, NumPy, PyArrow and torch: "cast to Int64 before summing to prevent
#           overflow issues", says the page, of the types with 8 and 16 bits.
# Seen:     those with 32 bits stay what they are. 100,000 rows of 30,000 tokens are 3,000,000,000 as Int16 and
#           -1,294,967,296 as Int32; a total that wraps twice is positive again, and small. group_by, cum_sum,
#           rolling_sum and SQL do the same; mean() is right, so that sum / count contradicts it. No warning.
# Hurts:    tokens, lengths and steps, which torch's and JAX's int32, and data sets of them, bring along: the tokens of
#           a run, or of each data source, come out negative or, worse, positive; cost, throughput and MFU follow them.
# Remedy:   cast(polars.Int64) before summing.
# Output:   Int16: sum 3000000000; Int32: sum -1294967296, group_by -1294967296, SQL -1294967296, mean 30000.0
#           Int32, 150,000 rows of 30,000: polars 205032704, pyarrow 4500000000, numpy 4500000000
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check polars==2.1.0 pyarrow==26.0.1 numpy==2.4.6 \
  2> "$work/errors" || { cat "$work/errors" >&2; exit 1; }
"$work/venv/bin/python" -W error - <<'PY'
import polars
import pyarrow.compute

ROWS, LENGTH = 100_000, 30_000


def lengths(kind, rows=ROWS):
    return polars.DataFrame({"source": ["math"] * rows, "tokens": [LENGTH] * rows}, schema_overrides={"tokens": kind})


short, long = lengths(polars.Int16), lengths(polars.Int32)
total = long["tokens"].sum()
grouped = long.group_by("source").agg(polars.col("tokens").sum())["tokens"].item()
queried = long.sql("select sum(tokens) from self").item()
print(
    f"Int16: sum {short['tokens'].sum()}; Int32: sum {total}, group_by {grouped}, SQL {queried}, "
    f"mean {long['tokens'].mean()}"
)
more = lengths(polars.Int32, rows=150_000)["tokens"]
summed = more.sum()
arrow, numpy_sum = pyarrow.compute.sum(more.to_arrow()).as_py(), int(more.to_numpy().sum())
print(f"Int32, 150,000 rows of 30,000: polars {summed}, pyarrow {arrow}, numpy {numpy_sum}")
assert short["tokens"].sum() == ROWS * LENGTH and arrow == numpy_sum == 150_000 * LENGTH
assert long["tokens"].mean() == LENGTH
assert total == grouped == queried == ROWS * LENGTH - 2**32, "sums of Int32 are of 64 bits now"
assert summed == 150_000 * LENGTH - 2**32
PY
