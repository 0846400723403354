"""Numbers that the frameworks' own code computed follow from the key, the release, the settings and the tensors.

`programs.reproduction` recorded them. A test here says no more than a user of `as_logged` would.
"""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch
from rlmetrics import as_logged
from rlmetrics.reproduction import AsLogged

FIXTURES = Path(__file__).parents[1] / "fixtures" / "reproduction"

TOLERANCE = 1e-5
"""Frameworks add up in float32; a spread is the difference of two such sums."""


class Recorded(NamedTuple):
    """A number that a framework computed.

    Attributes:
        at: Component and release.
        key: The key under which it is logged.
        config: Settings that differ from the defaults.
        parts: The name of its tensors; or those of the micro-batches of each optimizer step of a logging window.
        value: The number.
    """

    at: str
    key: str
    config: Mapping[str, Any]
    parts: str | Sequence[Sequence[str]]
    value: float

    @property
    def meaning(self) -> AsLogged:
        """The function that is to give it."""
        return _meaning(self.at, self.key, json.dumps(self.config))

    @property
    def computed(self) -> float:
        """What that function gives."""
        return self.computed_by(lambda number: number.meaning)

    def computed_by(self, meaning_of: Callable[[Recorded], AsLogged]) -> float:
        """Return what a function gives."""
        meaning = meaning_of(self)
        framework = self.at.partition("[")[0]
        if isinstance(self.parts, str):
            return float(meaning(batch(framework, self.parts)))
        window = [[batch(framework, name) for name in step] for step in self.parts]
        return float(meaning(_in_lists(window, meaning.levels)))


def _in_lists(window: Any, levels: Sequence[str]) -> Any:
    """Return optimizer steps of micro-batches with a list for each level; there is one part at every other level."""
    level, *rest = levels
    if level == "micro_batch":
        return window
    return [_in_lists(part, rest) for part in window] if level == "window" else [_in_lists(window, rest)]


@cache
def _meaning(at: str, key: str, config: str) -> AsLogged:
    return as_logged(key, at=at, config=json.loads(config), mode="train")


@cache
def _content(framework: str) -> Mapping[str, Any]:
    content: Mapping[str, Any] = json.loads(gzip.decompress((FIXTURES / f"{framework}.json.gz").read_bytes()))
    return content


@cache
def batch(framework: str, name: str) -> Mapping[str, torch.Tensor]:
    """Return the tensors of a batch by name."""
    return {word: torch.tensor(values) for word, values in _content(framework)["batches"][name].items()}


def recorded(framework: str) -> Iterator[Recorded]:
    """Yield the numbers of a framework."""
    content = _content(framework)
    for at, key, config, parts, value in content["numbers"]:
        yield Recorded(at, key, content["configs"][config], parts, value)


def is_close(value: float, expected: float) -> bool:
    """Tell whether two numbers differ by what rounding in float32 leaves."""
    return (math.isnan(value) and math.isnan(expected)) or abs(value - expected) <= TOLERANCE * max(1.0, abs(expected))


def _of(framework: str, at: str) -> list[Recorded]:
    return [number for number in recorded(framework) if number.at == at]


SOURCES = [
    (framework, at) for framework in ("trl", "verl") for at in sorted({number.at for number in recorded(framework)})
]


@pytest.mark.parametrize(("framework", "at"), SOURCES)
def test_a_recorded_number_follows_from_its_tensors(framework: str, at: str):
    """The function of a key gives what the release's own code gave, on every batch and under all settings."""
    wrong = []
    for number in _of(framework, at):
        if not is_close(number.computed, number.value):
            wrong.append((number.key, dict(number.config), number.parts, number.value, number.computed))
    assert wrong == []


@pytest.mark.parametrize(("framework", "at"), SOURCES)
def test_what_gives_recorded_numbers_says_that_it_is_exact(framework: str, at: str):
    """Nothing that changes the number is left out, so that the function may be called exact."""
    left = {(number.key, number.meaning.left_out) for number in _of(framework, at) if not number.meaning.exact}
    assert left == set()


def test_the_definition_of_another_release_is_noticed():
    """0.8.0 of verl cuts weights before it averages them, 0.7.1 does not: one release's function misses the other's."""
    number = next(
        number
        for number in _of("verl", "verl[rollout_correction]==0.7.1")
        if number.key == "rollout_corr/rollout_is_mean" and number.parts == "further lengths"
        if number.config["algorithm.rollout_correction.rollout_is"] == "sequence"
    )
    newer = number._replace(at="verl[rollout_correction]==0.8.0")
    assert is_close(number.computed, number.value)
    assert not is_close(newer.computed, number.value)
