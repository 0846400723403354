"""What answers say of time, of settings that nobody gave, of formulas that are not there, and of times of 0."""

from __future__ import annotations

import pytest
from rlmetrics.answers.asked import answer_at
from rlmetrics.answers.pasted import parse_row
from rlmetrics.answers.trust import trust_texts
from rlmetrics.answers.unlike import spelled, unlike
from rlmetrics.cli import main
from rlmetrics.names import open_view
from rlmetrics.names.lookup.resolving import resolve_in
from rlmetrics.names.meanings.view import FrameworkView
from rlmetrics.names.settings.configuration import RecordedName
from rlmetrics.names.tables.loading import load_tables
from rlmetrics.wording.metric_facts import formula_texts, is_told_by_key, shortened
from rlmetrics.wording.terminal import columns

TABLES = load_tables()


def _told(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(list(arguments)) == 0
    return " ".join(capsys.readouterr().out.split())


def test_a_backward_diff_follows_the_direction_of_time(capsys):
    """What the older release has not yet is new and not gone, under whatever name it came."""
    said = _told(capsys, "diff", "rollout_corr/rollout_is_min", "--from", "verl==0.6.1", "--to", "verl==0.4.1")
    assert said.startswith("verl 0.4.1 is the older release, so this is what changed from verl 0.4.1 to 0.6.1.")
    assert "logged since 0.6.0 as mismatch/rollout_is_min, under this name since 0.6.1" in said
    assert "gone" not in said


def test_a_value_is_no_setting_that_was_given(capsys):
    """A setting that a value alone shows is told with its default; one that was given is told as given."""
    key, at = "actor/reward_kl_penalty_coeff=3", ("--at", "verl==0.4.1")
    alone = _told(capsys, "resolve", key, *at)
    given = _told(capsys, "resolve", key, *at, "--config", "algorithm.use_kl_in_reward=true")
    assert "not by default; only if algorithm.use_kl_in_reward (off by default)" in alone
    assert "given:" not in alone
    assert "yes with these settings, not by default; only if algorithm.use_kl_in_reward (given: true)" in given


@pytest.mark.parametrize(
    ("source", "key"), [("verl==0.6.1", "val/generations"), ("openrlhf==0.11.2", "timing/make_experience")]
)
def test_what_has_no_formula_is_not_as_the_formula_says(source, key):
    """A table of texts and a timer have none; a mean has one."""
    view = open_view(source)
    assert trust_texts(view, resolve_in(view, [key])[0]) == []


def test_one_release_is_no_history(capsys):
    """Where one release is described nothing can have changed or stayed."""
    said = _told(capsys, "resolve", "policy/loss_metrics/clip_ratio=3", "--at", "skyrl==0.4.0")
    assert "never, in" not in said


def test_a_key_with_blanks_has_its_value_split_off():
    """As with any other key; without a value it is no row."""
    (pair,) = parse_row("profiling/Time taken: Trainer.compute=0.5").items()
    assert (pair[0], pair[1].number) == ("profiling/Time taken: Trainer.compute", 0.5)
    assert parse_row("profiling/Time taken: Trainer.compute") == {}


def test_a_long_name_leaves_its_meaning_whole_lines(monkeypatch):
    """Beside a name that takes most of a line the text stands below, not one word a line."""
    monkeypatch.setenv("COLUMNS", "80")
    lines = columns([("profiling/Time taken: " + "x" * 50, "Wall time of one call that gives log-probabilities")])
    assert len(lines) <= 3
    assert "Wall time of one call" in lines[1]


@pytest.mark.parametrize(
    ("key", "source", "what"),
    [
        ("timing_s/save_checkpoint", "verl==0.9.1", "0 is no time that work takes"),
        ("timing_per_token_ms/update_critic", "verl==0.4.1", "0 is no time that work takes"),
        ("train_samples_per_second", "trl[DPOTrainer]==0.11.4", "0 is no rate of work"),
    ],
)
def test_a_time_of_0_is_not_unremarkable(capsys, key, source, what):
    """Work takes time: 0 was rounded or not measured; any other time is as it may be."""
    assert _told(capsys, "resolve", f"{key}=0", "--at", source).startswith(what)
    other = _told(capsys, "resolve", f"{key}=1.5", "--at", source)
    assert other.startswith("1.5 is within what it can be (0 or more);")


def test_a_number_of_one_trainer_is_told_by_its_note():
    """Its metric says nothing of what it measures, so the note does, first; no answer refers to another place."""
    seen = 0
    for framework in TABLES.frameworks:
        view = open_view(f"{framework}=={TABLES.framework(framework).releases.names[-1]}")
        for entry in view.entries():
            if not is_told_by_key(entry.metric, TABLES) or entry.mode != "train":
                continue
            seen += 1
            assert entry.notes
            (answer,) = {tuple(answer_at(view, entry.key).lines)}
            told = " ".join(" ".join(answer).split())
            assert told.startswith(" ".join(entry.notes[0].split()).rstrip("."))
            assert "where its key is described" not in told
            assert "the description of its key" not in told
    assert seen > 50


def test_what_has_no_formula_may_not_be_as_described():
    """Nobody's word on how a number is put together is doubted by a formula only where there is one."""
    view = open_view("unsloth[KTOTrainer]==2026.10.9+trl1.15.0")
    assert isinstance(view, FrameworkView)
    said = {True: 0, False: 0}
    for entry in view.entries():
        if entry.signature.unstated and "{" not in entry.key:
            (found,) = resolve_in(view, [entry.key])
            has_one = bool(formula_texts(str(entry.metric), entry.signature.reproduced_by, TABLES))
            trust = trust_texts(view, found)[0]
            assert ("as the formula says" in trust) == has_one
            assert ("as described" in trust) != has_one
            said[has_one] += 1
    assert all(said.values())


@pytest.mark.parametrize(
    ("value", "logged"), [(False, False), ("false", False), ("no", False), (True, True), ("all", True)]
)
def test_a_choice_that_was_a_switch_takes_its_positions(value, logged):
    """Before 4.57 transformers has true and false for what is all and no since then; a recorded run has either."""
    for name in ("include_num_input_tokens_seen", RecordedName("include_num_input_tokens_seen")):
        view = open_view("trl[GKDTrainer]==0.15.2", config={name: value})
        assert isinstance(view, FrameworkView)
        (found,) = resolve_in(view, ["num_input_tokens_seen"])
        assert found.logged is logged


def test_numbers_of_evaluations_come_with_evaluations():
    """Nothing that SkyRL logs of an evaluation has a value at each step; drafts need speculative decoding."""
    view = open_view("skyrl[RayPPOTrainer]==0.4.0")
    for entry in view.entries():
        (found,) = resolve_in(view, [entry.key])
        if entry.key.startswith(("eval/", "vllm/eval/")):
            assert found.cadence is not None
            assert found.cadence.every == "evaluation"
        if "/draft_" in entry.key:
            assert found.logged is False
            assert "with speculative decoding" in str(found.condition)


@pytest.mark.parametrize(
    ("source", "key", "said"),
    [
        ("verl==0.3.0.post0", "prompt_length/mean", "nothing was counted, or the log was changed on its way"),
        ("trl[AsyncGRPOTrainer]==1.16.0", "sample/forwarded_tokens_max", "nothing was counted"),
        ("trl[SFTTrainer]==1.3.0", "eval_loss", "not finite, or there was nothing to take the mean of"),
    ],
)
def test_nan_of_a_count_is_no_overflow(capsys, source, key, said):
    """Lengths hold no number of the model, and a mean of nothing is NaN, too."""
    told = _told(capsys, "resolve", f"{key}=nan", "--at", source)
    assert said in told
    assert ("was not finite" in told.partition("reads")[0]) == ("not finite" in said)


@pytest.mark.parametrize(
    ("source", "key", "value", "said"),
    [
        ("trl[RLOOTrainer]==1.7.0", "eval_completions/min_length", "1", "a response is a single token"),
        ("trl[GRPOTrainer]==1.16.0", "completions/max_length", "0", "the longest response is empty"),
        ("trl[GRPOTrainer]==1.16.0", "completions/mean_length", "1", "a single token on average"),
        ("trl[GRPOTrainer]==0.29.1", "tools/failure_frequency", "1", "1 means that every tool call failed"),
    ],
)
def test_what_the_description_warns_of_is_not_unremarkable(capsys, source, key, value, said):
    """The first line and the lines on the curve say the same."""
    first = _told(capsys, "resolve", f"{key}={value}", "--at", source).partition("reads ")[0]
    assert said in first
    assert "unremarkable" not in first


@pytest.mark.parametrize(("mode", "least"), [("train", 100), ("eval", 50)])
def test_a_key_that_may_measure_the_same_is_no_look_alike(mode, least):
    """No release names a key as unlike one that the key is under other settings, itself least of all."""
    named = 0
    for framework in TABLES.frameworks:
        release = TABLES.framework(framework).releases.names[-1]
        view = open_view(f"{framework}=={release}")
        assert isinstance(view, FrameworkView)
        for entry in {(item.metric, item.component): item for item in view.entries() if item.mode == mode}.values():
            for names, _ in unlike(view, str(entry.metric), mode, entry.component):
                for name in names.split(", "):
                    title, _, key = name.rpartition("'s ")
                    other = next((item for item in TABLES.frameworks if TABLES.title(item) == title), framework)
                    at = (other, TABLES.framework(other).releases.names[-1], str(entry.metric), mode)
                    component = [entry.component] if other == framework else []
                    assert key not in spelled(TABLES, *at, *component, at_all=True)
                    named += 1
    assert named > least


def test_a_factor_in_brackets_is_no_explanation(capsys):
    """What is left out of a long statement is a reason, and no part of an expression."""
    mode = ("--config", "actor_rollout_ref.actor.loss_agg_mode=seq-mean-token-sum-norm")
    told = _told(capsys, "resolve", "actor/pg_loss", "--at", "verl==0.6.1", *mode)
    assert "multiplied by (the number of updates per batch) * (1 / data.max_response_length)" in told
    assert shortened(f"{'a' * 140} (of old)") == f"{'a' * 140} …"


def test_what_spoils_a_number_stands_beside_its_value(capsys):
    """Also where something else is said of the value first."""
    told = _told(capsys, "resolve", "num_input_tokens_seen=0", "--at", "trl[GKDTrainer]==0.15.2")
    assert "trust ! biased. Padding counts as tokens" in told


def test_a_change_that_does_not_show_is_told_as_such(capsys):
    """What a release changed under other settings only is not told as if it had changed the number at hand."""
    at = ("resolve", "eval_rewards/margins", "--at", "trl[KTOTrainer]==0.26.2", "--full")
    told = _told(capsys, *at)
    given = _told(capsys, *at, "--config", "precompute_ref_log_probs=true")
    assert "1.1.0 with other settings: no longer: with precomputed log-probabilities" in told
    assert "1.1.0 no longer: with precomputed log-probabilities" in given


def test_what_holds_for_one_variable_is_said_of_no_other(capsys):
    """Failed sessions count as wrong in verl's acc, and in no other value of validation."""
    said = "a failed session counts as wrong (acc)"
    assert said in _told(capsys, "resolve", "val-core/gsm8k/acc/mean@1", "--at", "verl==0.9.1").lower()
    assert said not in _told(capsys, "resolve", "val-aux/gsm8k/reward/mean@1", "--at", "verl==0.9.1").lower()


def test_numbers_that_were_twice_as_large_do_not_stay_close(capsys):
    """A factor is told as it is, and not as a small difference."""
    told = _told(capsys, "diff", "epoch", "--from", "trl[RLOOTrainer]==0.11.4", "--to", "trl[RLOOTrainer]==0.15.2")
    assert "0.5 x the number before" in told
    assert "stay close" not in told


def test_a_lost_loss_is_said_to_be_replaced_by_default(capsys):
    """By default transformers puts another number in the place of a loss that is NaN."""
    told = _told(capsys, "resolve", "loss=nan", "--at", "trl[DPOTrainer]==1.8.0")
    assert "nan comes here only with logging_nan_inf_filter off" in told


def test_a_spread_without_scores_is_told_as_that(capsys):
    """RLOOTrainer leaves responses without a score out, so one of them makes no NaN."""
    told = _told(capsys, "resolve", "eval_reward_std=nan", "--at", "trl[RLOOTrainer]==1.7.1")
    assert told.startswith("nan means that fewer than two responses had a score")


def test_half_of_the_responses_are_not_most_of_them(capsys):
    """The sentence holds at both ends of its range."""
    told = _told(capsys, "resolve", "completions/clipped_ratio=0.5", "--at", "trl[GRPOTrainer]==1.9.0")
    assert "at least half have no end" in told


def test_a_count_of_calls_is_no_yes_or_no(capsys):
    """The largest number of tool calls of a response counts calls, not whether there was one."""
    told = _told(capsys, "map", "tools/failure_frequency", "--from", "trl[GRPOTrainer]==1.9.2", "--to", "verl==0.9.1")
    assert "tool_call_counts/max: that counts calls per completion" in told
    assert "counts if" not in told
