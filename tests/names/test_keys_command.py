"""``rlmetrics keys``: what a release logs, and what a log holds, on one screen's width."""

import json
import sys

import pytest
from rlmetrics.cli import main
from rlmetrics.names import keys

SOURCES = ["trl[GRPOTrainer]==1.16.0", "trl[DPOTrainer]==0.12.0", "trl[PPOTrainer]==1.9.0", "verl==0.9.1", "canonical"]


@pytest.mark.parametrize("source", SOURCES)
def test_the_list_fits_the_terminal(source, capsys, monkeypatch):
    """At 80 columns no line is longer, and every key of training stands in it."""
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["keys", "--at", source]) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80
    assert all(item.key in out for item in keys(source) if item.mode == "train")


def test_a_terminal_shows_the_foremost_keys_of_each_component(capsys, monkeypatch):
    """Hundreds of keys are no answer on a screen; a pipe gets them all, and so does who asks for all."""
    monkeypatch.setenv("NO_COLOR", "1")
    main(["keys", "--at", "verl==0.9.1"])
    piped = capsys.readouterr().out
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    main(["keys", "--at", "verl==0.9.1"])
    shown = capsys.readouterr().out
    main(["keys", "--at", "verl==0.9.1", "--full"])
    full = capsys.readouterr().out

    assert len(shown.splitlines()) <= 90 < len(piped.splitlines()) < len(full.splitlines())
    assert "actor/pg_loss" in shown
    assert "--at 'verl[actor]==0.9.1'" in shown
    assert all(item.key in full for item in keys("verl==0.9.1") if item.mode == "train")
    main(["keys", "--at", "verl[actor]==0.9.1"])
    assert "more: --at" not in capsys.readouterr().out


def test_what_evaluation_repeats_is_folded(capsys):
    """A key of evaluation that says the same as one of training is a mark beside that."""
    assert main(["keys", "--at", SOURCES[0]]) == 0
    out = capsys.readouterr().out
    assert "eval_reward" not in out
    assert next(line for line in out.splitlines() if line.split()[1:2] == ["reward"]).split()[0] == "+"


def test_conditions_are_printed_in_full(capsys):
    """When a key is logged stands below it, on request."""
    main(["keys", "--at", SOURCES[0]])
    assert "beta != 0" not in capsys.readouterr().out
    main(["keys", "--at", SOURCES[0], "--full"])
    assert "if beta != 0" in capsys.readouterr().out


def test_a_trainer_may_be_named_without_its_framework(capsys):
    """Where only one framework has it; the release may follow."""
    for short, full in (("grpo", "trl[grpo]"), ("grpo==0.18.2", "trl[GRPOTrainer]==0.18.2")):
        main(["keys", "--at", full, "--json"])
        wanted = json.loads(capsys.readouterr().out)
        assert main(["keys", "--at", short, "--json"]) == 0
        assert json.loads(capsys.readouterr().out) == wanted


def test_the_keys_of_a_log_are_listed_with_what_they_measure(tmp_path, capsys):
    """Its source is inferred, and names of the user's own choice are told as such."""
    log = tmp_path / "run.jsonl"
    row = {"step": 1, "kl": 0.1, "reward": 1.0, "reward_std": 0.1, "completions/mean_length": 5.0, "mine": 1}
    log.write_text(json.dumps(row) + "\n")
    assert main(["keys", str(log), "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert found["at"].startswith("trl[GRPOTrainer]")
    assert found["keys"] == {
        "completions/mean_length": "length/response/mean",
        "kl": "kl/reference/k3",
        "mine": "group/user_metric",
        "reward": "reward/score/mean",
        "reward_std": "reward/score/std",
    }


def test_without_a_log_and_a_source_it_asks_for_one(capsys):
    """In one line."""
    assert main(["keys"]) == 2
    assert "name a log, or a release with --at" in capsys.readouterr().err
