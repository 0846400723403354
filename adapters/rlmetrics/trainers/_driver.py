"""Counts the batches of verl's driver: which of their tensors are inputs of suites, and over which rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from rlmetrics.functional import REGISTRY
from rlmetrics.suites import GRPOSuite, PPOSuite
from rlmetrics.trackers.exact import exact
from rlmetrics.trackers.faults import Faults

if TYPE_CHECKING:
    from rlmetrics.state.suite import Suite

__all__ = ["TOKENS", "DriverSuite"]

TOKENS = {
    "old_logprobs": "old_log_probs",
    "ref_logprobs": "ref_log_prob",
    "rollout_logprobs": "rollout_log_probs",
    "advantages": "advantages",
    "returns": "returns",
    "old_values": "values",
}
"""What verl calls inputs of tokens."""

_ABSENT = {
    "logprobs": "the policy while it is updated is in the workers only",
    "values": "the critic while it is updated is in the workers only",
    "ref_logprobs": "there is no reference policy",
    "rollout_logprobs": "actor_rollout_ref.rollout.calculate_log_probs is off, or old log-probabilities are these",
    "old_values": "there is no critic",
    "old_logits": "the driver has computed no old log-probabilities, and so no entropies",
    "terminated": "nobody has said which tokens end a response",
    "group_ids": "the batch does not say which prompt a response belongs to",
    "kl_coef": "the penalty is in the rewards; a PPOSuite(kl_coef=…) of one's own asks for this number",
}
"""Why inputs may be missing."""

_RENAMED = {"entropy/policy": "entropy/old_policy"}
"""Results that are here of the policy before the update."""


class DriverSuite:
    """Counts the batches of verl's driver.

    Args:
        suite: One suite or several; `GRPOSuite` and `PPOSuite` by default.
        eos: The tokens that end a response, by which responses are known to be cut off.

    Attributes:
        suites: The suites.
        faults: What went wrong without stopping the training.
        missing: Results of the last `compute` that batches did not hold, each with the reason.
    """

    def __init__(self, suite: Suite | Iterable[Suite] | None = None, *, eos: int | Iterable[int] | None = None) -> None:
        given = (GRPOSuite(), PPOSuite()) if suite is None else (suite if isinstance(suite, Iterable) else (suite,))
        self.suites: tuple[Suite, ...] = tuple(given)
        self.faults = Faults()
        self.missing: dict[str, str] = {}
        self._eos = None if eos is None else torch.tensor([eos] if isinstance(eos, int) else list(eos))
        self._unasked = {"reward/non_score/sum"} if suite is None else set()
        self._groups = 0

    def update(self, batch: Any, *, ended: Tensor | None = None) -> DriverSuite:
        """Count a batch; return this itself. What fails is noted; nothing is raised.

        Args:
            batch: The ``DataProto`` that verl gives to ``compute_data_metrics``.
            ended: Which rows are the last of their session, where sessions have several; advantages come from these.
        """
        with self.faults("the tokens of a batch could not be counted"):
            self._count_tokens(batch.batch)
        with self.faults("the rewards of a batch could not be counted"):
            self._count_rewards(batch.batch, batch.non_tensor_batch.get("uid"), ended)
        with self.faults("the lengths of a batch could not be counted"):
            self._count_lengths(batch.batch)
        return self

    def entropies(self, entropies: Tensor, mask: Tensor) -> None:
        """Count the entropies of a batch's tokens, which verl drops before the metrics of a batch are computed."""
        with self.faults("the entropies of a batch could not be counted"):
            self._add(token_entropy=entropies, mask=mask.bool())

    def compute(self) -> dict[str, float]:
        """Return the numbers since the last reset."""
        found: dict[str, float] = {}
        for suite in self.suites:
            found.update((_RENAMED.get(name, name), value) for name, value in suite.compute().items())
        for name in self._unasked:
            found.pop(name, None)
        wanted = [_RENAMED.get(name, name) for suite in self.suites for name in suite.metrics]
        self.missing = {name: self._reason(name) for name in wanted if name not in found}
        return found

    def reset(self) -> DriverSuite:
        """Begin anew; return this itself."""
        for suite in self.suites:
            suite.reset()
        self._groups = 0
        return self

    def row(self) -> dict[str, float]:
        """Return the numbers since the last call as they are logged. What fails is noted; nothing is raised."""
        found: dict[str, float] = {}
        with self.faults("the numbers could not be computed"):
            found = exact(self.compute())
        with self.faults("the numbers could not be reset"):
            self.reset()
        return found

    def _count_tokens(self, held: Any) -> None:
        mask = held["response_mask"].bool()
        given = {name: _of(held, key) for name, key in TOKENS.items()}
        old, sampled = given["old_logprobs"], given["rollout_logprobs"]
        if old is not None and sampled is not None and torch.equal(old, sampled):
            # verl took the engine's for the trainer's own: that they agree was not measured.
            given["rollout_logprobs"] = None
        entropies = _of(held, "entropys", "entropy")
        self._add(**given, mask=mask)
        if entropies is not None:
            self._add(token_entropy=entropies, mask=mask)

    def _count_rewards(self, held: Any, uids: Any, ended: Tensor | None) -> None:
        scores = _of(held, "token_level_scores", "rm_scores")
        rewards = _of(held, "token_level_rewards", "token_level_scores", "rm_scores")
        lengths = _lengths(held)
        # An aborted response has no token, and its score of 0 is none; but its group is compared with it.
        real = lengths > 0
        if scores is not None:
            self._add(scores=scores.sum(-1)[real])
        if rewards is None:
            return
        # The score stands at the last token, which a tool may have written.
        self._add(token_rewards=rewards[real], mask=_written(rewards, lengths)[real])
        chosen = torch.ones_like(real) if ended is None else ended
        if uids is None:
            self._add(rewards=rewards.sum(-1)[chosen])
            return
        _, places = np.unique(np.asarray(uids, dtype=str), return_inverse=True)
        groups = torch.from_numpy(places.reshape(-1)) + self._groups
        self._groups = int(groups.max()) + 1
        self._add(rewards=rewards.sum(-1)[chosen], group_ids=groups[chosen])

    def _count_lengths(self, held: Any) -> None:
        lengths, terminated = _lengths(held), None
        ids = _of(held, "responses")
        if self._eos is not None and ids is not None:
            last = ids.gather(1, (lengths - 1).clamp(min=0).unsqueeze(1)).squeeze(1)
            terminated = torch.isin(last, self._eos.to(ids)) & (lengths > 0)
        self._add(lengths=lengths, terminated=terminated)

    def _add(self, **tensors: Tensor | None) -> None:
        """Give each suite what its metrics take of some tensors."""
        given = {name: tensor.detach() for name, tensor in tensors.items() if tensor is not None}
        for suite in self.suites:
            whole = [block.inputs for block in suite.fusion.blocks if given.keys() >= {*block.inputs}]
            used = {name: given[name] for inputs in whole for name in inputs}
            if used:
                suite.update(**used)

    def _reason(self, name: str) -> str:
        if name in self._unasked:
            return _ABSENT["kl_coef"]
        needed = [word for word, *_ in REGISTRY[name].inputs] if name in REGISTRY else []
        return next((_ABSENT[word] for word in _ABSENT if word in needed), "the batches did not hold what it needs")


def _of(held: Any, *keys: str) -> Any:
    """Return the first tensor of some names that a batch has; None if it has none."""
    return next((held[key] for key in keys if key in held.keys()), None)  # noqa: SIM118


def _lengths(held: Any) -> Tensor:
    """Return the number of tokens of each response, those of tools included, as verl counts them."""
    lengths = _of(held, "response_length")
    if lengths is None:
        lengths = held["attention_mask"][:, -held["responses"].size(-1) :].sum(-1)
    return lengths.long()  # type: ignore[no-any-return]


def _written(rewards: Tensor, lengths: Tensor) -> Tensor:
    """Return where responses have tokens, or a reward."""
    places = torch.arange(rewards.size(1), device=rewards.device)
    return (places < lengths.unsqueeze(1)) | (rewards != 0)
