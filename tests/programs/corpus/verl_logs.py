"""What verl logs of a course, release by release; names and order were read from its trainer, workers and metrics."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from programs.corpus.run_courses import NAN, Batch, draw_batch, mean, std
from programs.corpus.trainers import Row, Run, own

__all__ = ["verl_rows"]

Values = dict[str, Any]


def verl_rows(run: Run) -> Iterator[Row]:
    """Yield what the driver hands to ``Tracking.log``: PPO with a critic if ``critic`` is set, GRPO otherwise."""
    v, critic = run.version, bool(run.set.get("critic"))
    prefix = str(run.set.get("prefix", ""))
    if v >= (0, 2) and run.eval_every and not run.first_step:
        yield Row(0, "train", _validation(run, 0, run.rng(0)))
    for step in range(run.first_step + 1, run.course.steps + 1):
        rng = run.rng(step)
        batch = draw_batch(run.course, step, rng, list(run.scores), run.groups, run.generations, run.limit)
        row: Values = {}
        seqlen = sum(batch.lengths) + 110 * len(batch.lengths)
        if v >= (0, 2):
            whole = (lambda x: float(x)) if v < (0, 5) else round
            low, high = 0.47 * seqlen, 0.53 * seqlen
            row |= {"global_seqlen/min": whole(low), "global_seqlen/max": whole(high)}
            row |= {"global_seqlen/minmax_diff": whole(high - low), "global_seqlen/balanced_min": whole(seqlen / 2)}
            row |= {"global_seqlen/balanced_max": whole(seqlen / 2 + 1), "global_seqlen/mean": seqlen / 2}
        row |= _before_update(run, batch, rng)
        if critic:
            row |= _critic(run, batch, rng)
        row |= _actor(run, batch, rng)
        if run.eval_every and step % run.eval_every == 0:
            row |= _validation(run, step, rng)
        if v >= (0, 4):
            row |= {"training/global_step": step, "training/epoch": int(step * run.epochs / run.course.steps)}
        row |= _data(run, batch, rng)
        row |= _timing(run, batch, rng)
        row |= own(run, batch.values)
        if batch.values["nan"] >= 1:
            row |= {key: NAN for key in row if key.startswith(("actor/pg", "actor/ent", "actor/grad", "actor/ppo"))}
        shown = step - 1 if v < (0, 2) else step
        yield Row(shown, "train", {prefix + key if "/" in key else key: value for key, value in row.items()})


def _validation(run: Run, step: int, rng: random.Random) -> Values:
    shift = run.course.at("eval_shift", step, rng, (0.0, 0.0, 0.0))
    found = max(0.0, run.course.at("success", step, rng, (0.3, 0.6, 0.0)) - 0.05 - shift)
    if run.version < (0, 4):
        return {"val/test_score/openai/gsm8k": found}
    return {"val-aux/openai/gsm8k/reward/mean@1": found, "val-core/openai/gsm8k/acc/mean@1": found}


def _before_update(run: Run, batch: Batch, rng: random.Random) -> Values:
    v, row = run.version, Values()
    if v >= (0, 4):
        row["actor/entropy"] = batch.values["entropy"]
    if v >= (0, 8):
        row["perf/mfu/actor_infer"] = 0.31
    if run.set.get("rollout_probs") and v >= (0, 4):
        gap = batch.values["mismatch"]
        if v >= (0, 6):
            row["training/rollout_probs_diff_valid"] = 1
        row |= {"training/rollout_probs_diff_max": min(1.0, 30 * gap), "training/rollout_probs_diff_mean": gap}
        row["training/rollout_probs_diff_std"] = 2.5 * gap
        if v >= (0, 6):
            row["training/rollout_actor_probs_pearson_corr"] = max(0.0, 1 - 0.15 * gap)
    if run.set.get("kl_in_reward"):
        names = (
            ("critic/kl", "critic/kl_coeff")
            if v < (0, 4)
            else ("actor/reward_kl_penalty", "actor/reward_kl_penalty_coeff")
        )
        row |= {names[0]: batch.values["kl"], names[1]: 0.001}
    return row


def _critic(run: Run, batch: Batch, rng: random.Random) -> Values:
    now = batch.values
    row = {"critic/vf_loss": now["value_loss"], "critic/vf_clipfrac": 0.02 * now["value_loss"]}
    row["critic/vpred_mean"] = mean(batch.rewards) * min(1.0, max(0.0, now["explained"] + 0.2)) + 0.03 * rng.gauss(0, 1)
    row["critic/grad_norm"] = 12 * now["value_loss"]
    if run.version >= (0, 2):
        row["mfu/critic" if run.version < (0, 3) else "perf/mfu/critic"] = 0.29
    return row | {"critic/lr(1e-4)" if run.version < (0, 2) else "critic/lr": 0.1 if run.version < (0, 2) else 1e-5}


def _actor(run: Run, batch: Batch, rng: random.Random) -> Values:
    v, now = run.version, batch.values
    critic = bool(run.set.get("critic"))
    useful = 1.0 if critic else mean([float(each > 1e-6) for each in batch.group_stds])
    loss, row = 0.02 * rng.gauss(0, 1) * (useful > 0), Values()
    kl = {"actor/kl_loss": now["kl"], "actor/kl_coef": run.beta} if run.beta else {}
    clip = {"actor/pg_clipfrac": now["clip"], "actor/ppo_kl": now["drift"] * rng.gauss(0, 0.1)}
    if v >= (0, 4):
        clip["actor/pg_clipfrac_lower"] = 0.0
    grad = now["grad"] * useful**0.5 + (1e-3 if run.beta else 0.0)
    if v >= (0, 8):
        row |= clip | {"actor/pg_loss": loss} | kl
        row |= {
            "actor/loss": loss + run.beta * now["kl"],
            "actor/grad_norm": grad,
            "actor/lr": run.learning_rate(run.course.steps // 2),
        }
        row |= {"actor/perf/max_memory_allocated_gb": 41.2, "actor/perf/max_memory_reserved_gb": 55.0}
        return row | {"actor/perf/cpu_memory_used_gb": 148.1, "perf/mfu/actor": 0.34}
    if v < (0, 4):
        row |= kl | {"actor/entropy_loss": now["entropy"]}
    elif v < (0, 7):
        row |= kl
    row["actor/pg_loss"] = loss
    if v >= (0, 7):
        row["actor/kl_loss"] = now["kl"] if run.beta else 0.0
        row |= {key: value for key, value in kl.items() if key == "actor/kl_coef"}
    row |= clip | {"actor/grad_norm": grad}
    if v < (0, 2):
        return row | {"actor/lr(1e-4)": 0.01}
    row["mfu/actor" if v < (0, 3) else "perf/mfu/actor"] = 0.33
    if v >= (0, 3):
        row |= {
            "perf/max_memory_allocated_gb": 44.2,
            "perf/max_memory_reserved_gb": 68.5,
            "perf/cpu_memory_used_gb": 90.3,
        }
    return row | {"actor/lr": run.rate}


def _data(run: Run, batch: Batch, rng: random.Random) -> Values:
    v, rewards, critic = run.version, batch.rewards, bool(run.set.get("critic"))
    penalty = (
        0.001 * batch.values["kl"] * mean([float(x) for x in batch.lengths]) if run.set.get("kl_in_reward") else 0.0
    )
    size = run.generations
    scaled = []
    for first in range(0, len(rewards), size):
        group = rewards[first : first + size]
        middle, spread = (mean(rewards), std(rewards)) if critic else (mean(group), std(group))
        scaled += [(reward - middle) / (spread + 1e-6) for reward in group]
    tokens = [a * n for a, n in zip(scaled, batch.lengths, strict=True)]
    row: Values = {}
    for name, values in (("score", rewards), ("rewards", [reward - penalty for reward in rewards])):
        row |= {
            f"critic/{name}/mean": mean(values),
            f"critic/{name}/max": max(values),
            f"critic/{name}/min": min(values),
        }
    advantage = 0.0 if critic else sum(tokens) / sum(batch.lengths)
    low, high = (min(scaled) - 1.5, max(scaled) + 1.5) if critic else (min(scaled), max(scaled))
    for name in ("advantages", "returns"):
        values = (mean(rewards), max(rewards), min(rewards)) if critic and name == "returns" else (advantage, high, low)
        row |= {f"critic/{name}/mean": values[0], f"critic/{name}/max": values[1], f"critic/{name}/min": values[2]}
    if critic:
        row["critic/values/mean"] = mean(rewards) * 0.9 + 0.03 * rng.gauss(0, 1)
        row |= {"critic/values/max": 1.1 + 0.1 * rng.gauss(0, 1), "critic/values/min": -0.4 + 0.1 * rng.gauss(0, 1)}
        if v >= (0, 2):
            row["critic/vf_explained_var"] = batch.values["explained"]
    lengths = [float(length) for length in batch.lengths]
    clip = mean([float(length >= run.limit) for length in batch.lengths])
    names = ["response_length"] + (["response_length_non_aborted"] if v >= (0, 6) else [])
    for name in names:
        row |= {f"{name}/mean": mean(lengths), f"{name}/max": max(lengths), f"{name}/min": min(lengths)}
        if v >= (0, 2):
            row[f"{name}/clip_ratio"] = clip
    if v >= (0, 6):
        row["response/aborted_ratio"] = 0.0
    row |= {"prompt_length/mean": 110.0 + rng.random(), "prompt_length/max": 246.0, "prompt_length/min": 60.0}
    return row | ({"prompt_length/clip_ratio": 0.0} if v >= (0, 2) else {})


def _timing(run: Run, batch: Batch, rng: random.Random) -> Values:
    v, critic = run.version, bool(run.set.get("critic"))
    took = {"gen": 0.02 * mean([float(x) for x in batch.lengths]) + 8}
    if v >= (0, 4):
        took["reward"] = 1.1
    if v >= (0, 2):
        took["old_log_prob"] = 6.5
    if run.beta or run.set.get("kl_in_reward"):
        took["ref"] = 6.2
    took |= {"values": 5.1} if critic else {}
    took["adv"] = 0.06
    took |= {"update_critic": 17.0} if critic else {}
    took["update_actor"] = 21.3
    took = {name: value * batch.values["slow"] * (1 + 0.03 * rng.random()) for name, value in took.items()}
    if v < (0, 2):
        return {f"timing/{name}": value for name, value in took.items()}
    took["step"] = sum(took.values())
    if v >= (0, 5):
        took = {"start_profile": 5e-5} | took | {"stop_profile": 4e-5}
    total = sum(batch.lengths) + 110 * len(batch.lengths)
    row = {f"timing_s/{name}": value for name, value in took.items()}
    others = ("update_actor", "ref", "values", "adv", "update_critic")
    counted = {"gen": sum(batch.lengths)} | dict.fromkeys(others, total)
    row |= {f"timing_per_token_ms/{name}": took[name] * 1000 / count for name, count in counted.items() if name in took}
    if v >= (0, 3):
        row |= {
            "perf/total_num_tokens": total,
            "perf/time_per_step": took["step"],
            "perf/throughput": total / took["step"] / 8,
        }
    return row
