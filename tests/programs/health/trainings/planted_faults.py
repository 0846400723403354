"""Faults that are put into a trainer on purpose, each as a broken run would have it."""

# pyright: reportMissingImports=false

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

import torch
from toy import score

BREAKS = 40
"""The step at which a fault begins that does not begin at once."""


class Pay:
    """A reward function that may be broken."""

    __name__ = "pay"

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.trainer: Any = None

    @property
    def step(self) -> int:
        """The step that the trainer is at."""
        return 0 if self.trainer is None else int(self.trainer.state.global_step)

    def __call__(self, completions: list[str], **_: Any) -> list[float]:
        """Return what each response earns."""
        return [self.one(text) for text in completions]

    def one(self, text: str) -> float:
        """Return what a response earns."""
        late = self.step >= BREAKS
        if self.kind == "nan" and late:
            return math.nan
        if self.kind == "length":
            return len(text.replace(" ", "")) / 10
        if self.kind == "curriculum" and late:
            return 0.6 * score(text)
        return {"zero": 0.0, "constant": 0.5, "one": 1.0}.get(self.kind, score(text))


def nan_loss(trainer: Any, first: int = BREAKS) -> None:
    """Make one loss NaN, as a broken batch does."""
    plain = trainer.compute_loss

    def compute_loss(*args: Any, **options: Any) -> Any:
        loss = plain(*args, **options)
        if trainer.state.global_step != first:
            return loss
        return (loss[0] * math.nan, *loss[1:]) if isinstance(loss, tuple) else loss * math.nan

    trainer.compute_loss = compute_loss


def _outputs(trainer: Any, change: Callable[[dict[str, Any]], None]) -> None:
    plain = trainer._generate_and_score_completions

    def generate(inputs: Any) -> Any:
        made = plain(inputs)
        change(made)
        return made

    trainer._generate_and_score_completions = generate


def empty_mask(trainer: Any) -> None:
    """Mask every token of every response away."""
    _outputs(trainer, lambda made: made["completion_mask"].zero_())


def wrong_mask(trainer: Any) -> None:
    """Mark the padding behind a response instead of the response."""

    def change(made: dict[str, Any]) -> None:
        made["completion_mask"] = 1 - made["completion_mask"]

    _outputs(trainer, change)


def reversed_advantages(trainer: Any) -> None:
    """Give every advantage the other sign."""

    def change(made: dict[str, Any]) -> None:
        made["advantages"] = -made["advantages"]

    _outputs(trainer, change)


def stale_old_policy(trainer: Any) -> None:
    """Take the log-probabilities of the old policy from a copy that is never updated."""
    stale = copy.deepcopy(trainer.model).eval()

    def change(made: dict[str, Any]) -> None:
        ids = torch.cat([made["prompt_ids"], made["completion_ids"]], 1)
        mask = torch.cat([made["prompt_mask"], made["completion_mask"]], 1)
        with torch.no_grad():
            logits = stale(input_ids=ids, attention_mask=mask).logits[:, :-1]
        chosen = logits.log_softmax(-1).gather(-1, ids[:, 1:, None]).squeeze(-1)
        made["old_per_token_logps"] = chosen[:, -made["completion_ids"].shape[1] :]

    _outputs(trainer, change)


def never_ends(model: Any) -> None:
    """Forbid the end token, as a wrong tokenizer does."""
    model.generation_config.suppress_tokens = [1]


def masked_labels(trainer: Any, names: tuple[str, ...], value: int) -> None:
    """Mask every token of the batches that a collator makes."""
    plain = trainer.data_collator

    def collate(rows: Any) -> Any:
        made = plain(rows)
        for name in names:
            if name in made:
                made[name] = torch.full_like(made[name], value)
        return made

    trainer.data_collator = collate
