"""A target is one program: names of a run are never taken from several trainers of a release."""

import json
from pathlib import Path

import pytest
from rlmetrics.cli import main
from rlmetrics.names import NamesError, keys, releases
from rlmetrics.translate import Translator

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures" / "runs"
PPO = FIXTURES / "trl-0.7.10-ppo1_wandb.jsonl"
GRPO = FIXTURES / "trl-0.18.2-grpo.jsonl"


def _translated(source, target, **options):
    """Every key of a source, translated."""
    translator = Translator(source, target, **options)
    moves = [translator.key(info.key) for info in keys(source)]
    return {move.output for move in moves if move.translated}


@pytest.mark.parametrize("trainer", ["GRPOTrainer", "DPOTrainer", "RLOOTrainer", "SFTTrainer"])
def test_the_trainer_of_the_source_is_taken(trainer):
    """Of a release with many trainers it is the one of the same name, exactly as if it had been named."""
    source, named = f"trl[{trainer}]==0.24.0", f"trl[{trainer}]==1.16.0"

    translator = Translator(source, "trl==1.16.0")

    assert named == translator.report.target
    assert translator.report.notes == [f"the target is {trainer} of trl==1.16.0: a run has one trainer"]
    assert _translated(source, named) == _translated(source, "trl==1.16.0")


def test_without_that_trainer_the_candidates_are_named(tmp_path, capsys):
    """TRL 1.16 has no PPO: one line, exit code 2, nothing written; with ``--program`` it goes to that trainer."""
    given = ["translate", str(PPO), "--from", "trl[PPOTrainer]==0.7.10", "--to", "trl==1.16.0", "--json"]
    out = tmp_path / "out.jsonl"

    assert main([*given, "-o", str(out)]) == 2

    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "trl==1.16.0 has several trainers, and none is PPOTrainer" in error
    named = error.partition("what it became: ")[2].partition(" and ")[0].split(", ")
    release = next(info for info in releases() if (info.framework, info.release) == ("trl", "1.16.0"))
    assert len(named) > 2
    assert set(named) <= set(release.components)
    assert {"GRPOTrainer", "RLOOTrainer"} & set(named)
    assert "--program" in error
    assert not out.exists()
    assert main([*given, "-o", str(out), "--program", "GRPOTrainer"]) == 0
    report = json.loads(capsys.readouterr().out)
    grpo = {info.key for info in keys("trl[GRPOTrainer]==1.16.0")}
    assert report["to"] == "trl[GRPOTrainer]==1.16.0"
    assert {how["to"] for how in report["translated"].values()} <= grpo


def test_a_run_goes_to_the_program_of_another_framework(tmp_path, capsys):
    """Reinforcement learning and supervised training are two programs of verl; which was chosen is said."""
    command = ["translate", str(GRPO), "--from", "trl[GRPOTrainer]==0.18.2", "--to", "verl==0.9.1", "--json"]

    assert main([*command, "-o", str(tmp_path / "out")]) == 0

    report = json.loads(capsys.readouterr().out)
    supervised = {info.key for info in keys("verl[sft]==0.9.1")}
    assert "the target is reinforcement learning of verl==0.9.1: a run has one trainer" in report["notes"]
    assert supervised.isdisjoint(how["to"] for how in report["translated"].values())
    assert _translated("trl[SFTTrainer]==0.18.2", "verl==0.9.1") <= supervised


def test_releases_of_a_framework_with_parts_keep_all_of_them():
    """Verl's actor, critic and timing are parts of one program: nothing is left out between its releases."""
    assert Translator("verl==0.5.0", "verl==0.9.1").report.notes == []
    assert _translated("verl[fsdp_sft]==0.5.0", "verl==0.9.1") <= {info.key for info in keys("verl[sft]==0.9.1")}
    assert len(_translated("verl==0.5.0", "verl==0.9.1")) > 90


@pytest.mark.parametrize("source", ["canonical", "verl==0.9.1"])
def test_a_source_that_does_not_say_which_is_refused(source):
    """Canonical names, and those of verl's reinforcement learning, fit several trainers of TRL."""
    with pytest.raises(NamesError, match="several trainers"):
        Translator(source, "trl==1.16.0").key("policy/loss" if source == "canonical" else "actor/pg_loss")

    assert Translator(source, "trl==1.16.0", program="RLOOTrainer").report.target == "trl[RLOOTrainer]==1.16.0"


def test_a_key_of_an_undecided_program_is_refused_when_it_comes():
    """All of TRL 0.7.10 is no one program: DPO's keys go to DPO, PPO's are refused."""
    translator = Translator("trl==0.7.10", "trl==1.16.0")

    assert translator.key("rewards/chosen").output == "rewards/chosen"
    with pytest.raises(NamesError, match="none is PPOTrainer"):
        translator.key("ppo/policy/clipfrac")


def test_a_program_of_the_source_can_be_named():
    """``--program`` says which one a source is, too; a name that is none is refused with those that are like it."""
    assert Translator("trl==0.7.10", "canonical", program="PPOTrainer").report.source == "trl[PPOTrainer]==0.7.10"
    with pytest.raises(NamesError, match="did you mean PPOTrainer"):
        Translator("trl==0.7.10", "canonical", program="PPOtrainer")
