"""What translating Parquet costs against DuckDB: ``python tests/benchmarks/table_cost.py [POINTS] [RESULT.json]``.

A long table of so many points, ten million unless said otherwise, is translated, and DuckDB joins it with a table of
old and new names and writes it. A wide one of as many is translated, and DuckDB selects its columns under other names.
Each is done by a process of its own, in turns; printed are seconds of the processor, as long as nothing else is wanted
of them the same as those of the clock, and the most memory that the process held.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
import pyarrow as pa
from benchmarks.measure import keep
from benchmarks.paired import options, report
from pyarrow import parquet
from rlmetrics.names import keys
from rlmetrics.translate import Translator

SOURCE, TARGET, RUNS, ROUNDS, BLOCK = "verl==0.9.1", "canonical", 100, 3, 1 << 20
NAMES = [key.key for key in keys(SOURCE) if "{" not in key.key][:40]
OURS = """
import sys
from rlmetrics.translate import translate_file
translate_file(sys.argv[1], source=sys.argv[3], target=sys.argv[4], output=sys.argv[2])
"""
PEER = """
import sys, duckdb
duckdb.sql("SET enable_progress_bar = false")
duckdb.sql(f"COPY ({sys.argv[3]}) TO '{sys.argv[2]}' (FORMAT parquet, ROW_GROUP_SIZE 1048576)")
"""
LONG = """
WITH names(old, new, factor) AS (VALUES {values})
SELECT run_id, step, coalesce(new, key) AS key, value * coalesce(factor, 1) AS value
FROM '{path}' LEFT JOIN names ON key = old
"""


def main() -> int:
    """Measure, print, write the result as JSON where asked for, and return 0."""
    given = options(__doc__, 10_000_000)
    moves = [Translator(SOURCE, TARGET).key(name) for name in NAMES]
    factors = [move.transform.scale if move.transform and move.translated else 1.0 for move in moves]
    result: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as folder:
        pairs = [*zip(moves, factors, strict=True)]
        values = ", ".join(f"('{move.key}', '{move.output}', {factor!r}::DOUBLE)" for move, factor in pairs)
        columns = ", ".join(
            f'"{move.key}" * {factor!r}::DOUBLE AS "{move.output}"'
            if factor != 1
            else f'"{move.key}" AS "{move.output}"'
            for move, factor in pairs
        )
        for name, write, query in (
            ("long", _write_long, LONG),
            ("wide", _write_wide, f"SELECT run_id, step, {columns} FROM '{{path}}'"),
        ):
            path = Path(folder, f"{name}.parquet")
            write(path, given.points)
            asked = query.format(path=path, values=values)
            found: dict[str, list[tuple[float, int]]] = {"ours": [], "DuckDB": []}
            output = Path(folder, f"{name}-made")
            for _ in range(ROUNDS):
                for made in Path(folder).glob(f"{output.name}.*"):
                    made.unlink()
                found["ours"].append(_cost([OURS, str(path), f"{output}.ours.parquet", SOURCE, TARGET]))
                found["DuckDB"].append(_cost([PEER, str(path), f"{output}.peer.parquet", asked]))
            _require_equal(Path(f"{output}.ours.parquet"), Path(f"{output}.peer.parquet"))
            least = {who: min(costs) for who, costs in found.items()}
            result[name] = {
                "points": given.points,
                **{f"{who} seconds": round(seconds, 2) for who, (seconds, _) in least.items()},
                **{f"{who} MiB": mebibytes for who, (_, mebibytes) in least.items()},
                "times DuckDB": round(least["ours"][0] / least["DuckDB"][0], 2),
            }
            print(name, json.dumps(result[name]), flush=True)
    report(result, given.result)
    if given.write:
        keep("table_cost", result)
    return 0


def _write_long(path: Path, points: int) -> None:
    """Write runs one after the other, step by step."""
    draw, steps = np.random.default_rng(0), max(1, points // RUNS // len(NAMES))
    schema = pa.schema([("run_id", pa.string()), ("step", pa.int64()), ("key", pa.string()), ("value", pa.float64())])
    names = pa.array(NAMES)
    with parquet.ParquetWriter(path, schema) as writer:
        for run in range(RUNS):
            number = steps * len(NAMES)
            columns = [
                pa.array([f"run-{run}"]).take(pa.array(np.zeros(number, np.int64))),
                pa.array(np.repeat(np.arange(steps), len(NAMES))),
                names.take(pa.array(np.tile(np.arange(len(NAMES)), steps))),
                pa.array(draw.normal(size=number)),
            ]
            writer.write_table(pa.Table.from_arrays(columns, schema=schema), row_group_size=BLOCK)


def _write_wide(path: Path, points: int) -> None:
    """Write a row for each step."""
    draw, rows = np.random.default_rng(0), max(1, points // len(NAMES))
    columns = {"run_id": pa.array(["a"]).take(pa.array(np.zeros(rows, np.int64))), "step": np.arange(rows)}
    parquet.write_table(pa.table({**columns, **{name: draw.normal(size=rows) for name in NAMES}}), path)


def _cost(arguments: list[str]) -> tuple[float, int]:
    """Return the seconds of the processor that a process took, and its memory in MiB."""
    process = subprocess.Popen([sys.executable, "-c", *arguments])
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss >> 10


def _require_equal(ours: Path, peer: Path) -> None:
    """Make sure that both have written as many rows under the same names."""
    one, other = (parquet.ParquetFile(path) for path in (ours, peer))
    assert one.metadata.num_rows == other.metadata.num_rows
    assert one.schema_arrow.names == other.schema_arrow.names


if __name__ == "__main__":
    raise SystemExit(main())
