"""What a logged key stands for, as ``as_logged`` computes it: with the function, or with its reference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
from rlmetrics.functional import REGISTRY
from rlmetrics.names import Resolution, resolve, show
from rlmetrics.names.tables.loading import load_tables
from rlmetrics.reproduction import AsLogged, as_logged
from rlmetrics.reproduction.as_logged import KeyRequest
from rlmetrics.reproduction.recipes import Recipe
from rlmetrics.state import MetricFunction
from torch import Tensor

Value = bool | int | float | str | None


@dataclass(frozen=True)
class Source:
    """The code that logged a run.

    Attributes:
        at: Framework, component and release, such as ``trl[PPOTrainer]==0.7.10``.
        config: What the run set differently from the release's defaults.
    """

    at: str
    config: tuple[tuple[str, Value], ...] = ()

    def resolution(self, key: str) -> Resolution:
        """Return what the spec says about a key."""
        return _resolve(self, key)

    def quantity(self, key: str) -> Quantity:
        """Return how the number of a key is computed."""
        return _quantity(self, key)

    def measured(self, key: str) -> str:
        """Return the reason why no function gives a key: what is measured, where its metric is none of tensors."""
        metric = self.resolution(key).metric
        assert metric is not None, f"{self.at} does not log {key}"
        (shown,) = show(metric)
        text = shown.entry.get("measured")
        assert isinstance(text, str), f"{metric} has a function; {key} needs no reason"
        return f"Measured, not computed: {text[:1].lower()}{' '.join(text.split())[1:]}"


@dataclass(frozen=True, eq=False)
class Quantity:
    """How a number is computed, as the spec says it of a key, or changed to see that a change is noticed.

    Attributes:
        recipe: What ``as_logged`` does.
        traits: The traits of the key.
        key: The key, for messages.
    """

    recipe: Recipe
    traits: frozenset[str] = frozenset()
    key: str = ""

    @classmethod
    def of(cls, function: str) -> Quantity:
        """Return a function alone, without what a release makes of it."""
        return cls(Recipe(None, function=function))  # type: ignore[arg-type]

    @property
    def function(self) -> str:
        """The function of ``rlmetrics.functional.REGISTRY``."""
        return self.recipe.function or ""

    @property
    def of_one_part(self) -> Quantity:
        """The same over one part, before what the framework does to the whole."""
        whole = ("scale", "round", "nan")
        actions = tuple(action for action in self.recipe.actions if action.word not in whole)
        return self.changed(folds=(), scale=1.0, offset=0.0, actions=actions)

    def operation(self, level: str) -> str:
        """Return how parts of a level become one number."""
        return dict(self.recipe.folds).get(level, "pool")

    def of_another(self, function: str) -> Quantity:
        """Return the same made of another function, whose parameters are its own."""
        return self.changed(function=function, parameters={}, given=())

    def changed(self, **fields: Any) -> Quantity:
        """Return the same with other fields of its recipe."""
        return Quantity(self.recipe._replace(**fields), self.traits, self.key)

    @property
    def by_function(self) -> AsLogged:
        """What computes it with the generated function."""
        return AsLogged(KeyRequest(self.key), self.recipe, {}, load_tables(None))

    @property
    def by_reference(self) -> AsLogged:
        """What computes it with the reference of the function, in plain Python."""
        return _ByReference(KeyRequest(self.key), self.recipe, {}, load_tables(None))


class _ByReference(AsLogged):
    """The same, with the reference in the place of the function."""

    @property
    def _metric(self) -> MetricFunction:  # pyright: ignore[reportIncompatibleVariableOverride]
        return _Reference(REGISTRY[self.recipe.function or ""])  # type: ignore[return-value]


class _Reference:
    """The reference of a metric as a function; what is pooled is put together first."""

    def __init__(self, metric: MetricFunction) -> None:
        self.inputs, self.parameters = metric.inputs, metric.parameters
        self._metric = metric

    def __call__(self, **given: Any) -> Tensor:
        """Compute the metric."""
        return self._metric.reference(**given)

    def state(self, **parameters: Any) -> _Together:
        """Return what puts batches together."""
        return _Together(self._metric, parameters)


class _Together:
    """Batches that are put together before the metric is computed of them."""

    def __init__(self, metric: MetricFunction, parameters: Mapping[str, Any]) -> None:
        self._metric, self._parameters = metric, parameters
        self._batches: list[Mapping[str, Tensor]] = []

    def update(self, **tensors: Tensor) -> None:
        """Add a batch."""
        self._batches.append(tensors)

    def compute(self) -> Tensor:
        """Compute the metric."""
        return self._metric.reference(**joined(self._batches), **self._parameters)


@cache
def _resolve(source: Source, key: str) -> Resolution:
    config: Mapping[str, Value] = dict(source.config)
    found = [one for one in resolve(key, at=source.at, config=config) if one.metric is not None]
    assert len(found) == 1, f"{source.at} {key}: {len(found)} meanings"
    return found[0]


@cache
def _quantity(source: Source, key: str) -> Quantity:
    found = as_logged(key, source.at, dict(source.config))
    signature = found.recipe.entry.signature
    return Quantity(found.recipe, frozenset(signature.traits), key)


def joined(batches: list[Mapping[str, Tensor]]) -> dict[str, Tensor]:
    """Return batches put together response by response."""
    first, *rest = batches
    return (
        {name: torch.cat([tensor, *(other[name] for other in rest)]) for name, tensor in first.items()}
        if rest
        else dict(first)
    )
