"""A setting that a release calls otherwise: carried over by its name, refused or taken as the release does."""

from __future__ import annotations

import json

import pytest
from rlmetrics.cli import main
from rlmetrics.names import NamesError, open_view, open_views
from rlmetrics.names.meanings.view import FrameworkView

PPO = ("openrlhf[PPOTrainer]==0.10.1", "openrlhf[PPOTrainer]==0.10.2")
GRPO = ("trl[GRPOTrainer]==0.18.0", "trl[GRPOTrainer]==0.26.0")


def _told(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    assert main(list(arguments)) == code
    told = capsys.readouterr()
    return " ".join((told.out or told.err).split())


def _values(source: str, **config: object) -> dict[str, object]:
    view = open_view(source, config=config)
    assert isinstance(view, FrameworkView)
    (component,) = view.components.values()
    return dict(component.config.values)


@pytest.mark.parametrize("setting", ["use_kl_loss=true", "algo.kl.use_loss=true"])
def test_a_renamed_setting_is_carried_over(capsys, setting):
    """0.10.2 calls use_kl_loss algo.kl.use_loss: under either name nothing changed."""
    said = _told(capsys, "diff", "kl", "--from", PPO[0], "--to", PPO[1], "--config", setting)
    assert said == "kl means the same from OpenRLHF PPOTrainer 0.10.1 to 0.10.2."


def test_what_is_logged_with_a_renamed_setting_stays_logged(capsys):
    """The balancing loss is logged under the old name of its weight and under the new one."""
    sources = ("--from", "openrlhf[SFTTrainer]==0.9.7", "--to", "openrlhf[SFTTrainer]==0.10.3")
    said = _told(capsys, "diff", "aux_loss", *sources, "--config", "aux_loss_coef=0.01")
    assert said == "aux_loss means the same from OpenRLHF SFTTrainer 0.9.7 to 0.10.3."


def test_a_mapping_carries_a_renamed_setting_over(capsys):
    """Between the releases the share of clipped tokens is the same key with the same condition."""
    sources = ("--from", GRPO[0], "--to", GRPO[1])
    rows = json.loads(_told(capsys, "map", *sources, "--config", "use_liger_loss=true", "--json"))
    (row,) = [row for row in rows if row["from"] == "clip_ratio"]
    assert row["to"] == "clip_ratio"
    assert not [item for item in row["differs_by"] if item["applies"]]


def test_a_deprecated_name_is_honoured_where_the_release_honours_it(capsys):
    """0.25.0 to 0.27.2 set use_liger_kernel to use_liger_loss where that is given."""
    said = _told(capsys, "diff", "clip_ratio", "--from", GRPO[0], "--to", GRPO[1], "--config", "use_liger_loss=true")
    assert "logged" not in said
    assert "With these settings a log line covers 10 steps, not 500." in said
    assert "By default" not in said
    at = _told(capsys, "resolve", "clip_ratio", "--at", GRPO[1], "--config", "use_liger_loss=true")
    assert "yes with these settings, not by default; only if use_liger_kernel (given: true)" in at


def test_an_alias_that_is_left_open_sets_nothing():
    """Null under the deprecated name leaves the setting alone, and what is given under the new name counts."""
    assert _values(GRPO[1], use_liger_loss="null", use_liger_kernel="true")["use_liger_kernel"] is True
    assert _values(GRPO[1], use_liger_loss="null")["use_liger_kernel"] is False
    assert _values(GRPO[1], use_liger_loss="true")["use_liger_kernel"] is True


def test_a_name_that_does_something_else_is_not_taken_back():
    """Before 0.25.0 use_liger_kernel was transformers' own switch and no name of use_liger_loss."""
    assert _values(GRPO[0], use_liger_kernel="true")["use_liger_loss"] is False


def test_null_is_carried_over_where_only_the_name_changed():
    """Of a setting that the release has under another name, null is a value as any other."""
    old, new = open_views([*PPO], config={"init_kl_coef": "null", "actor.entropy_coef": "0.1"})
    assert isinstance(old, FrameworkView)
    assert isinstance(new, FrameworkView)
    before, after = (view.components["PPOTrainer"].config.values for view in (old, new))
    assert (before["init_kl_coef"], before["entropy_loss_coef"]) == (None, 0.1)
    assert (after["algo.kl.init_coef"], after["actor.entropy_coef"]) == (None, 0.1)


def test_a_release_that_refuses_the_old_name_says_the_new_one(capsys):
    """0.10.2 has no --use_kl_loss; the one line says what it is called there."""
    said = _told(capsys, "resolve", "kl", "--at", PPO[1], "--config", "use_kl_loss=true", code=2)
    assert said.endswith("no setting 'use_kl_loss' of openrlhf 0.10.2 is known; there it is called algo.kl.use_loss")
    with pytest.raises(NamesError):
        open_view("unsloth[GRPOTrainer]==2026.10.9", config={"use_liger_loss": True})


def test_a_history_under_settings_knows_no_default_that_never_changed(capsys):
    """A value of a key that needs the fused loss shows that it is on, under whatever name a release has it."""
    said = _told(capsys, "resolve", "clip_ratio=0", "--at", GRPO[0], "--config", "num_iterations=2")
    assert "0.25.0" not in said


def test_what_is_logged_under_given_settings_is_not_told_of_the_defaults(capsys):
    """With a setting that only the old release asks for, the key is gone with these settings."""
    sources = ("--from", "trl[GRPOTrainer]==0.16.0", "--to", "trl[GRPOTrainer]==0.18.0")
    said = _told(capsys, "diff", "clip_ratio", *sources, "--config", "use_vllm=true")
    assert "logged with these settings" in said
    assert "By default" not in said
    assert "not logged by default" not in said


def test_a_default_that_changed_with_the_name_is_told(capsys):
    """Responses of a pass were 4 up to 0.9.10, are 1 since, and 0.10.2 calls them train.micro_batch_size."""
    sources = ("--from", "openrlhf[PPOTrainer]==0.9.5", "--to", PPO[1])
    told = json.loads(_told(capsys, "diff", *sources, "--json"))
    (item,) = [item for item in told["defaults"] if item["formerly"]]
    assert (item["name"], item["formerly"]) == ("train.micro_batch_size", "micro_train_batch_size")
    assert (item["before"], item["after"]) == (4, 1)
