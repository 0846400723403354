"""Rows and summaries that people dump as YAML are read as runs; settings are not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from command_line import answered

ROWS = [
    json.loads(line)["data"]
    for line in (Path(__file__).parents[1] / "fixtures/runs/verl-0.9.1-tracking.jsonl").read_text().splitlines()
]
SHAPES = {
    "a list": ROWS,
    "steps": {at: {key: value for key, value in row.items() if "step" not in key} for at, row in enumerate(ROWS, 1)},
    "named steps": {f"step_{at}": row for at, row in enumerate(ROWS, start=1)},
    "below a key": {"run": "a", "config": {"lr": 1.0, "beta": 2.0}, "log_history": ROWS},
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("flow", [False, True, None])
def test_each_mapping_is_a_row(tmp_path, shape, flow):
    """In a list, below its step, or below another key; in blocks and in braces."""
    path = tmp_path / "rows.yaml"
    path.write_text(yaml.safe_dump(SHAPES[shape], default_flow_style=flow))

    found = json.loads(answered("check", path, "--json").out)

    assert (found["rows"], found["steps"]) == (len(ROWS), [1, len(ROWS)])
    assert found["source"]["answer"].startswith("verl==")


def test_a_summary_is_a_run_of_one_row(tmp_path):
    """One mapping that says at which step it was taken."""
    (tmp_path / "summary.yml").write_text(yaml.safe_dump(ROWS[-1]))

    assert "1 row, steps 5 to 5" in answered("check", tmp_path / "summary.yml").out


@pytest.mark.parametrize("flow", [False, True])
@pytest.mark.parametrize("both", [False, True])
def test_a_copy_has_other_keys_and_the_same_numbers(tmp_path, flow, both):
    """The rest of the file stays, and with --both the old names are there, too."""
    path, out = tmp_path / "rows.yaml", tmp_path / "out.yaml"
    path.write_text("# of mine\n" + yaml.safe_dump(SHAPES["below a key"], default_flow_style=flow))
    words = ["translate", path, "--from", "verl==0.9.1", "--to", "canonical", "-o", out, *(["--both"] if both else [])]

    assert answered(*words).code == 0
    new = yaml.safe_load(out.read_text())

    assert out.read_text().startswith("# of mine\n")
    assert new["config"] == SHAPES["below a key"]["config"]
    for old, row in zip(ROWS, new["log_history"], strict=True):
        assert row["policy/clip_fraction"] == old["actor/pg_clipfrac"]
        assert ("actor/pg_clipfrac" in row) == both


def test_what_is_unknown_can_be_left_out(tmp_path):
    """A key of one's own goes with its value, first, last or between others, and the rest is YAML as before."""
    path, out = tmp_path / "rows.yaml", tmp_path / "out.yaml"
    path.write_text("- {mine: 1.0, actor/lr: 0.5, other: 2.0, actor/grad_norm: 1.5, last: x}\n" * 2)
    answered("translate", path, "--from", "verl==0.9.1", "--to", "canonical", "-o", out, "--unknown", "drop")

    assert yaml.safe_load(out.read_text()) == [{"optimizer/learning_rate": 0.5, "optimizer/gradient_norm": 1.5}] * 2


@pytest.mark.parametrize(
    "settings",
    [
        {"learning_rate": 1.0, "beta": 0.5, "num_generations": 8},
        {"rewards": [{"name": "a", "weight": 1.0, "scale": 2.0}], "lr": 1.0},
        {"loss": {"a": 1.0, "b": 2.0}},
    ],
)
def test_settings_are_no_run(tmp_path, settings):
    """Numbers alone make no row of a log."""
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(settings))

    told = answered("check", tmp_path / "config.yaml")

    assert (told.code, told.out) == (2, "")
    assert "no log of a known kind" in told.err


def test_broken_yaml_is_told_where(tmp_path):
    """With the line and the column, and nothing is written."""
    (tmp_path / "rows.yaml").write_text("- {step: 1, reward: 0.1}\n- {step: 2, reward: 0.2\n")

    told = answered("translate", tmp_path / "rows.yaml", "--kind", "yaml-rows", "--to", "canonical")

    assert told.code == 2
    assert f"{tmp_path / 'rows.yaml'}:2:3: not YAML" in told.err
    assert not (tmp_path / "rows.yaml.translated").exists()


def test_a_key_that_stands_twice_is_refused(tmp_path):
    """Which of two numbers counts is not for a reader to choose."""
    (tmp_path / "rows.yaml").write_text("- step: 1\n  reward: 0.1\n  reward: 0.2\n")

    told = answered("check", tmp_path / "rows.yaml")

    assert told.code == 2
    assert "the key reward stands twice" in told.err
