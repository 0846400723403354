"""Frameworks that the spec does not describe are named, wherever a key, a row or a log of theirs is asked about."""

from __future__ import annotations

import io
import json
import random
from typing import Any

import pytest
from rlmetrics.cli import main
from rlmetrics.health import Monitor
from rlmetrics.names import Clues, find_source
from rlmetrics.names.tables.loading import load_tables
from rlmetrics.names.tables.undescribed import recognised, told_by

KEYS = {
    "NeMo-RL": ["train/gen_kl_error", "train/probs_ratio", "train/reward", "train/loss", "timing/train/generation"],
    "slime or miles": [
        "train/train_rollout_logprob_abs_diff",
        "train/pg_clipfrac",
        "rollout/raw_reward",
        "perf/step_time",
    ],
    "ROLL": ["actor/ppo_ratio_clipfrac", "actor/pg_loss", "critic/score/mean", "time/step_generate", "system/tps_gpu"],
    "RLinf": ["train/actor/policy_loss", "train/actor/ratio", "rollout/rewards", "env/success_once", "time/step"],
    "prime-rl": ["mismatch_kl/all/mean", "entropy/all/mean", "reward/mean", "optim/lr", "time/wait_for_batch"],
    "tinker cookbook": ["optim/kl_sample_train_v1", "optim/entropy", "env/all/reward/total", "progress/done_frac"],
    "Stable-Baselines3": ["rollout/ep_rew_mean", "train/approx_kl", "train/loss", "time/fps", "time/total_timesteps"],
    "CleanRL": ["charts/SPS", "charts/episodic_return", "losses/approx_kl", "losses/entropy", "losses/value_loss"],
    "RLlib": ["env_runners/episode_return_mean", "num_env_steps_sampled_lifetime", "learners/default_policy/entropy"],
}
GRPO = ("loss", "grad_norm", "learning_rate", "reward", "reward_std", "frac_reward_zero_std", "completions/mean_length")
GRPO += ("completions/clipped_ratio", "clip_ratio/region_mean", "clip_ratio/low_mean", "kl", "epoch")


def _rows(keys: Any, seed: int = 1) -> list[dict[str, float]]:
    """Return forty rows of a run in which nothing happens."""
    draw = random.Random(seed)
    return [{"step": step, **{key: 0.5 + draw.random() / 10 for key in keys}} for step in range(1, 41)]


def _written(path: Any, rows: list[dict[str, Any]]) -> str:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return str(path)


def _checked(capsys: Any, path: str) -> tuple[int, dict[str, Any]]:
    code = main(["check", path, "--json"])
    said = json.loads(capsys.readouterr().out)
    return code, said[0] if isinstance(said, list) else said


@pytest.mark.parametrize(("name", "keys"), KEYS.items())
def test_a_log_is_named_and_not_judged(tmp_path, capsys, name, keys):
    """Nothing in it is read by another framework's names; people are told what is nearest."""
    path = _written(tmp_path / "metrics.jsonl", _rows(keys))

    code, said = _checked(capsys, path)
    main(["check", path])
    human = " ".join(capsys.readouterr().out.split())

    assert (code, said["undescribed"], said["verdict"], said["at"]) == (0, name, "not_judged", None)
    assert human.startswith(f"Not judged: this looks like {name}, which is not described")
    assert f"{name} · 40 rows, steps 1 to 40" in human
    assert "is nearest to" in human


@pytest.mark.parametrize(("name", "keys"), KEYS.items())
def test_it_is_not_translated(tmp_path, capsys, name, keys):
    """The refusal says what it looks like, and nothing is written."""
    path = _written(tmp_path / "metrics.jsonl", _rows(keys))

    assert main(["translate", path, "--to", "verl==0.9.1"]) == 2
    assert f"this looks like {name}, which is not described" in capsys.readouterr().err
    assert [item.name for item in tmp_path.iterdir()] == ["metrics.jsonl"]


@pytest.mark.parametrize("spelled", ["train/gen_kl_error", "gen_kl_error", "train/gen_kl_error=0.45"])
def test_a_telling_key_names_its_framework(capsys, spelled):
    """With what it is there, and what is nearest; no source is asked for."""
    assert main(["resolve", spelled]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "NeMo-RL, which is not described" in said
    assert "nearest: kl/rollout/k3" in said
    assert "--at" not in said

    assert main(["resolve", spelled, "--json"]) == 0
    (record,) = json.loads(capsys.readouterr().out)
    assert (record["undescribed"], record["metric"], record["nearest"]) == ("NeMo-RL", None, ["kl/rollout/k3"])


@pytest.mark.parametrize("value", ["", "=0.25"])
def test_many_keys_are_answered_by_their_framework(capsys, monkeypatch, value):
    """Also those that a described framework has under the same name."""
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{key}{value}\n" for key in KEYS["NeMo-RL"])))

    assert main(["resolve", "-"]) == 0

    said = " ".join(capsys.readouterr().out.split())
    assert said.startswith("This looks like NeMo-RL, which is not described")
    assert "train/reward There it is the mean reward of all samples of the step." in said
    assert "GRPOTrainer 1.16.0" not in said


def test_one_telling_key_among_many_is_a_users_own():
    """A log of somebody's own is not named for it, nor a run of a described trainer."""
    own = Clues(("rollout/success_rate", *(f"mine/{number}" for number in range(12))))
    assert find_source(own).undescribed is None
    answer = find_source(Clues((*GRPO, "rollout/success_rate")))
    assert (answer.undescribed, answer.wrapper) == (None, None)
    assert str(answer.source).startswith("trl[GRPOTrainer]")


@pytest.mark.parametrize(
    ("source", "own"),
    [
        ("ms-swift[GRPOTrainer]", {"memory(GiB)": 60.5, "train_speed(s/it)": 3.5}),
        ("unsloth[GRPOTrainer]", {"frac_reward_zero_std_excluded": 0.25, "completion_length": 100.5}),
        ("unsloth[GRPOTrainer]", {"completion_length": 100.5, "completions/mean_length": 100.5}),
        ("axolotl[AxolotlGRPOTrainer]", {"memory/max_active (GiB)": 40.5, "tokens/total": 1000.0}),
    ],
)
def test_what_runs_a_described_trainer_is_judged_as_its_own(tmp_path, capsys, source, own):
    """By keys that tell it."""
    rows = [{**row, **own} for row in _rows(GRPO)]

    _, said = _checked(capsys, _written(tmp_path / "logging.jsonl", rows))

    assert said["at"].startswith(f"{source}==")
    assert "wrapper" not in said["source"]
    assert "undescribed" not in said


def test_the_own_log_of_llama_factory_is_one_of_its_trainers(tmp_path, capsys):
    """It has a loss of whatever stage, so that several of them are left, and none of TRL's."""
    place = {"total_steps": 400, "percentage": 1.0, "epoch": 0.5, "elapsed_time": "0:01", "remaining_time": "0:02"}
    rows = [{"current_steps": row["step"] * 10, "loss": row["loss"], "lr": 1e-6, **place} for row in _rows(["loss"])]
    for extra in ({}, {"accuracy": 0.5}):
        path = _written(tmp_path / "trainer_log.jsonl", [{**row, **extra} for row in rows])
        code, said = _checked(capsys, path)
        assert code == 0
        assert said["at"].startswith("llamafactory[")
        assert {item["source"].partition("[")[0] for item in said["source"]["candidates"]} == {"llamafactory"}
        assert said["steps"] == [10, 400]


def test_the_own_log_of_a_trainer_that_is_not_described_is_no_other_s(tmp_path, capsys):
    """Of LLaMA-Factory's trainers that of PPO alone keeps a reward there: its loss is not called another's."""
    place = {"total_steps": 400, "percentage": 1.0, "epoch": 0.5, "elapsed_time": "0:01", "remaining_time": "0:02"}
    kept = {"lr": 1e-6, "reward": 0.1, **place}
    rows = [{"current_steps": row["step"] * 10, "loss": row["loss"], **kept} for row in _rows(["loss"])]
    _, said = _checked(capsys, _written(tmp_path / "trainer_log.jsonl", rows))
    assert said["at"] is None
    assert "PPO of LLaMA-Factory" in json.dumps(said)


KTO = ("loss", "rewards/chosen", "rewards/rejected", "rewards/margins", "logps/chosen", "logps/rejected")
KTO += ("logits/chosen", "logits/rejected", "kl", "learning_rate", "grad_norm", "epoch")


def test_recorded_settings_tell_who_ran_a_trainer():
    """The keys of its KTO are TRL's, but its divergence is a sum."""
    plain = find_source(Clues(KTO))
    run = find_source(Clues(KTO, settings=frozenset({"finetuning_args.stage", "learning_rate"})))

    assert str(plain.source).startswith("trl[")
    assert str(run.source).startswith("llamafactory[CustomKTOTrainer]==")
    assert run.wrapper is None


@pytest.mark.parametrize(
    ("tags", "keys", "name"),
    [(("trl", "unsloth", "grpo"), GRPO, "unsloth"), (("llama-factory", "lora"), KTO, "llamafactory")],
)
def test_a_model_card_tells_who_ran_a_trainer(tmp_path, capsys, tags, keys, name):
    """By its tags, whether or not TRL wrote the card."""
    (tmp_path / "README.md").write_text("".join(["---\ntags:\n", *(f"- {tag}\n" for tag in tags), "---\n# A model\n"]))

    _, said = _checked(capsys, _written(tmp_path / "metrics.jsonl", _rows(keys)))

    assert said["at"].startswith(f"{name}[")


@pytest.mark.parametrize(("asked", "named"), [("rlinf==0.2", "RLinf"), ("nemo_rl==0.4", "NeMo-RL"), ("miles", "miles")])
def test_an_undescribed_framework_is_no_source(capsys, asked, named):
    """Who asks for its keys is told so."""
    assert main(["keys", "--at", asked]) == 2
    assert f"{named} is not described" in capsys.readouterr().err


def test_a_name_that_is_one_of_the_specs_own_is_not_read_as_that(tmp_path, capsys):
    """What another framework calls so is its own affair, in a file as in a running monitor."""
    rows = [
        {**row, "entropy/policy": 3.0 / row["step"] ** 2, "optimizer/gradient_norm": 10.0 ** (row["step"] // 4)}
        for row in _rows(KEYS["NeMo-RL"])
    ]

    _, said = _checked(capsys, _written(tmp_path / "metrics.jsonl", rows))
    monitor = Monitor()
    for row in rows:
        monitor.observe(None, row)

    for judged in (said, monitor.report().as_json()):
        assert (judged["findings"], judged["verdict"], judged["undescribed"]) == ([], "not_judged", "NeMo-RL")


DESCRIBED = {
    "skyrl[RayPPOTrainer]": ["policy/policy_kl", "policy/policy_entropy", "reward/avg_raw_reward", "policy/grad_norm"],
    "areal[PPOTrainer]": ["ppo_actor/update/approx_kl/avg", "ppo_actor/update/entropy/avg", "ppo_actor/update/lr"],
}


@pytest.mark.parametrize(("source", "keys"), DESCRIBED.items())
def test_a_framework_that_is_described_is_never_called_undescribed(tmp_path, capsys, source, keys):
    """Its log is taken for its own trainer's, and judged."""
    _, said = _checked(capsys, _written(tmp_path / "metrics.jsonl", _rows(keys)))

    assert said["at"].startswith(source)
    assert said["verdict"] != "not_judged"
    assert "undescribed" not in said


def test_every_key_of_the_table_tells_its_framework():
    """Alone, and no other one."""
    tables = load_tables()
    rows = {name: item["known_by"] for name, item in tables.conventions.items() if "known_by" in item}
    assert len(rows) >= 9
    for row in rows.values():
        for key in (*row.get("keys", ()), *row.get("own_log", ())):
            spelled = key.replace("{", "").replace("}", "")
            assert [found.name for found in told_by(spelled, tables)] == [row["framework"]]
    assert recognised(["loss", "reward"], tables) is None
    named = {one["metric"] for item in tables.conventions.values() for one in item["names"]}
    assert named <= set(tables.metrics)


def test_what_a_framework_writes_into_every_log_does_not_speak_against_its_trainers(tmp_path, capsys):
    """A log of ms-swift's supervised fine-tuning without evaluation is its own, not a plain Hugging Face log."""
    path = tmp_path / "logging.jsonl"
    rows = [
        {
            "loss": round(1.7 - step / 400, 4),
            "grad_norm": 0.5,
            "learning_rate": 1e-5,
            "token_acc": 0.6,
            "epoch": step / 100,
            "global_step/max_steps": f"{step}/438",
            "percentage": f"{step / 438:.2%}",
            "elapsed_time": "1m",
            "remaining_time": "2m",
            "memory(GiB)": 23.1,
            "train_speed(iter/s)": 0.02,
        }
        for step in range(5, 205, 5)
    ]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))

    main(["check", str(path), "--fail-on", "never"])
    assert "ms-swift Seq2SeqTrainer" in capsys.readouterr().out
