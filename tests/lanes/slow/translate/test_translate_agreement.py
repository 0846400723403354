"""Runs whose source the names leave open: translated only where it makes no difference to what is written."""

from __future__ import annotations

import json

import pytest
from folders import RUNS
from rlmetrics.cli import main

_CAPTURED = json.loads((RUNS.parent / "captured_runs.json").read_text(encoding="utf-8"))
_OF_EACH = {(run["component"], run["release"]): run for run in _CAPTURED if run["release"]}


@pytest.mark.parametrize("run", _OF_EACH.values(), ids=["-".join(map(str, place)) for place in _OF_EACH])
def test_no_captured_run_is_translated_otherwise_than_by_its_release(run, tmp_path, capsys):
    """One of each trainer and release that was run: what its names become is what the true source says, or refused."""
    log = tmp_path / "run.jsonl"
    log.write_text(json.dumps(dict.fromkeys(run["keys"], 0.5)) + "\n", encoding="utf-8")
    component = f"[{run['component']}]" if run["component"] else ""
    truth = f"{run['framework']}{component}=={run['release']}"
    command = ["translate", str(log), "--to", "canonical", "-o"]
    code = main([*command, str(tmp_path / "found")])
    if code == 2:
        assert "ambiguous: " in capsys.readouterr().err
        return
    assert code == main([*command, str(tmp_path / "true"), "--from", truth])
    assert (tmp_path / "true").read_bytes() == (tmp_path / "found").read_bytes()
