"""A worker that is killed amidst its work: its part is done again, nothing is there twice, nothing is lost."""

# pyright: reportMissingImports=false

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet
from rlmetrics import frames
from rlmetrics.frames import ray as in_ray
from rlmetrics.frames import spark as in_spark

VERL, KEYS, RUNS, STEPS = "verl==0.9.1", ("actor/lr", "train/total_tokens(B)", "mine/own"), "abcdefgh", 300


@pytest.fixture(scope="module")
def points() -> pa.Table:
    """Numbers of eight runs."""
    return pa.Table.from_pylist(
        [
            {"run_id": run, "step": step, "key": key, "value": step / 4}
            for run in RUNS
            for key in KEYS
            for step in range(STEPS)
        ]
    )


@pytest.fixture
def armed(tmp_path: Path) -> Path:
    """A file: the process that removes it kills itself."""
    return tmp_path / "armed"


def _fatal(armed: Path) -> Callable[[Any], Any]:
    """Return what hands a part on, and kills the first worker that meets the file."""

    def hand_on(part: Any) -> Any:
        try:
            os.unlink(armed)
        except FileNotFoundError:
            return part
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError

    return hand_on


def _counted(rows: list[dict[str, Any]]) -> Counter[tuple[Any, ...]]:
    """How often each row is there."""
    return Counter(tuple(row[name] for name in sorted(row)) for row in rows)


def test_spark_does_a_part_again(spark, points, armed, tmp_path) -> None:
    """After the worker has given half of a partition away: translated and judged."""
    hand_on = _fatal(armed)

    def parts(batches: Any) -> Iterator[pa.RecordBatch]:
        for number, batch in enumerate(batches):
            yield hand_on(batch) if number else batch

    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "200")
    whole = spark.createDataFrame(points).repartition(4)
    frame = whole.mapInArrow(parts, whole.schema)

    made = in_spark.translate(frame, VERL, "canonical")
    armed.touch()
    made.write.parquet(str(tmp_path / "out"))
    assert not armed.exists()
    wanted = frames.translate(points, VERL, "canonical").to_pylist()
    assert _counted(parquet.read_table(tmp_path / "out").to_pylist()) == _counted(wanted)

    found = in_spark.check(frame, at=VERL)
    armed.touch()
    rows = [row.asDict() for row in found.collect()]
    assert not armed.exists()
    assert _counted(rows) == _counted(frames.check(points, at=VERL).to_pylist())


def test_ray_does_a_part_again(ray, points, armed, tmp_path) -> None:
    """The process in which a block was translated is gone: it is translated in another one."""
    from ray import data

    size = points.num_rows // 4
    whole = data.from_arrow([points.slice(place * size, size) for place in range(4)])
    dataset = whole.map_batches(_fatal(armed), batch_format="pyarrow")

    made = in_ray.translate(dataset, VERL, "canonical")
    armed.touch()
    made.write_parquet(str(tmp_path / "out"))
    assert not armed.exists()
    wanted = frames.translate(points, VERL, "canonical").to_pylist()
    assert _counted(parquet.read_table(tmp_path / "out").to_pylist()) == _counted(wanted)

    found = in_ray.check(dataset, at=VERL)
    armed.touch()
    rows = found.take_all()
    assert not armed.exists()
    assert _counted(rows) == _counted(frames.check(points, at=VERL).to_pylist())
