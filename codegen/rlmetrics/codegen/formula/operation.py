"""What there is to say about an operation of formulas."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from rlmetrics.state.kinds import SlotKind

from .box_shapes import Shape
from .nodes import DType, Extent

__all__ = ["Family", "Operation"]

Family = Literal[
    "leaf", "inner", "arithmetic", "comparison", "logic", "elementwise", "choice", "broadcast", "vocab", "sequence",
    "group", "reduction",
]  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Operation:
    """One operation.

    Attributes:
        name: What nodes call it, and formulas if it is a function.
        family: How its operands are checked, and over what it goes.
        brief: What it computes, for a function of the language; empty for operators and what only the compiler makes.
        arguments: Its positional arguments.
        keywords: Its optional keyword arguments.
        required: Its keyword arguments that must be given.
        takes: Over what its operands may vary, where that is not left to the operands.
        extent: Over what its value varies, where that is not left to the operands.
        of: The dtype of what it reduces.
        dtype: The dtype of its value.
        infix: Its operator between two operands, in formulas and in Python.
        prefix: Its operator before one operand.
        torch: The function that computes it on tensors.
        rows: The function that computes it on rows of the vocabulary.
        host: The function that computes it on Python numbers, where generated code does not do it as on tensors.
        python: The same on Python numbers while compiling.
        raises: Whether Python raises where torch gives infinity or NaN, so that generated code needs a tensor.
        shape: How it looks as mathematics; None where more than the operands decides.
        sign: The big operator of a reduction.
        hidden: Whether mathematics shows its operand only.
        called: What a variable with its value is called; braces stand for the name of the operand.
        strict: Whether NaN in an operand makes it NaN.
        zero: Its value where the operand is 0, if that is known.
        finite: Whether it is finite wherever its operand is.
        symmetric: Whether the order of two operands does not matter.
        slot: What a state keeps for a reduction.
        result: The expression of a reduction's result, over ``ops``, ``slot``, ``size`` and ``value``.
        empty: What a reduction over nothing gives by itself.
    """

    name: str
    family: Family
    brief: str = ""
    arguments: tuple[str, ...] = ("x",)
    keywords: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    takes: tuple[Extent, ...] = ()
    extent: Extent | None = None
    of: Literal["number", "condition", "either"] = "number"
    dtype: DType = "float"
    infix: str = ""
    prefix: str = ""
    torch: str = ""
    rows: str = ""
    host: str = ""
    python: Callable[..., Any] | None = None
    raises: bool = False
    shape: Shape | None = None
    sign: str = ""
    hidden: bool = False
    called: str = ""
    strict: bool = False
    zero: float | None = None
    finite: bool = False
    symmetric: bool = False
    slot: SlotKind | None = None
    result: str = ""
    empty: Literal[0, "nan"] = "nan"

    @property
    def usage(self) -> str:
        """How a call looks."""
        words = [*self.arguments, *(f"{keyword}=…" for keyword in (*self.required, *self.keywords))]
        return f"{self.name}({', '.join(words)})"

    @property
    def statistic(self) -> str:
        """What it computes of a population, whatever it goes over: ``mean`` for ``seq_mean``."""
        return self.name.removeprefix("seq_").removeprefix("group_")
