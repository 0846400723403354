"""Reference steps in plain Python: small seeded steps of a run, in each situation that a sentence may name.

They are like those by which sizes of differences are measured, but small, since plain Python computes them: prompts
with several responses of spread lengths, rewards that differ within groups, a policy that moves with each update.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from typing import Any, NamedTuple

from ..model import Situation
from .side_inputs import side_inputs

__all__ = ["LIMIT", "Batch", "ReferenceStep", "StepCut", "hangs_together", "steps"]

LIMIT = 8
"""The most tokens that a response may have."""
GROUP = 4
"""Responses to each prompt, and of each micro-batch."""
VOCABULARY = 4
_SEED = 20_261_129
_FAR = 1e4
"""A logit so far above the others that the rest of the vocabulary has no probability left."""

Batch = Mapping[str, Any]
"""Inputs by name, as nested lists: ``[B][T]`` for tokens, ``[B]`` for responses, ``[N]`` for lists, or a number."""


class StepCut(NamedTuple):
    """How the responses of a step are cut.

    Attributes:
        window: Steps since the last log.
        rank: Processes.
        epoch: Passes over the responses.
        mini_batch: Optimizer steps of a pass.
        micro_batch: Micro-batches of each.
        has_whole_groups: Whether all responses to a prompt are in one micro-batch, or anywhere.
        is_half: Whether policies compute in bfloat16, and not in float32.
        has_values: Whether advantages come from a critic, and not from groups.
    """

    window: int
    rank: int
    epoch: int
    mini_batch: int
    micro_batch: int
    has_whole_groups: bool
    is_half: bool = False
    has_values: bool = False

    def holds(self, level: str) -> bool:
        """Tell whether there is one part at a level, or one optimizer step per batch (``update``)."""
        if level == "update":
            return self.epoch == self.mini_batch == 1
        return bool(getattr(self, level) == 1)


CUTS = (
    StepCut(1, 1, 1, 1, 2, has_whole_groups=True),
    StepCut(2, 3, 1, 1, 1, has_whole_groups=True),
    StepCut(1, 2, 1, 2, 1, has_whole_groups=False, is_half=True),
    StepCut(1, 1, 2, 1, 2, has_whole_groups=False),
    StepCut(1, 1, 1, 1, 1, has_whole_groups=True),
    StepCut(1, 1, 1, 1, 2, has_whole_groups=True, is_half=True, has_values=True),
)
"""One process or several, one update or several, one step since the last log or two, either precision, a critic."""

Place = tuple[int, int, int, int, int]


class ReferenceStep(NamedTuple):
    """A step of a run.

    Attributes:
        situations: What is so in it beside what is usual.
        seed: What its draws start from.
        cut: How it is cut.
        parts: Each micro-batch, by the numbers of its window, rank, epoch, mini-batch and micro-batch.
    """

    situations: frozenset[Situation]
    seed: int
    cut: StepCut
    parts: Mapping[Place, Batch]

    @property
    def name(self) -> str:
        """How a message calls it."""
        words = ", ".join(sorted(self.situations)) or "usual"
        more = f"{', bfloat16' * self.cut.is_half}{', a critic' * self.cut.has_values}"
        return f"{words}, seed {self.seed}, {self.cut.rank} ranks, {self.cut.micro_batch} micro-batches{more}"


@lru_cache(maxsize=256)
def steps(situations: frozenset[Situation], inputs: tuple[tuple[str, str, str], ...]) -> tuple[ReferenceStep, ...]:
    """Return the reference steps of a situation: each cut, with rewards from a verifier or from a model.

    Args:
        situations: What is so in all of them; none for usual steps.
        inputs: Name, domain and type of every input that there is.
    """
    made = []
    for number, cut in enumerate(CUTS):
        # Both kinds of rewards where there is little else that could differ.
        for verified in (True, False) if cut.rank * cut.epoch == 1 and not cut.has_values else (number % 2 == 0,):
            seed = _SEED + 2 * number + verified
            made.append(ReferenceStep(situations, seed, cut, dict(_parts(situations, seed, cut, inputs, verified))))
    return tuple(made)


@cache
def hangs_together() -> frozenset[str]:
    """Return the inputs that hang together as those of a run do; all others are drawn by themselves."""
    return frozenset(_Responses(frozenset(), random.Random(_SEED), GROUP, 0, verified=True).inputs((), CUTS[0], 0))


def _parts(
    situations: frozenset[Situation], seed: int, cut: StepCut, inputs: Sequence[tuple[str, str, str]], verified: bool
) -> Iterator[tuple[Place, Batch]]:
    for window in range(cut.window):
        for rank in range(cut.rank):
            rows = cut.mini_batch * cut.micro_batch * GROUP
            whole = _Responses(situations, random.Random(f"{seed}/{window}/{rank}"), rows, rank, verified)
            for epoch in range(cut.epoch):
                order = list(range(rows))
                if not cut.has_whole_groups:
                    random.Random(f"{seed}/{window}/{rank}/{epoch}").shuffle(order)
                for mini in range(cut.mini_batch):
                    drawn = whole.inputs(inputs, cut, updates=epoch * cut.mini_batch + mini)
                    for micro in range(cut.micro_batch):
                        start = (mini * cut.micro_batch + micro) * GROUP
                        chosen = order[start : start + GROUP]
                        place = (window, rank, epoch, mini, micro)
                        yield place, {name: _taken(value, chosen, rows) for name, value in drawn.items()}


def _taken(value: Any, rows: Sequence[int], count: int) -> Any:
    return [value[row] for row in rows] if isinstance(value, list) and len(value) == count else value


class _Responses:
    """The responses of one process, and what an update makes of them."""

    def __init__(
        self, situations: frozenset[Situation], draws: random.Random, rows: int, rank: int, verified: bool
    ) -> None:
        self.situations = situations
        self._draws = draws
        self._rows = rows
        self._rank = rank
        self._lengths = [self._length() for _ in range(rows)]
        self._rewards = self._rewarded(verified)
        self._tokens = self._policies()
        self._pairs = self._preferences()
        self._beside = side_inputs(draws, self._lengths, LIMIT, self._pairs)
        self._noise: list[list[list[float]]] = []
        self._other: dict[str, Any] = {}

    def _is(self, situation: Situation) -> bool:
        return situation in self.situations

    def _length(self) -> int:
        drawn = round(4 * math.exp(0.7 * self._draws.gauss(0, 1)))
        if self._is("all_truncated"):
            return LIMIT
        if self._is("equal_lengths"):
            return 5
        if self._is("nothing_counted"):
            return 0
        return min(max(drawn, 1), LIMIT - 1 if self._is("all_ended") else LIMIT)

    def _rewarded(self, verified: bool) -> list[float]:
        draws = self._draws
        if self._is("rewards_zero"):
            return [0.0] * self._rows
        if self._is("rewards_equal"):
            return [0.75] * self._rows
        rewards: list[float] = []
        for _ in range(self._rows // GROUP):
            # A group in which all are right, or wrong, is usual; a step of such groups alone is not.
            group = [float(draws.random() < 0.5) if verified else draws.gauss(0.2, 1) for _ in range(GROUP)]
            if len(set(group)) == 1:
                group[0] = 1.0 - group[0]
            if self._is("groups_tied"):
                group = [group[0]] * GROUP
            rewards += group
        return rewards

    def _policies(self) -> dict[str, list[list[float]]]:
        draws = self._draws
        shape = range(LIMIT)
        certain = self._is("policy_certain")
        entropy = [[0.0 if certain else 0.4 * draws.expovariate(1) + 0.02 for _ in shape] for _ in range(self._rows)]
        old = [[0.0 if certain else -draws.expovariate(1) * max(x, 0.01) for x in row] for row in entropy]
        if self._is("far_beyond_clip"):
            old = [[x - 3.0 for x in row] for row in old]

        def near(values: list[list[float]], size: float) -> list[list[float]]:
            return [[min(x + size * math.sqrt(0.01 - x) * draws.gauss(0, 1), 0.0) for x in row] for row in values]

        reference = old if self._is("policy_is_reference") else near(old, 0.25)
        rollout = old if self._is("engines_agree") else near(old, 0.05)
        if self._is("engines_far_apart"):
            rollout = [[x - 2.0 - row for x in values] for row, values in enumerate(old)]
            rollout[::2] = [[x / 4 for x in values] for values in old[::2]]
        return {
            "old_logprobs": old,
            "ref_logprobs": reference,
            "teacher_logprobs": near(old, 0.6),
            "rollout_logprobs": rollout,
            "token_entropy": entropy,
            "noise": [[math.sqrt(0.01 - x) for x in row] for row in old],
        }

    def _preferences(self) -> dict[str, list[float]]:
        draws = self._draws
        found: dict[str, list[float]] = {}
        same = self._is("policy_is_reference")
        level = draws.gauss(0, 4)
        for side, sign in (("chosen", 1.0), ("rejected", -1.0), ("completion", 0.0), ("mismatched", 0.0)):
            reference = [-abs(draws.gauss(20, 6)) - 1 for _ in range(self._rows)]
            gain = [0.0 if same else level + sign * 2 + draws.gauss(0, 4) for _ in range(self._rows)]
            if self._is("pairs_separated"):
                gain = [sign * 4000.0 for _ in range(self._rows)]
            found[f"ref_{side}_logprobs"] = reference
            found[f"{side}_logprobs"] = [min(x + y, -0.01) for x, y in zip(reference, gain, strict=True)]
            if self._is("pairs_separated"):
                found[f"{side}_logprobs"] = [x if sign > 0 else x - 4000 for x in reference]
            shift = 4000.0 if self._is("pairs_separated") else 2.0
            scored = [0.0 if self._is("pairs_alike") else sign * shift + draws.gauss(0, 1) for _ in reference]
            found[f"{side}_scores"] = scored
        for own, like in (("own", "completion"), ("opponent", "mismatched")):
            found[f"{own}_logprobs"] = found[f"{like}_logprobs"]
            found[f"{own}_ref_logprobs"] = found[f"ref_{like}_logprobs"]
        return found

    def inputs(self, known: Sequence[tuple[str, str, str]], cut: StepCut, updates: int) -> Batch:
        """Return all inputs after some optimizer steps on the responses."""
        rows, draws = self._rows, self._draws
        while len(self._noise) < updates + 1:
            self._noise.append([[draws.gauss(0, 1) for _ in range(LIMIT)] for _ in range(rows)])
        # In the first step of a run that is not the first of its batch, a policy has moved a little, too.
        moves = () if self._is("policy_unchanged") or self._is("policy_certain") else self._noise[: updates + 1]
        old, size = self._tokens["old_logprobs"], self._tokens["noise"]
        advantages = self._advantages()
        if cut.is_half:
            self._tokens = {name: [[_half(x) for x in row] for row in rows_] for name, rows_ in self._tokens.items()}
            old = self._tokens["old_logprobs"]

        def moved(row: int, t: int) -> float:
            if moves and self._is("far_beyond_clip"):
                return 3.0 if row % 3 else -3.0
            towards = 0.2 * (advantages[row] > 0) - 0.2 * (advantages[row] < 0)
            step = 0.05 * size[row][t]
            return sum(step * noise[row][t] + step * towards for noise in moves)

        logprobs = [[min(old[row][t] + moved(row, t), 0.0) for t in range(LIMIT)] for row in range(rows)]
        if cut.is_half:
            logprobs = [[_half(x) for x in row] for row in logprobs]
        rollout = self._tokens["rollout_logprobs"]
        gap = [[x - y for x, y in zip(*pair, strict=True)] for pair in zip(old, rollout, strict=True)]
        weights = [[math.exp(x) for x in row] for row in gap]
        returns = [[self._rewards[row] + 0.1 * math.sin(t + row) for t in range(LIMIT)] for row in range(rows)]
        values = [[x + 0.3 * math.cos(7 * x + t) for t, x in enumerate(row)] for row in returns]
        if self._is("critic_exact"):
            values = returns
        if self._is("returns_alike"):  # and the critic has learnt nothing
            returns = [[1.0 + 0.001 * ((t + row) % 2) for t in range(LIMIT)] for row in range(rows)]
            values = [[0.0] * LIMIT for _ in range(rows)]
        inputs: dict[str, Any] = {
            **self._beside,
            **{name: value for name, value in self._tokens.items() if name != "noise"},
            **self._pairs,
            "mask": [[t < length for t in range(LIMIT)] for length in self._lengths],
            "lengths": self._lengths,
            "terminated": [length < LIMIT for length in self._lengths],
            "opponent_terminated": [length < LIMIT for length in self._lengths],
            "group_ids": [row // GROUP + 1000 * self._rank for row in range(rows)],
            **dict.fromkeys(("rewards", "scores", "function_rewards", "environment_rewards"), self._rewards),
            "sequence_advantages": advantages,
            "advantages": self._of_values(returns, values) if cut.has_values else [[x] * LIMIT for x in advantages],
            "logprobs": logprobs,
            "rollout_weights": [[min(x, 2.0) for x in row] for row in weights],
            "rejection_weights": weights,
            "rejection_statistic": [[0.5 * x * x for x in row] for row in gap],
            "rejected_tokens": [[x > 2 or x < 0.5 for x in row] for row in weights],
            "returns": returns,
            "values": values,
            "old_values": [[x + (5.0 if self._is("far_beyond_clip") else 0.05) for x in row] for row in values],
            "is_top1": [[x > -math.log(2) for x in row] for row in old],
            "probability_square_sums": [[math.exp(2 * x) + 0.5 * (1 - math.exp(x)) ** 2 for x in row] for row in old],
            "preemptions": [-1 if self._is("not_reported") else (row * 7) % 3 for row in range(rows)],
            "gradient_norms": [self._gradient_norm(part) for part in range(6)],
            **self._vocabulary(moves != ()),
        }
        penalty = 0.0 if self._is("policy_is_reference") else -0.01
        inputs["token_rewards"] = [
            [self._rewards[row] if t == self._lengths[row] - 1 else penalty for t in range(LIMIT)]
            for row in range(rows)
        ]
        for name, domain, dtype in known:
            if name not in inputs:
                inputs[name] = self._drawn(name, domain, dtype)
        return inputs

    def _gradient_norm(self, part: int) -> float:
        if self._is("gradient_not_finite"):
            return math.nan
        return 0.0 if self._is("gradient_zero") or self._is("groups_tied") else 0.5 + 0.4 * part

    @cached_property
    def _logits(self) -> list[list[list[float]]]:
        draws, far = random.Random(self._rows), _FAR if self._is("policy_certain") else 0.0
        shape = range(self._rows), range(LIMIT), range(VOCABULARY)
        return [[[draws.gauss(0, 1) + far * (v == 0) for v in shape[2]] for _ in shape[1]] for _ in shape[0]]

    def _vocabulary(self, has_moved: bool) -> dict[str, Any]:
        """Return logits of the policy and of those that it is compared with."""
        now = self._logits
        other = [[[x + 0.1 * math.sin(9 * x) for x in token] for token in row] for row in now]
        same = now if self._is("policy_is_reference") else other
        return {"logits": now, "old_logits": other if has_moved else now, "ref_logits": same, "teacher_logits": other}

    def _advantages(self) -> list[float]:
        found: list[float] = []
        for start in range(0, self._rows, GROUP):
            group = self._rewards[start : start + GROUP]
            mean = sum(group) / len(group)
            spread = math.sqrt(sum((x - mean) ** 2 for x in group) / (len(group) - 1))
            found += [(x - mean) / (spread + 1e-4) for x in group]
        return found

    def _of_values(self, returns: list[list[float]], values: list[list[float]]) -> list[list[float]]:
        """Return advantages over a critic, with mean 0 and a spread of 1 over the tokens that count."""
        gaps = [[x - y for x, y in zip(*row, strict=True)] for row in zip(returns, values, strict=True)]
        counted = [x for row, length in zip(gaps, self._lengths, strict=True) for x in row[:length]]
        mean = sum(counted) / max(len(counted), 1)
        spread = math.sqrt(sum((x - mean) ** 2 for x in counted) / max(len(counted), 1))
        return [[(x - mean) / (spread + 1e-8) for x in row] for row in gaps]

    def _drawn(self, name: str, domain: str, dtype: str) -> Any:
        """Return an input of which a step says nothing in particular, the same after every optimizer step."""
        if name not in self._other:
            self._other[name] = self._filled(
                name, {"token": (self._rows, LIMIT), "sequence": (self._rows,)}, domain, dtype
            )
        return self._other[name]

    def _filled(self, name: str, shapes: Mapping[str, tuple[int, ...]], domain: str, dtype: str) -> Any:
        draws = self._draws

        def one() -> Any:
            if dtype == "bool":
                return draws.random() < 0.6
            if dtype == "int":
                return draws.randrange(VOCABULARY) if name == "tokens" else draws.randrange(1, 9)
            if "logprob" in name:
                return -draws.expovariate(1)
            return draws.random() + 0.05

        shape = shapes.get(domain, (6,) if domain == "batch" else ())
        if not shape:
            return one()
        return (
            [one() for _ in range(shape[0])]
            if len(shape) == 1
            else [[one() for _ in range(shape[1])] for _ in range(shape[0])]
        )


def _half(x: float) -> float:
    """Return a number as bfloat16 has it: eight binary digits of it."""
    mantissa, exponent = math.frexp(x)
    return math.ldexp(round(mantissa * 256), exponent - 8)
