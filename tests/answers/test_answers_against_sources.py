"""Answers on OpenRLHF, AReaL and SkyRL say what these frameworks' own code does, also where several keys are alike."""

from __future__ import annotations

import pytest
from rlmetrics.answers.unlike import beside, is_of_any, unlike
from rlmetrics.cli import main
from rlmetrics.names import keys, map_names, open_view, resolve
from rlmetrics.names.lookup.lookup_records import Resolution
from rlmetrics.names.meanings.view import FrameworkView
from rlmetrics.names.tables.loading import load_tables

ASYNC = "openrlhf[PPOTrainerAsync]==0.11.2"
TRL = "trl[GRPOTrainer]==1.16.0"
AREAL, SKYRL, SKYRL_ASYNC = "areal==1.0.4", "skyrl[RayPPOTrainer]==0.4.0", "skyrl[FullyAsyncRayPPOTrainer]==0.4.0"


def _told(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(list(arguments)) == 0
    return " ".join(capsys.readouterr().out.split())


def _one(key: str, at: str, **config: object) -> Resolution:
    (found,) = resolve([key], at, config=config)
    return found


def _traits(found: Resolution) -> tuple[str, ...]:
    return () if found.signature is None else tuple(found.signature.traits)


def test_a_log_ratio_that_is_overwritten_is_told_with_the_setting(capsys):
    """From 0.9.3 to 0.10.2 the correction makes ppo_kl another divergence: setting, fault and last release are told."""
    asked = ("resolve", "ppo_kl", "--at", "openrlhf[PPOTrainer]==0.9.7")
    plain = _told(capsys, *asked)
    assert "enable_vllm_is_correction (off by default) inference engine vs policy before the update" in plain
    given = (*asked, "--config", "enable_vllm_is_correction=true")
    assert "The same number as vllm_kl and no measure of the update" in _told(capsys, *given)
    assert "overwritten by theirs before it is averaged" in _told(capsys, *given, "--bugs")
    newer = _one("ppo_kl", "openrlhf[PPOTrainer]==0.10.3", **{"algo.advantage.is_correction_enable": True})
    assert newer.metric == "kl/old/k1"


@pytest.mark.parametrize(
    ("at", "key", "config"),
    [
        (ASYNC, "vllm_kl", {"algo.advantage.is_correction_level": "token"}),
        (AREAL, "ppo_actor/update/behave_approx_kl/avg", {"actor.use_decoupled_loss": True}),
        (SKYRL_ASYNC, "policy/rollout_train_logprobs_abs_diff_mean", {}),
        (SKYRL_ASYNC, "policy/loss_metrics/is_ratio_mean", {}),
    ],
)
def test_where_generation_goes_on_beside_training_updates_are_in_the_mismatch(at, key, config):
    """The engine sampled with older weights; no first sentence says that both sides hold the same."""
    found = _one(key, at, **config)
    assert "older_policy_sampled" in _traits(found)
    assert "same weights" not in str(found.brief)


def test_where_generation_waits_no_update_is_in_the_mismatch():
    """The same key of the synchronous trainer."""
    assert "older_policy_sampled" not in _traits(_one("policy/rollout_train_logprobs_abs_diff_mean", SKYRL))


def test_sending_weights_waits_for_the_running_generation(capsys):
    """The asynchronous trainer takes the engine's lock inside the timer."""
    assert "waiting until the running generation" in _told(capsys, "resolve", "timing/broadcast", "--at", ASYNC)


@pytest.mark.parametrize(
    ("at", "key", "others"),
    [
        (AREAL, "ppo_actor/update/importance_weight/max", ["ppo_actor/update/importance_weight/avg"]),
        (AREAL, "ppo_actor/kl_rewards/max", ["ppo_actor/kl_rewards/avg"]),
        (SKYRL_ASYNC, "async/staleness_max", ["async/staleness_mean"]),
        (AREAL, "ppo_actor/eps_clip", []),
    ],
)
def test_the_mean_of_the_same_elements_is_the_key_beside(at, key, others):
    """No other mean of the release is taken for that of an extreme."""
    view = open_view(at)
    (found,) = resolve([key], at)
    names = [name for name, _ in unlike(view, str(found.metric), "train", str(found.component), key)]
    assert names == others


@pytest.mark.parametrize("at", [AREAL, SKYRL, SKYRL_ASYNC])
def test_every_look_alike_of_an_extreme_differs_in_the_statistic_alone(at):
    """For each key whose metric says only how it is made."""
    view, tables = open_view(at), load_tables()
    assert isinstance(view, FrameworkView)
    seen = 0
    for entry in view.entries():
        if entry.metric is None or not is_of_any(entry.metric, tables):
            continue
        for names, _ in unlike(view, entry.metric, entry.mode, entry.component, entry.key):
            known = beside(entry.key, "mean", names.split(", ")) + beside(entry.key, "max", names.split(", "))
            assert sorted(known) == sorted(names.split(", "))
            seen += 1
    assert seen


def test_a_key_is_no_look_alike_of_itself(capsys):
    """Where a setting gives a key another meaning, its usual one is told among the settings."""
    said = _told(
        capsys,
        "resolve",
        "ppo_kl",
        "--at",
        "openrlhf[PPOTrainer]==0.9.7",
        "--config",
        "enable_vllm_is_correction=true",
    )
    assert "≠ ppo_kl" not in said


@pytest.mark.parametrize(
    ("key", "at"),
    [
        ("environment/{env_metric}", "skyrl==0.4.0"),
        ("{extra_log}", "openrlhf[PPOTrainer]==0.11.2"),
        ("ppo_actor/{agent_stat}/avg", AREAL),
        ("{log_metric}", TRL),
    ],
)
def test_a_template_that_is_asked_for_as_it_stands_is_logged(capsys, key, at):
    """It is neither absent nor replaced by itself, and whoever returns the number is told in general."""
    said = _told(capsys, "resolve", key, "--at", at)
    assert "ot logged in" not in said
    assert "does not log" not in said
    assert "has its meaning" not in said
    assert "an agent or an environment" in said


def test_ratios_of_responses_are_told_of_extremes_as_of_the_mean():
    """With ratios of whole responses every statistic of them is one of responses; dropped tokens are in all of them."""
    for end in ("avg", "min", "max"):
        key = f"ppo_actor/update/importance_weight/{end}"
        assert "sequence_ratio_used" in _traits(_one(key, AREAL, **{"actor.importance_sampling_level": "sequence"}))
        rejecting = {"actor.use_decoupled_loss": True, "actor.rejection_sampling": "given"}
        assert "rejected_ratio_zero" in _traits(_one(key, AREAL, **rejecting))
        assert not {"sequence_ratio_used", "rejected_ratio_zero"} & {*_traits(_one(key, AREAL))}


@pytest.mark.parametrize(
    ("at", "key", "to", "counterpart", "config"),
    [
        (
            SKYRL,
            "generate/avg_assistant_tokens",
            TRL,
            "completions/mean_length",
            {"tools": True},
        ),
        (SKYRL, "generate/avg_assistant_tokens", "verl==0.9.1", "response_length/mean", {}),
        (
            AREAL,
            "ppo_actor/update/rs_filtered_fraction",
            "verl==0.9.1",
            "rollout_corr/rollout_rs_masked_fraction",
            {"actor.use_decoupled_loss": True, "actor.rejection_sampling": "given"},
        ),
        (SKYRL, "trainer/epoch", "verl==0.9.1", "training/epoch", {}),
    ],
)
def test_what_another_framework_logs_too_is_named(at, key, to, counterpart, config):
    """No key is said to be without anything of its kind where the other's code measures the same."""
    (row,) = [row for row in map_names(at, to, config=config).rows if row.from_ == key]
    assert row.to == counterpart


def test_with_tools_the_number_without_their_tokens_is_the_counterpart():
    """TRL counts what the policy wrote, so SkyRL's count of all tokens differs in more than when it is logged."""
    rows = {row.from_: row for row in map_names(SKYRL, TRL, config={"tools": True}).rows}
    whole = " ".join(item.what for item in rows["generate/avg_num_tokens"].differs_by)
    own = " ".join(item.what for item in rows["generate/avg_assistant_tokens"].differs_by)
    assert "a tool or an environment wrote" in whole
    assert "a tool or an environment wrote" not in own


@pytest.mark.parametrize(
    ("at", "key", "setting"),
    [
        (AREAL, "timeperf/teacher_onload", "teacher.offload"),
        (AREAL, "timeperf/critic_offload", "critic.offload"),
        (AREAL, "timeperf/ref_onload", "ref.offload"),
        (AREAL, "timeperf/actor_onload", "actor.offload"),
        (SKYRL, "generate/sample_support_full_fraction", "enable_return_sample_support_set"),
    ],
)
def test_conditions_name_the_setting_that_the_code_asks(at, key, setting):
    """Not one that is merely used along with it."""
    assert setting in str(_one(key, at).condition)


def test_what_the_engine_returns_by_default_is_logged_by_default():
    """Log-probabilities of the chosen tokens are."""
    for key in ("policy/rollout_train_logprobs_abs_diff_std", "policy/minibatch_rollout_logprobs_abs_diff_mean"):
        assert _one(key, SKYRL).logged is True
        assert _one(key, SKYRL, **{"generator.sampling_params.logprobs": None}).logged is False


@pytest.mark.parametrize("key", ["timeperf/save", "timeperf/eval", "timeperf/checkpoint_for_recover"])
def test_a_timer_of_every_step_is_not_said_to_run_in_some(capsys, key):
    """Its text does not contradict that it is logged always."""
    said = _told(capsys, "resolve", key, "--at", AREAL)
    assert "logged always" in said
    assert "Occurs only" not in said


def test_a_rate_of_which_the_last_is_taken_is_not_pooled(capsys):
    """The learning rate changed as the norm of the gradient did."""
    for key in ("actor_lr", "actor_grad_norm"):
        pair = ("--from", "openrlhf[PPOTrainer]==0.9.7", "--to", "openrlhf[PPOTrainer]==0.9.8")
        said = _told(capsys, "diff", key, *pair)
        assert "only the last of the" in said
        assert "pooled" not in said


def test_a_rate_that_is_averaged_has_a_mean_for_its_formula(capsys):
    """The formula does not contradict how parts are put together."""
    said = _told(capsys, "resolve", "policy/policy_lr", "--at", SKYRL)
    assert "mean(learning_rate)" in said
    assert "last(learning_rate)" in _told(capsys, "resolve", "actor_lr", "--at", "openrlhf[PPOTrainer]==0.11.2")


@pytest.mark.parametrize(
    ("key", "at", "text"),
    [
        ("ppo_actor/update/version_stats/n_valid_tokens=nan", AREAL, "a count of nothing is 0"),
        ("ppo_actor/n_valid_tokens=1.0", AREAL, "a single token of all responses"),
        ("total_length=0.0", "openrlhf[PPOTrainer]==0.11.2", "cannot be a length"),
        ("truncated=1.0", "openrlhf[PPOTrainer]==0.11.2", "the engine stopped every response at the length limit"),
        ("policy/rollout_train_logprobs_abs_diff_std=1.0", SKYRL, "more than a factor of e"),
    ],
)
def test_a_value_that_cannot_be_or_alarms_is_told_as_such(capsys, key, at, text):
    """None is unremarkable."""
    said = _told(capsys, "resolve", key, "--at", at)
    assert text in said
    assert "unremarkable" not in said


@pytest.mark.parametrize(
    ("at", "key", "counterpart"),
    [
        (SKYRL, "timing/save_checkpoints", "timing_s/save_checkpoint"),
        (AREAL, "timeperf/critic_train_step", "timing_s/update_critic"),
        (SKYRL, "timing/policy_train", "timing_s/update_actor"),
        (AREAL, "timeperf/eval", "timing_s/testing"),
    ],
)
def test_timers_around_the_same_part_are_the_same(at, key, counterpart):
    """However two descriptions were worded."""
    (row,) = [row for row in map_names(at, "verl==0.9.1").rows if row.from_ == key]
    assert (row.to, row.severity) == (counterpart, "same")


def test_text_beside_the_reward_of_another_sample_is_a_known_fault():
    """In the releases that sort samples between taking the one and the other."""
    dynamic = {"use_dynamic_batch": True}
    assert "reward_of_another_sample" in _traits(_one("generated_samples", "openrlhf[PPOTrainer]==0.9.0", **dynamic))
    assert "reward_of_another_sample" not in _traits(
        _one("generated_samples", "openrlhf[PPOTrainer]==0.9.2", **dynamic)
    )


def test_an_asynchronous_trainer_logs_no_timer_or_window_of_the_loop_that_waits():
    """SkyRL's generation goes on beside training, so nothing is timed or measured around it alone."""
    logged = {name: {item.key for item in keys(name)} for name in (SKYRL, SKYRL_ASYNC)}
    for key in ("timing/generate", "vllm/train/ttft_seconds_avg", "vllm/eval/ttft_seconds_avg"):
        assert key in logged[SKYRL]
        assert key not in logged[SKYRL_ASYNC]
    assert {"timing/wait_for_generation_buffer", "vllm/ttft_seconds_avg"} <= logged[SKYRL_ASYNC]


@pytest.mark.parametrize("key", ["loss/avg_raw_advantages", "loss/avg_raw_advantages_abs"])
def test_advantages_of_skyrl_are_over_what_tools_wrote_as_well(key: str) -> None:
    """Its driver selects by the mask of responses, not by that of the loss."""
    signature = _one(key, SKYRL).signature
    assert signature is not None
    assert signature.population == "response_tokens"


def test_a_mean_size_of_advantages_is_told_from_their_mean() -> None:
    """It is a metric of its own, so that a map names the mean as a look-alike."""
    assert _one("loss/avg_raw_advantages_abs", SKYRL).metric == "advantage/abs_mean"
    row = map_names(SKYRL, "verl==0.9.1").translate("loss/avg_raw_advantages_abs").row
    assert row is not None
    assert "critic/advantages/mean" in {item.to for item in row.related}


def test_an_unguarded_quotient_of_skyrl_is_not_called_zero() -> None:
    """A part without a token makes importance_ratio NaN; the other means of parts divide by at least 1."""
    settings = {"trainer.algorithm.policy_loss_type": "importance_sampling"}
    ratio = _one("policy/loss_metrics/importance_ratio", SKYRL, **settings)
    assert "nan_when_empty" in _traits(ratio)
    assert "zero_without_token" not in _traits(ratio)
    assert "zero_without_token" in _traits(_one("policy/policy_entropy", SKYRL))


@pytest.mark.parametrize("key", ["reward/mean_positive_reward", "eval/all/mean_positive_reward"])
def test_rewards_of_tokens_are_cut_before_they_are_added_up(key: str) -> None:
    """So that the mean positive reward may lie above the mean reward where no reward of a response is negative."""
    assert "negative ones of tokens are" in " ".join(_one(key, SKYRL).notes)


@pytest.mark.parametrize(
    ("key", "at"),
    [
        ("ppo_critic/clipped_new_value/avg", AREAL),
        ("ppo_actor/update/clipped_new_logp/avg", AREAL),
        ("ppo_actor/correct_seq_len/avg", AREAL),
        ("generate/avg_tokens_zero_rewards", SKYRL),
        ("reward_dropped/avg_raw_reward", SKYRL_ASYNC),
    ],
)
def test_a_number_over_a_part_is_not_told_over_the_whole(capsys: pytest.CaptureFixture[str], key: str, at: str) -> None:
    """What is over clipped tokens or some responses alone is said in its note, and nothing else of it."""
    signature = _one(key, at).signature
    assert signature is not None
    assert signature.population is None
    assert "Here over" not in _told(capsys, "resolve", key, "--at", at, "--full")


@pytest.mark.parametrize(
    ("key", "at", "told"),
    [
        ("reward/avg_raw_reward", SKYRL, (False, False)),
        ("reward", "openrlhf[PPOTrainer]==0.11.2", (False, False)),
        ("reward", "trl[GRPOTrainer]==0.18.2", (True, False)),
        ("reward", TRL, (True, True)),
    ],
)
def test_a_rule_is_told_where_its_program_can_break_it(
    capsys: pytest.CaptureFixture[str], key: str, at: str, told: tuple[bool, bool]
) -> None:
    """Rules on reward functions need their means beside the total, and a total that may be null."""
    text = _told(capsys, "resolve", key, "--at", at, "--full")
    found = ("a reward function returns no number" in text, "no reward function returned a number" in text)
    assert found == told
    assert "the reward is no longer finite" in text
