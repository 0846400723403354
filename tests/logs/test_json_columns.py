"""An object with a list of numbers for each key is read as a run, and no longer as one row."""

from __future__ import annotations

import json

from rlmetrics.cli import main

COLUMNS = {
    "step": [10, 20, 30],
    "reward": [0.1, 0.2, None],
    "reward_std": [0.3, 0.31, 0.29],
    "kl": [0.001, float("nan"), 0.003],
    "completions/mean_length": [100.0, 101.5, 102.25],
}


def test_each_place_of_the_lists_is_a_row(tmp_path, capsys):
    """At the step that a list states, laid out on one line or on many."""
    for indent in (None, 2):
        path = tmp_path / "history.json"
        path.write_text(json.dumps(COLUMNS, indent=indent))

        main(["check", str(path), "--fail-on", "never"])
        assert "3 rows, steps 10 to 30" in capsys.readouterr().out


def test_a_copy_has_other_keys_and_the_same_numbers(tmp_path):
    """Each as it was spelled, and null where there is none."""
    path, out = tmp_path / "history.json", tmp_path / "out.json"
    path.write_text(json.dumps(COLUMNS))

    assert main(["translate", str(path), "--from", "trl[grpo]==1.16.0", "--to", "canonical", "-o", str(out)]) == 0
    new = json.loads(out.read_text())

    assert new["reward/score/mean"] == [0.1, 0.2, None]
    assert new["length/response/mean"] == [100.0, 101.5, 102.25]
    assert "NaN" in out.read_text()


def test_lists_of_other_things_are_no_run(tmp_path, capsys):
    """Settings with lists of several lengths, or of words, are no columns."""
    for content in ({"a": [1, 2], "b": [1, 2, 3]}, {"a": [1, 2], "b": ["x", "y"]}, {"a": [1], "b": [2]}):
        path = tmp_path / "settings.json"
        path.write_text(json.dumps(content))
        main(["check", str(path), "--fail-on", "never"])
        assert "2 rows" not in capsys.readouterr().out
