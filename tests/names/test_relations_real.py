"""Relations between real releases: what must come out, forwards and backwards."""

from __future__ import annotations

from functools import lru_cache

import pytest
from rlmetrics.names import NameMap, keys, map_names, open_views, resolve
from rlmetrics.names.mapping.mapping import KeyTranslation

OLD = "trl[PPOTrainer]==0.7.10"
PPO12, PPO18 = "trl[PPOTrainer]==0.12.2", "trl[PPOTrainer]==0.18.2"
GRPO18, GRPO24, GRPO = "trl[GRPOTrainer]==0.18.2", "trl[GRPOTrainer]==0.24.0", "trl[GRPOTrainer]==1.16.0"
VERL5, VERL9 = "verl==0.5.0", "verl==0.9.1"
SOURCES = [OLD, PPO12, PPO18, GRPO18, GRPO, "trl[DPOTrainer]==1.16.0", VERL5, VERL9]


@lru_cache(maxsize=64)
def _map(source: str, target: str) -> NameMap:
    return map_names(source, target)


def _translate(source: str, key: str, target: str) -> KeyTranslation:
    found = _map(source, target).translate(key)
    assert found.row is not None, f"{source} does not log {key}"
    return found


def _relation(source: str, key: str, target: str) -> str:
    found = _translate(source, key, target)
    return "" if found.row is None else found.row.relation


def _grades(found: KeyTranslation) -> set[str]:
    return set() if found.row is None else {item.grade for item in found.row.differs_by}


def _said(found: KeyTranslation) -> str:
    return "" if found.row is None else "; ".join(item.what for item in found.row.differs_by)


def _look_alikes(found: KeyTranslation) -> list[str]:
    return [] if found.row is None else [item.to for item in found.row.related]


@pytest.mark.parametrize("target", [PPO12, PPO18])
def test_the_rewrite_of_ppo_averages_over_padding(target):
    """Approxkl became approxkl_avg: a biased difference that vanishes without padding."""
    found = _translate(OLD, "ppo/policy/approxkl", target)
    assert (found.target, _relation(OLD, "ppo/policy/approxkl", target)) == ("policy/approxkl_avg", "approximate")
    assert found.row is not None
    padding = [item for item in found.row.differs_by if "padding positions are part of the mean" in item.what]
    assert [(item.grade, item.vanishes_when) for item in padding] == [("biased", "no response is padded")]


@pytest.mark.parametrize(
    ("source", "key", "target", "name"),
    [
        (OLD, "ppo/policy/policykl", VERL5, "actor/ppo_kl"),
        (OLD, "ppo/policy/policykl", VERL9, "actor/ppo_kl"),
        (OLD, "ppo/policy/clipfrac", PPO18, "policy/clipfrac_avg"),
        (OLD, "ppo/policy/clipfrac", VERL9, "actor/pg_clipfrac"),
        (OLD, "ppo/loss/policy", VERL5, "actor/pg_loss"),
        (OLD, "ppo/loss/value", VERL5, "critic/vf_loss"),
        (OLD, "ppo/val/clipfrac", VERL5, "critic/vf_clipfrac"),
        (OLD, "ppo/val/vpred", VERL5, "critic/vpred_mean"),
        (OLD, "ppo/returns/mean", VERL9, "critic/returns/mean"),
        (OLD, "ppo/policy/advantages_mean", VERL9, "critic/advantages/mean"),
        (OLD, "ppo/policy/entropy", PPO12, "policy/entropy_avg"),
        (OLD, "objective/kl", PPO18, "objective/kl"),
        (PPO18, "policy/clipfrac_avg", GRPO, "clip_ratio/region_mean"),
        (PPO18, "objective/rlhf_reward", VERL9, "critic/rewards/mean"),
        (PPO18, "policy/entropy_avg", VERL9, "actor/entropy_loss"),
        (GRPO18, "clip_ratio/region_mean", VERL5, "actor/pg_clipfrac"),
        (GRPO, "clip_ratio/region_mean", VERL9, "actor/pg_clipfrac"),
        (GRPO, "reward", VERL9, "critic/score/mean"),
        (GRPO18, "completions/mean_length", GRPO, "completions/mean_length"),
        (GRPO, "completions/mean_length", VERL9, "response_length/mean"),
        (GRPO, "kl", VERL9, "actor/kl_loss"),
        (GRPO, "learning_rate", VERL9, "actor/lr"),
        (GRPO, "grad_norm", VERL9, "actor/grad_norm"),
        (VERL5, "actor/pg_loss", VERL9, "actor/pg_loss"),
        (VERL5, "timing_s/step", VERL9, "timing_s/step"),
        (VERL5, "critic/score/mean", VERL9, "critic/score/mean"),
    ],
)
def test_the_same_metric_computed_differently_is_approximate(source, key, target, name):
    """Forwards and backwards, with what differs."""
    for first, left, second, right in ((source, key, target, name), (target, name, source, key)):
        found = _translate(first, left, second)
        assert (found.target, _relation(first, left, second)) == (right, "approximate")
        assert _grades(found)
        assert _grades(found) <= {"minor", "biased"}


@pytest.mark.parametrize(
    ("source", "key", "target", "name"),
    [
        (OLD, "ppo/mean_scores", PPO18, "objective/scores"),
        (OLD, "ppo/mean_scores", VERL5, "critic/score/mean"),
        (PPO18, "objective/scores", VERL5, "critic/score/mean"),
        (OLD, "objective/kl_coef", VERL5, "actor/reward_kl_penalty_coeff"),
        (GRPO24, "completions/mean_length", GRPO, "completions/mean_length"),
        (VERL5, "response_length/mean", VERL9, "response_length/mean"),
        (VERL5, "critic/vf_explained_var", VERL9, "critic/vf_explained_var"),
    ],
)
def test_the_same_number_under_another_name_is_exact(source, key, target, name):
    """Nothing differs in either direction."""
    for first, left, second, right in ((source, key, target, name), (target, name, source, key)):
        found = _translate(first, left, second)
        assert (found.target, _relation(first, left, second), _grades(found)) == (right, "exact", set())


@pytest.mark.parametrize(
    ("source", "key", "target", "look_alike"),
    [
        (OLD, "ppo/policy/approxkl", VERL5, "actor/ppo_kl"),
        (OLD, "ppo/policy/approxkl", VERL9, "actor/ppo_kl"),
        (PPO12, "policy/approxkl_avg", VERL9, "actor/ppo_kl"),
        (OLD, "objective/kl", VERL5, "actor/reward_kl_penalty"),
        (PPO18, "objective/kl", VERL9, "actor/reward_kl_penalty"),
        (GRPO18, "clip_ratio/low_mean", VERL5, "actor/pg_clipfrac_lower"),
        (GRPO, "clip_ratio/low_mean", VERL9, "actor/pg_clipfrac_lower"),
        (OLD, "ppo/policy/ratio", PPO12, "val/ratio"),
        (OLD, "ppo/policy/ratio", PPO18, "val/ratio"),
        (OLD, "ppo/val/var_explained", VERL9, "critic/vf_explained_var"),
        (GRPO, "completions/clipped_ratio", VERL5, "response_length/clip_ratio"),
        (GRPO, "completions/mean_terminated_length", VERL9, "response_length_non_aborted/mean"),
        (GRPO, "sampling/sampling_logp_difference/mean", VERL9, "training/rollout_probs_diff_mean"),
        (GRPO18, "reward_std", GRPO, "reward_std"),
        (GRPO18, "clip_ratio/low_min", GRPO, "clip_ratio/low_min"),
        (VERL5, "response_length/clip_ratio", VERL9, "response_length/clip_ratio"),
        (GRPO, "reward", "trl[PPOTrainer]==0.18.2", "objective/rlhf_reward"),
    ],
)
def test_what_people_confuse_is_related_and_never_translated(source, key, target, look_alike):
    """The look-alike is named with a reason, in both directions."""
    for first, left, second, right in ((source, key, target, look_alike), (target, look_alike, source, key)):
        if _map(first, second).translate(left).target is not None:
            # The look-alike itself may have a true counterpart over there.
            assert right != _map(first, second).translate(left).target
            continue
        found = _translate(first, left, second)
        assert _relation(first, left, second) == "related"
        assert found.row is not None
        assert all(item.why for item in found.row.related)
    forth = _translate(source, key, target)
    if forth.target is None:
        assert look_alike in _look_alikes(forth)


def test_entropy_of_the_update_is_never_that_of_the_old_policy():
    """GRPO's entropy is verl's actor/entropy_loss when that is logged, and actor/entropy never."""
    found = _translate(GRPO, "entropy", VERL9)
    assert (found.target, _relation(GRPO, "entropy", VERL9)) == ("actor/entropy_loss", "approximate")
    assert found.note is not None
    assert "logged only: " in found.note
    assert None is _translate(VERL9, "actor/entropy", GRPO).target
    assert None is _translate(VERL5, "actor/entropy", GRPO).target
    (old,) = resolve("actor/entropy", VERL9)
    assert old.metric == "entropy/old_policy"


def test_a_learning_rate_read_after_the_scheduler_is_a_step_off(tables):
    """A minor difference with its own condition for vanishing."""
    found = _translate(GRPO, "learning_rate", VERL9)
    assert found.row is not None
    assert [(item.grade, "step" in item.what) for item in found.row.differs_by] == [("minor", True)]
    assert _relation(GRPO, "learning_rate", VERL5) == "exact"


def test_rank_zero_only_is_a_difference_of_verl_releases():
    """Up to 0.5.0 the actor's numbers are those of one rank."""
    found = _translate(VERL5, "actor/pg_clipfrac", VERL9)
    assert "only the first part in the source" in _said(found)


def test_an_incomparable_defect_is_explained_with_its_correction():
    """The clip ratio of 0.9.1 is no truncation rate; the note says what to look at."""
    found = _translate(VERL9, "response_length/clip_ratio", VERL5)
    assert _grades(found) == {"incomparable"}
    assert found.note


def test_validation_keys_translate_with_their_values():
    """Data set, variable and number of samples carry over."""
    found = _translate(VERL5, "val-core/openai/gsm8k/acc/mean@4", VERL9)
    assert found.target == "val-core/openai/gsm8k/acc/mean@4"
    assert (
        _translate(VERL9, "val-core/openai/gsm8k/acc/mean@4", "canonical").target
        == "validation/mean/openai/gsm8k/acc/4"
    )


@pytest.mark.parametrize("source", SOURCES)
def test_every_source_is_exact_to_itself(source):
    """Each key translates to itself, whatever its defects."""
    names = _map(source, source)
    wrong = [
        row.from_ for row in names.rows if row.metric is not None and (row.from_, "exact") != (row.to, row.relation)
    ]
    assert wrong == []


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("target", SOURCES)
def test_every_table_is_sound(source, target):
    """A target is logged by the target source and measures the same; without one there is a reason or nothing."""
    names = _map(source, target)
    metrics = {(item.component, item.key, item.mode): item.metric for item in keys(target)}
    for row in names.rows:
        assert row.relation in ("exact", "affine", "approximate", "related", "none")
        if row.relation in ("related", "none"):
            assert row.to is None
            assert (row.relation == "related") == bool(row.related)
        else:
            goal = names.target_of(row)
            assert goal is not None
            assert row.metric == metrics[goal.component, goal.key, goal.mode]
            assert row.mode == goal.mode
            assert all(item.grade != "incomparable" for item in row.differs_by)
            assert (row.relation == "approximate") == bool(row.differs_by)


@pytest.mark.parametrize("source", SOURCES)
def test_the_way_through_canonical_names_comes_back(source):
    """What has an exact canonical name is found again under its own."""
    there, back = _map(source, "canonical"), _map("canonical", source)
    for row in there.rows:
        if row.relation == "exact" and row.to is not None:
            returned = [item for item in back.rows if item.from_ == row.to and item.mode == row.mode]
            assert all(item.relation != "none" for item in returned)


@pytest.mark.parametrize("source", SOURCES)
def test_every_literal_key_resolves_to_itself(source):
    """No key is hidden by a template or by another component."""
    listed = [item for item in keys(source) if "{" not in item.key]
    for item in listed:
        found = {(answer.component, answer.template, answer.metric) for answer in resolve(item.key, source)}
        assert (item.component, item.key, item.metric) in found


def test_keys_that_bypass_the_trainer_are_shown_without_its_prefix():
    """TRL logs profiling times directly to W&B: the ``train/`` that transformers adds to other keys is not added."""
    first, second = open_views(["trl[GRPOTrainer]==1.15.0", "trl[GRPOTrainer]==1.16.0"])
    names = NameMap(first, second, surface="wandb")

    assert (
        names.translate("profiling/Time taken: GRPOTrainer.compute_loss").target
    ) == "profiling/Time taken: GRPOTrainer.compute_loss"
    assert names.translate("reward").target == "train/reward"


@pytest.mark.parametrize("key", ["actor/pg_loss", "critic/vf_loss"])
def test_an_incomparable_number_under_the_same_key_is_not_passed_over(key):
    """The losses of verl 0.6 are too small by the number of micro-batches; a key of opt-in workers is no way out."""
    found = _translate("verl==0.5.0", key, "verl==0.6.0")

    assert (_relation("verl==0.5.0", key, "verl==0.6.0"), found.target) == ("related", None)
    assert key in _look_alikes(found)
    assert "incomparable" in _grades(found)


def test_the_correction_is_computed_once_the_configuration_says_by_how_much():
    """With the number of micro-batches the transform of verl 0.6's loss is known; the relation stays ``related``."""
    config = {"actor_rollout_ref.actor.micro_batches_per_mini_batch": 4}
    rows = map_names("verl[actor]==0.5.0", "verl[actor]==0.6.0", config=config).rows
    row = next(row for row in rows if row.from_ == "actor/pg_loss")

    assert row.relation == "related"
    assert row.transform is not None
    assert row.transform.scale == 0.25


def test_opentelemetry_names_are_a_target_where_they_have_a_counterpart():
    """The proposal leaves open how numbers are taken, so nothing is exact; what it does not name has no target."""
    names = _map("trl[GRPOTrainer]==1.16.0", "opentelemetry")
    rows = {row.from_: row for row in names.rows if row.mode == "train"}
    assert (rows["reward"].to, rows["reward"].relation) == ("rl.environment.reward.mean", "approximate")
    assert (rows["loss"].to, rows["num_tokens"].to) == ("rl.train.loss", "rl.train.tokens")
    assert rows["clip_ratio/region_mean"].to is None
    assert {"approximate", "related", "none"} >= {row.relation for row in rows.values()}
    back = {row.from_: row.to for row in _map("opentelemetry", "canonical").rows}
    assert (
        back["rl.train.loss"],
        back["rl.environment.episode.length.mean"],
    ) == ("loss/total", "task/episode_length/mean")


@pytest.mark.parametrize(
    ("source", "key"), [("trl[GRPOTrainer]==1.16.0", "kl"), ("verl==0.9.1", "actor/kl_loss")], ids=["trl", "verl"]
)
def test_a_name_that_leaves_its_estimator_open_takes_any_and_comes_back(source, key):
    """NVIDIA's name for a divergence fits every estimator of it; it is one name, and no divergence from elsewhere."""
    there = {row.from_: row for row in _map(source, "nemo_lens").rows if row.mode == "train"}
    assert (there[key].to, there[key].relation) == ("rl.kl_divergence", "approximate")
    back = [row for row in _map("nemo_lens", source).rows if row.from_ == "rl.kl_divergence"]
    assert [row.to for row in back] == [key]
    assert _map("nemo_lens", source).translate("rl.kl_divergence").target == key
    assert _map("verl==0.9.1", "nemo_lens").translate("actor/ppo_kl").target is None


def test_a_convention_in_another_unit_is_converted():
    """Seconds become milliseconds on the way there, and seconds again."""
    there = next(row for row in _map("verl==0.9.1", "nemo_lens").rows if row.from_ == "timing_s/gen")
    back = next(row for row in _map("nemo_lens", "verl==0.9.1").rows if row.from_ == "rl.generation.duration_ms")
    assert there.transform is not None
    assert back.transform is not None
    assert (there.transform(2.0), back.transform(2000.0)) == (2000.0, 2.0)


@pytest.mark.parametrize(
    ("source", "key", "target"),
    [(GRPO, "rewards/{reward_func}/std", VERL9), ("verl==0.7.1", "gdpo/{reward_key}/mean", "trl[GRPOTrainer]==1.5.0")],
)
def test_names_that_users_choose_on_both_sides_have_to_be_paired(source, key, target):
    """The target has one value for each of its own names, so nothing is lost once a name is bound."""
    row = next(row for row in _map(source, target).rows if row.from_ == key)
    assert row.to is not None
    assert row.relation == "approximate"
    assert len(row.unbound) == 1
    paired = [item for item in row.differs_by if "one value for each" in item.what]
    here, there = key.split("{")[1].split("}")[0], row.unbound[0]
    assert [item.what for item in paired] == [
        f"the source has one value for each {{{here}}}, the target one for each {{{there}}}"
    ]
    assert [(item.grade, item.vanishes_when is not None) for item in paired] == [("minor", True)]


def test_a_timed_reward_function_keeps_its_name_between_trainers():
    """RLOO and GRPO of TRL time each reward function under its name."""
    name = "profiling/Time taken: {}.accuracy_reward"
    found = _translate("trl[RLOOTrainer]==1.16.0", name.format("RLOOTrainer"), GRPO)
    assert (found.target, found.row and found.row.relation) == (name.format("GRPOTrainer"), "exact")


def test_tokens_per_step_count_a_batch_in_verl_and_an_optimizer_step_in_trl():
    """A batch of verl is trained on in several optimizer steps; AsyncGRPO logs each."""
    found = _translate(VERL9, "perf/total_num_tokens", "trl[AsyncGRPOTrainer]==1.16.0")
    assert "one step is a batch of responses with all optimizer steps on it" in _said(found)


@pytest.mark.parametrize("source", ["trl[SFTTrainer]==1.10.0", "trl[KTOTrainer]==1.16.0"])
def test_tokens_of_prompts_are_no_difference_between_counters_of_all_tokens(source):
    """All of them count prompts, so none says that only the other does."""
    found = _translate(source, "num_tokens", "verl[sft]==0.9.0")
    assert found.target == "train/total_tokens(B)"
    assert "prompt positions" not in _said(found)


def test_the_same_number_from_other_inputs_is_no_difference():
    """Entropies per position or logits: both average what the model's distribution says."""
    found = _translate("trl[GRPOTrainer]==0.27.2", "entropy", "verl==0.2")
    assert found.target == "actor/entropy_loss"
    assert "computed by" not in _said(found)


def test_a_look_alike_that_never_changes_says_so():
    """The RLOO of old does not count tokens, although it logs the counter."""
    row = next(
        row
        for row in _map("trl[RLOOTrainer]==1.16.0", "trl[RLOOTrainer]==0.17.0").rows
        if row.from_ == "train_tokens_per_second"
    )
    assert "0 always" in next(item.why for item in row.related if item.to == "num_input_tokens_seen")


@pytest.mark.parametrize(
    ("source", "target", "name"),
    [
        ("trl[SFTTrainer]==0.7.11", "trl[SFTTrainer]==1.16.0", "loss"),
        ("trl[SFTTrainer]==1.16.0", "verl[sft]==0.9.1", "train/loss"),
    ],
)
def test_what_only_an_option_brings_that_is_off_keeps_no_loss_from_translating(source, target, name):
    """Label smoothing changes the scale of the loss; without it losses compare."""
    found = _translate(source, "loss", target)
    assert name == found.target
    assert "incomparable" not in _grades(found)


def test_gmpo_leaves_masked_completions_out_of_its_extremes():
    """Shares of completions without a counted token are NaN, which the smallest share skips in both: no 0 enters."""
    found = map_names("trl[GMPOTrainer]==1.16.0", GRPO, config={"mask_truncated_completions": True})
    said = _said(found.translate("clip_ratio/low_min"))
    assert "parts that are NaN are left out" not in said
    assert "0 is logged" not in said
