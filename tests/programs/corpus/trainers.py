"""What trainers log of a course, each in the words of its release.

Names and their order were read from the source of each release (the wheel's own files), never from this project's
spec: an error of the spec must show. A row says at which optimizer step it was logged and what kind of row it is.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from programs.corpus.run_courses import NAN, Batch, Course, Score, draw_batch, draw_pairs, mean, std

__all__ = ["Row", "Run", "own", "rows_of"]

Values = dict[str, Any]


@dataclass
class Row:
    """One call of a logger: ``kind`` is train, eval, final (the sums at the end) or extra (profiling)."""

    step: int
    kind: str
    values: Values
    epoch: float = 0.0


@dataclass(frozen=True)
class Run:
    """A training: which trainer of which release, on which course, and how it was set up."""

    trainer: str
    release: str
    course: Course
    seed: int = 0
    every: int = 1
    eval_every: int = 0
    groups: int = 4
    generations: int = 8
    limit: int = 512
    scores: tuple[Score, ...] = (Score("accuracy_reward"), Score("format_reward", "format"))
    rate: float = 1e-6
    beta: float = 0.0
    epochs: float = 1.0
    transformers: int = 4
    first_step: int = 0
    """Where a resumed run begins."""
    set: dict[str, Any] = field(default_factory=dict)
    """Further settings that a trainer knows."""

    @property
    def version(self) -> tuple[int, ...]:
        """The release, to compare."""
        return tuple(int(part) for part in self.release.split(".")[:3] if part.isdigit())

    def rng(self, salt: int = 0) -> random.Random:
        """Return a generator of its own, so that one row more changes no other."""
        return random.Random(f"{self.trainer} {self.release} {self.seed} {salt}")

    def learning_rate(self, step: int) -> float:
        """Return the rate of ``step``: linear decay, or with ``warmup`` steps before a cosine."""
        rate, warmup, steps = float(self.set.get("rate", self.rate)), int(self.set.get("warmup", 0)), self.course.steps
        if step <= warmup:
            return rate * (step - 1) / warmup
        left = (step - warmup) / max(1, steps - warmup)
        if self.set.get("constant"):
            return rate
        return rate * (0.5 * (1 + math.cos(math.pi * left)) if warmup else 1 - (step - 1) / steps)


def rows_of(run: Run) -> list[Row]:
    """Return all rows that ``run`` logs, in order."""
    if run.trainer == "verl":
        from programs.corpus.verl_logs import verl_rows

        rows = list(verl_rows(run))
    else:
        rows = list(_TRAINERS[run.trainer](run))
    # A run that broke off goes on from its last checkpoint, and appends to the same file.
    first, last = run.set.get("again", (0, 0))
    return [row for row in rows if row.step <= last] + [row for row in rows if row.step > first] if last else rows


def own(run: Run, now: Values) -> Values:
    """Return the keys that the project adds: numbers, or quantities of the course times a number."""
    found = run.set.get("own", {})
    return {key: now.get(x[0], 0.0) * x[1] if isinstance(x, list) else x for key, x in found.items()}


def _trained(run: Run, metrics: Callable[[int, random.Random], Values], held_out: Any = None) -> Iterator[Row]:
    """Yield rows as ``transformers.Trainer`` logs them: averages over ``every`` steps, evaluations between them."""
    waiting: list[Values] = []
    steps, losses = run.course.steps, []
    for step in range(1, steps + 1):
        found = metrics(step, run.rng(step))
        waiting.append(found)
        if step <= run.first_step:
            waiting.clear()
        epoch = step / steps * run.epochs
        if run.set.get("profiling") and step > run.first_step:
            for what, typical in (("_prepare_inputs", 8.0), ("compute_loss", 1.1)):
                name = f"profiling/Time taken: {run.set['profiling']}.{what}"
                yield Row(step, "extra", {name: typical * (1 + 0.1 * run.rng(step).random())}, epoch)
        if waiting and (step % run.every == 0 or (step == 1 and run.set.get("logging_first_step"))):
            losses.append(_average("loss", waiting, run))
            row = {"loss": losses[-1], "grad_norm": waiting[-1]["grad_norm"], "learning_rate": run.learning_rate(step)}
            if run.set.get("no_grad_norm"):
                del row["grad_norm"]
            row.update({key: _average(key, waiting, run) for key in found if key not in ("loss", "grad_norm")})
            waiting.clear()
            yield Row(step, "train", row, epoch)
        if run.eval_every and step % run.eval_every == 0 and step > run.first_step and held_out is not None:
            found = held_out(step, run.rng(-step))
            took = 20 + 2 * run.rng(-step).random()
            row = {"eval_loss": found.pop("loss"), "eval_runtime": round(took, 4)}
            row |= {"eval_samples_per_second": round(200 / took, 3), "eval_steps_per_second": round(25 / took, 3)}
            yield Row(step, "eval", row | {f"eval_{key}": value for key, value in found.items()}, epoch)
    if not run.set.get("cut"):
        took = 11.3 * steps
        final = {"train_runtime": took, "train_samples_per_second": 3.1, "train_steps_per_second": 0.088}
        yield Row(steps, "final", final | {"total_flos": 0.0, "train_loss": mean(losses)}, run.epochs)


def _average(key: str, waiting: list[Values], run: Run) -> Any:
    values = [row[key] for row in waiting]
    if key == "num_tokens":
        return values[-1]
    if key == "loss" and run.set.get("nan_filter", True):
        # The trainer leaves a NaN out of the sum, and divides by all steps.
        values = [0.0 if math.isnan(value) else value for value in values]
    if any(value is None for value in values):
        return None
    found = sum(values) / len(values)
    return round(found, 4) if key == "loss" and run.transformers < 5 else found


def _grpo_metrics(run: Run, batch: Batch, tokens: float) -> Values:
    """Return what ``GRPOTrainer`` adds, in the order of the release (RLOO of 0.22 and later is built on it)."""
    v, rewards, stds = run.version, batch.rewards, batch.group_stds
    found: Values = {}
    ended = [length for length, cut in zip(batch.lengths, batch.cut, strict=True) if not cut]
    none = batch.values["none"] >= 1

    def scores() -> Iterator[tuple[str, Any]]:
        for name, values in batch.scores.items():
            if v >= (0, 17):
                yield f"rewards/{name}/mean", NAN if none else mean(values)
                yield f"rewards/{name}/std", NAN if none else std(values)
            else:
                yield f"rewards/{name}", mean(values)
        empty = None if v >= (1, 6) else 0.0
        yield "reward", empty if none else mean(rewards)
        yield "reward_std", empty if none else std(rewards) if v >= (0, 27) else mean(stds)
        if v >= (0, 18):
            yield "frac_reward_zero_std", 1.0 if none else mean([float(each < 1e-6) for each in stds])

    if v >= (0, 16):
        found["num_tokens"] = tokens
    if v >= (0, 17):
        for what, measure in (("mean", mean), ("min", min), ("max", max)):
            found[f"completions/{what}_length"] = float(measure(batch.lengths))
        found["completions/clipped_ratio"] = mean([float(cut) for cut in batch.cut])
        for what, measure in (("mean", mean), ("min", min), ("max", max)):
            found[f"completions/{what}_terminated_length"] = float(measure(ended)) if ended else 0.0
    elif v < (0, 15) or v >= (0, 16):
        found["completion_length"] = mean(batch.lengths)
    if run.set.get("tools") and v >= (0, 26):
        found |= {"tools/call_frequency": 0.8, "tools/failure_frequency": 0.05}
    if run.trainer == "rloo" and v >= (0, 22):
        found["kl"] = batch.values["kl"]
    found |= dict(scores())
    if run.set.get("vllm") and v >= (0, 23):
        low = batch.values["mismatch"]
        found["sampling/sampling_logp_difference/mean"] = low
        found["sampling/sampling_logp_difference/max"] = 30 * low
        found["sampling/importance_sampling_ratio/min"] = max(0.0, 1 - 20 * low)
        found["sampling/importance_sampling_ratio/mean"] = 1 - 0.2 * low
        found["sampling/importance_sampling_ratio/max"] = min(2.0, 1 + 25 * low)
    if v < (0, 16) and v >= (0, 15):
        found["completion_length"] = mean(batch.lengths)
    masked = bool(run.set.get("mask_truncated")) and all(batch.cut)
    if run.set.get("unsloth"):
        found["completion_length"] = mean(batch.lengths)
        found["kl"] = batch.values["kl"] if run.beta else 0.0
    elif run.beta and run.trainer != "rloo":
        found["kl"] = 0.0 if masked else batch.values["kl"]
    if run.set.get("unsloth"):
        return found | own(run, batch.values)
    if v >= (0, 20):
        found["entropy"] = 0.0 if masked else batch.values["entropy"]
    clip = 0.0 if masked else batch.values["clip"]
    if (0, 16) <= v < (0, 17):
        found["clip_ratio"] = clip
    elif v >= (0, 17):
        parts = ["low_mean", "low_min", "high_mean", "high_max", "region_mean"]
        if v >= (1, 9) and run.trainer == "grpo":
            parts = ["low_mean", "high_mean", "region_mean", "low_min", "high_max"]
        share = {"low_mean": 0.3, "low_min": 0.1, "high_mean": 0.7, "high_max": 1.8, "region_mean": 1.0}
        found |= {f"clip_ratio/{part}": share[part] * clip for part in parts}
    return found | own(run, batch.values)


def _grpo(run: Run) -> Iterator[Row]:
    tokens = 0.0

    def metrics(step: int, rng: random.Random) -> Values:
        nonlocal tokens
        batch = draw_batch(run.course, step, rng, list(run.scores), run.groups, run.generations, run.limit)
        tokens += sum(batch.lengths) + 90.0 * len(batch.lengths)
        found = _grpo_metrics(run, batch, tokens)
        useful = 0.0 if batch.values["none"] >= 1 else mean([float(each > 1e-6) for each in batch.group_stds])
        masked = run.set.get("mask_truncated") and all(batch.cut)
        loss = run.beta * batch.values["kl"] + (0.02 * rng.gauss(0, 1) * useful if run.version >= (0, 16) else 0.0)
        grad = batch.values["grad"] * math.sqrt(useful) + (3e-3 if run.beta else 0.0)
        if masked:
            loss, grad = 0.0, 0.0
        if batch.values["nan"] >= 1:
            for key in ("kl", "entropy"):
                found |= {key: NAN} if key in found else {}
            return {"loss": NAN, "grad_norm": NAN} | found
        return {"loss": loss, "grad_norm": NAN if batch.values["nan"] > 0 else grad} | found

    def held_out(step: int, rng: random.Random) -> Values:
        batch = draw_batch(run.course, step, rng, list(run.scores), 8, run.generations, run.limit)
        return {"loss": 0.001 * rng.gauss(0, 1)} | _grpo_metrics(run, batch, tokens)

    for row in _trained(run, metrics, held_out):
        if row.kind == "train" and run.version >= (0, 26) and not run.set.get("unsloth"):
            row.values["step_time"] = 9.0 + run.rng(row.step).random()
        yield row


def _pairs(run: Run) -> Iterator[Row]:
    """DPO, and what logs like it: ORPO and CPO have further keys and no reference."""
    tokens = 0.0
    v, strength = run.version, float(run.set.get("strength", 0.1))

    def metrics(step: int, rng: random.Random, part: int = 16) -> Values:
        nonlocal tokens
        found = draw_pairs(run.course, step, rng, part)
        tokens += 620.0 * part
        base = run.set.get("logps", (-180.0, -160.0))
        if run.trainer == "dpo":
            logps = (base[0] + found["chosen"] / strength, base[1] + found["rejected"] / strength)
        else:
            logps = (found["chosen"] / strength, found["rejected"] / strength)
        drift = math.isnan(found["loss"])
        logits = [NAN if drift else x + 0.05 * rng.gauss(0, 1) for x in run.set.get("logits", (-2.1, -2.0))]
        rewards = {"rewards/chosen": found["chosen"], "rewards/rejected": found["rejected"]}
        rewards |= {"rewards/accuracies": found["accuracy"], "rewards/margins": found["margin"]}
        row: Values = {"loss": found["loss"], "grad_norm": NAN if drift else found["grad"]}
        names = [("chosen", 0), ("rejected", 1)]
        if run.trainer == "dpo" and v >= (0, 29):
            entropy = NAN if drift else 1.6 + 0.05 * rng.gauss(0, 1)
            row |= {"entropy": entropy, "num_tokens": tokens, "logits/chosen": logits[0], "logits/rejected": logits[1]}
            row |= {"mean_token_accuracy": 0.61 + 0.01 * rng.gauss(0, 1)} | rewards
            return row | {f"logps/{name}": logps[place] for name, place in names}
        if run.trainer != "dpo" or v < (0, 12):
            names.reverse()
        row |= rewards | {f"logps/{name}": logps[place] for name, place in names}
        row |= {f"logits/{name}": logits[place] for name, place in names}
        if run.trainer == "orpo":
            nll, odds = run.course.at("nll", step, rng, (1.9, 1.2, 0.03)), found["margin"] / strength
            ratio = -math.log1p(math.exp(-odds))
            row |= {"nll_loss": nll, "log_odds_ratio": ratio, "log_odds_chosen": odds}
            row["loss"] = nll - strength * ratio
        elif run.trainer == "cpo":
            row["nll_loss"] = run.course.at("nll", step, rng, (1.9, 1.2, 0.03))
            row["loss"] += row["nll_loss"]
        return row

    def held_out(step: int, rng: random.Random) -> Values:
        found = metrics(step, rng, 64)
        del found["grad_norm"]
        shift = run.course.at("eval_shift", step, rng, (0.0, 0.0, 0.0))
        found["loss"] += shift
        found["rewards/margins"] -= 2 * shift
        found["rewards/accuracies"] = max(0.0, found["rewards/accuracies"] - 0.3 * shift)
        return found

    yield from _trained(run, metrics, held_out)


def _kto(run: Run) -> Iterator[Row]:
    v = run.version

    def metrics(step: int, rng: random.Random) -> Values:
        found = draw_pairs(run.course, step, rng, 16)
        kl = max(0.0, run.course.at("kl", step, rng, (0.0, 0.6, 0.2)))
        values = {
            "rewards": ("chosen", "rejected"),
            "logps": (-150 + 10 * found["chosen"], -140 + 10 * found["rejected"]),
        }
        row: Values = {"loss": min(0.5, found["loss"] / 1.386), "grad_norm": found["grad"]}
        if v >= (1, 14):
            row |= {"kl": kl, "entropy": 1.5 + 0.05 * rng.gauss(0, 1), "num_tokens": 9000.0 * step}
            row |= {"logits/chosen": 0.4 + 0.02 * rng.gauss(0, 1), "logits/rejected": 0.5 + 0.02 * rng.gauss(0, 1)}
        elif v >= (1, 8):
            row |= {"kl": kl, "num_tokens": 9000.0 * step, "entropy": 1.5 + 0.05 * rng.gauss(0, 1)}
        for place, split in enumerate(("chosen", "rejected")):
            row[f"rewards/{split}"] = found[split]
            row[f"logps/{split}"] = values["logps"][place]
            if (0, 10) <= v < (1, 14):
                whole = 1.5e8 if run.set.get("summed_logits") else 2.2 - 0.1 * place
                row[f"logits/{split}"] = -whole * (1 + 0.1 * rng.gauss(0, 1))
        row["rewards/margins"] = found["margin"]
        if v < (1, 8):
            row["kl"] = kl
        return row

    def held_out(step: int, rng: random.Random) -> Values:
        return {key: value for key, value in metrics(step, rng).items() if key != "grad_norm"}

    yield from _trained(run, metrics, held_out)


def _supervised(run: Run) -> Iterator[Row]:
    """SFT, reward models and process rewards; and any model of ``transformers.Trainer``."""
    v, tokens = run.version, 0.0

    def metrics(step: int, rng: random.Random) -> Values:
        nonlocal tokens
        tokens += 4100 + rng.randrange(400)
        broken = run.course.at("nan", step, rng, (0.0, 0.0, 0.0))
        loss = NAN if broken else run.course.at("loss", step, rng, (1.9, 1.1, 0.04))
        grad = NAN if math.isnan(loss) else run.course.at("grad", step, rng, (1.2, 0.7, 0.15))
        row: Values = {"loss": loss, "grad_norm": grad}
        if run.trainer in ("sft", "gkd") and v >= (0, 16):
            share = NAN if math.isnan(loss) else max(0.02, min(0.99, 0.88 - 0.19 * loss))
            entropy = NAN if math.isnan(loss) else loss * 0.97
            order = {"num_tokens": tokens, "mean_token_accuracy": share}
            if v >= (0, 22):
                order = {"entropy": entropy} | order
            if v >= (1, 6):
                order = {"entropy": entropy, "mean_token_accuracy": share, "num_tokens": tokens}
            row |= order
        elif run.trainer == "reward" and v >= (0, 24):
            gap = 2.2 * (0.75 - min(loss, 2.0))
            low, middle, high = (x + 0.2 * rng.gauss(0, 1) for x in (-3.1, 0.0, 2.9))
            row |= {"num_tokens": tokens, "min_reward": low, "mean_reward": middle, "max_reward": high}
            row |= {"accuracy": max(0.4, min(0.99, 0.5 + 0.25 * gap)), "margin": gap}
        return row | own(run, {})

    def held_out(step: int, rng: random.Random) -> Values:
        found = metrics(step, rng)
        del found["grad_norm"]
        found["loss"] += run.course.at("eval_shift", step, rng, (0.05, 0.08, 0.0))
        if run.trainer in ("reward", "prm") and v < (0, 24):
            found["accuracy"] = max(0.4, min(0.97, 0.95 - 0.45 * found["loss"]))
        return found

    yield from _trained(run, metrics, held_out)


def _ppo_v2(run: Run) -> Iterator[Row]:
    """PPO since 0.12, which was PPOv2 before, and RLOO from 0.9 to 0.21, which logs no critic since 0.13."""
    size = run.groups * run.generations
    for step in range(1, run.course.steps + 1):
        rng = run.rng(step)
        batch = draw_batch(run.course, step, rng, [Score("rm", "learned")], run.groups, run.generations, run.limit)
        now, score = batch.values, mean(batch.rewards)
        kl = run.course.at("sum_kl", step, rng, (0.0, 9.0, 0.06))
        row: Values = {"eps": int(size / 9), "objective/kl": kl, "objective/entropy": 60 * now["entropy"]}
        row |= {"objective/non_score_reward": -0.05 * kl, "objective/rlhf_reward": score - 0.05 * kl}
        row |= {"objective/scores": score, "policy/approxkl_avg": now["drift"], "policy/clipfrac_avg": now["clip"]}
        row["loss/policy_avg"] = -0.004 + 0.004 * rng.gauss(0, 1)
        if run.trainer != "rloo_v1" or run.version < (0, 13):
            row["loss/value_avg"] = now["value_loss"]
        row |= {"val/clipfrac_avg": 0.3 * now["clip"], "policy/entropy_avg": now["entropy"]}
        row |= {"val/ratio": 1 + 0.3 * now["drift"] * rng.gauss(0, 1), "val/ratio_var": 0.1 * now["drift"]}
        row |= {"val/num_eos_tokens": batch.cut.count(False), "lr": run.learning_rate(step), "episode": step * size}
        if now["nan"] >= 1:
            row |= {key: NAN for key in row if key.split("/")[0] in ("objective", "policy", "loss")}
        yield Row(step, "train", row, step / run.course.steps * run.epochs)


def _ppo_v1(run: Run) -> Iterator[Row]:
    """``PPOTrainer`` up to 0.11, which logs through Accelerate: no prefix, no rows of evaluation."""
    for step in range(run.course.steps):
        rng = run.rng(step)
        batch = draw_batch(run.course, step, rng, [Score("rm", "learned")], run.groups, run.generations, run.limit)
        now = batch.values
        kl = run.course.at("sum_kl", step, rng, (0.0, 6.0, 0.06))
        row: Values = {"objective/kl": kl, "objective/kl_coef": now["coefficient"]}
        row |= {"objective/entropy": 60 * now["entropy"], "ppo/mean_non_score_reward": -now["coefficient"] * kl / 40}
        if run.version >= (0, 5):
            row |= {"ppo/mean_scores": mean(batch.rewards), "ppo/std_scores": std(batch.rewards)}
        lengths = [float(length) for length in batch.lengths]
        row |= {"tokens/queries_len_mean": 14 + rng.random(), "tokens/queries_len_std": 3.2 + 0.3 * rng.random()}
        row |= {"tokens/responses_len_mean": mean(lengths), "tokens/responses_len_std": std(lengths)}
        policy = -0.012 + 0.004 * rng.gauss(0, 1)
        row |= {"ppo/loss/policy": policy, "ppo/loss/value": now["value_loss"]}
        row |= {"ppo/loss/total": policy + 0.1 * now["value_loss"], "ppo/policy/entropy": now["entropy"]}
        row |= {"ppo/policy/approxkl": now["drift"], "ppo/policy/policykl": 0.4 * now["drift"]}
        row |= {"ppo/policy/clipfrac": now["clip"], "ppo/policy/advantages_mean": 1e-8 * rng.gauss(0, 1)}
        spread = max(1e-4, std(batch.rewards) ** 2)
        row |= {"ppo/returns/mean": mean(batch.rewards), "ppo/returns/var": spread}
        guess = mean(batch.rewards) * min(1.0, max(0.0, now["explained"])) + 0.05 * rng.gauss(0, 1)
        row["ppo/val/vpred"] = guess
        row |= {"ppo/val/error": spread * (1 - now["explained"]), "ppo/val/clipfrac": 0.2 * now["clip"]}
        row |= {
            "ppo/val/mean": guess + 0.02 * rng.gauss(0, 1),
            "ppo/val/var": 0.3 * spread,
            "ppo/val/var_explained": now["explained"],
        }
        row |= {"ppo/learning_rate": run.rate, "time/ppo/forward_pass": 1.2, "time/ppo/optimize_step": 6.4}
        row |= {"time/ppo/total": 9.1, "env/reward_mean": mean(batch.rewards), "env/reward_std": std(batch.rewards)}
        if now["nan"] >= 1:
            row |= {key: NAN for key in row if key.startswith(("objective/kl", "ppo/loss", "ppo/policy"))}
        yield Row(step, "train", row)


def _online_dpo(run: Run) -> Iterator[Row]:
    def metrics(step: int, rng: random.Random) -> Values:
        found = draw_pairs(run.course, step, rng, 16)
        score = run.course.at("learned", step, rng, (0.2, 1.6, 0.05))
        row: Values = {"loss": found["loss"], "grad_norm": found["grad"]}
        kl = run.course.at("sum_kl", step, rng, (0.0, 12.0, 0.06))
        row |= {
            "objective/rlhf_reward": score - 0.1 * kl,
            "objective/scores_margin": 0.9 + 0.1 * rng.gauss(0, 1),
            "objective/scores": score,
        }
        row |= {"val/contain_eos_token": run.course.at("eos", step, rng, (0.9, 0.97, 0.01))}
        row |= {"logps/chosen": -90 + 10 * found["chosen"], "logps/rejected": -92 + 10 * found["rejected"]}
        row |= {"objective/kl": kl, "objective/non_score_reward": -0.1 * kl, "objective/entropy": 70 - 4 * score}
        row |= {"rewards/chosen": found["chosen"], "rewards/rejected": found["rejected"]}
        row |= {"rewards/margins": found["margin"], "rewards/accuracies": found["accuracy"], "beta": 0.1}
        return row

    yield from _trained(run, metrics)


def _foreign(run: Run) -> Iterator[Row]:
    """Any other program: the course is in its own words."""
    for place in range(1, run.course.steps + 1):
        row = {key: run.course.at(key, place, run.rng(place), start) for key, start in run.course.values.items()}
        step = place * int(run.set.get("stride", 1))
        yield Row(step, "train", row | ({run.set["step"]: step} if "step" in run.set else {}))


_TRAINERS: dict[str, Callable[[Run], Iterator[Row]]] = {
    "grpo": _grpo,
    "rloo": _grpo,
    "dpo": _pairs,
    "orpo": _pairs,
    "cpo": _pairs,
    "kto": _kto,
    "sft": _supervised,
    "gkd": _supervised,
    "reward": _supervised,
    "prm": _supervised,
    "trainer": _supervised,
    "ppo": _ppo_v2,
    "rloo_v1": _ppo_v2,
    "ppo_v1": _ppo_v1,
    "online_dpo": _online_dpo,
    "foreign": _foreign,
}
