"""A log where a key or a source is asked for: one line that says what it is and what tells its source."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rlmetrics.cli import main

LOG = json.dumps({"step": 1, "loss": 0.5}) + "\n"


@pytest.mark.parametrize("words", [["rewards/margins", "run.jsonl"], ["run.jsonl"], ["kl", "--at", "run.jsonl"]])
@pytest.mark.parametrize("folder", ["", "runs/"])
def test_a_log_is_no_key_and_no_source(
    words: list[str], folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What says its source is told with the path as it was given."""
    monkeypatch.chdir(tmp_path)
    path = Path(f"{folder}run.jsonl")
    path.parent.mkdir(exist_ok=True)
    path.write_text(LOG)

    code = main(["resolve", *(word.replace("run.jsonl", str(path)) for word in words)])

    said = capsys.readouterr()
    assert (code, said.out) == (2, "")
    assert f"rlmetrics check {path}" in said.err
    assert said.err.count("\n") == 1


def test_a_key_that_is_a_file_as_well_is_a_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """MLflow keeps each curve in a file that is named like its key."""
    monkeypatch.chdir(tmp_path)
    Path("kl").write_text("1 0.1 1\n")

    assert main(["resolve", "kl", "--at", "trl[GRPOTrainer]==1.16.0", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["metric"] == "kl/reference/k3"
