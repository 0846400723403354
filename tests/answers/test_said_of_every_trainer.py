"""Texts that stand at a metric are told of every key that measures it, and hold for each of them."""

from __future__ import annotations

import pytest
from rlmetrics.cli import main
from rlmetrics.names.meanings.view import FrameworkView, open_view
from rlmetrics.names.tables.key_records import Difference
from rlmetrics.names.tables.loading import load_tables
from rlmetrics.wording.map_notes import gone_when, level_words

TABLES = load_tables()
TRL = ("0.7.5", "1.4.0", "1.16.0")


def _told(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(list(arguments)) == 0
    return " ".join(capsys.readouterr().out.split())


def test_how_a_spread_is_estimated_is_said_of_the_definition():
    """Where some key divides by n, the description does not say of all of them that they divide by n minus 1."""
    metrics = set()
    for source in [*(f"trl=={release}" for release in TRL), "verl==0.9.1", "skyrl==0.4.0"]:
        view = open_view(source)
        assert isinstance(view, FrameworkView)
        metrics |= {entry.metric for entry in view.entries() if "population_std" in entry.signature.traits}
    assert len(metrics) >= 4
    for metric in metrics:
        description = str(TABLES.texts[str(metric)]["description"])
        assert "(n − 1)" not in description or "As defined, it is the unbiased estimate (n − 1)" in description


@pytest.mark.parametrize("trainer", ["GKDTrainer", "SFTTrainer", "DPOTrainer"])
def test_a_gradient_of_0_is_not_put_down_to_rewards_that_nobody_has(capsys, trainer):
    """Advantages are named as the cause only where rewards are learnt from."""
    told = _told(capsys, "resolve", "grad_norm=0.0", "--at", f"trl[{trainer}]==0.22.0")
    assert "A batch in which every token is masked, weights that are frozen or, where rewards are learnt from" in told
    assert "watch which parameters are trained and, where rewards are learnt from" in told


@pytest.mark.parametrize("key", ["rewards/chosen", "rewards/rejected"])
@pytest.mark.parametrize(("trainer", "release"), [("TPOTrainer", "1.14.1"), ("CPOTrainer", "0.26.0")])
def test_a_scaled_log_probability_above_0_cannot_be(capsys, key, trainer, release):
    """The implicit reward without a reference is a weight times a log-probability."""
    first = _told(capsys, "resolve", f"{key}=1.5", "--at", f"trl[{trainer}]=={release}").partition("reads ")[0]
    assert "nothing says which values are usual" not in first
    assert "is never positive" in first


def test_a_loss_that_the_constructor_refuses_is_not_logged(capsys):
    """KTOTrainer up to 1.13.0 takes APO-zero's loss and the fused loss of liger-kernel for a contradiction."""
    given = ("--config", "loss_type=apo_zero_unpaired", "--config", "use_liger_kernel=true")
    told = _told(capsys, "resolve", "eval_loss", "--at", "trl[KTOTrainer]==1.11.0", *given)
    assert told.startswith("Unpaired APO-zero loss")
    assert "Not logged with these settings" in told
    later = _told(capsys, "resolve", "eval_loss", "--at", "trl[KTOTrainer]==1.14.1", *given)
    assert "Not logged" not in later


def test_what_is_logged_once_has_no_rhythm(capsys):
    """What a script logs before or after training does not come every so many steps."""
    for when in ("before", "after", "delta"):
        told = _told(capsys, "resolve", f"tool_eval_{when}/valid_json_rate", "--at", "trl[SDFTTrainer]==1.5.1")
        assert "every logging_steps" not in told


def test_no_transformers_5_is_named_where_it_cannot_run(capsys):
    """TRL up to 0.11.4 hands over a tokenizer under a name that transformers 5 does not have."""
    for source in ("trl[SFTTrainer]==0.9.6", "trl[GKDTrainer]==0.11.3", "trl[OnlineDPOTrainer]==0.11.4"):
        told = _told(capsys, "resolve", "grad_norm", "--at", source)
        assert "transformers 5" not in told.partition("cadence")[0].partition("logged")[2]


def test_a_callback_takes_all_prompts_at_once(capsys):
    """WeaveCallback counts over all prompts of an evaluation, and LogCompletionsCallback samples as it is told to."""
    told = _told(capsys, "resolve", "successful_predictions", "--at", "trl[WeaveCallback]==0.26.0")
    assert "micro-batch" not in told
    told = _told(capsys, "resolve", "completions", "--at", "trl[LogCompletionsCallback]==0.18.1")
    assert "greedily" not in told
    assert "one evaluation batch" not in told


def test_a_temperature_of_1_divides_nothing(capsys):
    """What no longer differs is said so that it holds whether the code divides or has nothing to divide by."""
    told = _told(capsys, "resolve", "objective/kl", "--at", "trl[OnlineDPOTrainer]==0.18.1")
    assert "temperature = 1 (0.9) log-probabilities belong to the temperature of sampling" in told


def test_an_evaluation_is_cut_into_batches_and_not_into_steps(capsys):
    """What is averaged between two logs of an evaluation are its batches."""
    sides = ("--from", "trl[RewardTrainer]==0.6.0", "--to", "trl[RewardTrainer]==1.14.1", "--full")
    told = _told(capsys, "map", "eval_accuracy", *sides)
    assert "batches of the evaluation: all at once in 0.6.0, plain mean in 1.14.1" in told
    assert "same if an evaluation is one batch" in told
    assert "every step is logged" not in told
    table = load_tables()
    window = table.levels["window"]
    difference = Difference(f"{window.brief}: one step in the source, plain mean in the target", "minor")
    assert str(level_words(difference, table)).startswith("a value is one step in the source")
    assert gone_when(window.vanishes_when, table, "train") == window.vanishes_when


@pytest.mark.parametrize(
    ("source", "key", "target"),
    [
        ("trl[PPOTrainer]==0.18.1", "objective/rlhf_reward", "verl==0.6.1"),
        ("openrlhf==0.11.2", "return", "verl==0.9.1"),
        ("openrlhf==0.11.2", "return", "skyrl==0.4.0"),
    ],
)
def test_a_penalty_that_is_off_by_default_is_told_of_a_counterpart(capsys, source, key, target):
    """A reward less its penalty is no reward from which nothing is subtracted; where the penalty is on, they agree."""
    asked = ("map", key, "--from", source, "--to", target, "--full")
    assert "no KL penalty is subtracted, so that the value is that of the score" in _told(capsys, *asked)
    name = "algorithm.use_kl_in_reward" if target.startswith("verl") else "trainer.algorithm.use_kl_in_reward"
    assert "no KL penalty is subtracted" not in _told(capsys, *asked, "--config", f"{name}=true")
