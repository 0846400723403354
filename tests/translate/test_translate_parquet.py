"""Parquet files and folders of them: translated part by part, and read as logs."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from command_line import answered
from pyarrow import parquet
from rlmetrics.health import check
from rlmetrics.logs.input_errors import InputError
from rlmetrics.translate import translate_file
from rlmetrics.translate.rewriting import parquet_rewriter

VERL, PPO = "verl==0.9.1", "trl[PPOTrainer]==0.7.10"
RIVALS = "env/reward_mean", "ppo/mean_scores"


def _points(path: Path, runs: int = 2, steps: int = 30, compression: Any = "snappy") -> pa.Table:
    """Write the numbers of some runs."""
    keys = ("actor/lr", "train/total_tokens(B)", "mine/own")
    found = [
        {"run_id": f"run{run}", "step": step, "key": key, "value": run + step / 4}
        for run in range(runs)
        for key in keys
        for step in range(steps)
    ]
    table = pa.Table.from_pylist(found)
    parquet.write_table(table, path, compression=compression)
    return table


def test_a_long_file_is_translated_part_by_part(tmp_path, monkeypatch) -> None:
    """Parts that are smaller than the file give what the whole gives, in the same order and compression."""
    path = tmp_path / "points.parquet"
    table = _points(path, compression="zstd")
    whole, parts = tmp_path / "whole.parquet", tmp_path / "parts.parquet"

    report = translate_file(path, source=VERL, target="canonical", output=whole)
    monkeypatch.setattr(parquet_rewriter, "_BATCH", 7)
    translate_file(path, source=VERL, target="canonical", output=parts)

    made = parquet.read_table(whole)
    assert made.equals(parquet.read_table(parts))
    assert made.schema.types == table.schema.types
    assert parquet.ParquetFile(whole).metadata.row_group(0).column(0).compression == "ZSTD"
    names = {"actor/lr": "optimizer/learning_rate", "train/total_tokens(B)": "progress/tokens_seen"}
    assert made["key"].to_pylist() == [names.get(key, key) for key in table["key"].to_pylist()]
    for before, now in zip(table.to_pylist(), made.to_pylist(), strict=True):
        scale = 1e9 if before["key"].startswith("train/") else 1
        assert now["value"] == pytest.approx(before["value"] * scale, rel=4e-16)
    assert (report.kind, report.records, report.unknown) == ("parquet", table.num_rows, ["mine/own"])


@pytest.mark.parametrize("batch", [3, 1 << 20])
def test_points_that_another_key_gives_as_well_are_written_once(tmp_path, monkeypatch, batch) -> None:
    """Wherever in the file they stand; where they differ in one, both keys are set aside."""
    monkeypatch.setattr(parquet_rewriter, "_BATCH", batch)
    path = tmp_path / "points.parquet"
    rows = [{"run": "a", "step": step, "metric": key, "value": 0.5 + step} for key in RIVALS for step in range(5)]
    parquet.write_table(pa.Table.from_pylist(rows), path)
    report = translate_file(path, source=PPO, target="canonical", output=tmp_path / "once.parquet")
    made = parquet.read_table(tmp_path / "once.parquet").to_pylist()
    assert made == [{"run": "a", "step": step, "metric": "reward/score/mean", "value": 0.5 + step} for step in range(5)]
    assert report.exit_code == 0

    rows[-1]["value"] = 9.0
    parquet.write_table(pa.Table.from_pylist(rows), path)
    report = translate_file(path, source=PPO, target="canonical", output=tmp_path / "aside.parquet")
    made = parquet.read_table(tmp_path / "aside.parquet").to_pylist()
    assert [row["metric"] for row in made] == [f"untranslated/trl-0.7.10/{key}" for key in RIVALS for _ in range(5)]
    assert report.exit_code == 1


def test_a_folder_of_partitions_keeps_its_tree(tmp_path) -> None:
    """Each file is translated; the folders that name a partition stay."""
    for run in ("a", "b"):
        (tmp_path / "runs" / f"run={run}").mkdir(parents=True)
        _points(tmp_path / "runs" / f"run={run}" / "part-0.parquet", runs=1)

    done = answered("translate", "runs", "--from", VERL, "--to", "canonical", folder=tmp_path)

    assert done.code == 0, done.err
    made = sorted(path.relative_to(tmp_path) for path in (tmp_path / "runs.translated").rglob("*.parquet"))
    assert [str(path) for path in made] == [f"runs.translated/run={run}/part-0.parquet" for run in ("a", "b")]
    for path in made:
        table = parquet.ParquetFile(tmp_path / path).read()
        assert "optimizer/learning_rate" in table["key"].to_pylist()


def test_runs_of_a_file_are_judged_one_by_one(tmp_path) -> None:
    """Each has a report of its own, with its rows and steps."""
    _points(tmp_path / "points.parquet", runs=3, steps=12)

    reports = check(tmp_path / "points.parquet", at=VERL)

    assert [report.run.rpartition(":")[2] for report in reports] == ["run0", "run1", "run2"]
    assert {(report.rows, report.steps) for report in reports} == {(12, (0, 11))}


@pytest.mark.parametrize("width", [pa.float32(), pa.float64(), pa.int64()])
def test_converted_numbers_are_those_next_to_the_decimals(tmp_path, width) -> None:
    """Each stands for its shortest decimal and is rounded once; whole numbers become floats, what is missing stays."""
    odd = [0.1, 0.3, None, 1e-7, float("inf"), float("nan"), 123.456]
    tokens = [3, 7, None, 1, 9] if pa.types.is_integer(width) else odd
    table = pa.table({"step": [*range(len(tokens))], "train/total_tokens(B)": pa.array(tokens, width)})
    parquet.write_table(table, tmp_path / "in.parquet")

    translate_file(tmp_path / "in.parquet", source=VERL, target="canonical", output=tmp_path / "out.parquet")

    made = parquet.read_table(tmp_path / "out.parquet")["progress/tokens_seen"]
    texts = [None if one is None else str(one) for one in table.column(1).cast(pa.string()).to_pylist()]
    wanted = [None if text is None else float(Decimal(text) * 10**9) for text in texts]
    kind = width if pa.types.is_floating(width) else pa.float64()
    assert made.type == kind
    assert repr(made.to_pylist()) == repr(pa.array(wanted, kind).to_pylist())


def test_a_delta_table_is_not_taken_for_a_folder_of_files(tmp_path) -> None:
    """Its files also hold rows that were deleted: one line says what translates it, and nothing is written."""
    table = tmp_path / "runs" / "table"
    (table / "_delta_log").mkdir(parents=True)
    _points(table / "part-0.parquet")

    for where in ("runs/table", "runs"):
        done = answered("translate", where, "--from", VERL, "--to", "canonical", folder=tmp_path)
        assert done.code != 0
        assert "is a Delta table" in done.err
        assert not [*tmp_path.glob("*.translated/**/*.parquet")]


@pytest.mark.parametrize("kept", [0.02, 0.5, 0.99])
def test_a_file_that_was_cut_is_refused(tmp_path, kept) -> None:
    """Its account of the columns stands at its end: in one line, and nothing is written."""
    path = tmp_path / "points.parquet"
    _points(path)
    path.write_bytes(path.read_bytes()[: max(8, int(path.stat().st_size * kept))])

    with pytest.raises(InputError, match=r"points\.parquet: is damaged: ") as caught:
        translate_file(path, source=VERL, target="canonical")

    assert "\n" not in str(caught.value)
    assert [*tmp_path.iterdir()] == [path]
