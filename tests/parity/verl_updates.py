"""Real updates of verl's actor and critic, on batches of the fixture: one optimiser step after another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial

import torch

from .fixtures import read_json, read_tensors
from .harness import Case, Data, Leaf, Parts, Reason, Term
from .quantities import Quantity
from .runs import Run
from .verl_answers import ACTOR, Config, accepted, source, told
from .verl_policy import SETTINGS
from .verl_records import RELEASES, tensors

CONFIG: Config = {f"{ACTOR}use_kl_loss": True}
COEFFICIENT = 0.001
"""``kl_loss_coef`` of the runs."""

REASONS = {
    "grad_norm": "A norm over gradients, which were not kept.",
    "lr": "A setting of the optimiser.",
    "entropy_loss": "Taken in bfloat16, whose steps are 0.03 at this size; the entropies that were kept are float32.",
    "loss": "The policy loss, the entropy bonus and the divergence in one number, with the entropy in bfloat16.",
}
CRITIC = "Taken from the critic's predictions, which were not kept."
LATER = "After the first optimiser step: the log-probabilities of the changed weights were not kept."


@dataclass(frozen=True)
class Update:
    """A run: one batch, cut into mini-batches that are one optimiser step each, and those into micro-batches.

    Attributes:
        name: Its name in the fixture.
        part: ``actor`` or ``critic``.
        batch: The batch of the fixture.
        is_still: Whether the learning rate is 0, so that all steps see the same weights.
        mini: Responses of a mini-batch.
        micro: Responses of a micro-batch.
        epochs: How often the batch is gone through.
    """

    name: str
    part: str
    batch: str
    is_still: bool
    mini: int
    micro: int
    epochs: int

    @classmethod
    def named(cls, name: str) -> Update:
        """Return the run of a name such as ``actor|mixed|lr=0.0|mini=8|micro=4|epochs=2``."""
        part, batch, *settings = name.split("|")
        values = dict(setting.split("=") for setting in settings)
        sizes = (int(values[size]) for size in ("mini", "micro", "epochs"))
        return cls(name, part, batch, float(values["lr"]) == 0, *sizes)

    def leaves(self) -> list[list[Leaf]]:
        """Return the micro-batches of each optimiser step, over all epochs."""
        everything = _tensors(self.batch)
        size = len(everything["mask"])
        steps = [
            [
                Leaf({word: tensor[start : start + self.micro] for word, tensor in everything.items()})
                for start in range(first, first + self.mini, self.micro)
            ]
            for first in range(0, size, self.mini)
        ]
        return steps * self.epochs


@cache
def _tensors(batch: str) -> Mapping[str, torch.Tensor]:
    kept = read_tensors("verl-updates")
    words = {"logprobs": "log_probs", "old_logprobs": "old_log_probs", "ref_logprobs": "ref_log_prob"}
    inputs = tensors(batch)
    return {
        "mask": inputs["mask"],
        "advantages": inputs["advantages"],
        **{word: kept[f"{batch}|{name}"] for word, name in words.items()},
    }


def _recorded(release: str) -> Mapping[str, Mapping[str, Mapping[str, list[float] | float]]]:
    return read_json(f"verl-{release}-updates")  # type: ignore[return-value]


def _numbers(release: str) -> list[str]:
    """Return the names of all numbers: those of the parts, and what they were reduced to."""
    return [
        name
        for run, recorded in _recorded(release).items()
        for key, values in recorded["raw"].items()
        for name in (*(f"{run} {key} {place}" for place, _ in enumerate(_listed(values))), f"{run} {key} reduced")
    ]


def _listed(values: list[float] | float) -> list[float]:
    return values if isinstance(values, list) else [values]


def _entries(release: str) -> Iterator[Case | Reason]:
    for run, recorded in _recorded(release).items():
        update = Update.named(run)
        for key, values in recorded["raw"].items():
            (whole,) = _listed(recorded["reduced"][key])
            yield from _of_key(release, update, key, _listed(values), whole)


def _of_key(release: str, update: Update, key: str, values: Sequence[float], whole: float) -> Iterator[Case | Reason]:
    """Yield the numbers of a key: each part, and the whole."""
    name = key.rpartition("/")[2]
    numbers = [f"{update.name} {key} {place}" for place, _ in enumerate(values)]
    reduced = f"{update.name} {key} reduced"
    why = REASONS.get(name, "")
    if update.part == "critic" and name not in ("grad_norm", "lr"):
        why = CRITIC
    if why:
        yield from (Reason(key, number, why) for number in (*numbers, reduced))
        return
    quantity = told(release, key, CONFIG)
    parameters = accepted(quantity.function, SETTINGS)
    steps = update.leaves()
    parts = _parts(quantity, steps, len(values))
    known = len(parts) if update.is_still else len(parts) // len(steps)
    for place, (number, value) in enumerate(zip(numbers, values, strict=True)):
        if place >= known and name != "kl_coef":
            yield Reason(key, number, LATER)
            continue
        where = "one micro-batch" if isinstance(parts[place], Leaf) else "one mini-batch"
        yield Case(key, where, number, value, [Term(_within(quantity), parts[place], parameters)])
    if known < len(parts) and name != "kl_coef":
        yield Reason(key, reduced, LATER)
        return
    yield Case(key, "reduced", reduced, whole, [Term(quantity, _whole(quantity, update, steps), parameters)])


def _within(quantity: Quantity) -> Quantity:
    """Return the same within one optimiser step."""
    operation = quantity.operation("micro_batch")
    return quantity.of_one_part.changed(folds=(("micro_batch", operation),))


_COEFFICIENT = Leaf({"kl_coefficient": torch.tensor(COEFFICIENT, dtype=torch.float64)})


def _parts(quantity: Quantity, steps: Sequence[Sequence[Leaf]], count: int) -> list[Data]:
    """Return what each of the recorded values covers: a micro-batch or an optimiser step."""
    if quantity.function == "kl/loss_coefficient":
        return [_COEFFICIENT] * count
    if count == len(steps) and len(steps[0]) > 1:
        return [Parts("micro_batch", step) for step in steps]
    flat: list[Data] = [leaf for step in steps for leaf in step]
    assert count == len(flat)
    return flat


def _whole(quantity: Quantity, update: Update, steps: Sequence[Sequence[Leaf]]) -> Data:
    """Return the whole update, by the levels that signatures speak of."""
    if quantity.function == "kl/loss_coefficient":
        return _COEFFICIENT
    minis = [Parts("micro_batch", step) for step in steps]
    per_epoch = len(minis) // update.epochs
    epochs = [Parts("mini_batch", minis[start : start + per_epoch]) for start in range(0, len(minis), per_epoch)]
    return Parts("epoch", epochs)


def _run(release: str) -> Run:
    brief = (
        "Real updates with learning rates of 0 and 0.001, of one or two optimiser steps an epoch and one to four "
        "micro-batches each: what each part reported, and what the trainer logs of them."
    )
    return Run(
        f"verl {release}: updates of actor and critic",
        source(release, CONFIG),
        brief,
        lambda: list(_entries(release)),
        partial(_numbers, release),
    )


RUNS: tuple[Run, ...] = tuple(_run(release) for release in RELEASES)
