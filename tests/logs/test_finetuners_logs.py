"""Logs of frameworks on top of TRL, as they lie on a disk: told by what only they write, else said to be open."""

from __future__ import annotations

import json

import pytest
from command_line import answered

_PROGRESS = {"total_steps": 16, "elapsed_time": "0:00:05", "remaining_time": "0:00:06"}
_PAIR = (
    "rewards/chosen",
    "rewards/rejected",
    "rewards/accuracies",
    "rewards/margins",
    "logps/chosen",
    "logps/rejected",
)
_DPO = {"loss": 0.69, "grad_norm": 0.8, "learning_rate": 1e-3, "logits/chosen": 0.1, "logits/rejected": 0.1}


def _own_log(folder, **values):
    """Write what LLaMA-Factory's callback makes of the rows of a trainer."""
    path = folder / "trainer_log.jsonl"
    rows = ({"current_steps": step, "epoch": step / 16, **values, **_PROGRESS} for step in range(2, 17, 2))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def _pairs(path, config=None):
    """Write the rows of a preference training, perhaps with its settings."""
    rows = [] if config is None else [{"config": config}]
    rows += [{"step": step, "epoch": step / 40, **_DPO, **dict.fromkeys(_PAIR, 0.4)} for step in range(1, 21)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def _said(path):
    """Return the source that ``keys`` takes a log for, and how it says so, as one line."""
    (document,) = json.loads(answered("keys", path, "--json").out)
    return document["at"], " ".join(answered("keys", path).out.split())


def test_an_accuracy_in_llamafactory_s_own_log_is_dpo_s(tmp_path):
    """Its log keeps that of pairs alone, and no other trainer has one: four others were named beside it."""
    source, said = _said(_own_log(tmp_path, loss=0.69, accuracy=0.5, lr=1e-3))

    assert source.startswith("llamafactory[CustomDPOTrainer]")
    assert "taken for CustomDPOTrainer" in said
    assert "(or " not in said


def test_a_log_of_llamafactory_without_one_is_not_dpo_s(tmp_path):
    """What its log keeps it keeps of every row that has it; SFT, KTO and reward models leave the same few keys."""
    source, said = _said(_own_log(tmp_path, loss=0.5, lr=1e-3))

    assert source.startswith("llamafactory[")
    assert "CustomKTOTrainer" in said
    assert "CustomDPOTrainer" not in said


def test_a_reward_in_llamafactory_s_own_log_is_its_ppo_s(tmp_path):
    """Which is not described: it was read as an SFT, its loss as that of the likelihood."""
    path = _own_log(tmp_path, loss=2.9, reward=0.1, lr=1e-5)

    assert "this looks like PPO of LLaMA-Factory, which is not described" in answered("keys", path).out
    told = answered("check", path, "--fail-on", "never").out
    assert told.startswith("Not judged: this looks like PPO of LLaMA-Factory")


@pytest.mark.parametrize("setting", ["ray_init_kwargs", "finetuning_args", "finetuning_type"])
def test_settings_of_llamafactory_tell_its_dpo_from_trl_s(tmp_path, setting):
    """TensorBoard and W&B hold the arguments, among them some that only it has."""
    source, _ = _said(_pairs(tmp_path / "run.jsonl", {setting: None, "learning_rate": 1e-3}))

    assert source.startswith("llamafactory[CustomDPOTrainer]")


def test_where_no_key_tells_all_are_named(tmp_path):
    """In the short answers, too, and with what settles it."""
    path = _pairs(tmp_path / "run.jsonl")
    said = "; LLaMA-Factory and axolotl log these keys, too; `--at 'trl[dpo]=="

    assert said in _said(path)[1]
    assert said in " ".join(answered("check", path, "--fail-on", "never").out.split())


def test_a_release_of_trl_that_llamafactory_does_not_run_on_rules_it_out(tmp_path):
    """Requirements beside a run tell what was installed under it."""
    path = _pairs(tmp_path / "run.jsonl")
    (tmp_path / "requirements.txt").write_text("trl==1.16.0\n")

    assert "LLaMA-Factory" not in _said(path)[1]


def test_ms_swift_s_arguments_tell_its_release(tmp_path):
    """``args.json`` records it; without a key of its own a training with it was TRL's."""
    path = _pairs(tmp_path / "run.jsonl")
    (tmp_path / "args.json").write_text(json.dumps({"swift_version": "4.5.3", "tuner_type": "full", "beta": 0.1}))

    source, said = _said(path)
    assert source.startswith("ms-swift[DPOTrainer]==4.5.3+")
    assert "4.6.0" not in said
    evidence = answered("check", path, "--full", "--fail-on", "never").out
    assert "args.json" in evidence
