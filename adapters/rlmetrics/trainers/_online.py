"""Suites in the trainers that sample: GRPO and RLOO."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import torch
from torch import Tensor

from rlmetrics.logprobs import entropy
from rlmetrics.suites import GRPOSuite

from ._measuring import Measured

__all__ = ["MeasuredGRPO", "MeasuredRLOO"]

_CLIPPED = ("policy/loss", "policy/clip_fraction", "policy/clip_fraction_low", "policy/clip_fraction_high")
_ROLLOUT = ("sampling/", "kl/rollout/")
_OLD = "rlmetrics_old_logprobs"
_REF = "rlmetrics_ref_logprobs"
_SAMPLED = "rlmetrics_rollout_logprobs"


class _Sampling(Measured):
    """What GRPO and RLOO share: whole groups and lengths are counted where they are generated, tokens in the loss."""

    _groups = 0
    _generated: Any = None
    _scored: Any = None

    def _suite(self) -> GRPOSuite:
        return GRPOSuite(clip_low=self.epsilon_low, clip_high=self.epsilon_high)

    def _generate(self, *args: Any, **kwargs: Any) -> Any:
        self._generated = super()._generate(*args, **kwargs)
        return self._generated

    def _calculate_rewards(self, *args: Any, **kwargs: Any) -> Any:
        self._scored = super()._calculate_rewards(*args, **kwargs)
        return self._scored

    def _get_per_token_logps_and_entropies(self, *args: Any, **kwargs: Any) -> Any:
        found = super()._get_per_token_logps_and_entropies(*args, **kwargs)
        self.measured.hear(found[:2])
        return found

    def _get_per_token_logps(self, *args: Any, **kwargs: Any) -> Any:
        found = super()._get_per_token_logps(*args, **kwargs)
        self.measured.hear((found, None))
        return found

    def _generate_and_score_completions(self, inputs: Any) -> Any:
        with self.measured.listening() as passes:
            output = super()._generate_and_score_completions(inputs)
        faults, mode = self.measured.faults, self._mode
        with faults("the lengths of a batch could not be counted"):
            lengths, terminated = self._ended(output)
            self.measured.update(mode, lengths=lengths, terminated=terminated)
        penalty = self._penalty(output, passes)
        with faults("the rewards of a batch could not be counted"):
            self._count_rewards(mode, self._scores(len(inputs)), penalty)
        with faults("what the rollout engine sampled with could not be counted"):
            self._count_sampled(mode, output)
        self._generated = self._scored = None
        return output

    def _ended(self, output: Any) -> tuple[Tensor, Tensor]:
        """Return how many tokens this rank's responses have, and whether each ended on its own."""
        device = self.accelerator.device
        if self.measured.release == "0.18.2":
            ids = output["completion_ids"]
            ends = ids == self.processing_class.eos_token_id
            terminated = ends.any(1)
            return torch.where(terminated, ends.int().argmax(1) + 1, ids.size(1)), terminated
        responses = self._generated[1]
        own = self._generated[2] if self.kind == "GRPO" else None
        counts = [len(ids) for ids in responses] if own is None else [sum(row) for row in own]
        ends = {*self.eos_token_ids, self._tokenizer.pad_token_id}
        terminated = [ids[-1] in ends for ids in responses]
        return torch.tensor(counts, device=device), torch.tensor(terminated, device=device)

    def _scores(self, rows: int) -> Tensor:
        """Return the weighted scores of all ranks' responses, in the order of the groups; NaN where there is none."""
        device = self.accelerator.device
        if self.measured.release == "0.18.2":
            total = rows * self.accelerator.num_processes
            kept = [list(self._textual_logs["rewards"][name])[-total:] for name in self.reward_func_names]
            if any(len(column) < total for column in kept):
                msg = f"TRL keeps the rewards of {min(map(len, kept))} responses, and {total} are evaluated at once"
                raise ValueError(msg)
            scored = torch.tensor(kept, device=device).T
        else:
            scored = self._scored
        weighted: Tensor = (scored * self.reward_weights.to(device)).nansum(1)
        # The release of then took a response without any score for one that scored 0.
        unscored = scored.isnan().all(1) & (self.measured.release != "0.18.2")
        return weighted.masked_fill(unscored, torch.nan)

    def _penalty(self, output: Any, passes: list[Any]) -> Tensor | None:
        """Return what is taken off the scores of all ranks before they are compared within groups."""
        return None

    def _rewards(self, scores: Tensor, penalty: Tensor | None) -> Tensor | None:
        """Return what advantages are made of; None where that is no number of a single response."""
        return scores

    def _count_rewards(self, mode: str, scores: Tensor, penalty: Tensor | None) -> None:
        """Count whole groups, which may lie on several ranks: they are gathered already, so the first one counts."""
        if self.accelerator.process_index != 0:
            return
        size: int = self.num_generations
        if mode == "eval":
            size = getattr(self, "num_generations_eval", size)
        groups = self._groups + torch.arange(len(scores), device=scores.device) // size
        self._groups = int(groups[-1]) + 1
        rewards = self._rewards(scores, penalty)
        scored = ~scores.isnan()
        self.measured.update(mode, scores=scores[scored])
        if rewards is not None:
            scored &= ~rewards.isnan()
            self.measured.update(mode, rewards=rewards[scored], group_ids=groups[scored])

    def _count_sampled(self, mode: str, output: Any) -> None:
        sampled = output.get("sampling_per_token_logps")
        if sampled is None:
            return
        old = output.get("old_per_token_logps")
        if old is None:
            # Then the first pass of the loss is at the same weights, so it is counted there.
            output[_SAMPLED] = sampled.clone()
        else:
            self._compare(mode, old, sampled, _mask(output))

    def _compare(self, mode: str, old: Tensor, sampled: Tensor, mask: Tensor) -> None:
        known = mask & ~sampled.isnan()
        self.measured.update(mode, old_logprobs=old, rollout_logprobs=sampled, mask=known)

    def _compute_loss(self, model: Any, inputs: Any) -> Any:
        entropies: list[Tensor] = []
        hook = self._entropies(model, inputs, entropies) if self.measured.release == "0.18.2" else None
        try:
            with self.measured.listening() as passes:
                loss = super()._compute_loss(model, inputs)
        finally:
            if hook is not None:
                hook.remove()
        with self.measured.faults("the tokens of a batch could not be counted"):
            logprobs, entropy_of_tokens = passes[0]
            if entropies:
                entropy_of_tokens = entropies[0]
            later = passes[1][0] if len(passes) > 1 else None
            self._count_tokens(inputs, logprobs.detach(), entropy_of_tokens, later)
        return loss

    def _entropies(self, model: Any, inputs: Any, found: list[Tensor]) -> Any:
        """Put the entropies of the next pass into a list; return what ends that."""
        width, temperature = inputs["completion_ids"].size(1), self.temperature

        def hook(_module: Any, _args: Any, output: Any) -> None:
            with self.measured.faults("entropies could not be computed"), torch.no_grad():
                if not found:
                    found.append(entropy(output.logits[:, :-1][:, -width:].detach() / temperature))

        return model.register_forward_hook(hook)

    def _count_tokens(self, inputs: Any, logprobs: Tensor, entropies: Tensor | None, later: Tensor | None) -> None:
        mode, mask = self._mode, _mask(inputs)
        old = inputs.get(_OLD, inputs.get("old_per_token_logps"))
        old = logprobs if old is None else old
        ref = inputs.get(_REF, inputs.get("ref_per_token_logps"))
        ref = later if ref is None else ref
        advantages = inputs["advantages"]
        advantages = advantages.reshape(len(advantages), -1).expand(mask.shape)
        tokens = {"logprobs": logprobs, "old_logprobs": old, "ref_logprobs": ref, "token_entropy": entropies}
        if self._clips_tokens():
            self.measured.update(mode, **tokens, advantages=advantages, mask=mask)
        else:
            self.measured.update(mode, **tokens, mask=mask)
            self.measured.update(mode, advantages=advantages, mask=mask)
        sampled = inputs.pop(_SAMPLED, None)
        if sampled is not None:
            self._compare(mode, old, sampled, mask)

    @abstractmethod
    def _clips_tokens(self) -> bool:
        """Tell whether the loss clips the ratio of each token."""


class MeasuredGRPO(_Sampling):
    """Adds all numbers of `GRPOSuite` to what TRL's ``GRPOTrainer`` logs: ``class Mine(MeasuredGRPO, GRPOTrainer)``.

    Rewards, groups and lengths are counted once for each generated batch, before TRL shuffles and splits it; tokens
    in each pass of the loss, as often as they are trained on. ``policy/loss`` is the clipped surrogate, averaged over
    tokens: without the weights, masks, bonuses and penalties that settings may add to TRL's loss.

    Attributes:
        measured: The numbers, ``faults``, and what is ``missing`` in this run with the reason.

    Raises:
        TypeError: The class is no ``GRPOTrainer``.
        RuntimeError: The release of TRL is not one that this has been tried with.
    """

    kind = "GRPO"

    def _clips_tokens(self) -> bool:
        level = getattr(self, "importance_sampling_level", "token")
        return level == "token" and self.loss_type in ("grpo", "bnpo", "dr_grpo", "dapo", "luspo")

    def _rewards(self, scores: Tensor, penalty: Tensor | None) -> Tensor | None:
        return scores if self._adds_scores() else None

    def _adds_scores(self) -> bool:
        return bool(getattr(self, "multi_objective_aggregation", "sum_then_normalize") == "sum_then_normalize")

    def _tell_missing(self) -> None:
        leave_out = self.measured.leave_out
        if getattr(self, "use_liger_loss", False):
            leave_out("Liger's loss keeps no log-probabilities", "policy/", "kl/", "advantage/", "entropy/")
        if not self._clips_tokens():
            leave_out(f"the loss ({self.loss_type}) does not clip the ratios of tokens", *_CLIPPED)
        if self.beta == 0:
            leave_out("beta is 0, so there is no reference", "kl/reference/")
        if self.measured.release == "0.18.2":
            leave_out("this release does not keep the rollout engine's log-probabilities", *_ROLLOUT)
        elif not (self.use_vllm or self.rollout_func is not None):
            leave_out("there is no rollout engine, so the model itself has sampled", *_ROLLOUT)
        if not self._adds_scores():
            reason = "advantages are not made of rewards: each score is standardised before they are added"
            leave_out(reason, "reward/std", "reward/group_std", "reward/zero_std_fraction")


class MeasuredRLOO(_Sampling):
    """Adds the numbers of `GRPOSuite` to what TRL's ``RLOOTrainer`` logs: ``class Mine(MeasuredRLOO, RLOOTrainer)``.

    Scores are those of the reward functions. Rewards are what advantages are made of: clipped scores without the
    penalty for leaving the reference. Ratios and divergences are those of tokens, while the loss clips whole
    responses; so the suite's loss and its clip fractions are left out.

    Attributes:
        measured: The numbers, ``faults``, and what is ``missing`` in this run with the reason.

    Raises:
        TypeError: The class is no ``RLOOTrainer``.
        RuntimeError: The release of TRL is not one that this has been tried with.
    """

    kind = "RLOO"

    def _clips_tokens(self) -> bool:
        return False

    def _penalty(self, output: Any, passes: list[Any]) -> Tensor | None:
        # Every rank has as many rows, so that gathering works whatever fails before it.
        own = torch.full((len(output["advantages"]),), torch.nan, device=self.accelerator.device)
        with self.measured.faults("the passes over a batch could not be kept"):
            output[_OLD] = passes[0][0]
            if self.beta == 0:
                own = torch.zeros_like(own)
            else:
                output[_REF] = passes[1][0]
                own = ((output[_OLD] - output[_REF]) * output["completion_mask"]).sum(1) * self.beta
        if self.beta == 0:
            return own
        gathered: Tensor = self.accelerator.gather(own)
        return gathered

    def _rewards(self, scores: Tensor, penalty: Tensor | None) -> Tensor | None:
        if self.reward_clip_range:
            scores = scores.clamp(*self.reward_clip_range)
        return scores if penalty is None or self.beta == 0 else scores - penalty

    def _tell_missing(self) -> None:
        self.measured.leave_out("the loss clips the ratios of whole responses", *_CLIPPED)
        self.measured.leave_out("this trainer does not keep the rollout engine's log-probabilities", *_ROLLOUT)
        if self.beta == 0:
            self.measured.leave_out("beta is 0, so there is no reference", "kl/reference/")


def _mask(batch: Any) -> Tensor:
    """Return which tokens of a batch count: those that the model has written."""
    mask: Tensor = batch["completion_mask"].bool()
    return mask & batch["tool_mask"].bool() if "tool_mask" in batch else mask
