"""Runs whose source the names leave open: what all candidates make the same of is carried."""

from __future__ import annotations

import json

import pytest
from folders import RUNS
from rlmetrics.cli import main

_CAPTURED = json.loads((RUNS.parent / "captured_runs.json").read_text(encoding="utf-8"))
_OF_EACH = {(run["component"], run["release"]): run for run in _CAPTURED if run["release"]}


@pytest.mark.parametrize("run", _OF_EACH.values(), ids=["-".join(map(str, place)) for place in _OF_EACH])
def test_no_captured_run_is_translated_otherwise_than_by_its_release(run, tmp_path, capsys):
    """One of each trainer and release that was run: what its names become is what its source says, or set aside."""
    log = tmp_path / "run.jsonl"
    # A count of operations that is not 0 rules out the trainers whose batches hide their tokens from it.
    row = {key: 0.0 if key.endswith("total_flos") else 0.5 for key in run["keys"]}
    log.write_text(json.dumps(row) + "\n", encoding="utf-8")
    component = f"[{run['component']}]" if run["component"] else ""
    truth = f"{run['framework']}{component}=={run['release']}"
    command = ["translate", str(log), "--to", "canonical", "-o"]
    code = main([*command, str(tmp_path / "found"), "--json"])
    if code == 2:
        assert "agree on none" in capsys.readouterr().err
        return
    found = json.loads(capsys.readouterr().out)
    main([*command, str(tmp_path / "true"), "--from", truth, "--json"])
    true = json.loads(capsys.readouterr().out)
    assert code == int(bool(found["undecided"] or found["collisions"]))
    assert {old: how["to"] for old, how in found["translated"].items()} == {
        old: how["to"] for old, how in true["translated"].items() if old not in found["undecided"]
    }
