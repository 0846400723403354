"""A batch of the fixture and rlmetrics' functions on it: at once, by response, by token."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from math import isnan

import torch
from rlmetrics.functional import REGISTRY
from torch import Tensor

from .verl_records import SCENARIOS, records, tensors

Number = bool | int | float

PRECISION = 1e-9
"""How far a function and its reference may be apart on float64 tensors, relative to the value."""


@dataclass(frozen=True)
class Scenario:
    """One batch as one release saw it, perhaps with some tensors replaced.

    Attributes:
        release: The release of verl.
        name: The batch.
        tensors: Its tensors by rlmetrics' words.
    """

    release: str
    name: str
    tensors: Mapping[str, Tensor] = field(repr=False)

    @property
    def mask(self) -> Tensor:
        """The response mask, bool ``[B, T]``."""
        return self.tensors["mask"]

    @property
    def counts(self) -> Tensor:
        """The number of selected tokens of each response, float64 ``[B]``."""
        return self.mask.sum(-1).double()

    @property
    def is_empty(self) -> bool:
        """Whether no token is selected."""
        return not bool(self.mask.any())

    def recorded(self, function: str, output: str) -> Tensor:
        """Return a tensor that verl returned for this batch."""
        value = records(self.release)[function, output][self.name]
        assert isinstance(value, Tensor)
        return value

    def with_tensors(self, **replaced: Tensor) -> Scenario:
        """Return the same batch with other tensors."""
        return Scenario(self.release, self.name, {**self.tensors, **replaced})

    def compute(self, key: str, /, **parameters: Number) -> float:
        """Return a metric over the whole batch.

        Raises:
            AssertionError: The function and its reference in plain Python disagree.
        """
        return _checked(key, tuple(parameters.items()), tuple(map(_Same, self._arguments(key))))

    def differentiable(self, key: str, /, **parameters: Number) -> Tensor:
        """Return a metric over the whole batch with its gradient."""
        return REGISTRY[key].function(*self._arguments(key), **parameters)

    def by_response(self, key: str, /, **parameters: Number) -> Tensor:
        """Return a metric of each response on its own, float64 ``[B]``; NaN for a response without tokens."""
        return _mapped(key, parameters)(*(tensor.unsqueeze(1) for tensor in self._arguments(key)))

    def by_token(self, key: str, /, **parameters: Number) -> Tensor:
        """Return a metric of each token on its own, float64 ``[B, T]``; NaN outside the mask."""
        single = (tensor.reshape(-1, 1, 1, *tensor.shape[2:]) for tensor in self._arguments(key))
        return _mapped(key, parameters)(*single).reshape(self.mask.shape)

    def zero_if_empty(self, value: float) -> float:
        """Return the value, or what verl reports when no token is selected: 0."""
        return 0.0 if self.is_empty else value

    def _arguments(self, key: str) -> list[Tensor]:
        return [self.tensors[name] for name, _, _ in REGISTRY[key].inputs]


@cache
def scenario(release: str, name: str) -> Scenario:
    """Return a batch of the fixture; other records have a name only."""
    return Scenario(release, name, tensors(name) if name in SCENARIOS else {})


@dataclass(frozen=True)
class _Same:
    """A tensor that equals nothing but itself, so that it can be part of a key."""

    tensor: Tensor

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.tensor is other.tensor

    def __hash__(self) -> int:
        return id(self.tensor)


@cache
def _checked(key: str, parameters: tuple[tuple[str, Number], ...], arguments: tuple[_Same, ...]) -> float:
    metric = REGISTRY[key]
    tensors = [argument.tensor for argument in arguments]
    value = float(metric(*tensors, **dict(parameters)))
    if metric.formula:
        # Hand-written functions draw thousands of samples; their own tests compare them with their references.
        wide = [tensor.double() if tensor.is_floating_point() else tensor for tensor in tensors]
        exact = float(metric(*wide, **dict(parameters)))
        reference = float(metric.reference(*wide, **dict(parameters)))
        same = exact == reference or (isnan(exact) and isnan(reference))
        close = abs(exact - reference) <= PRECISION * max(1.0, abs(exact))
        assert same or close, f"{key}: {exact} by function, {reference} by reference"
    return value


def _mapped(key: str, parameters: Mapping[str, Number]) -> Callable[..., Tensor]:
    function = REGISTRY[key].function

    def call(*arguments: Tensor) -> Tensor:
        return function(*arguments, **parameters)

    return torch.vmap(call)
