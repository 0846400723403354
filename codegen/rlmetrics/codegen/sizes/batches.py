"""The reference batches: tensors of whole steps, drawn so that they hang together as those of a run do.

Longer responses are wrong more often, responses differ in how uncertain the policy is, uncertain tokens move further
in an update, and the policy moves on with every optimizer step on a batch. Positions of padding hold NaN.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from .batch_shapes import LAYOUTS, PROFILES, SEED, RunProfile, StepLayout
from .draws import Draws

__all__ = ["MicroBatch", "Step", "steps"]

Tensors = Mapping[str, Tensor]


@dataclass(frozen=True)
class MicroBatch:
    """One micro-batch of one process.

    Attributes:
        place: Numbers of its process, epoch, mini-batch and micro-batch.
        inputs: Its tensors by name.
    """

    place: tuple[int, int, int, int]
    inputs: Tensors


@dataclass(frozen=True)
class Step:
    """A step of a run: all of its micro-batches, and the responses as they were generated.

    Attributes:
        profile: What its responses are like.
        layout: How it is cut into parts.
        pieces: Every micro-batch, in the order in which a process works on them, process by process.
        generated: The inputs of each process before its responses are shuffled and cut into parts: whole groups.
        uncut: The same, had sampling gone on to the limit after every end token: mask and log-probabilities.
    """

    profile: RunProfile
    layout: StepLayout
    pieces: tuple[MicroBatch, ...]
    generated: tuple[Tensors, ...]
    uncut: tuple[Tensors, ...]


def steps() -> Iterator[Step]:
    """Yield the reference batches: every layout with every profile."""
    for profile in PROFILES:
        for number, layout in enumerate(LAYOUTS):
            yield _step(profile, layout, Draws(f"{SEED}/{profile.name}/{number}"))


def _step(profile: RunProfile, layout: StepLayout, draws: Draws) -> Step:
    responses = _Responses(profile, layout, draws)
    rows = layout.rows // layout.ranks
    mini = rows // layout.mini_batches
    pieces = []
    generated = []
    beyond = []
    uncut = responses.uncut()
    after = [responses.inputs(updates) for updates in range(layout.epochs * layout.mini_batches)]
    for rank in range(layout.ranks):
        mine = rank * rows + torch.arange(rows)
        generated.append(_Rows(after[0], mine))
        beyond.append(_Rows(uncut, mine))
        for epoch in range(layout.epochs):
            order = mine[draws.order(rows)]
            for number in range(layout.mini_batches):
                inputs = after[epoch * layout.mini_batches + number]
                for micro, start in enumerate(range(number * mini, (number + 1) * mini, layout.micro_rows)):
                    own = _Rows(inputs, order[start : start + layout.micro_rows])
                    pieces.append(MicroBatch((rank, epoch, number, micro), own))
    return Step(profile, layout, tuple(pieces), tuple(generated), tuple(beyond))


class _Rows(Mapping[str, Tensor]):
    """Some rows of tensors, taken when they are first asked for."""

    def __init__(self, whole: Tensors, rows: Tensor) -> None:
        self._whole = whole
        self._rows = rows
        self._taken: dict[str, Tensor] = {}

    def __getitem__(self, name: str) -> Tensor:
        if name not in self._taken:
            self._taken[name] = self._whole[name][self._rows]
        return self._taken[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._whole)

    def __len__(self) -> int:
        return len(self._whole)


def _ratio(size: Tensor, noise: Tensor) -> Tensor:
    """Return log-ratios of another policy to the one that sampled: their exponentials have the mean 1.

    Otherwise estimators of one divergence would disagree by more than chance.
    """
    return size * noise - size**2 / 2


class _Responses:
    """The responses of a step, and what an update makes of them."""

    def __init__(self, profile: RunProfile, layout: StepLayout, draws: Draws) -> None:
        count = layout.rows
        self._draws = draws
        hard = draws.normal(layout.prompts).repeat_interleave(layout.group)
        long = draws.normal(count)
        wished = profile.median * torch.exp(profile.spread * (0.6 * hard + 0.8 * long))
        lengths = wished.round().clamp(1, profile.limit)
        terminated = wished.round() <= profile.limit
        width = profile.limit
        self._longest = int(lengths.max())
        self._mask = torch.arange(width) < lengths[:, None]
        self._scores = self._scored(profile, hard, long, terminated)
        grouped = self._scores.view(layout.prompts, layout.group)
        centred = grouped - grouped.mean(1, keepdim=True)
        self._advantages = (centred / (grouped.std(1, keepdim=True) + 1e-4)).reshape(-1)
        prompts = 150 * torch.exp(0.5 * draws.normal(layout.prompts))
        self._given = {
            "lengths": lengths.long(),
            "prompt_lengths": prompts.repeat_interleave(layout.group).long(),
            "terminated": terminated,
            "group_ids": torch.arange(layout.prompts).repeat_interleave(layout.group),
            "scores": self._scores,
            "rewards": self._scores,
            "function_rewards": self._scores,
            "sequence_advantages": self._advantages,
            **self._pairs(profile, count),
        }
        self._tokens = {"mask": self._mask, **self._policies(profile, count, width)}
        self._tokens |= self._critic(profile, count, width)
        self._noise: list[Tensor] = []

    def _scored(self, profile: RunProfile, hard: Tensor, long: Tensor, terminated: Tensor) -> Tensor:
        liking = 0.8 - 0.9 * hard - 0.5 * long
        if not profile.verified:
            return liking + 0.8 * self._draws.normal(len(hard))
        right = self._draws.uniform(len(hard)) < torch.sigmoid(liking)
        return (right & terminated).double()

    def _policies(self, profile: RunProfile, count: int, width: int) -> dict[str, Tensor]:
        draws = self._draws
        place = torch.arange(width) / width
        # A response is surer or less sure than others as a whole, and all grow surer with every position.
        level = profile.entropy * torch.exp(0.3 * draws.normal(count, 1) - 0.045) * (1.2 - 0.4 * place)
        # Most tokens are almost certain and few are not: the square of an exponential number has the mean 2.
        entropy = level * draws.exponential(count, width) ** 2 / 2
        surprisal = entropy * draws.exponential(count, width)
        old = -surprisal
        uncertain = torch.sqrt(surprisal + 0.01)
        reference = old + _ratio(0.25 * uncertain, draws.normal(count, width)) + 0.01 * draws.normal(count, 1)
        teacher = old + _ratio(0.6 * uncertain, draws.normal(count, width)) + 0.05 * draws.normal(count, 1)
        # Engine and trainer differ by rounding, and at one token in two thousand by much more.
        rare = 1 + 30 * (draws.uniform(count, width) < 1 / 2000)
        rollout = old - _ratio(0.02 * rare * uncertain, draws.normal(count, width))
        weight = torch.exp(old - rollout)
        self._step_size = 0.03 * uncertain * torch.exp(0.4 * draws.normal(count, 1))
        return {
            "old_logprobs": old,
            "ref_logprobs": reference,
            "teacher_logprobs": teacher,
            "rollout_logprobs": rollout,
            "token_entropy": entropy,
            "is_top1": surprisal < math.log(2),
            "rollout_weights": weight.clamp(max=2),
            "rejection_weights": weight,
            "rejection_statistic": 0.5 * (old - rollout) ** 2,
            "rejected_tokens": (weight > 2) | (weight < 0.5),
            "advantages": self._advantages[:, None].expand(count, width),
        }

    def _critic(self, profile: RunProfile, count: int, width: int) -> dict[str, Tensor]:
        draws = self._draws.apart("critic")
        # A critic starts at the mean and knows more the further a response is.
        known = (torch.arange(width) + 1) / (torch.arange(width) + 1 + profile.median / 2)
        mean = self._scores.mean()
        old = (
            mean
            + known * (self._scores[:, None] - mean)
            + 0.2 * draws.normal(count, 1)
            + 0.05 * draws.normal(count, width)
        )
        penalty = 0.02 * (self._tokens["old_logprobs"] - self._tokens["ref_logprobs"])
        rewards = torch.where(self._mask, -penalty, 0.0)
        rewards[torch.arange(count), self._given["lengths"] - 1] += self._scores
        returns = rewards.flip(1).cumsum(1).flip(1)
        return {"old_values": old, "returns": returns, "token_rewards": rewards}

    def _pairs(self, profile: RunProfile, count: int) -> dict[str, Tensor]:
        """Pairs of a preferred and a rejected response, rejected ones a little longer."""
        draws = self._draws.apart("pairs")
        found: dict[str, Tensor] = {}
        for side, sign in (("chosen", 1.0), ("rejected", -1.0)):
            wished = profile.median * torch.exp(profile.spread * draws.normal(count) - 0.1 * sign)
            lengths = wished.round().clamp(1, profile.limit)
            mask = torch.arange(int(lengths.max())) < lengths[:, None]
            level = profile.entropy * torch.exp(0.3 * draws.normal(count, 1))
            reference = -level * draws.exponential(*mask.shape) ** 3 / 6
            moved = sign * 0.004 + 0.05 * torch.sqrt(-reference + 0.01) * draws.normal(*mask.shape)
            now = torch.where(mask, reference + moved, math.nan)
            found |= {
                f"{side}_lengths": lengths.long(),
                f"{side}_mask": mask,
                f"{side}_token_logprobs": now,
                f"{side}_logprobs": now.nansum(1),
                f"ref_{side}_logprobs": torch.where(mask, reference, 0.0).sum(1),
                f"{side}_scores": sign * 0.5 + draws.normal(count),
            }
        desirable = draws.uniform(count) < 0.5
        for start in ("", "ref_"):
            good, bad = (found[f"{start}{side}_logprobs"] for side in ("chosen", "rejected"))
            found[f"{start}completion_logprobs"] = torch.where(desirable, good, bad)
        return {**found, "desirable": desirable}

    def inputs(self, updates: int) -> Tensors:
        """Return all inputs of the step after some optimizer steps on it: padded to the longest response."""
        while len(self._noise) < updates:
            self._noise.append(self._draws.apart(f"update {len(self._noise)}").normal(*self._mask.shape))
        # Steps go into the direction of the advantages, and scatter.
        towards = torch.sign(self._advantages)[:, None] * 0.2
        still = torch.zeros(self._mask.shape, dtype=torch.float64)
        moved = sum(
            (_ratio(self._step_size, noise) + self._step_size * towards for noise in self._noise[:updates]), still
        )
        tokens = {
            **self._tokens,
            "logprobs": self._tokens["old_logprobs"] + moved,
            "values": self._tokens["old_values"] + 0.05 * sum(self._noise[:updates], still),
        }
        return {**self._given, **{name: self._padded(tensor) for name, tensor in tokens.items()}}

    def _padded(self, tensor: Tensor) -> Tensor:
        if tensor.dtype == torch.float64:
            tensor = torch.where(self._mask, tensor, math.nan)
        return tensor[:, : self._longest]

    def uncut(self) -> Tensors:
        """Return mask and log-probabilities, had sampling gone on to the limit after every end token."""
        tokens = {name: self._tokens[name] for name in ("old_logprobs", "ref_logprobs")}
        return {**tokens, "mask": torch.ones_like(self._mask), "logprobs": tokens["old_logprobs"]}
