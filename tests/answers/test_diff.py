"""``rlmetrics diff`` as people read it, 80 columns wide."""

from __future__ import annotations

import re

import pytest
from rlmetrics.cli import main
from rlmetrics.wording.keylists import braced, few, starred

GRPO = ("--from", "trl[GRPOTrainer]==0.18.2", "--to", "trl[GRPOTrainer]==1.16.0")
PAIRS = [
    GRPO,
    ("--from", "trl[GRPOTrainer]==0.14.0", "--to", "trl[GRPOTrainer]==0.18.2"),
    ("--from", "trl[PPOTrainer]==0.11.4", "--to", "trl[PPOTrainer]==0.12.2"),
    ("--from", "trl[DPOTrainer]==0.18.2", "--to", "trl[DPOTrainer]==1.16.0"),
    ("--from", "trl[SFTTrainer]==0.15.2", "--to", "trl[SFTTrainer]==1.0.0"),
    ("--from", "verl==0.6.1", "--to", "verl==0.9.1"),
]


@pytest.fixture
def answer(capsys, monkeypatch):
    """Run ``diff`` in a terminal of 80 columns; return its lines."""
    monkeypatch.setenv("COLUMNS", "80")

    def run(*arguments: str) -> list[str]:
        code = main(("diff", *arguments))
        out, err = capsys.readouterr()
        assert (code, err) == (0, "")
        return out.rstrip("\n").split("\n")

    return run


def _paragraph(lines: list[str]) -> str:
    return " ".join(lines[: lines.index("")] if "" in lines else lines)


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair[1]} -> {pair[3]}")
def test_an_answer_fits_a_screen(answer, pair):
    """About 40 lines at most, none wider than the terminal unless a key is."""
    lines = answer(*pair)
    assert len(lines) <= 44
    assert not [line for line in lines if len(line) > 80 and len(line.split()) > 3]


def test_the_first_sentences_say_what_one_sees(answer):
    """How many keys changed, then what default settings show, what weighs most first."""
    said = _paragraph(answer(*GRPO))
    assert said.startswith("22 of 39 training keys changed their meaning. With default settings you see this: ")
    parts = said.partition(": ")[2].rstrip(".").split("; ")
    assert parts[0] == "kl is gone (beta is 0.0 now)"
    assert parts[1] == "loss has no KL part"
    assert parts[2].startswith("reward_std: now standard deviation of the scores over responses")
    assert parts[3] == "a log line covers 10 steps, not 500"


def test_causes_come_with_their_keys_and_weight(answer):
    """A sign, the release, the cause, and beside it every key; the weightiest first, evaluation folded."""
    lines = answer(*GRPO)
    assert "! 0.19.0  default of beta 0.04 -> 0.0             kl (not logged), loss" in lines
    signs = [line[0] for line in lines if re.match(r"[≠!=≈] \d", line)]
    assert sorted(signs, key="≠!=≈".index) == signs
    assert not [line for line in lines if "eval_" in line]
    assert any(line.startswith("Folded") and "of evaluation" in line for line in lines)


def test_what_does_not_show_by_default_stands_under_its_condition(answer):
    """Padding after a vLLM response needs vLLM."""
    lines = answer(*GRPO, "--full")
    place = lines.index("only if use_vllm")
    assert lines[place + 1].startswith("≈ 0.24.0")


def test_what_was_taken_back_names_both_ends(answer):
    """For some releases only, and since when it is as before."""
    text = " ".join(" ".join(answer(*GRPO, "--full")).split())
    assert "In between" in text
    assert "0.27.0..0.29.1 reward: the rewards of several functions are added with equal weight" in text
    assert "as before in 1.0.0" in text


def test_full_leaves_nothing_out(answer):
    """Every cause, every key that changed, and every default."""
    short, full = answer(*GRPO), answer(*GRPO, "--full")
    assert any("more causes: --full" in line for line in short)
    assert not [line for line in full if "--full" in line]
    text = "\n".join(full)
    for name in ("gradient_checkpointing", "eval_reward_std", "profiling/Time taken: GRPOTrainer.sync_weights"):
        assert name in text


def test_one_key_has_an_answer_of_its_own(answer):
    """What changed about it, each cause with its release, and the defaults that move it."""
    lines = answer("reward_std", "--from", "trl[GRPOTrainer]==0.26.2", "--to", "trl[GRPOTrainer]==0.27.0")
    assert _paragraph(lines).startswith("reward_std changed its meaning")
    assert any(line.startswith("≠ 0.27.0") for line in lines)
    assert answer("kl", *GRPO)[-1] == "Defaults     beta 0.04 -> 0.0 · logging_steps 500 -> 10"


def test_a_key_that_did_not_change_is_said_to_be_the_same(answer):
    """In one line."""
    lines = answer("grad_norm", *GRPO)
    assert lines[0] == "grad_norm means the same from TRL GRPOTrainer 0.18.2 to 1.16.0."


def test_a_renamed_class_is_told(answer):
    """All keys of PPOv2Trainer went on under PPOTrainer."""
    said = _paragraph(answer("--from", "trl[PPOv2Trainer]==0.11.4", "--to", "trl[PPOTrainer]==0.12.2"))
    assert said.startswith("No training key changed its name or meaning")
    assert said.endswith("TRL PPOTrainer 0.12.2 is what PPOv2Trainer was.")


def test_two_frameworks_are_referred_to_map(answer):
    """What one logs is no change of what the other does."""
    lines = answer("--from", "trl[GRPOTrainer]==1.16.0", "--to", "verl==0.9.1")
    assert "rlmetrics map --from 'trl[GRPOTrainer]==1.16.0' --to 'verl==0.9.1'" in lines
    assert len(lines) < 8


def test_nothing_changed_is_said_in_one_sentence(answer):
    """A release and itself."""
    source = "trl[GRPOTrainer]==1.16.0"
    assert _paragraph(answer("--from", source, "--to", source)).startswith("No training key changed")


def test_keys_that_differ_in_one_part_are_written_once():
    """The parts stand in braces; what varies in a log is a star."""
    keys = ["completions/mean_length", "completions/max_length", "reward", "rewards/{reward_func}/mean"]
    assert braced(keys) == ["completions/{mean,max}_length", "reward", "rewards/*/mean"]
    assert braced(["clip_ratio/low_mean", "clip_ratio/high_mean"]) == ["clip_ratio/{low,high}_mean"]
    assert starred("{log_metric}") == "{log_metric}"
    assert all(len(name) <= 60 for name in braced([f"timing/{'long' * 5}{number}" for number in range(9)]))


def test_a_sentence_names_few_keys():
    """As many as there is room for, then how many more."""
    assert few(["a", "b"]) == "a and b"
    assert few(["first_of_all/key", "second_of_all/name", "third"], room=20) == "first_of_all/key and 2 more"


@pytest.mark.parametrize("releases", [("0.23.1", "0.24.0"), ("0.7.11", "0.8.0")], ids="..".join)
def test_whole_releases_in_full(answer, releases):
    """Every cause ends in the trainers that it changed, one that changes keys of evaluation only as well."""
    lines = answer("--from", f"trl=={releases[0]}", "--to", f"trl=={releases[1]}", "--full")

    assert any(re.search(rf"^[!≈≠] {releases[1]}\b", line) for line in lines)
    assert sum(line.endswith(")") for line in lines) >= 3


def test_a_setting_with_another_name_is_none_that_was_lifted(answer):
    """The cap of weights is called something else since 1.6.0: the same bound is no change, another one is told."""
    same = answer("--from", "trl[GRPOTrainer]==1.5.1", "--to", "trl[GRPOTrainer]==1.6.0", "--full")
    other = answer("--from", "trl[GRPOTrainer]==0.24.0", "--to", "trl[GRPOTrainer]==1.16.0", "--full")

    assert "vllm_importance_sampling_c" not in " ".join(same)
    told = " ".join(" ".join(other).split())
    assert "vllm_importance_sampling_clip_max (formerly vllm_importance_sampling_cap) 2.0 -> 3.0" in told
    assert "sampling_cap 2.0 -> null" not in told


ITERATIVE = ("--from", "trl[IterativeSFTTrainer]==0.18.0", "--to", "trl[IterativeSFTTrainer]==0.21.0")
KTO = ("--from", "trl[KTOTrainer]==0.17.0", "--to", "trl[KTOTrainer]==1.3.0")


@pytest.mark.parametrize("key", ["learning_rate", "loss"])
def test_how_often_a_line_is_logged_is_told_of_every_key_of_it(answer, key):
    """Whether a key is averaged over the steps of a line or is the last of them, which it moves no more."""
    said = " ".join(answer(key, *ITERATIVE))
    assert f"{key} means the same" in said
    assert "logging_steps 500 -> 10" in said
    assert ("a log line covers 10 steps, not 500" in said) == (key == "loss")


def test_a_default_of_null_is_told_as_what_comes_of_it(answer):
    """The constructor of TRL's configurations turns bf16 on where it is left open and fp16 is off."""
    said = " ".join(" ".join(answer(*KTO, "--full")).split())
    assert "bf16 false -> null (on unless fp16)" in said


def test_each_cause_names_its_keys(answer):
    """One that changes keys of evaluation only names these, and none stands there without a key."""
    lines = answer(*KTO, "--full")
    causes = [line for line in lines if re.match(r"[≈≠!=] \d", line)]
    assert len(causes) > 2
    for line in causes:
        assert re.search(r" {2,}(?:eval_|rewards/|loss|kl|logps|\d+ of )", line[10:]), line


def test_what_nobody_logged_is_compared_under_the_setting_that_logs_it(answer):
    """Before 1.3.0 several data sets are evaluated with the APO-zero loss only, which 1.3.0 measures there, too."""
    said = " ".join(" ".join(answer(*KTO, "--full")).split())
    assert "measures KTO loss" not in said
