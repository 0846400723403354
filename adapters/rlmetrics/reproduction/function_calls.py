"""One call of a metric's function on one batch, with what the code does inside and right after it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from torch import Tensor

from rlmetrics.names.settings.configuration import number
from rlmetrics.state.registry import MetricFunction

from .nested_parts import Batch
from .recipes import EMPTY_BY, LONGEST, Recipe
from .words import Action

__all__ = ["Compute", "FunctionCall"]


class FunctionCall:
    """What gives one number for one batch, or for several that are pooled.

    Args:
        recipe: What is to be done.
        metric: The function that the recipe names.
        parameters: Its parameters, those of the recipe included.
    """

    def __init__(self, recipe: Recipe, metric: MetricFunction, parameters: Mapping[str, Any]) -> None:
        self._recipe = recipe
        self._metric = metric
        self._parameters = dict(parameters)
        self._rows = next((action.said["as"] for action in recipe.named("empty") if _of_rows(action)), None)

    def __call__(self, batches: list[Batch]) -> Tensor:
        """Return the number of batches that are pooled, float64 ``[]``."""
        prepared = [self._prepared(self._chosen(self._weighted(self._counted_rows(batch)))) for batch in batches]
        parameters = self._handed_over(batches)
        if self._recipe.rows is not None:
            value = self._by_rows(prepared, parameters)
        elif len(prepared) == 1:
            value = self._metric(**prepared[0], **parameters)
        else:
            state = self._metric.state(**parameters)
            for tensors in prepared:
                state.update(**tensors)
            value = state.compute()
        value = self._finished(value, prepared)
        for action in self._recipe.named("scale"):
            if LONGEST in action.said["by"]:
                width = max(tensors["mask"].shape[-1] for tensors in prepared)
                value = value * float(number(action.said["by"], {LONGEST: width}))
        for action in self._recipe.named("plus"):
            terms = [torch.as_tensor(batch[action.said["input"]]) for batch in batches if action.said["input"] in batch]
            value = value + torch.stack(terms).double().mean() if terms else value
        return value

    def weight(self, batches: list[Batch]) -> float:
        """Return how much the number of batches weighs in a mean."""
        name = next(self._recipe.named("weigh")).said["by"]
        return sum(
            float(torch.as_tensor(batch[name])) if name in batch else float(_units(self._chosen(batch)))
            for batch in batches
        )

    def _counted_rows(self, batch: Batch) -> Batch:
        """Return a batch without the responses that hold no token, where the code leaves them out."""
        if self._rows != "skip":
            return batch
        if EMPTY_BY in batch:
            kept = torch.as_tensor(batch[EMPTY_BY]) > 0
        else:
            kept = torch.as_tensor(self._needed(batch, "mask", EMPTY_BY)).bool().any(-1)
        along = {name for name, axes, _ in self._metric.inputs if axes[:1] == ("B",)}
        return {name: torch.as_tensor(value)[kept] if name in along else value for name, value in batch.items()}

    def _weighted(self, batch: Batch) -> Batch:
        """Return a batch with a weight in an input that every term of the formula is multiplied by."""
        for action in self._recipe.named("times"):
            name, into = action.said["input"], action.said["into"]
            given, weight = torch.as_tensor(batch[into]), torch.as_tensor(self._needed(batch, name))
            if action.said["as"] == "geometric_mean":
                mask = torch.as_tensor(batch["mask"])
                logs = torch.where(mask.bool(), torch.log(weight.double() + 1e-10), 0).sum(-1, keepdim=True)
                weight = torch.exp(logs / mask.sum(-1, keepdim=True).clamp(min=1))
            batch = {**batch, into: given * weight.to(given.dtype)}
        return batch

    def _needed(self, batch: Batch, name: str, called: str = "") -> Any:
        """Return a tensor that is needed beside the inputs of the function."""
        if name not in batch:
            msg = f"{self._recipe.entry.key} needs {called or name}, too; missing: {called or name}"
            raise ValueError(msg)
        return batch[name]

    def _chosen(self, batch: Batch) -> dict[str, Tensor]:
        names = [name for name, _, _ in self._metric.inputs]
        missing = [name for name in names if name not in batch]
        if missing:
            msg = f"{self._recipe.entry.key} needs {', '.join(names)}; missing: {', '.join(missing)}"
            raise ValueError(msg)
        return {name: torch.as_tensor(batch[name]) for name in names}

    def _prepared(self, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
        """Return the tensors after what the code does to them before the formula."""
        for how in ("share", "sum"):  # a weight of a response is made before its tokens carry it
            for action in self._recipe.named("alike"):
                if action.said["as"] == how:
                    first, second = action.said["difference"]
                    alike = _alike(tensors[first], tensors[second], tensors["mask"], how)
                    tensors[second] = tensors[first].double() - alike
        for action in self._recipe.named("clamp"):
            bound = float(action.said["to"])
            for first, second in action.said["difference"]:
                if first in tensors and second in tensors:
                    given = tensors[first].double()
                    tensors[second] = given - (given - tensors[second].double()).clamp(-bound, bound)
        for action in self._recipe.named("nan"):  # of what is shown element by element
            shown = float(action.said["as"])
            tensors = {
                name: tensor.nan_to_num(nan=shown, posinf=math.inf, neginf=-math.inf)
                if tensor.is_floating_point()
                else tensor
                for name, tensor in tensors.items()
            }
        if self._rows in ("nan", 0):
            tensors = _without_value(tensors)
        return tensors

    def _handed_over(self, batches: list[Batch]) -> dict[str, Any]:
        """Return the parameters, with those that stand among the tensors because no setting says them."""
        parameters = dict(self._parameters)
        for name in self._recipe.given:
            if name not in parameters and name in batches[0]:
                parameters[name] = torch.as_tensor(batches[0][name]).item()
        missing = [name for name in self._metric.parameters if name not in parameters]
        if missing:
            msg = f"{self._recipe.entry.key} needs {', '.join(missing)}, which no setting says: hand it over by name"
            raise ValueError(msg)
        return parameters

    def _by_rows(self, batches: list[dict[str, Tensor]], parameters: Mapping[str, Any]) -> Tensor:
        """Return the number that the code makes of a number for each response."""
        token, sequence = self._recipe.rows or ("pool", "pool")
        values: list[Tensor] = []
        for row in self._each_row(batches):
            value = self._metric(**row, **parameters)
            counted = _counted(row)
            if value.isnan() and not counted:
                if self._rows == "nan":
                    values.append(value)
                elif self._rows in (0, 1):
                    values.append(torch.full_like(value, float(self._rows)))
                continue
            values.append(value * counted if token == "sum" else value)
        if not values:
            return torch.tensor(math.nan if sequence == "mean" else 0.0, dtype=torch.float64)
        stacked = torch.stack(values)
        return stacked.mean() if sequence == "mean" else stacked.sum()

    def _each_row(self, batches: list[dict[str, Tensor]]) -> Iterator[dict[str, Tensor]]:
        axes = {name: dims for name, dims, _ in self._metric.inputs}
        for tensors in batches:
            along = [name for name in tensors if axes[name] and axes[name][0] == "B"]
            for index in range(len(tensors[along[0]])):
                yield {name: tensor[index : index + 1] if name in along else tensor for name, tensor in tensors.items()}

    def _over_all(self, value: Tensor, batches: list[dict[str, Tensor]]) -> Tensor:
        """Return a standard deviation that divides by the number of values, from one that divides by one less."""
        ids = batches[0].get("group_ids")
        if ids is None:
            count = sum(_units(tensors) for tensors in batches)
            return torch.zeros_like(value) if count == 1 else value * math.sqrt((count - 1) / count)
        groups: list[Tensor] = []
        for one in torch.unique(ids):
            inside = {name: tensor[ids == one] for name, tensor in batches[0].items()}
            count = int((ids == one).sum())
            alone = self._metric(**inside, **self._parameters)
            groups.append(torch.zeros_like(alone) if count == 1 else alone * math.sqrt((count - 1) / count))
        return torch.stack(groups).mean()

    def _finished(self, value: Tensor, batches: list[dict[str, Tensor]]) -> Tensor:
        """Return what the code logs of a value: another one where there is nothing, or one thing, to count."""
        for _ in self._recipe.named("spread"):
            value = self._over_all(value, batches)
        for action in self._recipe.named("single"):
            if sum(_units(tensors) for tensors in batches) == 1:
                value = torch.full_like(value, float(action.said["as"]))
        for action in self._recipe.named("empty"):
            if not _of_rows(action) and action.said["as"] != "skip" and _is_of_nothing(value, batches):
                value = torch.full_like(value, float(action.said["as"]))
        return value


def _without_value(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Return the same with NaN for the log-probability of a response without a token, where lengths are given.

    What is compared with it is then false.
    """
    changed = dict(tensors)
    for name, lengths in tensors.items():
        summed = f"{name.removesuffix('_lengths')}_logprobs"
        if name.endswith("_lengths") and summed in tensors:
            changed[summed] = tensors[summed].masked_fill(lengths == 0, math.nan)
    return changed


def _alike(first: Tensor, second: Tensor, mask: Tensor, how: str) -> Tensor:
    """Return a difference that is the same on all tokens of a response, float64 ``[B, T]``."""
    counted = torch.where(mask.bool(), first.double() - second.double(), 0)
    total = counted.sum(-1, keepdim=True)
    tokens = mask.bool().sum(-1, keepdim=True).clamp(min=1)
    return (total if how == "sum" else total / tokens**2).expand_as(counted)


def _of_rows(action: Action) -> bool:
    return action.said.get("level") == "sequence"


def _counted(tensors: Mapping[str, Tensor]) -> int:
    mask = tensors.get("mask")
    return int(mask.sum()) if mask is not None else _units(tensors)


def _units(tensors: Mapping[str, Tensor]) -> int:
    """Return how many elements the first axis has: responses, or whatever a list is of."""
    return max((len(tensor) for tensor in tensors.values() if tensor.dim()), default=1)


def _is_of_nothing(value: Tensor, batches: list[dict[str, Tensor]]) -> bool:
    """Tell whether a value is none because nothing counts, not because something that counts is NaN.

    A time over no token at all is infinite.
    """
    if bool(value.isinf()):
        lengths = [tensor for tensors in batches for name, tensor in tensors.items() if name.endswith("lengths")]
        return bool(lengths) and not any(bool(tensor.any()) for tensor in lengths)
    return bool(value.isnan()) and all(_is_finite(tensors) for tensors in batches)


def _is_finite(tensors: Mapping[str, Tensor]) -> bool:
    mask = tensors.get("mask")
    for tensor in tensors.values():
        if not tensor.is_floating_point():
            continue
        counted = tensor
        if mask is not None and tensor.shape[: mask.dim()] == mask.shape:
            counted = tensor[mask.bool()]
        if not bool(counted.isfinite().all()):
            return False
    return True


Compute = Callable[[list[Batch]], Tensor]
"""Gives the number of batches that are pooled."""
