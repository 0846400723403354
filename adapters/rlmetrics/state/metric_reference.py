"""The independent reference of a metric function: tensors in, tensors out, plain Python in between."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import torch
from torch import Tensor

from .function import MetricFacts, registered


def evaluate(metric: MetricFacts, args: Sequence[Tensor], kwargs: Mapping[str, Any]) -> Tensor:
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
