"""The run of TRL's old PPO trainer: two steps, each two epochs of two chunks of four responses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from .fixtures import Event, read_events
from .harness import Case, Data, Leaf, Parts, Reason, Term
from .quantities import Quantity, Source
from .runs import Run, number_name

STEM = "trl-0.7.10-ppo1_parity"
SOURCE = Source(
    "trl[PPOTrainer]==0.7.10",
    (("batch_size", 8), ("mini_batch_size", 4), ("ppo_epochs", 2), ("log_with", "tensorboard")),
)
CLIPS = {"clip_low": 0.2, "clip_high": 0.2}
PARAMETERS = {
    "ppo/loss/policy": CLIPS,
    "ppo/policy/clipfrac": CLIPS,
    "ppo/loss/value": {"clip_value": 0.2},
    "ppo/val/clipfrac": {"clip_value": 0.2},
    "ppo/loss/total": {**CLIPS, "clip_value": 0.2, "value_coef": 0.1},
}
LOSS_LOCALS = {
    "vf_loss": "ppo/loss/value",
    "vf_clipfrac": "ppo/val/clipfrac",
    "pg_loss": "ppo/loss/policy",
    "pg_clipfrac": "ppo/policy/clipfrac",
    "loss": "ppo/loss/total",
    "entropy": "ppo/policy/entropy",
    "approxkl": "ppo/policy/approxkl",
    "policykl": "ppo/policy/policykl",
    "return_mean": "ppo/returns/mean",
    "return_var": "ppo/returns/var",
    "value_mean": "ppo/val/mean",
    "value_var": "ppo/val/var",
    "loss_p": "ppo/loss/policy",
}
STEP_LOCALS = {
    "kl_coef": "objective/kl_coef",
    "mean_kl": "objective/kl",
    "mean_entropy": "objective/entropy",
    "mean_non_score_reward": "ppo/mean_non_score_reward",
    "mean_scores": "ppo/mean_scores",
    "std_scores": "ppo/std_scores",
}
WHY = {
    "locals|score": "The score of the last response as the reward model gave it, an input.",
    "locals|last_non_masked_index": "The position to which the last score was added.",
    "locals|gen_len": "The width of the batch.",
    "locals|t": "A loop counter.",
    "ppo/learning_rate": "A setting that is read from the optimiser; there is nothing to compute.",
}
OF_THE_BATCH = ("ppo/mean_non_score_reward", "ppo/mean_scores", "ppo/std_scores")
CHUNK = "one chunk"
LOGGED = "logged"
ARRAYS = ("objective/kl_dist", "objective/logprobs", "objective/ref_logprobs", "tokens/queries_dist",
          "tokens/responses_dist", "ppo/policy/advantages", "ppo/policy/ratio")  # fmt: skip


@dataclass
class _Step:
    """What was seen of a step so far."""

    chunks: list[Leaf]
    whole: Leaf
    kl_coef: float = 0.0


def _chunk(event: Event) -> Leaf:
    tensors = event.tensors
    return Leaf(
        {
            "logprobs": tensors["logprobs"],
            "old_logprobs": tensors["old_logprobs"],
            "values": tensors["vpreds"],
            "old_values": tensors["values"],
            "returns": tensors["returns"],
            "advantages": tensors["advantages"],
            "logits": tensors["logits"],
            "mask": event.mask("mask"),
        }
    )


def _whole(event: Event) -> Leaf:
    tensors = event.tensors
    return Leaf(
        {
            "old_logprobs": tensors["data|logprobs"],
            "ref_logprobs": tensors["data|ref_logprobs"],
            "mask": event.mask("mask"),
            "scores": tensors["data|scores"],
            "prompt_lengths": tensors["query_lens"].long(),
            "lengths": tensors["response_lens"].long(),
            "kl_coefficient": torch.tensor(event.numbers["locals|kl_coef"], dtype=torch.float64),
        }
    )


def _entries() -> Iterator[Case | Reason]:
    step = _Step([], Leaf({}))
    for event in read_events(STEM):
        if event.name == "loss":
            step.chunks.append(_chunk(event))
        elif event.name == "scores_in":
            step = replace(step, whole=Leaf({"scores": event.tensors["scores"]}))
        elif event.name == "record_step_stats":
            step = replace(step, whole=_whole(event), kl_coef=event.numbers["locals|kl_coef"])
        for path, value in event.numbers.items():
            yield _entry(event, path, value, step)
        for path, tensor in event.tensors.items():
            key = path.partition("|")[2]
            if key in ARRAYS:
                yield _case(key, LOGGED, number_name(event, path), tensor, step)
        if event.name == "scores_in":
            step = _Step([], Leaf({}))


def _entry(event: Event, path: str, value: float, step: _Step) -> Case | Reason:
    number = number_name(event, path)
    if path in WHY:
        return Reason(path.partition("|")[2], number, WHY[path])
    if event.name in ("loss", "train_minibatch"):
        return _of_chunk(path, number, value, step)
    key = re.sub(r"^(locals\|stats|locals|ret|logged)\|", "", path)
    key = STEP_LOCALS.get(key, key)
    if key in WHY:
        return Reason(key, number, WHY[key])
    if key.startswith("time/"):
        return Reason(key, number, SOURCE.measured(key))
    return _case(key, LOGGED, number, value, step)


def _of_chunk(path: str, number: str, value: float, step: _Step) -> Case:
    if path == "locals|avg_ratio":
        ratio = Quantity.of("policy/ratio/mean")
        return Case("avg_ratio", CHUNK, number, value, [Term(ratio, step.chunks[-1])])
    if path in ("ret|1", "locals|loss_v"):
        return replace(
            _case("ppo/loss/value", CHUNK, number, value, step),
            key="vf_coef * loss/value",
            combine=lambda values: PARAMETERS["ppo/loss/total"]["value_coef"] * values[0],
            formula="0.1 * `value/loss`",
        )
    if path == "ret|0":
        return _case("ppo/loss/policy", CHUNK, number, value, step)
    name = re.sub(r"^(locals\|stats|locals\|train_stats|ret\|2|ret|locals)\|", "", path)
    return _case(LOSS_LOCALS.get(name, f"ppo/{name.replace('|', '/')}"), CHUNK, number, value, step)


def _case(key: str, where: str, number: str, value: float | Tensor, step: _Step) -> Case:
    if key == "ppo/val/var_explained":
        return _explained(number, value, step)
    quantity = SOURCE.quantity(key)
    data: Data
    if where == CHUNK:
        data, quantity = step.chunks[-1], quantity.of_one_part
    else:
        data = _update(step) if key.startswith("ppo/") and key not in OF_THE_BATCH else step.whole
    parameters = {"kl_coef": step.kl_coef} if key == "ppo/mean_non_score_reward" else PARAMETERS.get(key, {})
    return Case(key, where, number, value, [Term(quantity, data, parameters)])


def _update(step: _Step) -> Data:
    """Two chunks per epoch, each an optimiser step of its own."""
    chunks = step.chunks
    epochs = [chunks[start : start + 2] for start in range(0, len(chunks), 2)]
    return Parts("epoch", [Parts("mini_batch", [Parts("micro_batch", [one]) for one in epoch]) for epoch in epochs])


def _explained(number: str, value: float | Tensor, step: _Step) -> Case:
    key = "ppo/val/var_explained"
    quantity = SOURCE.quantity(key)
    assert quantity.function == "value/explained_variance_mse"
    assert "ratio_of_averages" in quantity.traits
    terms = [
        Term(quantity.of_another("value/error"), _update(step)),
        Term(quantity.of_another("return/variance"), _update(step)),
    ]
    formula = "1 - `value/error` / `return/variance`, each averaged first"
    return Case(key, LOGGED, number, value, terms, lambda values: 1 - values[0] / values[1], formula)


def _numbers() -> Sequence[str]:
    return [
        number_name(event, path)
        for event in read_events(STEM)
        for path in (*event.numbers, *(path for path in event.tensors if path.partition("|")[2] in ARRAYS))
    ]


RUN = Run(
    "TRL 0.7.10, PPOTrainer",
    SOURCE,
    "Two steps of two epochs, each over two chunks of four responses.",
    lambda: list(_entries()),
    _numbers,
    {"env/reward_dist": "The scores themselves, of which only the shape was kept where they are logged."},
)
