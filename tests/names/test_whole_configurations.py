"""Whole configurations are read from files, and a setting that a release has is never an error."""

import json

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from rlmetrics.cli import main
from rlmetrics.logs.run_settings import named_file
from rlmetrics.names import open_view
from rlmetrics.names.meanings.view import FrameworkView
from rlmetrics.names.settings.configuration import UNKNOWN
from rlmetrics.names.tables.user_errors import UserError

GRPO = "trl[GRPOTrainer]==1.13.0"
VERL = "verl[actor]==0.9.1"
STRATEGY = "actor_rollout_ref.actor.strategy"


def _values(at, settings):
    view = open_view(at, config=settings)
    assert isinstance(view, FrameworkView)
    (component, *_) = view.components.values()
    return component.config.values


def _written(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("args.json", '{"beta": 0.07, "report_to": ["wandb"], "hidden_size": 64}'),
        ("args.yaml", "model: some/model\nrlhf_type: grpo\nbeta: 0.07\nlora_rank: 8\n"),
        ("nested.yaml", "base_model: some/model\nrl: grpo\ntrl:\n  beta: 0.07\n"),
        ("config.yaml", "wandb_version: 1\n_wandb:\n  value: {t: {1: [5]}}\nbeta:\n  desc: null\n  value: 0.07\n"),
        ("config.json", '{"beta": {"value": 0.07}, "lr": {"value": 1e-6}}'),
        ("overrides.yaml", "- beta=0.07\n- ++lr=0.1\n- ~other\n"),
    ],
    ids=lambda item: item if "." in item[:14] and "\n" not in item else "",
)
def test_a_setting_is_found_in_every_form_of_a_file(tmp_path, name, text):
    """Training arguments, flat or in a section, W&B's wrapping, and hydra's overrides say the same."""
    assert _values(GRPO, named_file(_written(tmp_path, name, text)))["beta"] == 0.07


def test_hydras_references_are_followed(tmp_path):
    """To other settings and to what holds where there is none; what can't be told is unknown, not the default."""
    path = _written(
        tmp_path,
        "config.yaml",
        "actor_rollout_ref:\n  actor:\n    strategy: megatron\n    ppo_epochs: ${oc.select:no.such,3}\n"
        "critic:\n  strategy: ${actor_rollout_ref.actor.strategy}\n  ppo_epochs: ${env:EPOCHS}\n",
    )

    found = named_file(path)

    assert found["critic.strategy"] == "megatron"
    assert found["actor_rollout_ref.actor.ppo_epochs"] == 3
    assert found["critic.ppo_epochs"] is UNKNOWN


@pytest.mark.parametrize(
    ("arguments", "strategy"),
    [
        (["@FILE"], "megatron"),
        (["@FILE", f"{STRATEGY}=fsdp2"], "fsdp2"),
        ([f"++{STRATEGY}=fsdp2", "@FILE"], "megatron"),
    ],
)
def test_the_later_of_file_and_setting_wins(tmp_path, capsys, arguments, strategy):
    """In the order of the command line."""
    path = _written(tmp_path, "config.yaml", "actor_rollout_ref: {actor: {strategy: megatron}}\n")
    config = [part for text in arguments for part in ("--config", text.replace("FILE", str(path)))]

    code = main(["explain", "actor/grad_norm", "--at", VERL, "--json", *config])
    document = json.loads(capsys.readouterr().out)
    by_hand = main(["explain", "actor/grad_norm", "--at", VERL, "--json", "--config", f"{STRATEGY}={strategy}"])

    assert (code, by_hand) == (0, 0)
    assert document == json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("at", "key", "setting"),
    [
        ("verl==0.5.0", "actor/grad_norm", "actor_rollout_ref.actor.grad_clip"),
        ("verl==0.9.1", "actor/grad_norm", "+actor_rollout_ref.rollout.engine_kwargs.vllm.anything"),
        (GRPO, "reward", "lora_r"),
        (GRPO, "reward", "weight_decay"),
        ("trl[DPOTrainer]==0.12.1", "loss", "dataset_num_proc"),
    ],
)
def test_a_setting_of_the_release_is_no_error(capsys, at, key, setting):
    """It makes no difference to what the key means, and the answer says so."""
    assert main(["resolve", key, "--at", at, "--config", f"{setting}=1"]) == 0
    assert f"{setting.lstrip('+')} makes no difference to what it means" in " ".join(capsys.readouterr().out.split())


def test_a_setting_that_the_key_depends_on_makes_a_difference(capsys):
    """Nothing else is said of it."""
    assert main(["resolve", "kl", "--at", GRPO, "--config", "beta=0.04"]) == 0
    assert "no difference" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("at", "setting", "near"),
    [
        ("verl==0.5.0", "actor_rollout_ref.actor.grad_clp", "actor_rollout_ref.actor.grad_clip"),
        ("verl==0.5.0", "distillation.enabled", "verl 0.5.0 has no setting"),
        (GRPO, "num_iteration", "num_iterations"),
        ("trl[GRPOTrainer]==0.14.0", "cast_lm_head_to_fp32", "trl 0.14.0 has no setting"),
        ("openrlhf[DPOTrainer]==0.11.2", "model.bet", "no setting 'model.bet' of openrlhf"),
    ],
)
def test_what_the_release_lacks_is_refused(capsys, at, setting, near):
    """With the nearest name, in one line; a setting of another release is none of this one.

    Where the settings of a release were not listed, nothing is said of which it has.
    """
    value = "true" if setting == "distillation.enabled" else "2"
    assert main(["resolve", "loss", "--at", at, "--config", f"{setting}={value}"]) == 2
    out, err = capsys.readouterr()
    assert (out, len(err.splitlines())) == ("", 1)
    assert near in err


@pytest.mark.parametrize(
    ("at", "setting", "offered"),
    [
        ("verl==0.2", "algorithm.use_kl_in_reward", "algorithm.kl_penalty"),
        ("openrlhf[PPOTrainer]==0.8.9", "algo.kl.use_loss", "use_kl_loss"),
    ],
)
def test_settings_of_other_releases_are_not_offered(capsys, at, setting, offered):
    """What is asked back is a setting of the release that was asked about."""
    assert main(["resolve", "critic/kl", "--at", at, "--config", f"{setting}=true"]) == 2
    error = capsys.readouterr().err
    assert offered in error
    assert "gdpo" not in error
    assert "algo.kl.estimator" not in error


def test_a_setting_of_another_trainer_is_not_said_to_make_no_difference(capsys):
    """GRPOTrainer has a loss_type since 0.17.0 only, DPOTrainer for longer."""
    assert main(["resolve", "kl", "--at", "trl[GRPOTrainer]==0.16.1", "--config", "loss_type=cispo"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "Nothing is known of the setting loss_type in this release." in told
    assert "no difference" not in told


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (b'{"beta": 0.1,}', ":1:14: is no JSON"),
        (b"a: 1\nbeta: [1\nx: 2", ":3:2: is no YAML"),
        (b"\xff\xfe", ":1: is not UTF-8"),
        (b"", ": holds no settings"),
        (b"just words", ": holds no settings"),
        (b"[1, 2]", ": holds no settings"),
        (None, ": does not exist"),
        (b"colour: blue\nsize: 3\n", ": none of its 2 names is a setting of TRL or verl"),
    ],
)
def test_a_bad_file_is_one_line(tmp_path, capsys, content, place):
    """With its place, and nothing on the standard output."""
    path = tmp_path / "settings"
    if content is not None:
        path.write_bytes(content)
    assert main(["keys", "--at", GRPO, "--config", f"@{path}"]) == 2
    out, err = capsys.readouterr()
    assert (out, len(err.splitlines())) == ("", 1)
    assert f"{path}{place}" in err


_NAMES = st.from_regex(r"[a-z_]{1,8}", fullmatch=True)
_PLAIN = st.none() | st.booleans() | st.integers(-999, 999) | st.floats(-9, 9).map(lambda x: round(x, 3))
_TREES = st.dictionaries(_NAMES, st.recursive(_PLAIN, lambda inner: st.dictionaries(_NAMES, inner, min_size=1)))


@given(_TREES.filter(bool))
def test_json_and_yaml_say_the_same(tmp_path_factory, tree):
    """Nested settings in either form are the same names and values."""
    folder = tmp_path_factory.mktemp("settings")
    as_json = _written(folder, "a.json", json.dumps(tree))
    as_yaml = _written(folder, "a.yaml", yaml.safe_dump(tree))

    assert _read(as_json) == _read(as_yaml)


def _read(path):
    try:
        return named_file(path)
    except UserError as error:
        return str(error).removeprefix(str(path))


def test_a_recorded_file_and_a_named_one_are_read_alike(tmp_path, capsys):
    """The arguments beside a trainer's state judge a run as the same file does when it is named."""
    rows = [{"step": step, "loss": 0.1, "kl": 0.01 * step, "reward": 1.0} for step in range(1, 9)]
    run = tmp_path / "run"
    run.mkdir()
    (run / "trainer_state.json").write_text(json.dumps({"global_step": 8, "log_history": rows}))
    args = _written(tmp_path, "args.yaml", "beta: 0.04\nloss_type: dr_grpo\n")

    main(["check", str(run), "--at", GRPO, "--json", "--config", f"@{args}"])
    named = json.loads(capsys.readouterr().out)
    main(["check", str(run), "--at", GRPO, "--json", "--config", "beta=0.04", "--config", "loss_type=dr_grpo"])

    assert named == json.loads(capsys.readouterr().out)
