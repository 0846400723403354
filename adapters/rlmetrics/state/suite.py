"""Fused metrics: one update, one state, one copy to the host and one collective, however many metrics there are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist
from torch import Tensor

from .fused_state import FusedState
from .fusion import Block, Fusion
from .given import check_given, fast_to_compare, kinds_of, named_inputs, wrong_name
from .packing import Pack, PackingPlan
from .row_forms import are_plain, unpacked_rows
from .slots import beside
from .split import Split

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Block", "Fusion", "Suite", "named_inputs"]

_REMEMBERED = 1024
"""How many combinations of dtypes and shapes a suite remembers as right."""


class Suite(FusedState):
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

    def _start(self) -> None:
        """Set what belongs to this process alone: nothing is compiled or split, no inputs were checked."""
        super()._start()
        self._reduce = self.fusion.update
        self._compiled = False
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
