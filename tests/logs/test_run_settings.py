"""The configuration that a run carries, read from every kind of log that records one."""

import json
import pprint
import shutil
import sqlite3
from pathlib import Path

import pytest
import yaml
from rlmetrics.logs.kinds import KINDS
from rlmetrics.logs.run_settings import setting
from rlmetrics.names import open_view
from rlmetrics.names.meanings.recorded_settings import around_of, keys_of, merged, understood
from rlmetrics.names.meanings.view import FrameworkView
from rlmetrics.names.settings.configuration import UNKNOWN

RUNS = Path(__file__).parents[1] / "fixtures" / "runs"
GRPO = "trl[GRPOTrainer]==0.18.2"
VERL = {
    "actor_rollout_ref": {"actor": {"loss_agg_mode": "token-mean", "entropy_coeff": 0.0, "use_kl_loss": True}},
    "algorithm": {"adv_estimator": "grpo", "use_kl_in_reward": False},
    "data": {"max_response_length": 1024, "train_files": ["a.parquet", "b.parquet"]},
    "trainer": {"balance_batch": True, "test_freq": 5, "logger": ["console"]},
}


def test_wandbs_configuration_is_read():
    """Arguments and the model's configuration as W&B keeps them, lists of single values, too."""
    found = KINDS["wandb"].open(RUNS / "wandb" / "0.31.0-trl-0.18.2-grpo").configuration[None]

    assert found.where == "W&B"
    assert {"beta": 0.04, "loss_type": "bnpo", "max_completion_length": 12}.items() <= found.values.items()
    assert isinstance(found.values["report_to"], list)


def test_tensorboards_arguments_are_read():
    """The text that transformers' callback writes."""
    found = KINDS["tensorboard"].open(RUNS / "tensorboard" / "trl-1.16.0-grpo").configuration[None]

    assert found.where == "TensorBoard's arguments"
    assert {"loss_type", "beta", "num_iterations"} <= found.values.keys()


def test_tensorboards_hyperparameters_are_read():
    """What Accelerate wrote to a folder of its own below the run's: whole numbers are whole, and the order is one."""
    found = KINDS["tensorboard"].open(RUNS / "tensorboard" / "trl-0.7.10-ppo").configuration[None]

    assert found.where == "TensorBoard's hyperparameters"
    assert {"ppo_epochs": 2, "cliprange": 0.2, "kl_penalty": "kl", "adap_kl_ctrl": True}.items() <= found.values.items()
    assert isinstance(found.values["ppo_epochs"], int)
    names = [*found.values]
    assert names == sorted(names)


def test_trackios_configuration_is_read_for_each_run(tmp_path):
    """One for each run of a project; one that is no JSON is told and left out."""
    path = tmp_path / "rlhf.db"
    shutil.copy(RUNS / "trackio" / "rlhf.db", path)

    assert KINDS["trackio"].open(path).configuration["verl-gsm8k"].values["lr"] == 1e-6
    with sqlite3.connect(path) as database:
        database.execute("UPDATE configs SET config = '{'")
    (problem,) = KINDS["trackio"].open(path).configuration["verl-gsm8k"].problems
    assert problem.startswith("the configuration of run verl-gsm8k is no JSON: ")


def test_mlflows_parameters_are_read(tmp_path):
    """Texts become what they were, and slashes between sections are dots to a source."""
    run = tmp_path / "run"
    shutil.copytree(next((RUNS / "mlruns").glob("*/*/metrics")).parent, run)
    place = run / "params" / "actor_rollout_ref" / "actor"
    place.mkdir(parents=True)
    (place / "use_kl_loss").write_text("True")
    (place / "entropy_coeff").write_text("0.001")

    found = KINDS["mlflow"].open(run).configuration[None]

    known = understood(found.values, keys_of(open_view("verl==0.9.1"))).values
    assert known == {"actor_rollout_ref.actor.use_kl_loss": True, "actor_rollout_ref.actor.entropy_coeff": 0.001}


@pytest.mark.parametrize("prefix", ["", "(TaskRunner pid=4711) ", "\x1b[36m(TaskRunner pid=4711)\x1b[0m "])
def test_verls_printed_configuration_is_read(tmp_path, prefix):
    """As ``pprint`` writes it over many lines before the first step, among lines of other workers."""
    path = tmp_path / "train.log"
    printed = [f"{prefix}{line}" for line in pprint.pformat(VERL).splitlines()]
    printed.insert(2, "(WorkerDict pid=9) loading {'x': [")
    path.write_text("\n".join(["starting", *printed, f"{prefix}step:1 - actor/pg_loss:0.1", "step:2 - x:{'a"]) + "\n")
    if not prefix:
        path.write_text(path.read_text().replace("(WorkerDict pid=9) loading {'x': [\n", ""))

    found = KINDS["verl-console"].open(path).configuration[None]

    assert found.where == "the log"
    known = understood(found.values, keys_of(open_view("verl==0.9.1"))).values
    assert (
        known["actor_rollout_ref.actor.loss_agg_mode"],
        known["actor_rollout_ref.actor.use_kl_loss"],
        known["trainer.test_freq"],
    ) == ("token-mean", True, 5)
    assert found.values["data.train_files"] == ["a.parquet", "b.parquet"]


def test_a_torn_configuration_in_a_log_is_told(tmp_path):
    """It is never guessed: a line says where it begins."""
    path = tmp_path / "train.log"
    printed = pprint.pformat(VERL).splitlines()
    path.write_text("\n".join([*printed[:3], "step:1 - actor/pg_loss:0.1"]) + "\n")

    found = KINDS["verl-console"].open(path).configuration[None]

    assert found.values == {}
    assert found.problems == ("line 1: the configuration in the log is cut off or mixed with other lines; left out",)


@pytest.mark.parametrize("name", ["training_args.json", "args.yaml", "trainer_args.yml"])
def test_arguments_beside_a_state_are_read(tmp_path, name):
    """JSON or YAML in the folder of the run, for the state of a checkpoint, too."""
    settings = {"beta": 0.04, "loss_type": "bnpo", "use_vllm": False, "max_steps": None, "reward_weights": [1.0, 2.0]}
    checkpoint = tmp_path / "checkpoint-4"
    checkpoint.mkdir()
    shutil.copy(RUNS / "trl-0.18.2-grpo.trainer_state.json", checkpoint / "trainer_state.json")
    (tmp_path / name).write_text(json.dumps(settings) if name.endswith("json") else yaml.safe_dump(settings))

    found = KINDS["trainer-state"].open(checkpoint / "trainer_state.json").configuration[None]

    assert name == found.where
    assert {"beta": 0.04, "loss_type": "bnpo", "use_vllm": False, "max_steps": None}.items() <= found.values.items()
    assert found.values["reward_weights"] == [1.0, 2.0]


def test_what_has_to_be_unpickled_is_not_read(tmp_path):
    """``training_args.bin`` alone says nothing about values."""
    shutil.copy(RUNS / "trl-0.18.2-grpo.trainer_state.json", tmp_path / "trainer_state.json")
    (tmp_path / "training_args.bin").write_bytes(b"\x80\x04}\x94\x8c\x04beta\x94G?\xb9\x99\x99\x99\x99\x99\x9as.")

    assert KINDS["trainer-state"].open(tmp_path / "trainer_state.json").configuration[None].values == {}


def test_a_value_that_no_setting_has_is_unknown():
    """Neither the value nor the default answers for it; what is given wins."""
    keys = keys_of(open_view(GRPO))

    known = understood({"beta": "a lot", "loss_type": "bnpo", "num_iterations": UNKNOWN, "vocab_size": 7}, keys)

    assert known.values == {"beta": UNKNOWN, "loss_type": "bnpo", "num_iterations": UNKNOWN}
    assert known.unknown == ("beta", "num_iterations")
    view = open_view(GRPO, config=known.values)
    assert isinstance(view, FrameworkView)
    assert view.components["GRPOTrainer"].config.holds("beta != 0") is None
    assert merged({"beta": 0.04}, {"beta": 0.5}, GRPO).values["beta"] == 0.5


@pytest.mark.parametrize(
    ("recorded", "meant"), [(["ipo"], "ipo"), (["sigmoid", "sft"], "several"), ([], UNKNOWN), (["new"], UNKNOWN)]
)
def test_a_list_says_what_a_setting_of_one_value_is(recorded, meant):
    """TRL holds the name of a single loss in a list: its only element counts, and several are ``several``."""
    keys = keys_of(open_view("trl[DPOTrainer]==1.16.0"))

    assert understood({"loss_type": recorded}, keys).values == {"loss_type": meant}


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("['ipo']", ["ipo"]),
        ("[1.0, 2.0]", [1.0, 2.0]),
        ("[[1]]", UNKNOWN),
        ("[a", UNKNOWN),
        ("{'a': 1}", UNKNOWN),
        ("", ""),
    ],
)
def test_lists_that_were_kept_as_text_are_read(text, read):
    """MLflow keeps settings as texts, a list as Python writes it."""
    assert read == setting(text)


def test_a_whole_configuration_may_stand_under_a_name():
    """The old PPOTrainer records its own under one; a short name that a run uses for something else is no setting."""
    view = open_view("trl[PPOTrainer]==0.7.10")
    recorded = {"trl_ppo_trainer_config.ppo_epochs": 2, "other.vf_coef": 1.0}

    assert understood(recorded, keys_of(view), around_of(view)).values == {"ppo_epochs": 2}
    assert understood(recorded, keys_of(view)).values == {}
    assert "name" not in merged({"name": "run 7"}, {}, "verl==0.9.1").values
