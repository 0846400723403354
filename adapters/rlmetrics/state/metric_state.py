"""The state of one metric over many updates: what torchmetrics users know as update, merge and compute."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist
from torch import Tensor

from . import slots
from .bounds import check_parameters
from .cuts import GroupsSeen, check_whole
from .function import MetricFacts, Number, registered
from .ranks import gather_states, ranks_of
from .row_forms import rows_of
from .slot_layout import offsets

if TYPE_CHECKING:
    from typing_extensions import Self


class MetricState:
    """An additive state: one packed float64 tensor, however much data has gone into it, unless it keeps all values.

    Merging the states of any parts of a data set gives the state of the whole, as long as no part cuts the metric's
    atom (a token, a sequence, a group or an update). Neither updating nor merging waits for the device. The state of a
    quantile keeps every value, at eight bytes for each position of its inputs, padding too, and copies them at each
    update; :meth:`init` forgets them.

    Example:
        >>> state = REGISTRY["kl/old/k1"].state()
        >>> for batch in batches:
        ...     state.update(logprobs=batch.logprobs, old_logprobs=batch.old_logprobs, mask=batch.mask)
        >>> state.compute()

    Attributes:
        metric: The metric that it is a state of.
        parameters: Keyword arguments of the metric's function, defaults filled in.
        values: The packed state, float64 ``[W]``.
    """

    def __init__(
        self,
        metric: MetricFacts | str,
        *,
        device: torch.device | str | None = None,
        ids_restart: Number = False,
        **parameters: Number,
    ) -> None:
        """Start with a state that has seen nothing.

        Args:
            metric: An entry of ``rlmetrics.functional.REGISTRY``, or its key.
            device: Where the state lives; it follows its first update if left out.
            ids_restart: Whether group ids start anew in every update, so that equal ids of two updates are two groups;
                else they are one group that was cut, which :meth:`compute` refuses.
            parameters: Keyword arguments of the metric's function.

        Raises:
            KeyError: There is no metric of that name.
            TypeError: A parameter is unknown or no number, or one without a default is missing.
            ValueError: A parameter lies outside its bounds.
        """
        self.metric: MetricFacts = registered(metric) if isinstance(metric, str) else metric
        self.parameters = _complete(self.metric, parameters)
        self.ids_restart = bool(ids_restart)
        self.values = slots.initial(self.metric.slots, device)
        self._groups = GroupsSeen()

    def reset(self) -> Self:
        """Forget everything; return the state itself."""
        self.values = slots.initial(self.metric.slots, self.values.device)
        self._groups = GroupsSeen()
        return self

    def init(self) -> Self:
        """Forget everything: the older name of :meth:`reset`."""
        return self.reset()

    def update(self, **tensors: Tensor) -> Self:
        """Add a batch; return the state itself.

        Args:
            tensors: The metric's inputs by name, as its function takes them; those of tokens may also be nested, or
                packed with ``cu_seqlens`` or ``position_ids`` beside them, as :func:`rlmetrics.state.unpack` says.

        Raises:
            TypeError: An input is missing, unknown, no tensor, or of another dtype.
            ValueError: An input has another shape than expected, or the metric looks at padding, which packed tokens
                have not.
        """
        with torch.no_grad():
            tensors = rows_of(self.metric, tensors)
            _match_names(self.metric, tensors)
            batch = self.metric.update(**tensors, **self.parameters)
            self.values = slots.merge(self.metric.slots, slots.beside(batch, self.values), batch)
        if self.metric.atom == "group" and not self.ids_restart:
            self._groups.add(tensors["group_ids"])
        return self

    def sync(self, group: dist.ProcessGroup | None = None) -> MetricState:
        """Return what all ranks have seen together, with one all-gather; the state itself stays that of this rank.

        Every rank of the group must call it, also one that has seen nothing. States are merged in the order of the
        ranks, so the result is the same bits everywhere. Without an initialised process group it is a copy.

        Args:
            group: The process group; the default group if left out.

        Raises:
            ValueError: This process does not belong to the group, or another rank has another metric or parameters.
        """
        whole = self._new("cpu")
        if not ranks_of(self.metric.id, group):
            return whole.merge(self)
        states, groups, _ = gather_states(self.metric.id, self.identity(), self.values, self._groups.pairs, group)
        for values, numbers in zip(states, groups, strict=True):
            one = GroupsSeen()
            one.load(torch.tensor(numbers, dtype=torch.int64).view(2, -1))
            whole._groups.extend(one)
            whole.values = slots.merge(self.metric.slots, whole.values, values)
        return whole

    def merge(self, other: MetricState) -> Self:
        """Add what another state of the same metric has seen, as if it came afterwards; return the state itself.

        Raises:
            TypeError: The other one is no state.
            ValueError: The other state belongs to another metric, or has other parameters.
        """
        if not isinstance(other, MetricState):
            msg = f"{self.metric.id}: merge takes another state of the same metric, not {type(other).__name__}"
            raise TypeError(msg)
        if other.identity() != self.identity():
            msg = (
                f"cannot merge a state of {other.metric.id} with {other.parameters} "
                f"into a state of {self.metric.id} with {self.parameters}"
            )
            raise ValueError(msg)
        self.values = slots.merge(self.metric.slots, self.values, slots.beside(self.values, other.values))
        self._groups.extend(other._groups)
        return self

    def over_ranks(self, gathered: Tensor | Sequence[Tensor]) -> MetricState:
        """Return what all ranks have seen together, gathered by other means than :meth:`sync`.

        The state itself stays that of this rank. Numbers alone do not tell whether ranks have other parameters, or
        parts of one group; :meth:`sync` does.

        Args:
            gathered: The :attr:`values` of all ranks in their order: one tensor, float64 ``[R * W]`` or ``[R, W]``, as
                ``accelerator.gather(state.values)`` or ``torch.distributed.all_gather_into_tensor`` give them, or a
                list with one for each rank, as ``torch.distributed.all_gather_object`` fills it. States that keep all
                values differ in length, so for those it must be a list.

        Raises:
            ValueError: It is no whole number of states.
        """
        if isinstance(gathered, Tensor):
            width = self.values.numel()
            if self.metric.keeps_values:
                msg = f"{self.metric.id}: gathered: expected a list, since ranks keep different numbers of values"
                raise ValueError(msg)
            if not gathered.numel() or gathered.numel() % width:
                msg = f"{self.metric.id}: gathered: expected {width} numbers per rank, got shape {list(gathered.shape)}"
                raise ValueError(msg)
            gathered = gathered.reshape(-1, width).unbind()
        whole = self._new(gathered[0].device)
        for values in gathered:
            self._check_width(values, "gathered")
            whole.values = slots.merge(self.metric.slots, whole.values, values.to(whole.values))
        return whole

    def identity(self) -> dict[str, Any]:
        """Return what two states must share before they can be put together: plain data."""
        kinds = [(slot.name, slot.kind, slot.bins, slot.low, slot.high) for slot in self.metric.slots]
        mine = {"metric": self.metric.id, "parameters": dict(self.parameters), "slots": kinds}
        return {**mine, "ids_restart": self.ids_restart}

    def _new(self, device: torch.device | str) -> MetricState:
        parameters: dict[str, Any] = self.parameters
        return MetricState(self.metric, device=device, ids_restart=self.ids_restart, **parameters)

    def _check_width(self, values: Tensor, what: str) -> None:
        width = offsets(self.metric.slots)[-1]
        enough = values.numel() >= width if self.metric.keeps_values else values.numel() == width
        if values.dim() != 1 or not enough:
            least = " or more" if self.metric.keeps_values else ""
            msg = f"{self.metric.id}: expected {width}{least} {what} numbers, got shape {list(values.shape)}"
            raise ValueError(msg)

    def compute(self) -> Tensor:
        """Return the metric over everything seen so far, float64 ``[]``, or ``[bins + 4]`` of a distribution.

        Raises:
            ValueError: A group was cut over several updates or ranks.
        """
        if self._groups.updates > 1 and not self._groups.pairs.is_meta:
            check_whole(self.metric.id, self._groups.listed())
        needed = {name: self.parameters[name] for name in self.metric.finalize_parameters}
        return self.metric.finalize(self.values, **needed)

    def to(self, device: torch.device | str) -> Self:
        """Move the state to a device; return the state itself."""
        self.values = self.values.to(device)
        self._groups.to(device)
        return self

    def state_dict(self) -> dict[str, Any]:
        """Return a copy of the state as plain data and one tensor, for ``torch.save``."""
        saved = {"metric": self.metric.id, "parameters": dict(self.parameters), "values": self.values.clone()}
        return {**saved, "groups": self._groups.pairs.clone()} if self.metric.atom == "group" else saved

    def load_state_dict(self, data: dict[str, Any]) -> None:
        """Take over what :meth:`state_dict` returned.

        Raises:
            ValueError: The data belongs to another metric, other parameters or another layout, or is no saved state.
        """
        for what in ("metric", "parameters", "values"):
            if what not in data:
                msg = f"{self.metric.id}: the saved state has no {what}"
                raise ValueError(msg)
        if (data["metric"], data["parameters"]) != (self.metric.id, self.parameters):
            msg = (
                f"the saved state is of {data['metric']} with {data['parameters']}, "
                f"this one of {self.metric.id} with {self.parameters}"
            )
            raise ValueError(msg)
        values: Tensor = data["values"]
        self._check_width(values, "saved")
        groups = GroupsSeen()
        groups.load(data.get("groups"))
        self.values = values.to(self.values).clone()
        self._groups = groups

    def __repr__(self) -> str:
        return f"MetricState({self.metric.id!r}, {self.parameters}, {self.values.numel()} numbers)"


def _complete(metric: MetricFacts, given: dict[str, Number]) -> dict[str, Number]:
    """Return all parameters of a metric, defaults filled in."""
    complete: dict[str, Number] = {}
    for name, default in metric.parameters.items():
        value = given.get(name, default)
        if value is None:
            msg = f"{metric.id}: missing parameter {name!r}"
            raise TypeError(msg)
        complete[name] = value
    check_parameters(metric.id, complete)
    unknown = sorted(given.keys() - complete.keys())
    if unknown:
        msg = f"{metric.id}: unknown parameter {unknown[0]!r}; it takes {_listed(complete)}"
        raise TypeError(msg)
    return complete


def _match_names(metric: MetricFacts, tensors: dict[str, Tensor]) -> None:
    """Check that exactly the metric's inputs are given."""
    for name, axes, dtype in metric.inputs:
        if name not in tensors:
            msg = f"{metric.id}: missing input {name!r}, a {dtype} tensor [{', '.join(axes)}]"
            raise TypeError(msg)
    unknown = sorted(tensors.keys() - {name for name, _, _ in metric.inputs})
    if unknown:
        msg = f"{metric.id}: unknown input {unknown[0]!r}; it takes {_listed(name for name, _, _ in metric.inputs)}"
        raise TypeError(msg)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"
