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
