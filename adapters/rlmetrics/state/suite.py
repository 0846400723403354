"""Fused metrics: one update, one state, one copy to the host and one collective, however many metrics there are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import torch
import torch.distributed as dist
from torch import Tensor

from .checks import Vocabulary, check_inputs, dims
from .histogram import Histogram
from .layout import Layout
from .packing import Pack, Packing, Plan
from .slots import beside

if TYPE_CHECKING:
    from typing_extensions import Self

    from .registry import Number

__all__ = ["Fusion", "Suite"]

_REMEMBERED = 1024
"""How many combinations of dtypes and shapes a suite remembers as right."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Fusion:
    """Several metrics as one pair of functions.

    Attributes:
        metrics: The names of the results.
        inputs: For each input its axes and its kind of dtype, in the order of the metrics.
        blocks: For each set of optional inputs that metrics need together, the inputs. An input that stands in none
            of them is needed in every update.
        parameters: The keyword arguments with their defaults; None where there is none.
        packing: The state.
        update: Takes what lays the values of slots out, all inputs, None for those that are missing, and the
            parameters; returns the packed float64 state of this one batch.
        results: Takes the numbers of a state and the parameters named in ``results_parameters``; returns the results.
        results_parameters: The parameters that results depend on.
        histograms: For each result that is a distribution its slot, and the slot that counts the updates that gave its
            inputs, None where every update does.
    """

    metrics: tuple[str, ...]
    inputs: Vocabulary
    blocks: tuple[tuple[str, ...], ...]
    parameters: Mapping[str, Number | None]
    packing: Packing
    update: Callable[..., Tensor]
    results: Callable[..., dict[str, float]]
    results_parameters: tuple[str, ...] = ()
    histograms: Mapping[str, tuple[str, str | None]] = field(default_factory=dict)

    @property
    def optional(self) -> tuple[str, ...]:
        """The inputs that an update may lack."""
        return tuple(name for name in self.inputs if any(name in block for block in self.blocks))


class Suite:
    """Metrics that are updated, merged, synchronised and computed together.

    All state is one flat float64 tensor. :meth:`update` never waits for the device, :meth:`compute` copies to the host
    once, and :meth:`sync` needs one collective. Updates may hold any number of whole responses (and, for metrics of
    groups, whole groups); the result is that over all of them together, not a mean of means.

    An optional input may be left out, or be None: the metrics that need it then skip that update, and are left out of
    the results if no update gave it. It may come in some updates and not in others.

    Attributes:
        parameters: Keyword arguments of the metrics, defaults filled in.
        values: The packed state of what this process has seen, float64 ``[W]``.
    """

    fusion: ClassVar[Fusion]

    def __init__(self, parameters: Mapping[str, Number | None], device: torch.device | str | None = None) -> None:
        """Start with a state that has seen nothing; subclasses say which parameters there are.

        Args:
            parameters: A value for each parameter of the metrics.
            device: Where the state lives; it follows its first update if left out.

        Raises:
            TypeError: A parameter has no value.
        """
        for name, value in parameters.items():
            if value is None:
                msg = f"{self._title}: missing parameter {name!r}"
                raise TypeError(msg)
        self.parameters: dict[str, Number | None] = dict(parameters)
        self.values = self.fusion.packing.initial(device)
        self._seen = False
        self._total: Tensor | None = None
        self._start()

    @property
    def metrics(self) -> tuple[str, ...]:
        """The names of the results."""
        return self.fusion.metrics

    def update(self, **tensors: Tensor | None) -> Self:
        """Add a batch without waiting for the device; return the suite itself.

        Args:
            tensors: The inputs by name; an optional one may be None or left out.

        Raises:
            TypeError: An input is missing, unknown, no tensor, of another dtype, or of no use without another one.
            ValueError: An input has another number of axes, or two inputs disagree about the size of an axis.
        """
        given = {name: tensor for name, tensor in tensors.items() if tensor is not None}
        pack = self._check(given)
        fusion = self.fusion
        if self._compiled:
            given = {name: _fast_to_compare(tensor) for name, tensor in given.items()}
        with self._quickly():
            batch = self._reduce(pack, **{name: given.get(name) for name in fusion.inputs}, **self.parameters)
            if self._seen:
                batch = fusion.packing.merge(beside(batch, self.values), batch)
        # What inference mode made could be used nowhere else.
        self.values = batch.clone()
        self._seen = True
        self._total = None
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

    def sync(self, group: dist.ProcessGroup | None = None) -> Self:
        """Let :meth:`compute` speak for all ranks, with one all-gather; return the suite itself.

        Every rank of the group must call it, also one that has seen nothing. The states are merged in the order of the
        ranks on each of them, so the results are the same bits everywhere and in every run. What this process has seen
        stays apart: it can be updated and synchronised again, and the next update ends the effect of this call.
        Without an initialised process group there is nothing to do.

        Args:
            group: The process group; the default group if left out.

        Raises:
            ValueError: This process does not belong to the group.
        """
        if not (dist.is_available() and dist.is_initialized()):
            return self
        ranks = dist.get_world_size(group)
        if ranks < 1:
            msg = f"{self._title}: this process does not belong to the group"
            raise ValueError(msg)
        mine = self.values.to(_collective_device(self.values.device, group))
        states = mine.new_empty(ranks * mine.numel())
        _all_gather(states, mine.contiguous(), group=group)
        self._total = self.fusion.packing.merge_all(states.view(ranks, -1))
        return self

    def compute(self) -> dict[str, float]:
        """Return the metrics over everything seen since the last reset, with one copy from device to host.

        Returns:
            Each metric's value by its name; a metric whose optional inputs no update gave is left out, and so is one
            that is to be omitted where its population is empty. Other metrics over nothing are NaN or 0 as their
            definitions say.
        """
        state = self.values if self._total is None else self._total
        fusion = self.fusion
        needed = {name: self.parameters[name] for name in fusion.results_parameters}
        results = fusion.results(state.tolist(), **needed)
        return {name: results[name] for name in fusion.metrics if name in results}

    def histograms(self) -> dict[str, Histogram]:
        """Return the distributions over everything seen since the last reset, with one copy from device to host.

        Returns:
            Each distribution by its name; one whose optional inputs no update gave is left out. :meth:`compute` returns
            the numbers.
        """
        packing = self.fusion.packing
        state = (self.values if self._total is None else self._total).tolist()
        places = {slot.name: (slot, state[place]) for slot, place in Layout(packing.slots)}
        return {
            name: Histogram.of(*places[slot])
            for name, (slot, updates) in self.fusion.histograms.items()
            if updates is None or places[updates][1][0] > 0
        }

    def reset(self) -> Self:
        """Forget everything; return the suite itself."""
        self.values = self.fusion.packing.initial(self.values.device)
        self._seen = False
        self._total = None
        return self

    def merge(self, other: Suite) -> Self:
        """Add what another suite of the same metrics has seen, as if it came afterwards; return the suite itself.

        Raises:
            ValueError: The other suite has other metrics or other parameters.
        """
        if (other.metrics, other.parameters) != (self.metrics, self.parameters):
            msg = f"cannot merge {other!r} into {self!r}: metrics and parameters must be the same"
            raise ValueError(msg)
        self.values = self.fusion.packing.merge(self.values, beside(self.values, other.values))
        self._seen = self._seen or other._seen
        self._total = None
        return self

    def to(self, device: torch.device | str) -> Self:
        """Move the state to a device; return the suite itself."""
        self.values = self.values.to(device)
        if self._total is not None:
            self._total = self._total.to(device)
        return self

    def state_dict(self) -> dict[str, Any]:
        """Return a copy of what this process has seen as plain data and one tensor, for ``torch.save``."""
        return {
            "metrics": list(self.metrics),
            "parameters": dict(self.parameters),
            "slots": self._slots(),
            "values": self.values.clone(),
        }

    def load_state_dict(self, data: Mapping[str, Any]) -> None:
        """Take over what :meth:`state_dict` returned.

        Raises:
            ValueError: The data belongs to other metrics, other parameters or another layout, or is no saved state.
        """
        mine = {"metrics": list(self.metrics), "parameters": self.parameters, "slots": self._slots()}
        for what, value in mine.items():
            if data.get(what) != value:
                msg = f"{self._title}: the saved state has {'other' if what in data else 'no'} {what}"
                raise ValueError(msg)
        values = data.get("values")
        if not isinstance(values, Tensor) or values.shape != self.values.shape:
            got = f"shape {list(values.shape)}" if isinstance(values, Tensor) else type(values).__name__
            msg = f"{self._title}: expected {self.values.numel()} saved numbers, got {got}"
            raise ValueError(msg)
        self.values = values.to(self.values).clone()
        self._seen = True
        self._total = None

    def __getstate__(self) -> dict[str, Any]:
        return {"parameters": self.parameters, "values": self.values, "seen": self._seen, "total": self._total}

    def __setstate__(self, data: dict[str, Any]) -> None:
        self.parameters = data["parameters"]
        self.values = data["values"]
        self._seen = data["seen"]
        self._total = data["total"]
        self._start()

    def __repr__(self) -> str:
        return f"{self._title}({len(self.metrics)} metrics, {self.parameters}, {self.values.numel()} numbers)"

    @property
    def _title(self) -> str:
        return type(self).__name__

    def _slots(self) -> list[tuple[str, str]]:
        return [(slot.name, slot.kind) for slot in self.fusion.packing.slots]

    def _start(self) -> None:
        """Set what belongs to this process alone: nothing is compiled, no inputs were checked."""
        self._reduce = self.fusion.update
        self._compiled = False
        self._plans: dict[object, Plan] = {}

    def _quickly(self) -> AbstractContextManager[object]:
        """Return what makes operations cost least: inference mode, which the compiler does not need."""
        return torch.no_grad() if self._compiled or torch.compiler.is_compiling() else torch.inference_mode()

    def _check(self, given: Mapping[str, Tensor]) -> Pack:
        """Check names, dtypes and shapes unless tensors like these were accepted before; return what lays slots out."""
        if torch.compiler.is_compiling():
            self._check_inputs(given)
            return self.fusion.packing.pack
        kinds: tuple[object, ...] = tuple([(name, *_kind_of(x)) for name, x in given.items()])
        ids = [id(x) for x in given.values()]
        if len(set(ids)) < len(ids):
            # What is given twice is reduced once, which holds only where the same inputs are one again.
            kinds += tuple(map(ids.index, ids))
        plan = self._plans.get(kinds)
        if plan is None:
            self._check_inputs(given)
            if len(self._plans) >= _REMEMBERED:
                self._plans.clear()
            plan = self._plans[kinds] = Plan(self.fusion.packing)
        return self.fusion.packing.pack if self._compiled else plan

    def _check_inputs(self, given: Mapping[str, Tensor]) -> None:
        self._check_names(frozenset(given))
        check_inputs(self.fusion.inputs, given)

    def _check_names(self, given: frozenset[str]) -> None:
        """Check that every needed input is there, and that every input is of use."""
        fusion = self.fusion
        for name in sorted(given - fusion.inputs.keys()):
            msg = f"{self._title}: unknown input {name!r}; it takes {', '.join(fusion.inputs)}"
            raise TypeError(msg)
        for name, (axes, dtype) in fusion.inputs.items():
            if name not in given and name not in fusion.optional:
                msg = f"{self._title}: missing input {name!r}, a {dtype} tensor {dims(axes)}"
                raise TypeError(msg)
        for name in fusion.optional:
            blocks = [block for block in fusion.blocks if name in block]
            if name in given and not any(given.issuperset(block) for block in blocks):
                missing = min(([other for other in block if other not in given] for block in blocks), key=len)
                msg = f"{self._title}: {name!r} is of no use without {_listed(missing)}"
                raise TypeError(msg)


def _kind_of(x: object) -> tuple[object, ...]:
    """Return what the checks look at."""
    return (x.dtype, x.shape, x.device) if isinstance(x, Tensor) else (type(x),)


def _fast_to_compare(x: Tensor) -> Tensor:
    """Return truth values of tokens on the CPU as integers: loops that the compiler makes read those twice as fast."""
    return x.to(torch.int32) if x.dtype == torch.bool and x.dim() > 1 and x.is_cpu else x


def _all_gather(states: Tensor, mine: Tensor, group: dist.ProcessGroup | None) -> None:
    # Newer releases of torch warn about the older name.
    gather = getattr(dist, "all_gather_single", None) or dist.all_gather_into_tensor
    gather(states, mine, group=group)


def _listed(names: Sequence[str]) -> str:
    return " and ".join(repr(name) for name in names)


def _collective_device(device: torch.device, group: dist.ProcessGroup | None) -> torch.device:
    """Return where a state must be for a collective: a rank that has seen nothing may have it on the CPU still."""
    if device.type == "cpu" and dist.get_backend(group) == dist.Backend.NCCL:
        return torch.device("cuda", torch.cuda.current_device())
    return device
