"""A metric's compute function with its state and its reference, and the mapping that finds it by the metric's id."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any

import torch
from torch import Tensor

from .function import MetricFacts, Number, registered
from .metric_state import MetricState


class MetricFunction(MetricFacts):
    """A metric that can be computed from tensors: once, over several batches by a state, and by its reference."""

    def __call__(self, *args: Tensor, **kwargs: Any) -> Tensor:
        """Call the metric's function."""
        return self.function(*args, **kwargs)

    def __reduce__(self) -> tuple[Callable[[str], MetricFunction], tuple[str]]:
        return registered, (self.id,)

    def state(
        self, *, device: torch.device | str | None = None, ids_restart: Number = False, **parameters: Number
    ) -> MetricState:
        """Return an empty state of this metric.

        Args:
            device: Where the state lives; it follows its first update if left out.
            ids_restart: Whether group ids start anew in every update; see :class:`MetricState`.
            parameters: Keyword arguments of the metric's function.

        Raises:
            TypeError: A parameter is unknown, missing or no number.
            ValueError: A parameter lies outside its bounds.
        """
        return MetricState(self, device=device, ids_restart=ids_restart, **parameters)

    def reference(self, *args: Tensor, **kwargs: Any) -> Tensor:
        """Compute the metric a second way: in plain Python, one number after the other, nothing shared with the first.

        It takes what ``function`` takes and returns what it returns. Slow on purpose: tests compare the two.
        """
        return _by_reference(self, args, kwargs)


class Registry(Mapping[str, MetricFunction]):
    """Finds metric functions by id; a family's module is imported when one of its metrics is asked for."""

    def __init__(self, package: str, index: Mapping[str, str], renamed: Mapping[str, str] | None = None) -> None:
        """Remember where metrics are.

        Args:
            package: The package of the families' modules.
            index: The name of the module in it that holds each metric.
            renamed: The present ids of metrics by their earlier ones, which work and warn.
        """
        self._package = package
        self._index = index
        self._renamed = renamed or {}

    def __getitem__(self, key: str) -> MetricFunction:
        """Return the metric function of an id, of ``id@variant``, or of another name that only one metric has.

        Raises:
            KeyError: No metric with that id can be computed, or several have that name; the message names them, or the
                nearest ones.
        """
        if key in self._renamed:
            from rlmetrics.names.tables.metric_renames import warn_renamed

            warn_renamed(key, self._renamed[key])
            key = self._renamed[key]
        metric = key if key in self._index else self._called(str(key))
        metrics: Mapping[str, MetricFunction] = import_module(f"{self._package}.{self._index[metric]}").METRICS
        return metrics[metric]

    def _called(self, name: str) -> str:
        from rlmetrics.names.lookup.code_names import metrics_called

        called = [metric for metric in metrics_called(name) if metric in self._index]
        if len(called) == 1:
            return called[0]
        if called:
            msg = f"{name!r} is a name of several metrics: write {' or '.join(called)}"
            raise KeyError(msg)
        near = difflib.get_close_matches(name, self._index, n=3)
        msg = f"no metric function {name!r}" + (f"; did you mean {', '.join(near)}?" if near else "")
        raise KeyError(msg)

    def __iter__(self) -> Iterator[str]:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self._index)

    def __contains__(self, key: object) -> bool:
        return key in self._index or key in self._renamed

    def __repr__(self) -> str:
        return f"Registry({self._package!r}, {len(self)} metrics)"


def _by_reference(metric: MetricFacts, args: Sequence[Tensor], kwargs: Mapping[str, Any]) -> Tensor:
    """Compute a metric by its reference.

    Args:
        metric: The metric.
        args: Its inputs by position: tensors, or what ``torch.as_tensor`` takes.
        kwargs: Further inputs and the parameters by name.

    Returns:
        A float64 tensor of the shape that the metric's function returns.
    """
    names = [name for name, _, _ in metric.inputs]
    given = {**dict(zip(names, args, strict=False)), **kwargs}
    parameters: dict[str, Any] = {name: given.get(name, default) for name, default in metric.parameters.items()}
    if metric.own_reference:
        module, _, function = metric.own_reference.partition(":")
        result = getattr(import_module(module), function)(**{**parameters, **given})
        return torch.as_tensor(result, dtype=torch.float64)
    from rlmetrics.oracle import evaluate as by_definition

    result = by_definition(
        metric.formula,
        metric.let,
        {name: torch.as_tensor(given[name]).tolist() for name in names},
        parameters,
        metric.empty,
        _formula_of,
        metric.nan,
    )
    if isinstance(result, dict):
        return torch.tensor([*result["counts"], result["min"], result["max"]], dtype=torch.float64)
    return torch.tensor(result, dtype=torch.float64)


def _formula_of(metric: str) -> tuple[str, Mapping[str, str]]:
    other = registered(metric)
    return other.formula, other.let
