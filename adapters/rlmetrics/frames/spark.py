"""Names and health of metrics in Spark, partition by partition: ``python -m rlmetrics.frames.spark --help``.

Names are decided once, by Spark's own queries; each partition is then translated by itself. A run is judged where all
of its rows are. What is lost with a worker is computed again, as Spark does, and nothing is written twice.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import narwhals as nw
import pyarrow as pa

from rlmetrics.names.tables.tables import Overlays
from rlmetrics.translate.frame_names import frame_layout, keys_in

from .frame_health import check as check_frame
from .frame_health import run_column
from .frame_translation import decided_names
from .frame_translation import translate as translate_frame
from .partitions import Layout, NameOptions, asked_for, judging, translating

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from typing_extensions import Unpack

__all__ = ["check", "translate"]


def translate(
    frame: DataFrame,
    from_: str,
    to: str,
    *,
    layout: Layout = "auto",
    **options: Unpack[NameOptions],
) -> DataFrame:
    """Return a frame with other names, and numbers as a Parquet file that is translated would hold them.

    Arguments, errors and warnings are those of ``rlmetrics.frames.translate``. Where points of several keys are to be
    written once, Spark itself does all, and the last digit of a converted number may differ.
    """
    asked = asked_for(from_, to, options)
    wrapped: Any = nw.from_native(frame)
    names = decided_names(
        wrapped.collect_schema(),
        layout,
        asked,
        lambda: [wrapped],
        exact=True,
        keys=lambda column: keys_in(wrapped, column),
    )
    if not names.is_by_row:
        return translate_frame(frame, from_, to, layout=layout, **options)
    session = frame.sparkSession
    renamed, after = translating(names, frame.limit(0).toArrow().schema)
    return frame.mapInArrow(_each(renamed), session.createDataFrame(after.empty_table()).schema)


def _each(work: Callable[[pa.Table], pa.Table]) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return what does the work on each of the batches of a partition."""

    def batches(given: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in given:
            yield from work(pa.Table.from_batches([batch])).to_batches()

    return batches


def check(
    frame: DataFrame,
    run: str = "run_id",
    at: str = "auto",
    *,
    layout: Layout = "auto",
    config: Mapping[str, Any] | None = None,
    spec: Overlays = None,
) -> DataFrame:
    """Return what rules find in the runs of a frame, a row for each finding; each run is judged by one worker.

    Arguments, errors and columns are those of ``rlmetrics.frames.check``.
    """
    schema = nw.from_native(frame).collect_schema()
    columns = frame_layout(schema, layout, run_column(schema, run))
    empty = frame.limit(0).toArrow()
    found = check_frame(empty, run, at, layout=layout, config=config, spec=spec)
    judge = judging(run, at, layout, config, spec, columns.step)
    grouped = frame.groupBy(*([f"`{columns.run}`"] if columns.run else []))
    return grouped.applyInArrow(judge, frame.sparkSession.createDataFrame(found.schema.empty_table()).schema)


def main() -> int:
    """Translate or judge a folder of Parquet, as the command line says; return the exit code."""
    from pyspark.sql import SparkSession

    from .engine_script import run_script

    def session(master: str | None) -> SparkSession:
        if (master or "local").startswith("local"):
            os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # workers are to find what this process found
        builder: Any = SparkSession.builder
        return (builder.master(master) if master else builder).appName("rlmetrics").getOrCreate()

    def read(path: str, master: str | None) -> DataFrame:
        return session(master).read.parquet(path)

    def write(frame: DataFrame, path: str, by: list[str]) -> None:
        writer = frame.write.mode("errorifexists")
        (writer.partitionBy(*by) if by else writer).parquet(path)

    return run_script("spark", read, write, translate, check, "Spark's master, such as local[4] or spark://host:7077")


if __name__ == "__main__":
    raise SystemExit(main())
