"""Trainers of TRL that keep the tensors of which their numbers are made; `record_ranks` runs them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import torch

__all__ = ["MICRO_BATCHES", "Setting"]

MICRO_BATCHES: Mapping[str, int] = {"GRPO": 1}
"""How many batches a step is kept as, where these are not its micro-batches: GRPO generates for a whole step."""

WIDTH = 12
"""Positions of a batch as it is kept."""

_CHAT = "{% for message in messages %}{{ message['content'] + ' ' }}{% endfor %}"


class Setting(NamedTuple):
    """What trainers are made of.

    Attributes:
        model: A tiny model.
        tokenizer: Its tokenizer, of ten words.
        common: Settings that all trainers share.
        evaluated: Texts of an evaluation.
        seen: Takes the batches.
    """

    model: Any
    tokenizer: Any
    common: Mapping[str, Any]
    evaluated: int
    seen: list[dict[str, Any]]

    def trainer(self, name: str) -> Any:
        """Return a trainer by its name."""
        return {"ORPO": self._orpo, "KTO": self._kto, "GKD": self._gkd, "GRPO": self._grpo}[name]()

    def _keep(self, model: Any, **tensors: torch.Tensor) -> None:
        mode = "train" if model.training else "eval"
        self.seen.append({"mode": mode, **{name: _listed(tensor.detach()) for name, tensor in tensors.items()}})

    def _orpo(self) -> Any:
        from datasets import Dataset  # pyright: ignore[reportMissingImports]
        from trl.experimental.orpo import ORPOConfig, ORPOTrainer  # pyright: ignore[reportMissingImports]

        keep = self._keep

        class Kept(ORPOTrainer):  # type: ignore[misc]
            """Without a token in one response of each batch in evaluation."""

            def concatenated_forward(self, model: Any, batch: dict[str, Any]) -> Any:
                if not self.model.training:
                    batch["chosen_labels"][0] = -100
                found = super().concatenated_forward(model, batch)
                lengths = [(batch[f"{which}_labels"][:, 1:] != -100).sum(-1) for which in ("chosen", "rejected")]
                sums = [mean.nan_to_num() * length for mean, length in zip(found[:2], lengths, strict=True)]
                names = ("chosen_logprobs", "rejected_logprobs", "chosen_lengths", "rejected_lengths")
                keep(self.model, **dict(zip(names, (*sums, *lengths), strict=True)))
                return found

        return Kept(
            model=self.model,
            args=ORPOConfig(**self.common),
            train_dataset=(data := Dataset.from_dict(_pairs())),
            eval_dataset=data.select(range(self.evaluated)),
            processing_class=self.tokenizer,
        )

    def _kto(self) -> Any:
        from datasets import Dataset  # pyright: ignore[reportMissingImports]
        from trl import KTOConfig, KTOTrainer  # pyright: ignore[reportMissingImports]

        keep = self._keep

        class Kept(KTOTrainer):  # type: ignore[misc]
            """A trainer that keeps the log-probabilities of completions, and of those of other prompts."""

            def kto_loss(self, *given: torch.Tensor) -> Any:
                chosen, rejected, other, ref_chosen, ref_rejected, ref_other = given
                keep(
                    self.model,
                    completion_logprobs=torch.cat([chosen, rejected]),
                    ref_completion_logprobs=torch.cat([ref_chosen, ref_rejected]),
                    desirable=torch.cat([torch.ones_like(chosen), torch.zeros_like(rejected)]).bool(),
                    mismatched_logprobs=other,
                    ref_mismatched_logprobs=ref_other,
                )
                return super().kto_loss(*given)

            def _compute_loss(self, model: Any, inputs: dict[str, Any], return_outputs: bool) -> Any:
                both = (model, self.ref_model)
                with torch.no_grad():
                    own, ref = (_completions(one, inputs) for one in both)
                    others = [self._compute_kl_logps(one, inputs) for one in both]
                keep(
                    self.model,
                    completion_logprobs=own,
                    ref_completion_logprobs=ref,
                    desirable=torch.as_tensor(inputs["label"]).bool(),
                    mismatched_logprobs=others[0],
                    ref_mismatched_logprobs=others[1],
                )
                return super()._compute_loss(model, inputs, return_outputs)

        texts = _texts(48)
        rows = {"prompt": ["w1 w2"] * 48, "completion": texts, "label": [place % 5 > 0 for place in range(48)]}
        return Kept(
            model=self.model,
            ref_model=_copy(self.model),
            args=KTOConfig(**self.common),
            train_dataset=(data := Dataset.from_dict(rows)),
            eval_dataset=data.select(range(self.evaluated)),
            processing_class=self.tokenizer,
        )

    def _gkd(self) -> Any:
        from datasets import Dataset  # pyright: ignore[reportMissingImports]
        from trl.experimental.gkd import GKDConfig, GKDTrainer  # pyright: ignore[reportMissingImports]

        keep = self._keep

        class Kept(GKDTrainer):  # type: ignore[misc]
            """A trainer that keeps the logits of both models."""

            def compute_loss(self, model: Any, inputs: dict[str, Any], *rest: Any, **more: Any) -> Any:
                given = {name: inputs[name] for name in ("input_ids", "attention_mask")}
                with torch.no_grad():
                    own, teacher = (one(**given).logits[:, :-1].float() for one in (model, self.teacher_model))
                wide = WIDTH - own.shape[1]
                keep(
                    self.model,
                    logits=torch.nn.functional.pad(own, (0, 0, 0, wide)),
                    teacher_logits=torch.nn.functional.pad(teacher, (0, 0, 0, wide)),
                    mask=torch.nn.functional.pad(inputs["labels"][:, 1:] != -100, (0, wide)),
                )
                return super().compute_loss(model, inputs, *rest, **more)

        self.tokenizer.chat_template = _CHAT
        talks = [
            [{"role": "user", "content": "w1 w2"}, {"role": "assistant", "content": text}] for text in _texts(48, 5)
        ]
        return Kept(
            model=self.model,
            teacher_model=_copy(self.model, 0.3),
            args=GKDConfig(**{**self.common, "max_steps": 1}, lmbda=0.0, max_length=WIDTH + 1),
            train_dataset=(data := Dataset.from_dict({"messages": talks})),
            eval_dataset=data.select(range(self.evaluated)),
            processing_class=self.tokenizer,
        )

    def _grpo(self) -> Any:
        from datasets import Dataset  # pyright: ignore[reportMissingImports]
        from trl import GRPOConfig, GRPOTrainer  # pyright: ignore[reportMissingImports]

        keep, last = self._keep, {}

        class Kept(GRPOTrainer):  # type: ignore[misc]
            """A trainer that keeps lengths, and what its reward function logs."""

            def _generate_and_score_completions(self, inputs: Any) -> Any:
                found = super()._generate_and_score_completions(inputs)
                if self.model.training:
                    lengths = {name: found[f"{of}_mask"].sum(-1) for name, of in _LENGTHS.items()}
                    keep(self.model, **lengths, user_values=torch.tensor([last["probe"]]))
                return found

        def reward(completions: list[str], log_metric: Any = None, **_: Any) -> list[float]:
            last["probe"] = float(len(completions[0]))
            if log_metric is not None:
                log_metric("probe", last["probe"])
            return [float(len(text) % 7) for text in completions]

        settings = {"num_generations": 2, "max_completion_length": WIDTH, "remove_unused_columns": False}
        rows = self.common["per_device_eval_batch_size"]
        return Kept(
            model=self.model,
            reward_funcs=reward,
            args=GRPOConfig(**{**self.common, "per_device_eval_batch_size": rows + rows % 2}, **settings),
            train_dataset=(data := Dataset.from_dict({"prompt": _texts(48)})),
            eval_dataset=data.select(range(self.evaluated // 2)),
            processing_class=self.tokenizer,
        )


_LENGTHS = {"lengths": "completion", "prompt_lengths": "prompt"}


def _completions(model: Any, inputs: Mapping[str, Any]) -> torch.Tensor:
    """Return the log-probability of each completion."""
    given = {name: inputs[name] for name in ("input_ids", "attention_mask")}
    labels = inputs["input_ids"].masked_fill(inputs["completion_mask"] == 0, -100)
    return model(**given, labels=labels, use_cache=False, fused_lm_head=True).log_probs.sum(-1)  # type: ignore[no-any-return]


def _copy(model: Any, noise: float = 0.05) -> Any:
    """Return a model that is a little different."""
    import copy

    made = torch.Generator().manual_seed(11)
    other = copy.deepcopy(model)
    for weight in other.parameters():
        weight.data += noise * torch.randn(weight.shape, generator=made)
    return other


def _texts(count: int, longest: int = 7) -> list[str]:
    made = torch.Generator().manual_seed(3)
    lengths = [2 + place % (longest - 1) for place in range(count)]
    return [" ".join(f"w{word}" for word in torch.randint(0, 10, (size,), generator=made)) for size in lengths]


def _pairs() -> dict[str, list[str]]:
    texts = _texts(96)
    return {"prompt": ["w1 w2"] * 48, "chosen": texts[:48], "rejected": texts[48:]}


def _listed(tensor: torch.Tensor) -> Any:
    if tensor.dim() > 1:
        return [_listed(row) for row in tensor]
    plain = tensor.dtype == torch.bool or not tensor.is_floating_point()
    return tensor.tolist() if plain else [float(f"{value:.8g}") for value in tensor.double().tolist()]
