"""Fused metrics: one update, one state, one copy to the host and one collective, however many metrics there are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, ClassVar

import torch
import torch.distributed as dist
from torch import Tensor

from .bounds import check_parameters
from .cuts import GroupsSeen, check_whole, numbers_of
from .fusion import Block, Fusion
from .given import check_given, fast_to_compare, kinds_of, named_inputs, wrong_name
from .histogram import Histogram
from .packing import Pack, PackingPlan
from .ranks import gather_states, owned, ranks_of
from .responses import ResponsesSeen
from .row_forms import are_plain, unpacked_rows
from .slot_layout import Layout
from .slots import beside
from .split import Split

if TYPE_CHECKING:
    from typing_extensions import Self

    from .function import Number

__all__ = ["Block", "Fusion", "Suite", "named_inputs"]

_REMEMBERED = 1024
"""How many combinations of dtypes and shapes a suite remembers as right."""


class Suite:
    """Metrics that are updated, merged, synchronised and computed together.

    All state is one flat float64 tensor. :meth:`update` does not wait for the device, :meth:`compute` copies to the
    host once, and :meth:`sync` needs one collective. The result is that over all updates together, not a mean of means.

    An update gives any of the inputs, and each metric is over the updates that gave all inputs it needs: rewards may
    come when a batch has been scored, and log-probabilities with every micro-batch. A metric that no update was for is
    left out of the results. What one update gives belongs together: its rows are the same responses, all of each, and,
    with ``group_ids``, all responses of each group. Group ids are those of prompts: an id in two updates, or on two
    ranks, is a group that was cut, and its metrics are refused. Anything else that comes twice counts twice.

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

    def update(self, *args: Any, **tensors: Any) -> Self:
        """Add a batch; return the suite itself.

        Args:
            args: Nothing: inputs are given by name.
            tensors: The inputs by name; what is None counts as left out. Tensors of tokens are padded ``[B, T]``,
                nested, or packed one response after the other as ``[N]`` or ``[1, N]`` with ``cu_seqlens`` or
                ``position_ids``; see :func:`rlmetrics.state.unpack`. Only packed and nested tensors that do not lie on
                the host make this wait for the device.

        Raises:
            TypeError: An input is unknown, no tensor, of another dtype, or of no use without another one; or nothing is
                given.
            ValueError: An input has another number of axes, or two inputs disagree about the size of an axis.
        """
        self._check_names(args, tensors)
        return self._add(tensors)

    def _add(self, tensors: Mapping[str, Tensor | None]) -> Self:
        fusion = self.fusion
        given = {name: tensor for name, tensor in tensors.items() if tensor is not None}
        if not given:
            raise self._refused(given, f"expected at least one of {', '.join(fusion.inputs)}, got none")
        marked = not are_plain(given)
        with torch.no_grad():
            if self._split is not None:
                given = self._split.rows(given)
            elif marked:
                given = unpacked_rows(self._title, fusion, given)
        if not given:
            return self
        pack = self._check(given)
        ids = given.get("group_ids") if fusion.groups else None
        if self._compiled:
            given = {name: fast_to_compare(tensor) for name, tensor in given.items()}
        with self._quickly():
            batch = self._reduce(pack, **{name: given.get(name) for name in fusion.inputs}, **self.parameters)
            if self._seen:
                batch = fusion.packing.merge(beside(batch, self.values), batch)
        # What inference mode made could be used nowhere else.
        self.values = batch.clone()
        self._seen = True
        self._total = None
        if ids is not None and not self.ids_restart:
            self._groups.add(ids)
        if not torch.compiler.is_compiling():
            self._responses.add(given, marked=marked)
        return self

    def compile(self, **options: Any) -> Self:
        """Let ``torch.compile`` make a few kernels of what an update computes; return the suite itself.

        The first update of each set of inputs then takes seconds, later ones a fraction of what they took. Checks stay
        outside, so no suite uses up the recompilations of another. A suite that is pickled comes back uncompiled.

        Args:
            options: Keyword arguments of ``torch.compile`` besides ``fullgraph``, which is on.
        """
        self._reduce = torch.compile(self.fusion.update, fullgraph=True, **options)
        self._compiled = True
        return self

    def split_over(self, group: dist.ProcessGroup | None) -> Self:
        """Say that each row is split over the ranks of a group, as sequence and context parallelism do it.

        Every rank of the group then gives its part ``[B, T / ranks]`` of the tokens, in the order of the ranks, and all
        inputs without tokens, in the same updates. Metrics of single tokens are added where they are; for others the
        parts are brought together, and the first rank of the group adds them. Results are those of all ranks, after
        :meth:`sync` over the ranks of all such groups.

        A rank that gives other inputs than the others is an error on all of them, in that update or in :meth:`sync`.

        Args:
            group: The process group; None says that rows are whole.

        Raises:
            ValueError: There is no process group, this process does not belong to it, or there were updates already.
        """
        if group is not (self._split and self._split.group):
            if self._seen:
                msg = f"{self._title}: expected split_over before the first update, or after reset()"
                raise ValueError(msg)
            self._split = None if group is None else Split(self._title, self.fusion, group)
        return self

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

    def merge(self, other: Suite) -> Self:
        """Add what another suite of the same metrics has seen, as if it came afterwards; return the suite itself.

        Raises:
            ValueError: The other suite has other metrics or other parameters, or rows split over other ranks.
        """
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
        """Set what belongs to this process alone: nothing is compiled or split, no inputs were checked."""
        self._reduce = self.fusion.update
        self._compiled = False
        self._split = None
        self._plans: dict[object, PackingPlan] = {}

    def _quickly(self) -> AbstractContextManager[object]:
        """Return what makes operations cost least: inference mode, which the compiler does not need."""
        return torch.no_grad() if self._compiled or torch.compiler.is_compiling() else torch.inference_mode()

    def _check(self, given: Mapping[str, Tensor]) -> Pack:
        """Check dtypes and shapes unless tensors like these were accepted before; return what lays slots out."""
        if torch.compiler.is_compiling():
            check_given(self._title, self.fusion, given)
            return self.fusion.packing.pack
        kinds = kinds_of(given)
        plan = self._plans.get(kinds)
        if plan is None:
            check_given(self._title, self.fusion, given)
            if len(self._plans) >= _REMEMBERED:
                self._plans.clear()
            plan = self._plans[kinds] = PackingPlan(self.fusion.packing)
        return self.fusion.packing.pack if self._compiled else plan

    def _check_names(self, args: Sequence[object], tensors: Mapping[str, object]) -> None:
        """Check that inputs come by name, and that there are such inputs."""
        if wrong := wrong_name(self.fusion, args, tensors):
            raise self._refused(tensors, wrong)

    def _refused(self, tensors: Mapping[str, object], wrong: str) -> TypeError:
        """Return what is wrong with inputs as an error, after telling the ranks that rows are split over."""
        if self._split is not None:
            self._split.refuse({name: x for name, x in tensors.items() if x is not None})
        return TypeError(f"{self._title}: {wrong}")
