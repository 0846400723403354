"""Every key that real trainers logged has a meaning in the spec, by a name of its own or a constrained template."""

import json

import pytest
from folders import RUNS
from rlmetrics.names import Match, open_view
from rlmetrics.names.tables.templates import OPEN

# Run, source, number of different keys it logged. W&B's own columns and whose-turn markers are not metrics.
TRL_RUNS = [
    ("trl-0.7.10-ppo1_parity", "trl[PPOTrainer]==0.7.10", 43),
    ("trl-0.7.10-ppo1_tensorboard", "trl[PPOTrainer]==0.7.10", 43),
    ("trl-0.7.10-ppo1_wandb", "trl[PPOTrainer]==0.7.10", 44),
    ("trl-0.12.2-ppo", "trl[PPOTrainer]==0.12.2", 17),
    ("trl-0.18.2-ppo", "trl[PPOTrainer]==0.18.2", 17),
    ("trl-0.18.2-ppo_parity", "trl[PPOTrainer]==0.18.2", 17),
    ("trl-0.18.2-ppo_parity1", "trl[PPOTrainer]==0.18.2", 17),
    ("trl-0.18.2-grpo", "trl[GRPOTrainer]==0.18.2", 54),
    ("trl-1.16.0-grpo", "trl[GRPOTrainer]==1.16.0", 55),
    ("trl-1.16.0-grpo_beta", "trl[GRPOTrainer]==1.16.0", 57),
    ("trl-1.16.0-grpo_parity", "trl[GRPOTrainer]==1.16.0", 57),
    ("trl-0.7.10-dpo", "trl[DPOTrainer]==0.7.10", 27),
    ("trl-0.18.2-dpo", "trl[DPOTrainer]==0.18.2", 28),
    ("trl-0.12.2-orpo", "trl[ORPOTrainer]==0.12.2", 34),
    ("trl-1.16.0-orpo", "trl[ORPOTrainer]==1.16.0", 34),
    ("trl-1.16.0-dpo", "trl[DPOTrainer]==1.16.0", 34),
    ("trl-1.16.0-dpo_parity", "trl[DPOTrainer]==1.16.0", 34),
]
VERL_RUNS = [("0.5.0", 121), ("0.9.1", 168)]
PROFILING = {
    "trl[GRPOTrainer]==0.18.2": ["_get_per_token_logps", "_prepare_inputs", "compute_loss", "rew_a", "rew_len"],
    "trl[GRPOTrainer]==1.16.0": [
        "_calculate_rewards",
        "_get_per_token_logps_and_entropies",
        "_prepare_inputs",
        "compute_loss",
        "rew_a",
        "transformers.generate",
    ],
}
CALLERS_OWN = {"actor/mfu", "critic/mfu"}
"""Taken out of the worker's metrics and logged as ``perf/mfu/…`` before a tracker sees them."""


def _meanings(view, keys):
    """Return the match of each key; a test fails on one that has none or only a name of users' choice."""
    found: dict[str, list[Match]] = {}
    for key in keys:
        matches = view.find(key)
        assert matches, f"{key} is unknown"
        assert all(view.template(match.entry).rank != OPEN for match in matches), f"{key} only fits an open template"
        assert all(match.entry.metric is not None for match in matches), f"{key} has no metric"
        found[key] = matches
    return found


@pytest.mark.parametrize(("run", "source", "count"), TRL_RUNS)
def test_every_key_of_a_trl_run_has_a_meaning(run, source, count):
    """All keys of the run resolve in the trainer that logged them."""
    keys = {key for line in (RUNS / f"{run}.jsonl").open() for key in json.loads(line)}

    assert count == len(_meanings(open_view(source), sorted(keys)))


@pytest.mark.parametrize("run", [name for name, _, _ in TRL_RUNS if (RUNS / f"{name}.trainer_state.json").exists()])
def test_every_key_of_a_trainer_state_has_a_meaning(run):
    """``trainer_state.json`` adds epoch and step to each row; they resolve too."""
    source = next(source for name, source, _ in TRL_RUNS if name == run)
    history = json.loads((RUNS / f"{run}.trainer_state.json").read_text())["log_history"]
    keys = {key for row in history for key in row if key != "step"}

    assert len(keys) == len(_meanings(open_view(source), sorted(keys)))


@pytest.mark.parametrize("source", PROFILING)
def test_profiling_keys_have_a_meaning(source):
    """The times that TRL logs directly to W&B, past the trainer, resolve to a timing each."""
    keys = [f"profiling/Time taken: GRPOTrainer.{name}" for name in PROFILING[source]]

    view = open_view(source)
    for matches in _meanings(view, keys).values():
        assert {view.tables.metrics[match.entry.metric or ""]["unit"] for match in matches} == {"s"}


@pytest.mark.parametrize(("release", "count"), VERL_RUNS)
def test_every_key_of_verl_has_a_meaning(release, count):
    """All keys of the real functions, updates and the supervised run resolve."""
    logged = json.loads((RUNS / f"verl-{release}-logged-keys.json").read_text())
    keys = {key for names in logged.values() for key in names} - CALLERS_OWN

    assert count == len(_meanings(open_view(f"verl=={release}"), sorted(keys)))


@pytest.mark.parametrize(("key", "shown"), [("objective/kl", "train/objective/kl"), ("eval_reward", "eval/reward")])
def test_names_as_trackers_show_them_have_the_same_meaning(key, shown):
    """W&B's ``train/`` and ``eval/`` are recognised without being told."""
    view = open_view("trl==0.18.2")

    assert [match.entry for match in view.find(key)] == [match.entry for match in view.find(shown)]
    assert view.find(key)
