"""Delta tables: translated and judged as they are now, with their partitions."""

# pyright: reportMissingImports=false

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake
from rlmetrics.frames import delta

VERL = "verl==0.9.1"


def _points(run: str, steps: int = 20) -> pa.Table:
    keys = ("actor/lr", "train/total_tokens(B)", "mine/own")
    return pa.Table.from_pylist(
        [{"run_id": run, "step": step, "key": key, "value": step / 4} for key in keys for step in range(steps)]
    )


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table of two runs, in a folder each, of which a third one was deleted."""
    place = tmp_path / "points"
    for run in ("a", "gone", "b"):
        write_deltalake(place, _points(run), partition_by=["run_id"], mode="append")
    DeltaTable(place).delete("run_id = 'gone'")
    return place


def test_the_newest_version_is_translated_with_its_partitions(table: Path, tmp_path: Path) -> None:
    """Rows that were deleted do not come back; names and units are those of the target."""
    command = [sys.executable, "-m", "rlmetrics.frames.delta", "translate", str(table), "-o", str(tmp_path / "new")]
    done = subprocess.run([*command, "--from", VERL, "--to", "canonical"], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    made = DeltaTable(tmp_path / "new")
    assert made.metadata().partition_columns == ["run_id"]
    rows = made.to_pyarrow_dataset().to_table().to_pylist()
    assert {row["run_id"] for row in rows} == {"a", "b"}
    assert len(rows) == 2 * 60
    tokens = sorted(row["value"] for row in rows if row["key"] == "progress/tokens_seen" and row["run_id"] == "a")
    assert tokens == [step / 4 * 1e9 for step in range(20)]
    again = subprocess.run([*command, "--from", VERL, "--to", "canonical"], capture_output=True, text=True, check=False)
    assert (again.returncode, again.stderr.count("\n")) == (2, 1)


def test_runs_are_judged(table: Path) -> None:
    """Each by itself, and the one that was deleted not at all."""
    found = delta.check(DeltaTable(table), at=VERL)

    assert set(found["run_id"].to_pylist()) == {"a", "b"}
