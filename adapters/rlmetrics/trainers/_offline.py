"""Suites in the trainers that learn from a data set: SFT and DPO."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from torch import Tensor

from rlmetrics.logprobs import entropy, log_prob
from rlmetrics.suites import DPOSuite, SFTSuite

from ._measuring import Measured

__all__ = ["MeasuredDPO", "MeasuredSFT"]


@contextmanager
def _outputs(module: Any, found: list[Any]) -> Iterator[None]:
    """Collect meanwhile what a module is given and returns."""

    def hook(_module: Any, args: Any, kwargs: Any, output: Any) -> None:
        found.append((args, kwargs, output))

    handle = module.register_forward_hook(hook, with_kwargs=True)
    try:
        yield
    finally:
        handle.remove()


class MeasuredSFT(Measured):
    """Adds all numbers of `SFTSuite` to what TRL's ``SFTTrainer`` logs: ``class Mine(MeasuredSFT, SFTTrainer)``.

    Tokens are the targets of the loss. The length of an example is its number of targets after truncation.

    Attributes:
        measured: The numbers, ``faults``, and what is ``missing`` in this run with the reason.

    Raises:
        TypeError: The class is no ``SFTTrainer``.
        RuntimeError: The release of TRL is not one that this has been tried with.
    """

    kind = "SFT"

    def _suite(self) -> SFTSuite:
        return SFTSuite()

    def _tell_missing(self) -> None:
        if self.measured.release == "0.18.2" and self.args.use_liger_kernel:
            self.measured.leave_out("Liger's loss keeps no logits", "sft/")

    def compute_loss(self, model: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Return what TRL returns, and count what it has seen."""
        passes: list[Any] = []
        labels = inputs.get("labels")
        places = {name: inputs.get(name) for name in ("cu_seq_lens_q", "position_ids")}
        with _outputs(model, passes):
            found = super().compute_loss(model, inputs, *args, **kwargs)
        if labels is not None:
            with self.measured.faults("the tokens of a batch could not be counted"), torch.no_grad():
                self._count_tokens([output for *_, output in passes], labels)
            with self.measured.faults("the lengths of a batch could not be counted"):
                self.measured.update(self._mode, lengths=_lengths(labels, **places))
        return found

    def _count_tokens(self, outputs: list[Any], labels: Tensor) -> None:
        if self.measured.release != "0.18.2":
            output = next(output for output in outputs if getattr(output, "log_probs", None) is not None)
            tokens = {"logprobs": output.log_probs, "token_entropy": output.entropy, "is_top1": output.is_top1.bool()}
            self.measured.update(self._mode, **tokens, mask=output.label_mask)
        elif not self.args.use_liger_kernel:
            logits, targets = outputs[0].logits.detach()[:, :-1], labels[:, 1:]
            self.measured.update(self._mode, **_of_logits(logits, targets, targets != -100))


def _of_logits(logits: Tensor, targets: Tensor, mask: Tensor) -> dict[str, Tensor]:
    """Return what a suite asks about tokens, from the logits that stand at the same places."""
    return {
        "logprobs": log_prob(logits, targets.masked_fill(~mask, 0), mask),
        "token_entropy": entropy(logits, mask),
        "is_top1": logits.argmax(-1) == targets,
        "mask": mask,
    }


def _lengths(labels: Tensor, cu_seq_lens_q: Tensor | None, position_ids: Tensor | None) -> Tensor:
    """Return the number of targets of each example; several share a row where it is packed."""
    target = labels != -100
    target[:, 0] = False
    if cu_seq_lens_q is None and position_ids is None:
        return target.sum(1)
    if position_ids is None:
        starts = torch.zeros_like(target).flatten()
        starts[cu_seq_lens_q[:-1].long()] = True  # type: ignore[index]
    else:
        first = position_ids == 0
        # The first token of an example is no target of the one before it; padding at the end begins no example.
        target &= ~first
        starts = first.flatten()
    example = starts.long().cumsum(0) - 1
    counts = torch.zeros(int(example[-1]) + 1, dtype=torch.long, device=labels.device)
    counts.index_add_(0, example, target.flatten().long())
    return counts[counts > 0]


class MeasuredDPO(Measured):
    """Adds all numbers of `DPOSuite` to what TRL's ``DPOTrainer`` logs: ``class Mine(MeasuredDPO, DPOTrainer)``.

    Rewards are beta times log-ratios, and ``preference/loss/sigmoid`` is that loss, whichever one is trained on.

    Attributes:
        measured: The numbers, ``faults``, and what is ``missing`` in this run with the reason.

    Raises:
        TypeError: The class is no ``DPOTrainer``.
        RuntimeError: The release of TRL is not one that this has been tried with.
    """

    kind = "DPO"

    def _suite(self) -> DPOSuite:
        return DPOSuite(beta=self.beta)

    def _weighted(self) -> bool:
        """Tell whether the trainer's log-probabilities of responses are no sums over their tokens."""
        averaged = self.measured.release == "0.18.2" and self.loss_type == "ipo"
        return averaged or self.args.ld_alpha is not None

    def _tokens_known(self) -> bool:
        return self.measured.release != "0.18.2" or not (self.padding_free or self.is_encoder_decoder)

    def _tell_missing(self) -> None:
        leave_out = self.measured.leave_out
        average, logit = "preference/logprob_average/", "preference/logit/"
        if self._weighted():
            reason = "the trainer's log-probabilities are no sums over tokens, with ld_alpha or IPO"
            leave_out(reason, "preference/loss/", "preference/reward/", "preference/logprob/", average)
        if not self._tokens_known():
            reason = "this release does not tell which tokens are which, without padding or with an encoder"
            leave_out(reason, average, logit, "preference/token_accuracy", "preference/entropy")

    def _compute_loss(self, model: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        policy: list[Any] = []
        reference: list[Any] = []
        module = self.ref_model if self.ref_model is not None else self.accelerator.unwrap_model(self.model)
        with ExitStack() as stack:
            stack.enter_context(_outputs(model, policy))
            if not self.precompute_ref_logps:
                stack.enter_context(_outputs(module, reference))
            found = super()._compute_loss(model, inputs, *args, **kwargs)
        with self.measured.faults("the pairs of a batch could not be counted"), torch.no_grad():
            mask = inputs["completion_mask"][:, 1:].bool()
            width, output = mask.size(1), policy[0][-1]
            if self.precompute_ref_logps:
                ref = inputs["ref_chosen_logps"], inputs["ref_rejected_logps"]
            else:
                # An adapter's reference is the same module, and its second pass.
                second = reference[0 if self.ref_model is not None else 1][-1]
                ref = second.log_probs[:, -width:].sum(1).chunk(2)
            own = output.log_probs[:, -width:].sum(1).chunk(2)
            self._count_pairs(own, ref, mask.sum(1).chunk(2))
            entropies, means, top1 = (
                getattr(output, name)[:, -width:] for name in ("entropy", "mean_logits", "is_top1")
            )
            self._count_tokens(entropies, means, top1, mask)
        return found

    def concatenated_forward(self, *args: Any, **kwargs: Any) -> Any:
        """Return what TRL returns; earlier releases pass over both sides of all pairs with it."""
        found = super().concatenated_forward(*args, **kwargs)
        self.measured.hear((found["chosen_logps"], found["rejected_logps"]))
        return found

    def get_batch_loss_metrics(self, model: Any, batch: Any, *args: Any, **kwargs: Any) -> Any:
        """Return what TRL returns, and count what it has seen; earlier releases compute their loss with it."""
        passes: list[Any] = []
        with self.measured.listening() as sums, _outputs(model, passes):
            found = super().get_batch_loss_metrics(model, batch, *args, **kwargs)
        with self.measured.faults("the pairs of a batch could not be counted"), torch.no_grad():
            ref = (batch["ref_chosen_logps"], batch["ref_rejected_logps"]) if len(sums) < 2 else sums[1]
            if not self._tokens_known():
                self._count_pairs(sums[0], ref, None)
                return found
            (ids, *_), given, output = passes[0]
            mask = self._responses(batch, given["attention_mask"])[:, 1:]
            logits, targets = output.logits.detach()[:, :-1], ids[:, 1:]
            # Only the end of the rows has logits where the model is asked for no more.
            mask, targets = mask[:, -logits.size(1) :], targets[:, -logits.size(1) :]
            logits = logits[:, -targets.size(1) :]
            self._count_pairs(sums[0], ref, mask.sum(1).chunk(2))
            self._count_tokens(entropy(logits, mask), logits.float().mean(-1), logits.argmax(-1) == targets, mask)
        return found

    def _responses(self, batch: Any, attention: Tensor) -> Tensor:
        """Return which tokens of rows that begin with their prompt, and may have been cut, belong to the response."""
        asked = batch["prompt_attention_mask"].sum(1).repeat(2)
        answered = torch.cat([batch[f"{side}_attention_mask"].sum(1) for side in ("chosen", "rejected")])
        whole = attention.sum(1)
        start = asked if self.truncation_mode == "keep_start" else (whole - answered).clamp(min=0)
        place = torch.arange(attention.size(1), device=attention.device)
        return (place >= start.unsqueeze(1)) & (place < whole.unsqueeze(1))

    def _count_pairs(self, own: Any, ref: Any, lengths: Any) -> None:
        if not self._weighted():
            self.measured.update(
                self._mode,
                chosen_logprobs=own[0],
                rejected_logprobs=own[1],
                ref_chosen_logprobs=ref[0],
                ref_rejected_logprobs=ref[1],
                chosen_lengths=None if lengths is None else lengths[0],
                rejected_lengths=None if lengths is None else lengths[1],
            )

    def _count_tokens(self, entropies: Tensor, means: Tensor, top1: Tensor, mask: Tensor) -> None:
        (chosen_mask, rejected_mask), (chosen_means, rejected_means) = mask.chunk(2), means.chunk(2)
        self.measured.update(
            self._mode,
            chosen_mask=chosen_mask,
            chosen_mean_logits=chosen_means,
            chosen_is_top1=top1.chunk(2)[0].bool(),
            rejected_mask=rejected_mask,
            rejected_mean_logits=rejected_means,
        )
        self.measured.update(self._mode, token_entropy=entropies, mask=mask)
