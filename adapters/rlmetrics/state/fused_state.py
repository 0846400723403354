"""What fused metrics have seen: one tensor that is merged, synchronised, saved and computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import torch
import torch.distributed as dist
from torch import Tensor

from .bounds import check_parameters
from .cuts import GroupsSeen, check_whole, numbers_of
from .fusion import Fusion
from .histogram import Histogram
from .ranks import gather_states, owned, ranks_of
from .responses import ResponsesSeen
from .slot_layout import Layout
from .slots import beside
from .split import Split

if TYPE_CHECKING:
    from typing_extensions import Self

    from .function import Number

__all__ = ["FusedState"]


class FusedState:
    """The state of metrics that are merged, synchronised and computed together; a suite adds what fills it.

    Attributes:
        parameters: Keyword arguments of the metrics, defaults filled in.
        values: The packed state of what this process has seen, float64 ``[W]``.
        ids_restart: Whether group ids start anew in every update, so that equal ids of two updates are two groups.
    """

    fusion: ClassVar[Fusion]
    _split: Split | None

    def __init__(
        self,
        parameters: Mapping[str, Number | None],
        device: torch.device | str | None = None,
        *,
        ids_restart: bool = False,
    ) -> None:
        """Start with a state that has seen nothing; subclasses say which parameters there are.

        Args:
            parameters: A value for each parameter of the metrics.
            device: Where the state lives; it follows its first update if left out.
            ids_restart: Whether group ids start anew in every update.

        Raises:
            TypeError: A parameter has no value, or one that is no number.
            ValueError: A parameter lies outside its bounds.
        """
        check_parameters(self._title, parameters)
        self.parameters: dict[str, Number | None] = dict(parameters)
        self.ids_restart = ids_restart
        self.values = self.fusion.packing.initial(device)
        self._seen = False
        self._groups = GroupsSeen()
        self._responses = ResponsesSeen(self.fusion)
        self._total: tuple[list[float], list[tuple[object, int]], list[int]] | None = None
        self._start()

    @property
    def metrics(self) -> tuple[str, ...]:
        """The names of the results."""
        return self.fusion.metrics

    def sync(self, group: dist.ProcessGroup | None = None) -> Self:
        """Let :meth:`compute` speak for all ranks, with one all-gather; return the suite itself.

        Every rank of the group must call it, also one that has seen nothing. The states are merged in the order of the
        ranks on each of them, so the results are the same bits everywhere and in every run. They come to the host here,
        so that :meth:`compute` copies nothing. What this process has seen stays apart: it can be updated and
        synchronised again, and the next update ends the effect of this call. Without an initialised process group there
        is nothing to do.

        Args:
            group: The process group; the default group if left out.

        Raises:
            ValueError: This process does not belong to the group, or another rank has other metrics or parameters.
        """
        if not ranks_of(self._title, group):
            return self
        if self._split is not None:
            self._split.before_sync(group)
        states, groups, counts = gather_states(
            self._title,
            self.identity(),
            self.values,
            self._groups.pairs,
            group,
            counts=self._responses.numbers,
        )
        self._total = self.fusion.packing.merge_all(torch.stack(states)).tolist(), [*owned(groups)], counts
        return self

    def over_ranks(self, gathered: Tensor | Sequence[Tensor]) -> Self:
        """Return what all ranks have seen together, gathered by other means than :meth:`sync`, as a suite of its own.

        Numbers alone do not tell whether ranks have other parameters, or parts of one group; :meth:`sync` does.

        Args:
            gathered: The :attr:`values` of all ranks in their order: one tensor, float64 ``[R * W]`` or ``[R, W]``, as
                ``accelerator.gather(suite.values)`` gives them, or a list with one for each rank.

        Raises:
            ValueError: It is no whole number of states.
        """
        width = self.values.numel()
        whole = gathered if isinstance(gathered, Tensor) else torch.cat([one.reshape(-1) for one in gathered])
        if not whole.numel() or whole.numel() % width:
            msg = f"{self._title}: gathered: expected {width} numbers per rank, got shape {list(whole.shape)}"
            raise ValueError(msg)
        other = type(self).__new__(type(self))
        other.__setstate__(self._kept())
        other._groups, other._responses, other._total = GroupsSeen(), ResponsesSeen(self.fusion), None
        other.values = self.fusion.packing.merge_all(whole.reshape(-1, width))
        return other

    def compute(self) -> dict[str, float]:
        """Return the metrics over everything seen since the last reset, with one copy from device to host.

        Returns:
            Each metric's value by its name; a metric whose inputs no update gave is left out, and so is one that is to
            be omitted where its population is empty. Other metrics over nothing are NaN or 0 as their definitions say.

        Raises:
            ValueError: A group was cut over several updates or ranks.
        """
        fusion = self.fusion
        needed = {name: self.parameters[name] for name in fusion.results_parameters}
        results = fusion.results(self._numbers(), **needed)
        return {name: results[name] for name in fusion.metrics if name in results}

    def histograms(self) -> dict[str, Histogram]:
        """Return the distributions over everything seen since the last reset, with one copy from device to host.

        Returns:
            Each distribution by its name; one whose inputs no update gave is left out. :meth:`compute` returns the
            numbers.

        Raises:
            ValueError: A group was cut over several updates or ranks.
        """
        state = self._numbers()
        places = {slot.name: (slot, state[place]) for slot, place in Layout(self.fusion.packing.slots)}
        return {
            name: Histogram.of(*places[slot])
            for name, (slot, updates) in self.fusion.histograms.items()
            if updates is None or places[updates][1][0] > 0
        }

    def _numbers(self) -> list[float]:
        """Return the state on the host, after a look at its groups and rows."""
        if self._total is None and self._split is not None and self._split.several:
            msg = f"{self._title}: expected sync() before this, because rows are split over ranks and this has parts"
            raise ValueError(msg)
        numbers, pairs, *counts = self._total or numbers_of(self.values, self._groups.pairs)
        check_whole(self._title, pairs)
        self._responses.check(self._title, *counts)
        return numbers

    def reset(self) -> Self:
        """Forget everything; return the suite itself."""
        self.values = self.fusion.packing.initial(self.values.device)
        self._seen = False
        self._groups, self._responses = GroupsSeen(), ResponsesSeen(self.fusion)
        self._total = None
        if self._split is not None:
            self._split.reset()
        return self

    def merge(self, other: FusedState) -> Self:
        """Add what another one of the same metrics has seen, as if it came afterwards; return the suite itself.

        Raises:
            TypeError: The other one is no suite.
            ValueError: The other one has other metrics or other parameters, or rows split over other ranks.
        """
        if not isinstance(other, FusedState):
            msg = f"merge takes another suite of the same metrics, not {type(other).__name__}"
            raise TypeError(msg)
        if other.identity() != self.identity():
            msg = f"cannot merge {other!r} into {self!r}: metrics and parameters must be the same"
            raise ValueError(msg)
        if (self._split and self._split.group) is not (other._split and other._split.group):
            msg = f"cannot merge {other!r} into {self!r}: rows must be split over the same ranks"
            raise ValueError(msg)
        if self._split and other._split:
            self._split.extend(other._split)
        self.values = self.fusion.packing.merge(self.values, beside(self.values, other.values))
        self._groups.extend(other._groups)
        self._responses.extend(other._responses.numbers)
        self._seen = self._seen or other._seen
        self._total = None
        return self

    def to(self, device: torch.device | str) -> Self:
        """Move the state to a device; return the suite itself."""
        self.values = self.values.to(device)
        self._groups.to(device)
        return self

    def state_dict(self) -> dict[str, Any]:
        """Return a copy of what this process has seen as plain data and tensors, for ``torch.save``."""
        saved = {**self.identity(), "values": self.values.clone(), "responses": [*self._responses.numbers]}
        return {**saved, "groups": self._groups.pairs.clone()} if self.fusion.groups else saved

    def load_state_dict(self, data: Mapping[str, Any]) -> None:
        """Take over what :meth:`state_dict` returned.

        Raises:
            ValueError: The data belongs to other metrics, other parameters or another layout, or is no saved state.
        """
        for what, value in self.identity().items():
            if data.get(what) != value:
                msg = f"{self._title}: the saved state has {'other' if what in data else 'no'} {what}"
                raise ValueError(msg)
        values = data.get("values")
        if not isinstance(values, Tensor) or values.shape != self.values.shape:
            got = f"shape {list(values.shape)}" if isinstance(values, Tensor) else type(values).__name__
            msg = f"{self._title}: expected {self.values.numel()} saved numbers, got {got}"
            raise ValueError(msg)
        groups, responses = GroupsSeen(), ResponsesSeen(self.fusion)
        groups.load(data.get("groups"))
        responses.extend(data.get("responses", responses.numbers))
        self.reset()
        self.values = values.to(self.values).clone()
        self._groups, self._responses = groups, responses
        self._seen = True

    def __getstate__(self) -> dict[str, Any]:
        if self._split is not None:
            msg = f"{self._title}: cannot copy or pickle while rows are split over ranks; save state_dict()"
            raise TypeError(msg)
        return self._kept()

    def _kept(self) -> dict[str, Any]:
        kept = ("parameters", "ids_restart", "values", "_groups", "_responses", "_seen", "_total")
        return {name: getattr(self, name) for name in kept}

    def __setstate__(self, data: dict[str, Any]) -> None:
        for name, value in data.items():
            setattr(self, name, value)
        self._start()

    def __repr__(self) -> str:
        return f"{self._title}({len(self.metrics)} metrics, {self.parameters}, {self.values.numel()} numbers)"

    @property
    def _title(self) -> str:
        return type(self).__name__

    def identity(self) -> dict[str, Any]:
        """Return what two suites must share before their states can be put together: plain data."""
        slots = [(slot.name, slot.kind) for slot in self.fusion.packing.slots]
        mine = {"metrics": list(self.metrics), "parameters": dict(self.parameters), "slots": slots}
        return {**mine, "ids_restart": self.ids_restart} if self.fusion.groups else mine

    def _start(self) -> None:
        """Set what belongs to this process alone: no rows are split."""
        self._split = None
