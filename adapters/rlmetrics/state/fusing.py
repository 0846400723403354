"""Suites of any metrics, fused at run time by the compiler that made the metrics' own functions."""

from __future__ import annotations

import linecache
import math
import textwrap
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from . import host, means, ops, parts
from .bounds import check_parameters
from .function import Number, registered
from .input_checks import Dtype
from .packing import Packing
from .registry import MetricFunction
from .slot_layout import Slot, width
from .suite import Block, Fusion, Suite, named_inputs

if TYPE_CHECKING:
    from typing_extensions import Self

    from rlmetrics.codegen.formula import Compiled, Fused
    from rlmetrics.codegen.formula.declared import Domain

__all__ = ["FusedSuite", "fuse_metrics", "make_suite"]

_Choice = tuple[tuple[str, tuple[tuple[str, Number], ...]], ...]
"""Metrics with the parameters that were given for each."""


class FusedSuite(Suite):
    """A suite of metrics that were chosen at run time; :func:`make_suite` makes one."""

    def __init__(self, choice: _Choice, device: torch.device | str | None = None, *, ids_restart: bool = False) -> None:
        """Fuse the metrics, unless that was done before in this process."""
        self._choice = choice
        self.fusion = _fusion(choice)  # type: ignore[misc]
        super().__init__(self.fusion.parameters, device, ids_restart=ids_restart)

    @named_inputs
    def update(self, **tensors: Tensor | None) -> Self:
        """Add a batch, as :meth:`Suite.update` says."""
        return self._add(tensors)

    def _kept(self) -> dict[str, Any]:
        return {**super()._kept(), "_choice": self._choice}

    def __setstate__(self, data: dict[str, Any]) -> None:
        self.fusion = _fusion(data["_choice"])  # type: ignore[misc]
        super().__setstate__(data)


def make_suite(
    metrics: Sequence[str] | Mapping[str, Mapping[str, Number]],
    *,
    optional: Collection[str] | None = None,
    device: torch.device | str | None = None,
    ids_restart: bool = False,
    **parameters: Number,
) -> FusedSuite:
    """Fuse metrics of your choice into one suite.

    Their formulas are compiled together (milliseconds, once per choice and process), so that what several of them need
    is computed once.

    Args:
        metrics: Keys of ``rlmetrics.functional.REGISTRY``: ids, ``id@variant``, or aliases. A mapping gives each metric
            parameters of its own.
        optional: Deprecated and without effect: an update may lack any input, and metrics that need it skip it.
        device: Where the state lives; it follows its first update if left out.
        ids_restart: Whether group ids start anew in every update, so that equal ids of two updates are two groups.
        parameters: Parameters such as ``clip_low``, for every metric that has one of that name.

    Raises:
        KeyError: There is no metric of that name.
        TypeError: A parameter that no metric has, or one without a default and without a value; a single name.
        ValueError: A metric over groups has no formula, or one keeps every value; there are no metrics, or one stands
            twice.

    Example:
        >>> suite = make_suite(["policy/clip_fraction", "kl/old/k3"], clip_low=0.1)
        >>> suite.update(logprobs=logprobs, old_logprobs=old_logprobs, advantages=advantages, mask=mask)
        >>> suite.compute()["kl/old/k3"]
    """
    if isinstance(metrics, str):
        msg = f"make_suite: expected a list of metrics or a mapping, got the string {metrics!r}"
        raise TypeError(msg)
    given = metrics if isinstance(metrics, Mapping) else {name: {} for name in metrics}
    index = import_module("rlmetrics.functional").REGISTRY
    # An alias stands for its metric, under whose id the number is given back.
    own = {name if name in index else registered(name).id: values for name, values in given.items()}
    if len(own) != len(metrics) or not own:
        msg = "make_suite: a metric stands twice in the list" if own else "make_suite: there are no metrics"
        raise ValueError(msg)
    entries = {name: registered(name) for name in own}
    choice = tuple((name, _chosen(entries[name], own[name], parameters)) for name in own)
    unknown = sorted(parameters.keys() - {name for entry in entries.values() for name in entry.parameters})
    if unknown:
        msg = f"make_suite: no metric has a parameter {unknown[0]!r}"
        raise TypeError(msg)
    if optional is not None:
        msg = "make_suite: optional is deprecated and without effect, because an update may lack any input"
        warnings.warn(msg, DeprecationWarning, stacklevel=2)
    return FusedSuite(choice, device, ids_restart=ids_restart)


def _chosen(
    metric: MetricFunction, own: Mapping[str, Number], shared: Mapping[str, Number]
) -> tuple[tuple[str, Number], ...]:
    """Return all parameters of a metric with their values."""
    if metric.keeps_values or (not metric.formula and metric.atom == "group"):
        other = "keeps every value, so its state grows and it" if metric.keeps_values else "is written by hand, so it"
        msg = f"{metric.id} {other} cannot be part of a suite; keep its own state beside it"
        raise ValueError(msg)
    for name in own:
        if name not in metric.parameters:
            msg = f"{metric.id}: unknown parameter {name!r}; it takes {', '.join(metric.parameters) or 'none'}"
            raise TypeError(msg)
    values = {name: own.get(name, shared.get(name, default)) for name, default in metric.parameters.items()}
    chosen = []
    for name, value in values.items():
        if value is None:
            msg = f"{metric.id}: missing parameter {name!r}"
            raise TypeError(msg)
        chosen.append((name, value))
    check_parameters(metric.id, dict(chosen))
    return tuple(chosen)


@lru_cache(maxsize=64)
def _fusion(choice: _Choice) -> Fusion:
    return fuse_metrics({name: (registered(name), dict(chosen)) for name, chosen in choice})


def fuse_metrics(metrics: Mapping[str, tuple[MetricFunction, Mapping[str, Number]]]) -> Fusion:
    """Fuse metrics that have a formula, or are the mean over updates of a hand-written function.

    Args:
        metrics: For the name of each result the metric and all its parameters.
    """
    from rlmetrics.codegen.formula import fuse

    compiled = {name: _compiled(metric) for name, (metric, _) in metrics.items()}
    renamed, parameters = _shared({name: values for name, (_, values) in metrics.items()})
    fused = fuse(compiled, renamed, {name for metric, _ in metrics.values() for name, _, _ in metric.inputs})
    dtypes: dict[str, Dtype] = {name: dtype for metric, _ in metrics.values() for name, _, dtype in metric.inputs}
    by_hand = {metric.id: _by_position(metric) for metric, _ in metrics.values() if not metric.formula}
    functions = _defined(fused, parameters, ", ".join(metrics), by_hand)
    return Fusion(
        metrics=tuple(metrics),
        inputs={name: (axes, dtypes[name]) for name, axes in fused.inputs.items()},
        blocks=tuple(Block(block.inputs, block.atom, block.over_padding) for block in fused.blocks),
        parameters=parameters,
        packing=Packing(fused.slots),
        update=functions["update"],
        results=functions["results"],
        results_parameters=tuple(parameters),
        histograms=fused.histograms,
    )


def _compiled(metric: MetricFunction) -> Compiled:
    from rlmetrics.codegen.formula import AXES_OF, PlainInput, PlainParameter, compile_formula, written

    domains: dict[tuple[str, ...], Domain] = {axes: domain for domain, axes in AXES_OF.items()}
    inputs = {name: PlainInput(domains[axes], dtype) for name, axes, dtype in metric.inputs}
    if not metric.formula:
        return written(metric.id, inputs, metric.parameters, metric.empty)

    def formula_of(other: str) -> tuple[str | None, Mapping[str, str]]:
        metric = registered(other)
        return metric.formula or None, metric.let

    return compile_formula(
        metric.formula,
        let=metric.let,
        inputs=inputs,
        parameters={name: PlainParameter(default) for name, default in metric.parameters.items()},
        empty=metric.empty,
        metrics=formula_of,
        nan=metric.nan,
        metric=metric.id.partition("@")[0],
    )


def _by_position(metric: MetricFunction) -> Callable[..., Tensor]:
    """Return a function that takes inputs and parameters in their order."""
    names = [*(name for name, _, _ in metric.inputs), *metric.parameters]
    return lambda *given: metric.function(**dict(zip(names, given, strict=True)))


def _shared(values: Mapping[str, Mapping[str, Number]]) -> tuple[dict[str, dict[str, str]], dict[str, Number | None]]:
    """Return for each metric what its parameters are called in fused code, where equal ones share a name."""
    renamed: dict[str, dict[str, str]] = {}
    parameters: dict[str, Number | None] = {}
    for metric, own in values.items():
        renamed[metric] = {}
        for name, value in own.items():
            shared, number = name, 1
            while shared in parameters and (type(parameters[shared]), parameters[shared]) != (type(value), value):
                number += 1
                shared = f"{name}_{number}"
            parameters[shared] = value
            renamed[metric][name] = shared
    return renamed, parameters


def _defined(
    fused: Fused, parameters: Collection[str], title: str, by_hand: Mapping[str, Callable[..., Tensor]]
) -> dict[str, Any]:
    """Return the functions ``update`` and ``results`` of fused formulas."""
    keywords = "".join(f", {name}" for name in parameters)
    packed = f"return pack([{', '.join(slot.name for slot in fused.slots)}], {fused.like})"
    source = (
        f"def update({', '.join(['pack', *fused.inputs])}{keywords}):\n{_body([*fused.update_source, packed])}\n\n"
        f"def results(state{keywords}):\n{_body([*_unpacked(fused.slots), *fused.results_source])}\n"
    )
    names: dict[str, Any] = {"torch": torch, "Tensor": Tensor, "ops": ops, "parts": parts, "host": host}
    names |= {"math": math, "means": means, "written": by_hand}
    # A name of its own in linecache, so that tracebacks and torch.compile can show the source.
    file = f"<rlmetrics suite of {title} {hash(source):x}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    exec(compile(source, file, "exec"), names)
    return names


def _body(lines: Sequence[str]) -> str:
    return textwrap.indent("\n".join(lines), "    ")


def _unpacked(slots: Sequence[Slot]) -> list[str]:
    """Return lines that give every slot's name its numbers."""
    start = 0
    lines = []
    for slot in slots:
        stop = start + width(slot)
        lines.append(f"{slot.name} = state[{f'{start}:{stop}' if stop > start + 1 else start}]")
        start = stop
    return lines
