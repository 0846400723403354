"""SwanLab's folder of a run: what was logged is read from its ``.swanlab`` file, and nothing else in it is a log."""

from __future__ import annotations

import json
import math

import pytest
from command_line import answered
from hypothesis import given
from hypothesis import strategies as st
from rlmetrics.health.judging import logs_of
from swanlab_files import old, packed, recent, records_of

ROWS = [
    {
        "step": step,
        "train/loss": 0.1 / step,
        "train/reward": step / 50,
        "train/kl": 0.001 * step,
        "train/grad_norm": 0.5,
    }
    for step in range(1, 601)
]
"""Enough that records lie across the blocks of the file."""
WAYS = pytest.mark.parametrize(("write", "name"), [(recent, "run-a1.swanlab"), (old, "backup.swanlab")])


def folder(tmp_path, write, name):
    """Write a run with all that SwanLab keeps beside it, and return its folder."""
    run = tmp_path / "swanlog" / "run-20261201_095120-a1"
    for below in ("files", "logs/1", "debug"):
        (run / below).mkdir(parents=True)
    (run / name).write_bytes(write(ROWS))
    (run / "files" / "config.yaml").write_text("beta:\n  desc: ''\n  sort: 0\n  value: 0.04\n")
    (run / "files" / "swanlab-metadata.json").write_text('{"hardware":{"cpu":{"logical_count":2}},"git":null}')
    (run / "logs" / "1" / "1000.log").write_text('{"index": 1, "data": 0.3, "create_time": "now"}\n' * 3)
    (run / "logs" / "1" / "_summary.json").write_text(
        '{"max": 0.3, "max_step": 1, "min": 0.3, "min_step": 1, "num": 3}'
    )
    return run


@WAYS
def test_a_run_is_read_with_its_settings(tmp_path, write, name):
    """Each step is a row, the configuration beside it is the run's, and the board's files are no runs."""
    report = json.loads(
        answered("check", folder(tmp_path, write, name).parent, "--at", "trl[grpo]==1.16.0", "--json").out
    )

    assert (report["rows"], report["steps"]) == (len(ROWS), [1, len(ROWS)])
    assert report["run"].endswith(name)
    (unit,) = logs_of(tmp_path)[0]
    (run,) = unit.open().read()
    assert [dict(row.values) for row in run.rows] == ROWS
    assert run.config["beta"] == 0.04


@WAYS
def test_a_copy_is_json_lines_that_are_read_again(tmp_path, write, name):
    """Settings stay what they were, names become the target's, and the report says what form the copy has."""
    run = folder(tmp_path, write, name)
    told = answered("translate", run, "--from", "trl[grpo]==1.16.0", "--to", "canonical", "-o", tmp_path / "copy")

    assert "the input is a run of SwanLab; the copy is plain jsonl" in told.out
    first, *rows = map(json.loads, (tmp_path / "copy" / name).read_text().splitlines())
    assert first == {"config": {"beta": 0.04}}
    assert [row["reward/score/mean"] for row in rows] == [row["train/reward"] for row in ROWS]
    assert json.loads(answered("check", tmp_path / "copy", "--json").out)["rows"] == len(ROWS)


def test_the_board_alone_is_refused_with_what_to_give(tmp_path):
    """Its curves have no names, whether the folder is given or a file in it."""
    logs = folder(tmp_path, recent, "run-a1.swanlab") / "logs"
    for path in (logs, logs / "1", logs / "1" / "1000.log", logs / "1" / "_summary.json"):
        told = answered("check", path)
        assert told.code == 2
        assert "give the folder above it, where a .swanlab file has them" in told.err


def test_numbers_that_are_none_are_read_as_such(tmp_path):
    """NaN and infinity are kept in either form; pictures and lines of the console are none."""
    values = {"step": 3, "train/loss": math.nan, "train/grad_norm": math.inf}
    for number, content in enumerate([recent([values]), old([values])]):
        path = tmp_path / f"{number}.swanlab"
        path.write_bytes(content)
        (unit,) = logs_of(path)[0]
        (run,) = unit.open().read()
        (row,) = run.rows
        assert math.isnan(float(row.values["train/loss"]))
        assert float(row.values["train/grad_norm"]) == math.inf


@pytest.mark.parametrize("records", [[], [b"\x52\x00"], [b'{"model_type": "Header", "data": {}}']])
def test_a_run_without_a_value_says_so(tmp_path, records):
    """One line, and nothing is written."""
    path = tmp_path / "run-a.swanlab"
    path.write_bytes(packed(records, 2))

    told = answered("check", path)

    assert told.code == 2
    assert "holds no value" in told.err


@given(records=st.lists(st.binary(max_size=60), max_size=4))
def test_no_record_breaks_the_reader(tmp_path_factory, records):
    """Whatever a record holds, it is a value or it is left out."""
    path = tmp_path_factory.mktemp("any") / "run.swanlab"
    path.write_bytes(packed([*records, *records_of(recent([{"step": 1, "loss": 0.5}]))], 2))

    (unit,) = logs_of(path)[0]

    (run,) = unit.open().read()
    assert any("loss" in row.values for row in run.rows)
