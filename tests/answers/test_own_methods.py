"""Trainers of ms-swift and LLaMA-Factory that write numbers by methods of their own, and what is said of these."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from rlmetrics.cli.main import main

SWIFT, FACTORY = "ms-swift[{}]==4.6.0", "llamafactory[{}]==0.9.5"


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str]) -> Any:
    """Return what calls a command and reads its JSON."""

    def run(*args: str) -> Any:
        assert main([*args, "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    return run


def _keys(ask: Any, source: str) -> set[str]:
    return {row["key"] for row in ask("keys", "--at", source) if row["logged"] is not False or row["condition"]}


def _settings(config: Sequence[str]) -> Iterator[str]:
    for each in config:
        yield from ("--config", each)


def _resolved(ask: Any, key: str, source: str, *config: str) -> dict[str, Any]:
    (answer,) = ask("resolve", key, "--at", source, *_settings(config))
    return dict(answer)


@pytest.mark.parametrize("release", ["4.5.3", "4.6.0"])
@pytest.mark.parametrize(
    ("trainer", "logged", "never"),
    [
        (
            "RewardTrainer",
            ["rewards/chosen", "rewards/rejected", "rewards/accuracies", "rewards/margins", "center_rewards_loss"],
            ["num_tokens", "accuracy", "margin", "min_reward", "mean_reward", "max_reward"],
        ),
        (
            "DPOTrainer",
            ["rewards/chosen", "logps_mean/chosen", "nll_loss", "logits/rejected", "aux_loss"],
            ["num_tokens", "entropy", "mean_token_accuracy"],
        ),
        (
            "GRPOTrainer",
            ["reward", "clip_ratio/low_min", "cispo_clip_ratio", "completions", "rollout_correction/ess"],
            [
                "num_tokens",
                "step_time",
                "completions/min_terminated_length",
                "sampling/sampling_logp_difference/mean",
                "tools/call_frequency",
                "profiling/Time taken: GRPOTrainer._calculate_rewards",
            ],
        ),
        ("Seq2SeqTrainer", ["token_acc", "seq_acc", "aux_loss", "loss_{channel}"], []),
        ("ORPOTrainer", ["nll_loss"], ["eval_{eval_dataset}_loss"]),
    ],
)
def test_the_keys_are_those_that_its_own_methods_write(
    ask: Any, trainer: str, logged: list[str], never: list[str], release: str
) -> None:
    """And none that the method of TRL writes in whose place they stand."""
    keys = _keys(ask, f"ms-swift[{trainer}]=={release}")
    assert keys >= set(logged)
    assert not keys & set(never)


@pytest.mark.parametrize("release", ["0.9.4", "0.9.5"])
def test_an_evaluation_logs_kl_without_the_prefix(ask: Any, release: str) -> None:
    """LLaMA-Factory's KTO puts none before it."""
    keys = _keys(ask, f"llamafactory[CustomKTOTrainer]=={release}")
    assert "kl" in keys
    assert "eval_kl" not in keys


@pytest.mark.parametrize(
    ("source", "steps"),
    [(SWIFT.format("DPOTrainer"), 5), (SWIFT.format("KTOTrainer"), 5), (FACTORY.format("CustomDPOTrainer"), 500)],
)
def test_the_cadence_is_the_framework_s_own(capsys: pytest.CaptureFixture[str], source: str, steps: int) -> None:
    """Not that of TRL's settings."""
    assert main(["resolve", "loss", "--at", source]) == 0
    assert f"every logging_steps optimizer steps ({steps})" in " ".join(capsys.readouterr().out.split())


def test_the_kl_is_logged_by_default(ask: Any) -> None:
    """The command line of ms-swift sets beta to 0.04, under every TRL that its GRPO runs with."""
    assert _resolved(ask, "kl", SWIFT.format("GRPOTrainer"))["logged"] is True
    assert _resolved(ask, "kl", SWIFT.format("GRPOTrainer"), "beta=0")["logged"] is False


def test_rewards_follow_the_loss_in_its_own_way(ask: Any) -> None:
    """Per token with ipo, and something else where losses are weighted; the same under every TRL."""
    at = SWIFT.format("DPOTrainer")
    assert _resolved(ask, "rewards/chosen", at)["metric"] == "preference/reward/chosen"
    assert _resolved(ask, "rewards/chosen", at, "loss_type=ipo")["metric"] == "preference/reward_average/chosen"
    assert _resolved(ask, "rewards/chosen", at, "loss_type=several")["metric"] == "tracked/mean"
    assert _resolved(ask, "logps/chosen", at, "loss_type=ipo")["metric"] == "preference/logprob/chosen"
    answer = _resolved(ask, "rewards/chosen", at)
    assert "trl" not in (answer["note"] or "")
    assert all(each["path"].startswith("swift/") for each in answer["evidence"])


@pytest.mark.parametrize("trainer", ["DPOTrainer", "GRPOTrainer", "ORPOTrainer", "RewardTrainer"])
def test_a_loss_is_not_rounded(ask: Any, trainer: str) -> None:
    """ms-swift hands it to the log as it is, whichever transformers is installed."""
    answer = _resolved(ask, "loss", SWIFT.format(trainer))
    assert "rounded_with_transformers_4" not in answer["signature"]["traits"]
    assert "four decimals" not in (answer["note"] or "")


def test_prompts_are_not_learnt_by_orpo(ask: Any) -> None:
    """The labels stand in for the token ids."""
    at = SWIFT.format("ORPOTrainer")
    assert _resolved(ask, "nll_loss", at)["signature"]["population"] == "response_tokens"
    assert "prompt_counted" not in _resolved(ask, "loss", at)["signature"]["traits"]


@pytest.mark.parametrize("trainer", ["CPOTrainer", "ORPOTrainer", "DPOTrainer"])
def test_tokens_of_pairs_are_counted(ask: Any, trainer: str) -> None:
    """Its batches hold input_ids."""
    answer = _resolved(ask, "num_input_tokens_seen", SWIFT.format(trainer), "include_num_input_tokens_seen=all")
    assert answer["logged"] is True
    assert not answer["constant_when"]
    assert "both_responses_counted" in answer["signature"]["traits"]


def test_numbers_of_the_progress_reach_no_tracker(ask: Any) -> None:
    """They are added when trackers have the row."""
    answer = _resolved(ask, "memory(GiB)", SWIFT.format("GRPOTrainer"))
    assert "logging.jsonl" in answer["condition"]


def test_right_tokens_are_counted_where_there_are_logits(ask: Any) -> None:
    """The fused loss has none, and acc_strategy says which of the two keys there is."""
    at = SWIFT.format("Seq2SeqTrainer")
    assert _resolved(ask, "token_acc", at)["logged"] is True
    assert _resolved(ask, "token_acc", at, "use_liger_kernel=true")["logged"] is False
    assert _resolved(ask, "seq_acc", at, "acc_strategy=seq")["logged"] is True


def test_the_numbers_of_a_distillation_loss_are_told_apart(ask: Any) -> None:
    """Each has a sentence of its own."""
    names = ("sdar/gate_mean", "sdar/gate_active_ratio", "sdar/teacher_gap_mean", "sdar/loss")
    notes = {_resolved(ask, name, SWIFT.format("GRPOTrainer"))["note"] for name in names}
    assert len(notes) == len(names)


@pytest.mark.parametrize("release", ["0.9.4", "0.9.5"])
def test_the_main_process_alone_stores_numbers_of_kto(ask: Any, release: str) -> None:
    """So no sum runs over processes in LLaMA-Factory's."""
    at = f"llamafactory[CustomKTOTrainer]=={release}"
    assert _resolved(ask, "rewards/chosen", at)["signature"]["reduction"]["rank"] == "first"
    assert "rank" not in _resolved(ask, "kl", at)["signature"]["reduction"]
    (row,) = ask("map", "kl", "--from", at, "--to", "trl[KTOTrainer]==0.24.0")
    assert not [each for each in row["differs_by"] if each["about"] == "level:rank"]


@pytest.mark.parametrize(
    ("trainer", "metric"),
    [("CustomDPOTrainer", "preference/loss/sigmoid"), ("CustomKTOTrainer", "unpaired/loss/kto")],
)
def test_the_loss_of_each_data_set_is_that_of_evaluation(ask: Any, trainer: str, metric: str) -> None:
    """LLaMA-Factory's constructors are not TRL's, so an ordinary dictionary of data sets works."""
    answer = _resolved(ask, "eval_math_loss", FACTORY.format(trainer))
    assert answer["metric"] == metric
    assert "plain dictionary" not in answer["condition"]
    assert "loss_type" not in json.dumps(answer["alternatives"])


def test_a_response_that_nothing_scored_counts_as_zero_here_too(ask: Any) -> None:
    """ms-swift and TRL 0.29.1 both add up what there is."""
    (row,) = ask("map", "reward", "--from", SWIFT.format("GRPOTrainer"), "--to", "trl[GRPOTrainer]==0.29.1")
    assert not [each for each in row["differs_by"] if each["about"] == "trait:unscored_counted_as_zero"]


@pytest.mark.parametrize("trainer", ["KTOTrainer", "ORPOTrainer", "CPOTrainer"])
def test_what_is_kept_of_the_base_is_told_as_read(ask: Any, trainer: str) -> None:
    """Where the own method hands on to TRL's, and both were read, nothing is left open."""
    answer = _resolved(ask, "rewards/chosen", SWIFT.format(trainer))
    assert not answer["signature"]["unstated"]
    assert "rounded_with_transformers_4" not in _resolved(ask, "loss", SWIFT.format(trainer))["signature"]["traits"]


def test_logits_of_kto_leave_prompt_and_padding_out(ask: Any) -> None:
    """The forward pass of ms-swift sets them to 0, so the sum is not TRL's."""
    answer = _resolved(ask, "logits/chosen", SWIFT.format("KTOTrainer"))
    assert answer["metric"] == "tracked/mean"
    assert "without prompt and padding" in answer["note"]


def test_the_odds_ratio_of_llamafactory_with_a_supervised_term_is_told_as_its_code_has_it(ask: Any) -> None:
    """What the losses hold beside the plain supervised loss, over beta: no whole loss, and no odds ratio alone."""
    source = FACTORY.format("CustomDPOTrainer")
    plain = _resolved(ask, "odds_ratio_loss", source, "pref_loss=orpo")
    mixed = _resolved(ask, "odds_ratio_loss", source, "pref_loss=orpo", "pref_ftx=0.1")
    assert (plain["metric"], plain["signature"]["scale"]) == ("preference/log_odds/log_sigmoid", -1)
    assert (mixed["metric"], mixed["signature"]["scale"]) == ("tracked/mean", 1)
    assert "divided by pref_beta" in " ".join(mixed["notes"])


@pytest.mark.parametrize("trainer", ["Seq2SeqTrainer", "DPOTrainer", "GRPOTrainer", "GKDTrainer", "ORPOTrainer"])
def test_progress_of_ms_swift_is_stated(ask: Any, trainer: str) -> None:
    """Its own writing of a row: the rate is that of the next step, memory a mark of the main process."""
    source = SWIFT.format(trainer)
    found = {
        key: _resolved(ask, key, source)["signature"]
        for key in ("grad_norm", "learning_rate", "memory(GiB)", "train_speed(s/it)", "epoch")
    }
    assert not [key for key, each in found.items() if each["unstated"]]
    assert found["learning_rate"]["lag"] == 1
    assert found["memory(GiB)"]["reduction"]["rank"] == "first"


def test_the_first_step_is_told_of_training_alone(ask: Any) -> None:
    """An evaluation comes when it comes, and what is logged at the end is logged once."""
    source = SWIFT.format("GRPOTrainer")
    said = {key: _resolved(ask, key, source)["cadence"]["axis"] for key in ("loss", "eval_loss", "train_loss")}
    assert ["first step" in text for text in said.values()] == [True, False, False]


def test_supervised_loss_of_ms_swift_is_pooled_over_its_targets(ask: Any) -> None:
    """The first token of a text is no target, so that the divisor is exact; with DFT it is another loss."""
    source = SWIFT.format("Seq2SeqTrainer")
    loss = _resolved(ask, "loss", source)
    assert (loss["metric"], loss["signature"]["unstated"]) == ("sft/loss", [])
    assert "rank" not in loss["signature"]["reduction"]
    assert "first_token_in_normaliser" not in loss["signature"]["traits"]
    assert _resolved(ask, "loss", source, "enable_dft_loss=true")["metric"] == "sft/dynamic_loss"


@pytest.mark.parametrize("trainer", ["CPOTrainer", "ORPOTrainer"])
def test_logits_of_pairs_in_ms_swift_are_over_every_position(ask: Any, trainer: str) -> None:
    """Its forward pass hands the student's own logits to TRL's method."""
    signature = _resolved(ask, "logits/chosen", SWIFT.format(trainer))["signature"]
    assert (signature["population"], signature["unstated"]) == ("all_positions", [])


@pytest.mark.parametrize(
    ("settings", "metric"),
    [
        ((), "distillation/divergence/jensen_shannon"),
        (("beta=0",), "distillation/divergence/forward_kl"),
        (("beta=1",), "distillation/divergence/reverse_kl"),
        (("beta=1", "sft_alpha=0.5"), "loss/total"),
        (("gkd_logits_topk=64",), "loss/total"),
    ],
)
def test_distillation_of_ms_swift_minimises_what_beta_says(ask: Any, settings: tuple[str, ...], metric: str) -> None:
    """With a supervised term, or on the teacher's likeliest tokens alone, it is another number."""
    assert _resolved(ask, "loss", SWIFT.format("GKDTrainer"), *settings)["metric"] == metric
