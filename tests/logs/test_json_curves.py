"""An object with a curve for each key, with steps of its own, is read as a run, in each form that people gather it."""

from __future__ import annotations

import json

import pytest
from rlmetrics.cli import main
from rlmetrics.logs.kinds import kind_of

CURVES = {
    "reward": {10: 0.1, 20: 0.2, 30: 0.3},
    "reward_std": {10: 0.3, 20: 0.31, 30: 0.29},
    "kl": {10: 0.001, 30: 0.003},
    "completions/mean_length": {10: 100.0, 20: 101.5, 30: 102.25},
}
FORMS = {
    "points": lambda curve: [{"step": step, "value": value} for step, value in curve.items()],
    "timed points": lambda curve: [{"wall_time": 1.5, "step": step, "value": value} for step, value in curve.items()],
    "pairs": lambda curve: [[step, value] for step, value in curve.items()],
    "two lists": lambda curve: {"steps": [*curve], "values": [*curve.values()]},
    "values by step": lambda curve: {str(step): value for step, value in curve.items()},
}


def _written(path, form, below=None):
    curves = {key: FORMS[form](curve) for key, curve in CURVES.items()}
    path.write_text(json.dumps({"run": "x", "seed": 3, below: curves} if below else curves))
    return path


def _rows(path):
    kind = kind_of(path)
    assert kind is not None
    (run,) = kind.open(path).read()
    return {row.step: row.values for row in run.rows}


@pytest.mark.parametrize("below", [None, "history"])
@pytest.mark.parametrize("form", FORMS)
def test_each_form_is_one_run_with_the_rows_of_its_steps(tmp_path, form, below):
    """Values of one step stand together, and a key without one at a step is not there."""
    rows = _rows(_written(tmp_path / "curves.json", form, below))

    assert rows[10] == {key: curve[10] for key, curve in CURVES.items()}
    assert set(rows) == {10, 20, 30}
    assert "kl" not in rows[20]


def test_curves_in_several_members_are_no_single_run(tmp_path):
    """Whether members are parts of names or runs is not said, and reading the first alone would lose the others."""
    path = tmp_path / "parts.json"
    curves = {key: FORMS["pairs"](curve) for key, curve in CURVES.items()}
    path.write_text(json.dumps({"first": curves, "second": curves}))

    kind = kind_of(path)
    assert kind is None or kind.name != "json-curves"


def test_a_table_that_pandas_wrote_has_the_steps_of_its_column(tmp_path, capsys):
    """The numbers that stand before its values are those of rows, not steps."""
    columns = {"step": [10, 20, 30], **{key: [1.0, 2.0, 3.0] for key in CURVES}}
    table = {key: {str(row): value for row, value in enumerate(values)} for key, values in columns.items()}
    path = tmp_path / "table.json"
    path.write_text(json.dumps(table))

    main(["check", str(path), "--fail-on", "never"])
    assert "3 rows, steps 10 to 30" in capsys.readouterr().out


def test_a_copy_has_other_keys_and_keeps_all_else(tmp_path):
    """Steps, times and what stands beside the curves are as they were."""
    path, out = _written(tmp_path / "curves.json", "timed points", "history"), tmp_path / "out.json"

    assert main(["translate", str(path), "--from", "trl[grpo]==1.16.0", "--to", "canonical", "-o", str(out)]) == 0
    new = json.loads(out.read_text())

    assert (new["run"], new["seed"]) == ("x", 3)
    assert new["history"]["kl/reference/k3"] == [
        {"step": 10, "value": 0.001, "wall_time": 1.5},
        {"step": 30, "value": 0.003, "wall_time": 1.5},
    ]


def test_other_objects_are_no_curves(tmp_path):
    """Words for values, negative steps, or points with more than a step and a value make something else of a file."""
    for content in (
        {"a": [{"step": 1, "value": "x"}, {"step": 2, "value": "y"}]},
        {"a": [[-1, 0.1], [-2, 0.2]]},
        {"a": [{"step": 1, "value": 0.1, "loss": 2.0}, {"step": 2, "value": 0.2, "loss": 2.0}]},
        {"a": [{"step": 1, "value": 0.1}, {"step": 2, "value": 0.2}], "b": 3},
    ):
        path = tmp_path / "other.json"
        path.write_text(json.dumps(content))
        kind = kind_of(path)
        assert kind is None or kind.name != "json-curves"
