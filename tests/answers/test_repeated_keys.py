"""One key with several values: each is answered, and none is dropped in silence."""

from __future__ import annotations

import io
import json

from rlmetrics.answers.pasted import apart
from rlmetrics.cli import main

AT = ("--at", "trl[GRPOTrainer]==1.14.0")


def test_each_value_of_a_key_is_answered(capsys):
    """The answers stand one after the other, in the order of the values."""
    assert main(["resolve", "kl=1", "kl=0.1", *AT]) == 0
    told = capsys.readouterr().out
    assert told.startswith("1 is above the bound of healthy values")
    assert "\n\n0.1 is unremarkable by itself" in told


def test_programs_get_each_value(capsys):
    """JSON is one list with an object for each value."""
    assert main(["resolve", "kl=1", "kl=2", *AT, "--json"]) == 0
    assert [item["value"] for item in json.loads(capsys.readouterr().out)] == [1.0, 2.0]


def test_rows_with_the_same_keys_stay_rows(capsys):
    """What follows a repeated key belongs to its row; the same value twice is one."""
    assert apart(["kl=1", "loss=2", "kl=3", "loss=4"]) == [["kl=1", "loss=2"], ["kl=3", "loss=4"]]
    assert apart(["kl=1", "kl=1"]) == [["kl=1", "kl=1"]]
    assert main(["resolve", "{'kl': 1.0, 'entropy': 0}", "{'kl': 0.1, 'entropy': 1.5}", *AT]) == 0
    assert capsys.readouterr().out.count("\n\n") >= 1


def test_many_rows_are_refused_in_one_line(capsys, monkeypatch):
    """A log is judged by another command, which the line names; nothing is answered."""
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{{'kl': {step}.5}}\n" for step in range(6))))
    assert main(["resolve", "-", *AT]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    assert "rlmetrics check FILE" in told.err


def test_all_that_is_known_of_a_value_is_short_on_rules(capsys):
    """With --full each rule is a line or two: what it advises is told where it finds something, and of the key."""
    assert main(["resolve", "kl=0.7", *AT, "--full"]) == 0
    healthy = capsys.readouterr().out.partition("\nhealthy")[2].partition("\nlogged")[0]
    assert 5 < healthy.count("\n") < 25
    assert "kl-drastic" not in healthy
    assert "Fine while the reward rises" not in healthy
    assert main(["resolve", "kl", *AT, "--full"]) == 0
    assert "Fine while the reward rises" in " ".join(capsys.readouterr().out.split())
