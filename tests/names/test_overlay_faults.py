"""What is wrong with an overlay is one line with its place, and never an answer that leaves something out."""

from __future__ import annotations

from pathlib import Path

import pytest
from rlmetrics.cli import main

FAULTS = {
    "{metric: length/response/mean, releases: 0.20..}": "2:51: the release `0.20` is not among the releases",
    "{metric: length/response/mean, releases: 2.0.0..1.0.0}": "2:51: the release `2.0.0` is not among",
    "{metric: length/response/mean, logged_when: 'beta >'}": ": a value is missing at the end",
    "{metric: length/response/mean, facts: [{when: 'beta ==', scale: 2}]}": ": a value is missing at the end",
    "{metric: length/response/mean, groups: [fused_los]}": "no group is called `fused_los`",
}


@pytest.mark.parametrize("record", FAULTS)
def test_a_fault_of_a_record_is_one_line(record: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A release that there is not, or a guard that is none: the record was left out, or this package blamed."""
    file = tmp_path / "frameworks" / "trl" / "grpo_trainer.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(f"keys:\n  a_len: {record}\n", encoding="utf-8")

    code = main(["resolve", "a_len", "--at", "trl[grpo]", "--spec", str(tmp_path)])

    out, err = capsys.readouterr()
    assert (code, out, err.count("\n")) == (2, "", 1), out + err
    assert str(file) in err
    assert FAULTS[record] in err


def test_no_key_of_evaluation_has_its_prefix_twice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Who writes the name of a key as evaluation shows it is told how to write it; nothing is called eval_eval_."""
    file = tmp_path / "frameworks" / "trl" / "grpo_trainer.yaml"
    file.parent.mkdir(parents=True)
    file.write_text("keys:\n  eval_len: {metric: length/response/mean}\n", encoding="utf-8")

    code = main(["keys", "--at", "trl[grpo]==1.16.0", "--spec", str(tmp_path)])

    out, err = capsys.readouterr()
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert f"{file}:2" in err
    assert "in evaluation `eval_len` would be called `eval_eval_len`; spell the key without the prefix" in err

    file.write_text("keys:\n  eval_len: {metric: length/response/mean, modes: [train]}\n", encoding="utf-8")
    assert main(["keys", "--at", "trl[grpo]==1.16.0", "--spec", str(tmp_path)]) == 0
    assert "eval_eval" not in capsys.readouterr().out
