"""Of a setting that was given, an answer says what holds of it, and nothing where nothing is known."""

from __future__ import annotations

import pytest
from rlmetrics.cli import main
from rlmetrics.names import resolve
from rlmetrics.names.lookup.lookup_records import Resolution

SFT, VERL_SFT = "trl[SFTTrainer]==0.13.0", "verl[sft]==0.6.1"
FACTORY = "llamafactory[CustomSeq2SeqTrainer]==0.9.4"
SMOOTHED = ("--config", "label_smoothing_factor=0.1", "--config", "gradient_accumulation_steps=4")


def _told(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    assert main(list(arguments)) == code
    shown = capsys.readouterr()
    return " ".join((shown.out or shown.err).split())


def _one(key: str, at: str, **config: object) -> Resolution:
    (found,) = resolve([key], at, config=config)
    return found


@pytest.mark.parametrize(
    ("source", "target", "key", "settings", "undone"),
    [
        (SFT, VERL_SFT, "loss", (), ""),
        (SFT, VERL_SFT, "loss", SMOOTHED, " divide by gradient_accumulation_steps"),
        (VERL_SFT, SFT, "train/loss", SMOOTHED, " in loss: divide by gradient_accumulation_steps"),
    ],
)
def test_what_is_to_be_undone_is_told_where_it_shows_and_on_which_side(capsys, source, target, key, settings, undone):
    """Means of micro-batches are added up with smoothed labels alone, and by TRL alone."""
    told = _told(capsys, "map", key, "--from", source, "--to", target, "--program", "sft", "--full", *settings)
    assert ("divide by gradient_accumulation_steps" in told) is bool(undone)
    assert undone in told


def test_a_framework_with_code_of_its_own_may_have_more_settings_than_its_base(capsys):
    """Only where all of a release's settings are listed is one said to be none of them."""
    told = _told(capsys, "resolve", "loss", "--at", FACTORY, "--config", "cutoff_length=9", code=2)
    assert "no setting 'cutoff_length' of llamafactory" in told
    told = _told(capsys, "resolve", "loss", "--at", "trl[SFTTrainer]==0.24.0", "--config", "cutoff_length=9", code=2)
    assert "trl 0.24.0 has no setting" in told


def test_what_code_of_its_own_does_with_a_setting_of_the_base_is_not_known(capsys):
    """Of a key of TRL's own trainer it is known that it makes no difference."""
    asked = ("resolve", "loss", "--config", "dataset_num_proc=2", "--at")
    told = _told(capsys, *asked, FACTORY)
    assert "Nothing is known of the setting dataset_num_proc" in told
    assert "no difference" not in told
    assert "The setting dataset_num_proc makes no difference" in _told(capsys, *asked, "trl[SFTTrainer]==0.24.0")


def test_a_setting_that_code_of_its_own_refuses_is_not_said_to_make_no_difference(capsys):
    """CPO of ms-swift refuses padding_free, of which TRL's says nothing."""
    at = "ms-swift[CPOTrainer]==4.5.3+trl0.18.0"
    told = _told(capsys, "resolve", "logits/chosen", "--at", at, "--config", "padding_free=true")
    assert "Nothing is known of the setting padding_free" in told
    assert "no difference" not in told


def test_a_factor_of_the_formula_is_not_said_to_make_no_difference(capsys):
    """The formula says what it does."""
    told = _told(capsys, "resolve", "rewards/rejected", "--at", "trl[CPOTrainer]==1.14.2", "--config", "beta=2.0")
    assert "beta *" in told
    assert "no difference" not in told


def test_settings_of_sampling_decide_which_responses_there_are(capsys):
    """How the number is computed from them does not change; where the spec says more, only that is told."""
    at = "trl[OnlineDPOTrainer]==1.12.0"
    told = _told(capsys, "resolve", "objective/kl", "--at", at, "--config", "top_p=0.5", "--config", "min_p=0.1")
    assert "The settings top_p and min_p decide which responses are sampled" in told
    assert "no difference" not in told
    assert "which responses" not in _told(capsys, "resolve", "objective/kl", "--at", at, "--config", "top_k=5")


@pytest.mark.parametrize("release", ["0.2", "0.5.0", "0.9.1"])
@pytest.mark.parametrize("extreme", ["mean", "max", "min"])
def test_without_a_critic_returns_are_advantages(release, extreme):
    """GRPO returns one tensor twice; REINFORCE++ and GAE do not."""
    key, at = f"critic/returns/{extreme}", f"verl=={release}"
    assert _one(key, at, **{"algorithm.adv_estimator": "grpo"}).metric == f"advantage/{extreme}"
    for estimator in ("reinforce_plus_plus", "gae"):
        assert _one(key, at, **{"algorithm.adv_estimator": estimator}).metric == f"return/{extreme}"


@pytest.mark.parametrize("trainer", ["OnlineDPOTrainer", "XPOTrainer", "NashMDTrainer"])
@pytest.mark.parametrize("key", ["loss", "rewards/chosen", "val/contain_eos_token"])
def test_online_preference_trainers_have_no_mini_batches(trainer, key):
    """A step is one forward and one backward pass over each of its micro-batches."""
    found = [item for item in resolve([key], f"trl[{trainer}]==1.12.0") if item.signature is not None]
    assert all("mini_batch" not in item.signature.reduction for item in found if item.signature is not None)


def test_the_release_of_transformers_that_a_framework_asks_for_is_taken(capsys):
    """Only transformers 5 goes with axolotl, and that rounds nothing."""
    asked = ("resolve", "loss", "--at", "axolotl[AxolotlRewardTrainer]==0.20.0")
    assert "ransformers 4" not in _told(capsys, *asked)
    assert "transformers <" not in _told(capsys, *asked, "--full")


@pytest.mark.parametrize("name", ["packing", "train_on_prompt", "mask_history"])
def test_what_settings_of_the_data_do_to_a_supervised_loss_is_told(capsys, name):
    """LLaMA-Factory's own, of which TRL knows nothing."""
    told = _told(capsys, "resolve", "loss", "--at", FACTORY, "--config", f"{name}=true")
    assert f"({name}" in told


@pytest.mark.parametrize("at", ["trl[SFTTrainer]==0.24.0", FACTORY])
def test_whether_processes_are_pooled_is_told_with_its_setting(capsys, at):
    """With average_tokens_across_devices off each process divides by its own targets."""
    told = _told(capsys, "resolve", "loss", "--at", at, "--config", "average_tokens_across_devices=false", "--full")
    assert "average_tokens_across_devices" in told
    assert "no difference" not in told


@pytest.mark.parametrize(
    ("at", "key"),
    [
        ("areal", "ppo_critic/critic_loss/min"),
        ("areal", "ppo_actor/update/entropy/max"),
        ("ms-swift[GRPOTrainer]==4.6.0+trl0.29.1", "entropy/min"),
    ],
)
def test_an_extreme_of_what_is_never_negative_is_not_below_0(capsys, at, key):
    """A squared error is not, nor an entropy."""
    assert "cannot be here" in _told(capsys, "resolve", f"{key}=-0.1", "--at", at)
    assert "cannot be here" not in _told(capsys, "resolve", f"{key}=0.1", "--at", at)


@pytest.mark.parametrize("at", ["trl[KTOTrainer]==0.11.1", "trl[KTOTrainer]==1.9.2", "trl[BCOTrainer]==0.24.0"])
def test_a_key_that_rows_may_lack_is_not_said_to_be_logged_always(capsys, at):
    """A window without a completion of the label has no mean."""
    told = _told(capsys, "resolve", "logps/rejected", "--at", at)
    assert "logged in every run, though not in every row" in told
