"""What Neptune leaves on a disk: operations that its client kept are a run, tables of single series are none."""

from __future__ import annotations

import json

import pytest
from command_line import answered
from rlmetrics.health.judging import logs_of

ROWS = [{"step": step, "train/loss": 0.1 / step, "train/rewards/acc/mean": step / 50} for step in range(1, 31)]


def operations():
    """Yield what the client writes, an operation at a time."""
    yield {"type": "AssignString", "path": ["sys", "name"], "value": "Untitled"}
    yield {"type": "AssignFloat", "path": ["parameters", "beta"], "value": 0.04}
    yield {"type": "UploadFileSet", "path": ["source_code", "files"], "file_globs": ["train.py"], "reset": "False"}
    for row in ROWS:
        yield {"type": "LogFloats", "path": ["monitoring", "cpu"], "values": [{"value": 5.0, "step": None, "ts": 1.0}]}
        for key, value in row.items():
            if key != "step":
                values = [{"value": value, "step": row["step"], "ts": 1.5}]
                yield {"type": "LogFloats", "path": key.split("/"), "values": values}
        yield {"type": "LogStrings", "path": ["stdout"], "values": [{"value": "a line", "step": None, "ts": 1.0}]}


@pytest.fixture
def run(tmp_path):
    """The file of a run, where the client puts it."""
    path = tmp_path / ".neptune" / "offline" / "run__1" / "data-1.log"
    path.parent.mkdir(parents=True)
    lines = (json.dumps({"obj": one, "version": number, "at": 1.5}) for number, one in enumerate(operations()))
    path.write_text("".join(f"{line}\n" for line in lines) + '{"obj": {"type": "LogFl')
    (path.parent / "metadata.json").write_text('{"mode": "offline", "containerType": "run"}')
    return path


def test_operations_are_one_run_with_its_settings(run, tmp_path):
    """Each step is a row; what the client notes of the machine is no part of it, nor what was cut off."""
    (unit,) = logs_of(tmp_path / ".neptune")[0]
    (recorded,) = unit.open().read()

    assert [dict(row.values) for row in recorded.rows] == ROWS
    assert recorded.config["beta"] == 0.04


def cut(run, *places):
    """Cut the file of a run into several at operations, as the client does before one grows too large."""
    whole = run.read_text().splitlines(keepends=True)
    for first, last in zip((0, *places), (*places, len(whole)), strict=True):
        (run.parent / f"data-{first + 1}.log").write_text("".join(whole[first:last]))


def test_a_run_cut_into_files_is_one(run, tmp_path):
    """Wherever in a row it was cut, each part was a run of its own, and a row in two a run whose numbers broke."""
    cut(run, 20, 108)

    (unit,) = logs_of(tmp_path / ".neptune")[0]
    (recorded,) = unit.open().read()
    assert [dict(row.values) for row in recorded.rows] == ROWS
    for place in (tmp_path / ".neptune", run, run.with_name("data-109.log")):
        told = answered("check", place, "--fail-on", "never").out
        assert f"{len(ROWS)} rows" in told
        assert "broke" not in told


def test_what_was_sent_may_be_gone(run, tmp_path):
    """The client deletes files that it sent, the first before the others; what is left names the run."""
    cut(run, 8, 20, 108)
    run.unlink()
    run.with_name("data-9.log").unlink()

    (unit,) = logs_of(tmp_path / ".neptune")[0]
    (recorded,) = unit.open().read()
    steps = [row.values["step"] for row in recorded.rows]
    assert unit.path.name == "data-21.log"
    assert steps == list(range(steps[0], len(ROWS) + 1))


def test_runs_lie_in_folders_of_their_own(run, tmp_path):
    """Two runs of one process stay two."""
    other = run.parent.with_name("run__2") / "data-1.log"
    other.parent.mkdir()
    other.write_text(run.read_text())
    cut(run, 108)

    assert len(logs_of(tmp_path / ".neptune")[0]) == 2


def test_a_run_that_goes_on_in_another_file_is_followed(run, tmp_path):
    """What a later file brings is read on."""
    whole = run.read_text().splitlines(keepends=True)
    run.write_text("".join(whole[:108]))
    follower = logs_of(run)[0][0].follow()
    before = [dict(row.values) for row in follower.new()]
    (run.parent / "data-109.log").write_text("".join(whole[108:]))
    after = [dict(row.values) for row in follower.new(final=True)]

    assert len(before) < len(ROWS) <= len(before) + len(after)
    assert after[-1] == ROWS[-1]


def test_a_copy_has_the_names_of_the_target(run, tmp_path):
    """As JSON lines, and the report says so."""
    words = ("--from", "trl[grpo]==1.16.0", "--to", "canonical", "-o", tmp_path / "copy.jsonl")
    told = answered("translate", run, *words)

    assert "the copy is plain jsonl" in told.out
    settings, *rows = map(json.loads, (tmp_path / "copy.jsonl").read_text().splitlines())
    assert settings == {"config": {"beta": 0.04}}
    assert [row["reward/function/mean/acc"] for row in rows] == [row["train/rewards/acc/mean"] for row in ROWS]


@pytest.mark.parametrize("header", ["step,value", "step,value,timestamp", ",step,value,timestamp", '"step";"value"'])
def test_series_without_a_name_are_refused_with_what_to_do(tmp_path, header):
    """Each table of a folder was a run of ``value``."""
    for name in ("loss", "reward", "rewards/acc/mean"):
        path = tmp_path / "series" / f"{name}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{header}\n" + "1,0.5,now\n" * 3)

    for place in (tmp_path / "series", path):
        told = answered("check", place)
        assert told.code == 2
        assert "write all series of a run to one table" in told.err
        assert len(told.err.splitlines()) == 1


@pytest.mark.parametrize("header", ["step,value,loss", "step,key,value", "value,loss", "step,values"])
def test_a_table_that_names_more_is_read(tmp_path, header):
    """One with a column of names, or with a key beside, is a run."""
    path = tmp_path / "run.csv"
    path.write_text(f"{header}\n" + ",".join("1" if name != "key" else "loss" for name in header.split(",")) + "\n")

    assert answered("keys", path).code == 0
