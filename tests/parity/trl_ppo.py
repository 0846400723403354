"""Two runs of TRL's rewritten PPO trainer: six updates of two epochs, with two mini-batches and with one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

import torch
from torch import Tensor

from .fixtures import Event, read_events
from .harness import Case, Data, Leaf, Parts, Reason, Term, by_function
from .quantities import Quantity, Source
from .runs import Run, number_name

EPOCHS = 2
STEPS = 2
"""Gradient accumulation steps: entries of each row of the statistics."""

END_TOKEN = 1
CLIPS = {"clip_low": 0.2, "clip_high": 0.2}
CLIP_VALUE = {"clip_value": 0.2}
PARAMETERS: Mapping[str, Mapping[str, float]] = {
    "policy/clipfrac_avg": CLIPS,
    "loss/policy_avg": CLIPS,
    "loss/value_avg": CLIP_VALUE,
    "val/clipfrac_avg": CLIP_VALUE,
    "objective/non_score_reward": {"kl_coef": 0.05},
    "val/num_eos_tokens": {"end_token": END_TOKEN},
}
STATISTICS = {
    "approxkl_stats": "policy/approxkl_avg",
    "pg_clipfrac_stats": "policy/clipfrac_avg",
    "pg_loss_stats": "loss/policy_avg",
    "vf_loss_stats": "loss/value_avg",
    "vf_clipfrac_stats": "val/clipfrac_avg",
    "entropy_stats": "policy/entropy_avg",
    "ratio_stats": "val/ratio",
}
OF_THE_VALUES = ("loss/value_avg", "val/clipfrac_avg")
"""Keys over all positions that the value function is trained on, one more than the response has."""

NOW = {"vf_loss": "loss/value_avg", "vf_clipfrac": "val/clipfrac_avg", "pg_loss": "loss/policy_avg"}
BEFORE = {"pg_clipfrac": "policy/clipfrac_avg", "approxkl": "policy/approxkl_avg"}
ROLLOUT = {
    "mean_kl": "objective/kl",
    "mean_entropy": "objective/entropy",
    "mean_non_score_reward": "objective/non_score_reward",
    "rlhf_reward": "objective/rlhf_reward",
}
SETTINGS = {
    "lr": "A setting that is read from the scheduler; there is nothing to compute.",
    "eps": "Episodes over the wall time since the start; the time at which it was taken was not captured.",
}
ABSENT = {
    "epoch": "Added to the dict behind the point where it was captured. Samples over the size of the training set.",
    "completions": "A table of texts.",
}
PLACES = "A loop counter, a size or a position in the batch."
CLOCK = "The time at which training started."
MICRO = "one micro-batch"
LOGGED = "logged"


@dataclass
class _Update:
    """What was seen of an update so far, and what is left of the one before."""

    micro: list[tuple[Leaf, Leaf]] = field(default_factory=list)
    before: tuple[Leaf, Leaf] | None = None
    rollout: Leaf | None = None


def _micro(event: Event) -> tuple[Leaf, Leaf]:
    """Return a micro-batch over the tokens of the responses, and over the positions of the value function."""
    tensors = event.tensors
    rows = tensors["micro_batch_inds"]
    shared = {
        "logprobs": tensors["new_logprobs"],
        "old_logprobs": tensors["mb_logprobs"],
        "advantages": tensors["mb_advantage"],
        "values": tensors["vpred"],
        "old_values": tensors["mb_values"],
        "returns": tensors["mb_return"],
        "logits": tensors["logits"],
    }
    policy, value = (~event.mask(name)[rows] for name in ("padding_mask", "padding_mask_p1"))
    return Leaf({**shared, "mask": policy}), Leaf({**shared, "mask": value})


def _rollout(event: Event) -> Leaf:
    tensors = event.tensors
    return Leaf(
        {
            "old_logprobs": tensors["logprobs"],
            "ref_logprobs": tensors["ref_logprobs"],
            "token_rewards": tensors["rewards"],
            "scores": tensors["scores"],
            "tokens": tensors["postprocessed_responses"],
            "mask": ~event.mask("padding_mask"),
        }
    )


def _with_score(rollout: Leaf, event: Event) -> Leaf:
    """Return the rollout over the positions that hold a reward: the score stands behind the last token."""
    return Leaf({**rollout.tensors, "mask": ~event.mask("padding_mask_p1")})


class _Builder:
    def __init__(self, stem: str, mini_batches: int) -> None:
        self.stem = stem
        self.mini_batches = mini_batches
        config = (
            ("num_mini_batches", mini_batches),
            ("gradient_accumulation_steps", STEPS),
            ("num_ppo_epochs", EPOCHS),
            ("missing_eos_penalty", 1.0),
            ("stop_token", "eos"),
        )
        self.source = Source("trl[PPOTrainer]==0.18.2", config)

    def entries(self) -> Iterator[Case | Reason]:
        """Yield every number of the run."""
        update, reward = _Update(), None
        for event in read_events(self.stem):
            if event.name == "microbatch_at_backward":
                update.before = update.micro[-1] if update.micro else update.before
                update.micro.append(_micro(event))
            else:
                update.rollout = _rollout(event)
                reward = _with_score(update.rollout, event)
                yield from self._statistics(event, update)
            for path, value in event.numbers.items():
                yield self._entry(event, path, value, update, reward)
            if event.name == "train_locals_at_log":
                update = _Update(before=update.micro[-1])

    def _entry(self, event: Event, path: str, value: float, update: _Update, reward: Leaf | None) -> Case | Reason:
        number = number_name(event, path)
        name = path.removeprefix("locals|").removeprefix("metrics|").removeprefix("extra|")
        key = ROLLOUT.get(name, name)
        if key in SETTINGS:
            return Reason(key, number, SETTINGS[key])
        if key == "episode":
            return Reason(key, number, self.source.measured(key))
        if key == "objective/rlhf_reward":
            # While micro-batches are processed, the local variable still holds the value of the update before.
            assert reward is not None
            return Case(key, LOGGED, number, value, [Term(self.source.quantity(key), reward)])
        if event.name == "train_locals_at_log" and "/" in key:
            return self._logged(key, number, value, update)
        if name in NOW:
            return self._part(NOW[name], number, value, update.micro[-1])
        if name in BEFORE:
            assert update.before is not None
            return self._part(BEFORE[name], number, value, update.before)
        if name == "loss":
            return self._loss(number, value, update.micro[-1])
        return Reason(name, number, CLOCK if name == "start_time" else PLACES)

    def _part(self, key: str, number: str, value: float, micro: tuple[Leaf, Leaf]) -> Case:
        quantity = self.source.quantity(key).of_one_part
        return Case(key, MICRO, number, value, [Term(quantity, self._leaf(key, micro), PARAMETERS.get(key, {}))])

    def _loss(self, number: str, value: float, micro: tuple[Leaf, Leaf]) -> Case:
        policy, values = micro
        terms = [
            Term(Quantity.of("policy/loss"), policy, CLIPS),
            Term(Quantity.of("value/loss"), values, CLIP_VALUE),
        ]
        formula = "`policy/loss` + 0.1 * `value/loss`"
        return Case("loss", MICRO, number, value, terms, lambda parts: parts[0] + 0.1 * parts[1], formula)

    @staticmethod
    def _leaf(key: str, micro: tuple[Leaf, Leaf]) -> Leaf:
        return micro[key in OF_THE_VALUES]

    def _logged(self, key: str, number: str, value: float, update: _Update) -> Case:
        quantity = self.source.quantity(key)
        assert update.rollout is not None
        data: Data = update.rollout
        parameters = PARAMETERS.get(key, {})
        if key == "val/ratio_var":
            data = self._ratio_means(update)
            if self.mini_batches > 1:
                parameters = {"unfilled": EPOCHS * self.mini_batches * STEPS - len(update.micro)}
        elif key in STATISTICS.values():
            data = self._tree(key, update)
        return Case(key, LOGGED, number, value, [Term(quantity, data, parameters)])

    def _tree(self, key: str, update: _Update) -> Data:
        leaves = [self._leaf(key, micro) for micro in update.micro]
        filled = STEPS // self.mini_batches
        mini = [Parts("micro_batch", leaves[at : at + filled]) for at in range(0, len(leaves), filled)]
        count = self.mini_batches
        return Parts("epoch", [Parts("mini_batch", mini[at : at + count]) for at in range(0, len(mini), count)])

    def _ratio_means(self, update: _Update) -> Leaf:
        quantity = self.source.quantity("val/ratio").of_one_part
        means = [by_function(Term(quantity, policy)) for policy, _ in update.micro]
        return Leaf({"ratio_means": torch.tensor(means, dtype=torch.float64)})

    def _statistics(self, event: Event, update: _Update) -> Iterator[Case | Reason]:
        """Yield the entries of the tensors [epoch, mini-batch, micro-batch] that the logged values are means of."""
        filled = STEPS // self.mini_batches
        for name, key in STATISTICS.items():
            tensor = event.tensors[name]
            micro = iter(update.micro)
            for place in product(*map(range, tensor.shape)):
                value = float(tensor[place])
                number = number_name(event, _entry_name(name, place))
                if place[-1] < filled:
                    yield self._part(key, number, value, next(micro))
                else:
                    assert value == 0.0
                    yield Reason(name, number, "An entry that is never filled and stays 0; see `num_mini_batches`.")

    def numbers(self) -> Sequence[str]:
        """Return the names of all numbers."""
        return [number_name(event, path) for event in read_events(self.stem) for path in _paths(event)]


def _entry_name(name: str, place: Sequence[int]) -> str:
    return f"{name}{list(place)}"


def _paths(event: Event) -> Iterator[str]:
    yield from event.numbers
    for name, tensor in event.tensors.items():
        if name.endswith("_stats"):
            yield from (_entry_name(name, place) for place in product(*map(range, _shape(tensor))))


def _shape(tensor: Tensor) -> tuple[int, ...]:
    return tuple(tensor.shape)


def _run(name: str, mini_batches: int, brief: str) -> Run:
    builder = _Builder(f"trl-0.18.2-{name}", mini_batches)
    title = f"TRL 0.18.2, PPOTrainer, {name}"
    return Run(title, builder.source, brief, lambda: list(builder.entries()), builder.numbers, ABSENT)


RUNS = (
    _run(
        "ppo_parity",
        2,
        "Six updates of two epochs over two mini-batches of one micro-batch each, with two gradient accumulation "
        "steps: half of the entries of the trainer's statistics are never filled, so that the logged means are half "
        "of what they should be.",
    ),
    _run("ppo_parity1", 1, "The same with one mini-batch of two micro-batches: every entry is filled."),
)
