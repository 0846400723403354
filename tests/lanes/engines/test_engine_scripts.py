"""The scripts, as people start them: a folder of Parquet in, a folder out, or one line and exit code 2."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from docs.commands import FENCE
from folders import ROOT
from pyarrow import parquet

VERL = "verl==0.9.1"
GUIDE = (ROOT / "docs" / "translating" / "tables.md").read_text(encoding="utf-8")
ENGINES = {"spark": ["--master", "local[2]"], "ray": []}


def _run(engine: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "RAY_USAGE_STATS_ENABLED": "0"}
    command = [sys.executable, "-m", f"rlmetrics.frames.{engine}", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=900)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two runs, a folder each, as engines write them."""
    for run in ("a", "b"):
        rows = [{"step": step, "key": "train/total_tokens(B)", "value": step / 4} for step in range(20)]
        place = tmp_path / "points" / f"run_id={run}"
        place.mkdir(parents=True)
        parquet.write_table(pa.Table.from_pylist(rows), place / "part-0.parquet")
    return tmp_path / "points"


@pytest.mark.parametrize("engine", ENGINES)
def test_a_folder_of_partitions_is_translated_and_judged(engine, folder, tmp_path) -> None:
    """Each run stays in its folder, and each has a verdict."""
    told = ["--from", VERL, "--to", "canonical", "--partition-by", "run_id", *ENGINES[engine]]
    done = _run(engine, "translate", str(folder), "-o", str(tmp_path / "new"), *told)

    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in (tmp_path / "new").glob("run_id=*")) == ["run_id=a", "run_id=b"]
    made = parquet.read_table(tmp_path / "new")
    assert made.num_rows == 40
    assert set(made["key"].to_pylist()) == {"progress/tokens_seen"}
    assert sum(made["value"].to_pylist()) == 2 * sum(step / 4 * 1e9 for step in range(20))

    told = ["--at", VERL, *ENGINES[engine]]
    done = _run(engine, "check", str(folder), "-o", str(tmp_path / "found"), *told)
    assert done.returncode == 0, done.stderr
    assert set(parquet.read_table(tmp_path / "found")["run_id"].to_pylist()) == {"a", "b"}


@pytest.mark.parametrize("engine", [*ENGINES, "delta"])
def test_bad_usage_is_one_line(engine, folder, tmp_path) -> None:
    """Before an engine starts; --help says all there is."""
    missing = _run(engine, "translate", str(tmp_path / "none"), "-o", "out", "--to", "canonical")
    assert (missing.returncode, missing.stderr.count("\n")) == (2, 1)
    taken = _run(engine, "check", str(folder), "-o", str(folder))
    assert (taken.returncode, taken.stderr.count("\n")) == (2, 1)
    assert "--partition-by" in _run(engine, "translate", "--help").stdout


@pytest.mark.parametrize("code", [match["code"] for match in FENCE.finditer(GUIDE) if match["role"] == "engines"])
def test_commands_of_the_guide_run(code: str, tmp_path: Path) -> None:
    """As printed, each with exit code 0."""
    place = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": place, "SPARK_LOCAL_IP": "127.0.0.1", "RAY_USAGE_STATS_ENABLED": "0"}
    done = subprocess.run(
        ["bash", "-ec", code], env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr[-2000:]
