"""Numbers that TRL and verl logged over one process and over two follow from the batches of every process.

`record_ranks.py`, `record_trl_folds.py` and `record_verl_folds.py` of `programs/reproduction` recorded them: means of
the main process alone, of all processes at once, and one after the other, evaluations whose last batch is smaller,
counters, constants, pools of a logging window, responses without a token, micro-batches without one of two classes, a
loss that is divided by the tokens of all processes, extremes and last values over epochs, mini-batches and
micro-batches, sums and extremes over a logging window, spreads over all of a population.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch
from parity.harness import histogram
from rlmetrics import as_logged
from rlmetrics.functional import REGISTRY
from rlmetrics.reproduction import AsLogged

FIXTURES = Path(__file__).parents[1] / "fixtures" / "reproduction"
TOLERANCE = 1e-6
CONTENTS: Mapping[str, Mapping[str, Any]] = {
    name: json.loads(gzip.decompress((FIXTURES / f"{name}.json.gz").read_bytes()))
    for name in ("trl_ranks", "trl_trainers", "trl_folds", "verl_folds")
}
BATCHES = {name: tensors for content in CONTENTS.values() for name, tensors in content["batches"].items()}
Placed = Sequence[tuple[Mapping[str, int], str]]


class Ranked(NamedTuple):
    """A number that a framework logged.

    Attributes:
        at: Component and release.
        key: The key.
        config: Settings, and what the run had beside them.
        parts: Its batches by name, each with its place by level.
        value: The number, or the array that is logged as a distribution.
    """

    at: str
    key: str
    config: Mapping[str, Any]
    parts: Placed
    value: float | list[float]

    @property
    def trainer(self) -> str:
        """The class of the trainer."""
        return self.at.partition("[")[2].partition("]")[0]

    @property
    def processes(self) -> int:
        """How many processes ran."""
        return 1 + max(place.get("rank", 0) for place, _ in self.parts)

    @property
    def meaning(self) -> AsLogged:
        """The function that is to give it."""
        return as_logged(self.key, self.at, self.config, mode="eval" if self.key.startswith("eval_") else "train")

    @property
    def computed(self) -> torch.Tensor:
        """What that function gives."""
        return self.computed_by(self.meaning)

    def computed_by(self, meaning: AsLogged) -> torch.Tensor:
        """Return what a function gives."""
        return meaning(_in_lists(self.parts, meaning.levels))

    def is_given(self, found: torch.Tensor) -> bool:
        """Tell whether a number is the one that was logged, but for rounding."""
        expected = torch.tensor(self.value, dtype=torch.float64)
        if isinstance(self.value, list):
            (slot,) = REGISTRY[self.meaning.function or ""].slots
            expected = histogram(expected.numpy(), slot)
        return torch.allclose(found.double(), expected, rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True)


NUMBERS = [
    Ranked(at, key, content["configs"][config], *rest)
    for content in CONTENTS.values()
    for at, key, config, *rest in content["numbers"]
]
SOURCES = sorted({(number.at, number.processes) for number in NUMBERS})


@cache
def _batch(name: str) -> Mapping[str, torch.Tensor]:
    return {word: torch.tensor(values) for word, values in BATCHES[name].items()}


def _in_lists(parts: Placed, levels: Sequence[str]) -> Any:
    """Return batches in a list for each level; those of levels that are not asked for are one batch."""
    if not levels:
        batches = [_batch(name) for _, name in parts]
        if len(batches) == 1:
            return batches[0]
        return {word: torch.cat([batch[word] for batch in batches]) for word in batches[0]}
    level, *rest = levels
    places = sorted({place.get(level, 0) for place, _ in parts})
    return [_in_lists([one for one in parts if one[0].get(level, 0) == at], rest) for at in places]


@pytest.mark.parametrize(("at", "processes"), SOURCES)
def test_a_number_over_processes_follows_from_their_batches(at: str, processes: int) -> None:
    """The function of a key, exact by its own word, gives what the trainer logged."""
    wrong = []
    for number in NUMBERS:
        if (number.at, number.processes) == (at, processes):
            meaning = number.meaning
            found = number.computed
            if not meaning.exact or not number.is_given(found):
                wrong.append((number.key, meaning.levels, number.value, found, meaning.left_out))
    assert wrong == []


def test_a_process_that_is_left_out_is_noticed() -> None:
    """The main process alone gives another number where all count, and the number where only it does."""
    alone: dict[str, list[bool]] = {}
    asked = {("SFTTrainer", "eval_loss"), ("DPOTrainer", "rewards/chosen")}
    for number in NUMBERS:
        if number.processes > 1 and (number.trainer, number.key) in asked:
            own = [one for one in number.parts if one[0]["rank"] == 0]
            found = float(number.meaning(_in_lists(own, number.meaning.levels)))
            alone.setdefault(number.key, []).append(number.is_given(torch.tensor(found)))

    assert not any(alone["eval_loss"])
    assert all(alone["rewards/chosen"])


def test_batches_that_weigh_alike_are_noticed() -> None:
    """The last batch of an evaluation by one process has half as many texts, and counts half as much."""
    number = next(one for one in NUMBERS if (one.at[:7], one.key, one.processes) == ("trl[SFT", "eval_loss", 1))
    means = [float(number.meaning(_batch(name))) for _, name in number.parts]

    assert abs(sum(means) / len(means) - float(number.computed)) > 100 * TOLERANCE
