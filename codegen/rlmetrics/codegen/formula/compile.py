"""The entrance of the compiler: a formula in, source code, slots and notation out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from rlmetrics.state.slot_layout import Slot

from .declared import DeclaredInput, DeclaredParameter
from .formula_errors import FormulaError
from .lower import lower
from .nodes import Arena, Node, walk
from .notation import notation
from .operations import OPERATIONS, REDUCTIONS
from .slot_plan import Empty
from .type_check import Checker, Metrics

__all__ = ["Atom", "Compiled", "compile_formula"]

Atom = Literal["token", "sequence", "group", "batch"]


def _no_metrics(metric: str) -> tuple[str | None, Mapping[str, str]]:
    raise KeyError(metric)


@dataclass(frozen=True)
class Compiled:
    """A formula that was found right, and what was derived from it.

    The source lines use ``torch`` and ``ops`` (``from rlmetrics.state import ops``), and variables named like the
    inputs and parameters. A function that computes the metric at once is ``update_source`` followed by
    ``finalize_source``. A state runs ``update_source``, packs the variables named like the slots, merges, unpacks them
    and runs ``finalize_source``.

    Attributes:
        inputs: The inputs that are used, in the order in which they were declared.
        parameters: The parameters that are used, in the order in which they were declared.
        atom: What must not be cut when data is split, so that merged states equal the whole.
        kind: ``scalar``, or ``distribution`` for a histogram.
        slots: What the state keeps.
        update_source: Lines that assign each slot's variable: float64 ``[]``, or ``[width]`` for wide slots.
        finalize_source: Lines from slots to the result, the last of which returns it: float64 ``[]``, for a histogram
            its ``bins`` slot.
        result: The expression that the last line returns.
        empty_test: An expression over the slots (a boolean tensor), true where the population was empty; None where
            nothing depends on it, because no ``empty`` was declared or sums over nothing are zero anyway.
        omit: Whether the result is left out of a dict of results where ``empty_test`` holds.
    """

    inputs: tuple[str, ...]
    parameters: tuple[str, ...]
    atom: Atom
    kind: Literal["scalar", "distribution"]
    slots: tuple[Slot, ...]
    update_source: tuple[str, ...]
    finalize_source: tuple[str, ...]
    result: str
    empty_test: str | None
    omit: bool
    root: Node = field(repr=False)
    arena: Arena = field(repr=False)
    empty: Empty = None
    declared: Mapping[str, DeclaredInput] = field(default_factory=dict, repr=False)

    @property
    def mathml(self) -> str:
        """The formula as a ``math`` element."""
        written = notation(self.root, self.arena.names)
        return f'<math xmlns="http://www.w3.org/1998/Math/MathML" display="block">{written}</math>'


def compile_formula(
    formula: str,
    *,
    let: Mapping[str, str] | None = None,
    inputs: Mapping[str, DeclaredInput],
    parameters: Mapping[str, DeclaredParameter] | None = None,
    empty: Empty = None,
    metrics: Metrics = _no_metrics,
    nan: Literal["propagate", "skip"] = "propagate",
    metric: str | None = None,
) -> Compiled:
    """Check a formula and derive everything from it.

    Args:
        formula: The expression.
        let: Named sub-expressions, in order; each sees those before it.
        inputs: The declared inputs by name.
        parameters: The declared parameters by name.
        empty: The value over an empty population.
        metrics: Looks up the formula and the ``let`` of ``metric('id')``; raises ``KeyError`` for an unknown id.
        nan: ``skip`` leaves NaN out of every reduction to a scalar.
        metric: The id of the metric this is the formula of, so that it cannot insert itself.

    Raises:
        FormulaError: The first thing that is wrong.
    """
    parameters = parameters or {}
    arena = Arena()
    checker = Checker(arena, inputs, parameters, metrics, nan)
    try:
        root = checker.program(formula, let or {}, metric)
    except RecursionError:
        raise FormulaError("the formula is nested too deep", "name parts of it under `let`") from None
    lowered = lower(arena, {"": (root, empty)}, inputs, parameters)
    finalized = lowered.results[""]
    used = {node.value for node in walk([root]) if node.op == "parameter"}
    return Compiled(
        inputs=lowered.inputs,
        parameters=tuple(name for name in parameters if name in used),
        atom=_atom(root),
        kind="distribution" if root.op == "histogram" else "scalar",
        slots=lowered.slots,
        update_source=lowered.update_source,
        finalize_source=(*finalized.lines, f"return {finalized.result}"),
        result=finalized.result,
        empty_test=finalized.empty,
        omit=empty == "omit",
        root=root,
        arena=arena,
        empty=empty,
        declared=inputs,
    )


def _atom(root: Node) -> Atom:
    """Return the least that a split must keep whole, so that the merged parts equal the whole."""
    nodes = list(walk([root]))
    reduced = {node.args[0].extent for node in nodes if node.op in REDUCTIONS}
    # A scalar or a list belongs to an update as a whole.
    if reduced & {"scalar", "batch"}:
        return "batch"
    if "group" in reduced or any(node.op == "group_index" for node in nodes):
        return "group"
    # Tokens may be cut apart only where no sequence would then count twice.
    if "sequence" in reduced or any(OPERATIONS[node.op].family == "sequence" for node in nodes):
        return "sequence"
    return "token"
