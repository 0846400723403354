"""Keys that a release does not log: since when or until when, and what stands in for them."""

from __future__ import annotations

import pytest
from rlmetrics.cli import main


@pytest.fixture
def ask(capsys, monkeypatch):
    """Ask at 80 columns; return the exit code and the answer on one line, after its first line."""
    monkeypatch.setenv("COLUMNS", "80")

    def run(key: str, at: str, *more: str) -> tuple[int, str, str]:
        code = main(["resolve", key, "--at", at, *more])
        out, err = capsys.readouterr()
        assert err == ""
        assert all(len(line) <= 80 for line in out.splitlines())
        return code, out.splitlines()[0], " ".join(out.split())

    return run


def test_a_key_that_came_later(ask):
    """Since when, what it means from then on, and that nothing stands in for it."""
    code, first, text = ask("entropy", "trl[GRPOTrainer]==0.18.2")
    assert (code, first) == (0, "Not logged in 0.18.2. GRPOTrainer logs `entropy` since 0.20.0.")
    assert "from 0.20.0 Mean entropy of the current policy's next-token distribution" in text
    assert "only if use_liger_loss = false" in text
    assert "in 0.18.2 no key stands in for it" in text
    assert "compute rlmetrics.functional.entropy.entropy_policy" in text
    assert "trl/trainer/grpo_trainer.py:1913 (in 0.20.0)" in text


@pytest.mark.parametrize("at", ["trl[GRPOTrainer]==0.17.0", "trl[GRPOTrainer]==0.20", "trl[grpo]", "trl"])
def test_a_key_that_was_renamed(ask, at):
    """Its new name and since when, asked of any later release, in the first line."""
    code, first, text = ask("completion_length", at)
    assert code == 0
    assert first.startswith("Not logged in ")
    assert first.endswith(": renamed `completions/mean_length` in 0.17.0.")
    assert "until 0.16.1 Mean number of response tokens" in text


def test_the_new_name_asked_of_an_older_release(ask):
    """What it was called then."""
    _, _, text = ask("completions/mean_length", "trl[GRPOTrainer]==0.16.1")
    assert "GRPOTrainer logs `completions/mean_length` since 0.17.0. In 0.16.1 it is `completion_length`." in text


def test_a_renamed_key_whose_numbers_differ(ask):
    """By what, of those differences that weigh."""
    _, first, text = ask("ppo/policy/approxkl", "trl[PPOTrainer]==0.18.2")
    assert first == "Not logged in 0.18.2: renamed `policy/approxkl_avg` in 0.12.0."
    assert "! policy/approxkl_avg, biased" in text
    assert "padding positions are part of the mean" in text


def test_a_key_that_only_other_classes_log(ask):
    """Who does, and which key of the source means the same."""
    _, first, text = ask("kl", "verl")
    assert first.startswith("verl 0.9.1 does not log `kl`. Its `actor/kl_loss` measures what TRL GRPOTrainer")
    assert "Who logs `kl`:" in text
    assert "AsyncGRPOTrainer" in text
    assert "release verl 0.9.1, the newest known" in text


def test_a_key_without_a_counterpart(ask):
    """That there is none, and what looks like one."""
    _, _, text = ask("objective/kl", "trl[GRPOTrainer]==0.18.2")
    assert "does not log `objective/kl`. No key of it has the same meaning." in text
    assert "not kl:" in text


def test_a_key_that_a_guide_lists_although_nothing_logs_it(ask):
    """Both are told."""
    _, first, text = ask("ppo/val/clipfrac", "trl[PPOTrainer]==0.12.2")
    assert first == "Not logged in 0.12.2: renamed `val/clipfrac_avg` in 0.12.0."
    assert "guide lists it all the same" in text


def test_a_number_of_the_users_own_is_told_last(ask):
    """It is never the answer about a key of another release."""
    _, first, text = ask("completion_length", "trl[GRPOTrainer]==1.16.0")
    assert "renamed" in first
    assert "or yours a number that a reward function, an agent or an environment logs" in text


def test_a_typo_of_a_key_is_told_where_any_name_may_be_logged(ask):
    """That is an answer, as to any other key; a name of one's own gets its own."""
    code, first, text = ask("rewrd", "trl[GRPOTrainer]==1.16.0")
    assert code == 0
    assert first == "TRL GRPOTrainer 1.16.0 does not log `rewrd` by itself. Did you mean `reward`?"
    assert "Mean score of the responses" in text
    code, _, text = ask("difficulty", "trl[GRPOTrainer]==1.16.0")
    assert code == 0
    assert "a reward function, an agent or an environment logs" in text


def test_another_name_is_answered_with_the_key(ask):
    """Said in the first line."""
    code, first, text = ask("approxkl", "trl[PPOTrainer]==0.12")
    assert code == 0
    assert first.startswith("TRL PPOTrainer 0.12.0 logs it as `policy/approxkl_avg`")
    assert "another name of kl/old/k2" in text


def test_a_group_is_answered_with_its_keys(ask):
    """As a board shows them."""
    _, first, _ = ask("critic/rewards", "verl==0.9.1")
    assert first == "verl 0.9.1 does not log `critic/rewards`. It logs `critic/rewards/mean`,"


@pytest.mark.parametrize("asked", ["idle_ratio", "idle_ratio=0.0"])
def test_several_keys_with_one_end_are_named(capsys: pytest.CaptureFixture[str], asked: str) -> None:
    """An end that two keys of a release have names both; it is not said that nothing is spelled like it."""
    main(["resolve", asked, "--at", "verl==0.8.0"])
    said = capsys.readouterr()
    text = f"{said.out}{said.err}"
    assert "fully_async/trainer/idle_ratio" in text
    assert "fully_async/rollouter/idle_ratio" in text
    assert "spelled like it" not in text
