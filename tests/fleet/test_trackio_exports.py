"""What Trackio itself writes of a project for data sets and Spaces, scanned and translated: each run once."""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import answered
from folders import RUNS
from pyarrow import parquet
from rlmetrics.translate import Translator

LOG = """
import json, sys
from pathlib import Path
import trackio
from trackio.sqlite_storage import SQLiteStorage

rows = [json.loads(line) for line in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()]
for number in range(2):
    trackio.init(project="rl", name=f"try-{number}", config={"learning_rate": 1e-6})
    for place, row in enumerate(rows):
        trackio.log({key: value for key, value in row.items() if key != "step"}, step=place)
    trackio.finish()
SQLiteStorage.export_to_parquet()
SQLiteStorage.export_for_static_space("rl", Path(sys.argv[2]))
"""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with ``project``, as Trackio keeps it and backs it up, and ``static``, the files of a static Space."""
    pytest.importorskip("trackio")
    folder = tmp_path_factory.mktemp("trackio")
    environment = {**os.environ, "TRACKIO_DIR": str(folder / "project"), "HF_HOME": str(folder / "home")}
    words = [sys.executable, "-c", LOG, str(RUNS / "trl-1.16.0-grpo.jsonl"), str(folder / "static")]
    subprocess.run(words, env=environment, check=True, capture_output=True, timeout=300)
    assert (folder / "project" / "rl_configs.parquet").is_file()
    assert (folder / "static" / "aux" / "configs.parquet").is_file()
    return folder


def _judged(folder: Path) -> list[tuple[str, str, str, str]]:
    done = answered("fleet", "scan", str(folder), folder=folder)
    assert done.code == 0, done.err
    rows = [row for row in csv.DictReader(done.out.splitlines()) if row["certainty"] != "unknown"]
    return [(Path(row["run"]).name.partition(":")[0], row["kind"], row["source"], row["rows"]) for row in rows]


def test_a_project_beside_its_backup_is_read_once(written: Path) -> None:
    """From the database; the files of Parquet say the same."""
    found = _judged(written / "project")

    assert [(name, kind) for name, kind, _, _ in found] == [("rl.db", "trackio")] * 2
    assert len(list((written / "project").glob("*.parquet"))) >= 2


def test_files_of_a_space_give_the_runs_of_the_database(written: Path, tmp_path: Path) -> None:
    """A data set's snapshot and a static Space; configurations, which lie in tables beside the rows, are no runs."""
    for path in (written / "project").glob("*.parquet"):
        shutil.copy(path, tmp_path)
    own = [(source, rows) for _, _, source, rows in _judged(written / "project")]

    snapshot, static = _judged(tmp_path), _judged(written / "static")

    assert {name for name, *_ in snapshot} == {"rl.parquet"}
    assert {name for name, *_ in static} == {"metrics.parquet"}
    assert [(source, rows) for _, _, source, rows in snapshot] == own
    assert [(source, rows) for _, _, source, rows in static] == own


def test_a_table_beside_no_rows_is_a_table(written: Path, tmp_path: Path) -> None:
    """Only where the rows lie beside it is a file what Trackio keeps beside them."""
    rows = parquet.read_table(written / "project" / "rl.parquet")
    parquet.write_table(rows, tmp_path / "rl_system.parquet")

    assert {name for name, *_ in _judged(tmp_path)} == {"rl_system.parquet"}


def test_a_translated_snapshot_keeps_its_configurations(written: Path, tmp_path: Path) -> None:
    """As they are; only names of metrics change, not those of Trackio's own columns."""
    given = tmp_path / "given"
    given.mkdir()
    for path in (written / "project").glob("*.parquet"):
        shutil.copy(path, given)

    done = answered(
        "translate",
        str(given),
        "--from",
        "trl[grpo]==1.16.0",
        "--to",
        "canonical",
        "-o",
        str(tmp_path / "new"),
        folder=tmp_path,
    )

    assert done.code == 0, done.err
    assert (tmp_path / "new" / "rl_configs.parquet").read_bytes() == (given / "rl_configs.parquet").read_bytes()
    names = parquet.read_schema(tmp_path / "new" / "rl.parquet").names
    assert {"id", "run_id", "run_name", "step", "timestamp", "log_id", "space_id"} <= {*names}
    assert Translator("trl[grpo]==1.16.0", "canonical").key("reward").output in names
