"""Keys without a source, as a person asks: the meanings, a line each."""

from __future__ import annotations

import pytest
from rlmetrics.cli import main

SCREEN = 34


@pytest.fixture
def ask(capsys, monkeypatch):
    """Ask at 80 columns; return the exit code and the lines of the answer."""
    monkeypatch.setenv("COLUMNS", "80")

    def run(*arguments: str) -> tuple[int, list[str]]:
        code = main(["resolve", *arguments])
        out, err = capsys.readouterr()
        assert err == ""
        return code, out.splitlines()

    return run


def test_the_first_line_counts_the_meanings(ask):
    """Then each has a line with the metric in words, who logs it and in which releases."""
    code, lines = ask("kl")
    assert code == 0
    assert lines[0] == "`kl` has 4 meanings, in TRL and OpenRLHF. Which framework wrote your log?"
    text = " ".join(" ".join(lines).split())
    assert "policy now vs reference, per TRL GRPOTrainer and 7 more 0.14.0.. token, k3" in text
    assert "TRL RLOOTrainer, OpenRLHF 0.22.0..;" in text
    assert "verl has no plain `kl`. The same quantity as GRPOTrainer's there: actor/kl_loss." in text
    assert lines[-1].startswith("Next: rlmetrics resolve kl --at 'trl[GRPOTrainer]'")


def test_meanings_that_differ_are_told_apart(ask):
    """In which facets they differ, and which of them cannot be negative."""
    _, lines = ask("kl")
    text = " ".join(" ".join(lines).split())
    assert "Do not plot these together: they differ in" in text
    assert "the estimator" in text
    assert "Never negative: GRPOTrainer, KTOTrainer and AsyncGRPOTrainer." in text


def test_other_keys_with_the_same_ending_follow(ask):
    """As a line each."""
    _, lines = ask("kl")
    start = lines.index("Other keys that end in /kl:")
    assert {"objective/kl", "critic/kl"} <= {line.split()[0] for line in lines[start + 1 :] if line[:3].strip()}


@pytest.mark.parametrize("key", ["kl", "reward", "loss", "entropy", "train/reward", "rewards/chosen", "mean_length"])
def test_an_answer_fits_a_screen(ask, key):
    """At 80 columns, with every line within them."""
    _, lines = ask(key)
    assert len(lines) <= SCREEN
    assert all(len(line) <= 80 for line in lines)


def test_full_lists_every_meaning(ask):
    """The short answer says how many are left."""
    _, short = ask("loss")
    _, whole = ask("loss", "--full")
    assert any("more meanings: --full" in line for line in short)
    assert not any("--full" in line for line in whole)
    assert any("AlignPropTrainer" in line for line in whole)
    assert len(short) < len(whole)


def test_a_key_with_one_meaning_is_answered_at_once(ask):
    """Of the newest release, with who else logs it."""
    code, lines = ask("grad_norm")
    text = " ".join(" ".join(lines).split())
    assert code == 0
    assert "optimizer/gradient_norm" in text or "norm of the gradient" in text
    assert "TRL GRPOTrainer 1.16.0; --at asks another one" in text
    assert "The same quantity in DPOTrainer, SFTTrainer" in text


@pytest.mark.parametrize(
    ("key", "first"),
    [
        ("approxkl", "`approxkl` is another name of kl/old/k2:"),
        ("mean_length", "No described release logs `mean_length` by itself. Keys that end in"),
        ("critic/rewards", "No described release logs `critic/rewards` by itself. Keys that begin with"),
        ("train/reward", "`train/reward` is how Weights & Biases shows `reward`. It has 2 meanings,"),
    ],
)
def test_other_spellings_say_what_they_are(ask, key, first):
    """In the first line."""
    code, lines = ask(key)
    assert code == 0
    assert lines[0].startswith(first)


def test_a_typo_is_answered_with_what_it_would_mean(ask):
    """A name that is nowhere near a key has nothing; either is an answer, so the exit code is 0."""
    code, lines = ask("rewrd")
    assert (code, lines[0]) == (0, "No described release logs `rewrd`. Did you mean `reward`?")
    assert any("Mean score of the responses" in line for line in lines)
    code, lines = ask("xyzzy")
    assert code == 0
    assert lines[0].startswith("No described release logs `xyzzy`, and no key is spelled like it.")


def test_several_keys_are_answered_one_after_the_other(ask):
    """Each with its meanings in the sources that explain the most of them."""
    code, lines = ask("kl", "reward", "completions/mean_length")
    assert code == 0
    assert any(line.startswith("`kl` has") for line in lines)
    assert any(line.startswith("`reward` has") for line in lines)


def test_a_release_without_a_class_begins_with_what_people_use(ask):
    """Equal meanings of several classes are one line."""
    _, lines = ask("loss", "--at", "trl==0.16.1")
    assert lines[0] == "`loss` has 14 meanings in TRL 0.16.1. Which trainer wrote your log?"
    table = [line for line in lines[2:] if line.startswith("  ")]
    assert table[0].rstrip().endswith("GRPOTrainer")
    assert "DPOTrainer and 1 more" in table[1]
    assert lines[-1] == "Next: rlmetrics resolve loss --at 'trl[GRPOTrainer]==0.16.1'"


def test_releases_are_those_of_whom_a_line_names(ask):
    """GRPO's deviation over the batch came in 0.27.0 and was there for two releases before, whatever others log."""
    _, lines = ask("reward_std")
    text = " ".join(" ".join(lines).split())
    assert "GRPOTrainer 0.22.0..0.22.1, 0.27.0.. and " in text.replace("over responses ", "")
    assert "0.14.0..0.21.0, 0.22.2..0.26.2 and " in text.replace("the rewards of their ", "").replace("responses ", "")
