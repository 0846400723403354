"""Any metric or suite as a torchmetrics ``Metric``, for ``MetricCollection`` and Lightning. Needs torchmetrics."""

from __future__ import annotations

import copy
import itertools
from functools import partial
from typing import Any, Final

import torch
import torch.distributed as dist
from torch import Tensor
from torchmetrics import Metric

from .cuts import check_whole
from .metric_state import MetricState
from .ranks import mark_of
from .registry import MetricFunction
from .slot_layout import offsets
from .suite import Suite

__all__ = ["AsMetric", "as_metric"]

_UPDATES: Final = itertools.count()
"""Numbers the updates of this process: torchmetrics resets and merges metrics within one update."""


def as_metric(what: Suite | MetricState | MetricFunction | str, **options: Any) -> AsMetric:
    """Return a suite or one metric as a torchmetrics ``Metric``.

    Its ``update`` takes inputs by name, as those of suites and states do; ``compute`` returns a dict of float64 tensors
    ``[]`` by name for a suite, one float64 tensor for a metric. torchmetrics gathers the states of ranks, which
    are merged by the rules of their metrics; ranks with other parameters and groups that were cut are refused.

    Args:
        what: A suite, the state of a metric, an entry of ``rlmetrics.functional.REGISTRY``, or its key. It stays as it
            is; what it has seen is not taken over.
        options: Keyword arguments of ``torchmetrics.Metric``, such as ``sync_on_compute`` and ``process_group``.

    Raises:
        KeyError: There is no metric of that name.
        TypeError: A parameter of the metric has no default; make its state first.

    Example:
        >>> metrics = MetricCollection({"policy": as_metric(GRPOSuite()), "kl": as_metric("kl/old/k3")})
    """
    return AsMetric(what if isinstance(what, Suite | MetricState) else MetricState(what), **options)


class AsMetric(Metric):
    """A suite or a metric as a ``Metric``; :func:`as_metric` makes one."""

    state: Tensor
    responses: Tensor
    kept: list[Tensor]
    groups: list[Tensor]
    full_state_update = False
    is_differentiable = False
    higher_is_better = None

    def __init__(self, what: Suite | MetricState, **options: Any) -> None:
        """Take what computes, and the options of ``Metric``."""
        super().__init__(**options)
        # Empty lists get this dtype, and all ranks must send one dtype.
        self.set_dtype(torch.float64)
        self.what = copy.deepcopy(what).reset().to("cpu")
        self._fixed = _fixed(self.what)
        mark = torch.tensor([mark_of(_identity(self.what)) >> 8], dtype=torch.float64)
        self.add_state(
            "state", torch.cat([mark, self.what.values[: self._fixed]]), dist_reduce_fx=partial(_merged, self.what)
        )
        numbers = self.what._responses.numbers if isinstance(self.what, Suite) else []
        self.add_state("responses", torch.tensor(numbers, dtype=torch.float64), dist_reduce_fx="sum")
        self.add_state("kept", [], dist_reduce_fx="cat")
        self.add_state("groups", [], dist_reduce_fx="cat")

    def update(self, **tensors: Any) -> None:
        """Add a batch; inputs are tensors, given by name."""
        batch = self.what.reset().update(**tensors)
        values = batch.values.to(self.state.device)
        self.state = _merged(self.what, torch.stack([self.state, torch.cat([self.state[:1], values[: self._fixed]])]))
        if isinstance(batch, Suite):
            self.responses = self.responses + self.responses.new_tensor(batch._responses.numbers)
        if values.numel() > self._fixed:
            self.kept.append(values[self._fixed :])
        ids = tensors.get("group_ids") if _has_groups(self.what) else None
        if ids is not None:
            rank = dist.get_rank() if dist.is_available() and dist.is_initialized() else 0
            owner = torch.full_like(ids, (rank << 32) + next(_UPDATES), dtype=torch.int64)
            rows = torch.stack([owner, ids >> 32, ids & 0xFFFFFFFF], 1)
            # torchmetrics gathers a list from a rank that has none as a tensor with one axis.
            self.groups.append(rows.to(self.state.device, torch.float64).flatten())

    def compute(self) -> Any:
        """Return the results over all updates, and all ranks where torchmetrics synchronises.

        Raises:
            ValueError: A group was cut over several updates or ranks, or ranks have other metrics or parameters.
        """
        title = type(self.what).__name__ if isinstance(self.what, Suite) else self.what.metric.id
        check_whole(
            title,
            [(owner, (int(high) << 32) + int(low)) for owner, high, low in _joined(self.groups).view(-1, 3).tolist()],
        )
        if self.state[0].isnan():
            msg = f"{title}: expected the same metrics and parameters on all ranks, got others"
            raise ValueError(msg)
        worker = copy.copy(self.what)
        worker.values = torch.cat([self.state[1:], _joined(self.kept)])
        if isinstance(worker, MetricState):
            return worker.compute()
        worker._responses.numbers = [int(number) for number in self.responses.tolist()]
        return {name: torch.tensor(value, dtype=torch.float64) for name, value in worker.compute().items()}

    def __hash__(self) -> int:
        return id(self)


def _merged(what: Suite | MetricState, states: Tensor) -> Tensor:
    """Merge states ``[R, 1 + W]`` whose first number says what they are states of."""
    marks = states[:, 0]
    mark = torch.where((marks == marks[0]).all(), marks[0], torch.nan)
    return torch.cat([mark.view(1), what.over_ranks(list(states[:, 1:])).values])


def _joined(parts: Tensor | list[Tensor]) -> Tensor:
    if isinstance(parts, Tensor):
        return parts
    return torch.cat(parts) if parts else torch.empty(0, dtype=torch.float64)


def _identity(what: Suite | MetricState) -> object:
    return what.identity()


def _has_groups(what: Suite | MetricState) -> bool:
    if what.ids_restart:
        return False
    return what.fusion.groups if isinstance(what, Suite) else what.metric.atom == "group"


def _fixed(what: Suite | MetricState) -> int:
    """Return how many numbers a state has before it keeps values."""
    return what.values.numel() if isinstance(what, Suite) else offsets(what.metric.slots)[-1]
