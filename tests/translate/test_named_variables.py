"""Validation keys of verl name a variable: what holds of ``acc`` alone is said of no other."""

from __future__ import annotations

import json

import pytest
from command_line import answered
from rlmetrics.names import NameMap, map_names
from rlmetrics.names.tables.key_records import MapRow

PLACES = ("val-aux/gsm8k/{}/std@4", "val-aux/gsm8k/{}/worst@4/mean", "val-aux/gsm8k/{}/best@2/mean")


def _row(names: NameMap, key: str) -> MapRow:
    row = names.translate(key).row
    assert row is not None
    return row


@pytest.mark.parametrize("place", PLACES)
def test_failed_sessions_weigh_on_acc_alone(place):
    """Verl counts them as wrong for ``acc``; translated keys of other variables were called biased by that."""
    names = map_names("verl==0.9.1", "verl==0.7.0")

    assert _row(names, place.format("acc")).severity == "biased"
    for variable in ("reward", "score", "format"):
        row = _row(names, place.format(variable))
        assert row.severity != "biased"
        assert not [item for item in row.differs_by if "the variable acc" in item.what]


def test_it_is_so_in_the_other_direction():
    """The target may be the one that has it."""
    names = map_names("verl==0.7.0", "verl==0.9.1")

    assert _row(names, PLACES[0].format("acc")).severity == "biased"
    assert _row(names, PLACES[0].format("reward")).severity != "biased"


def test_a_report_counts_them_so(tmp_path):
    """Of two variables one is biased."""
    path = tmp_path / "run.jsonl"
    keys = [place.format(variable) for place in PLACES for variable in ("acc", "reward")]
    rows = [{"step": step, "data": {"actor/pg_loss": 0.1, **dict.fromkeys(keys, 0.5)}} for step in range(4)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    words = ("--from", "verl==0.9.1", "--to", "verl==0.7.0", "-o", tmp_path / "copy.jsonl", "--json")

    told = json.loads(answered("translate", path, *words).out)
    severities = {key: row["severity"] for key, row in told["translated"].items()}
    severities |= {key: row["severity"] for key, row in told["kept"].items()}
    assert {key for key in keys if severities[key] == "biased"} == {key for key in keys if "/acc/" in key}


def test_a_note_on_a_variable_stands_at_that_one():
    """``reward`` may repeat ``acc``; nothing of that at ``num_turns``."""
    for variable, is_said in (("reward", True), ("num_turns", False)):
        said = answered("resolve", f"val-aux/gsm8k/{variable}/mean@4", "--at", "verl==0.9.1", "--full").out
        assert ("headline variable acc once more" in " ".join(said.split())) is is_said
