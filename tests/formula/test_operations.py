"""The table of operations says what is so: each row against torch and against Python's arithmetic."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import pytest
import torch
from formula.test_formula_values import FORMULAS
from rlmetrics.codegen.formula import FUNCTIONS, OPERATIONS, Operation
from rlmetrics.state import host, ops, parts
from rlmetrics.state.kinds import KINDS

NUMBERS = (-math.inf, -2.5, -1.0, 0.0, 0.75, 1.0, 3.0, 800.0, math.inf, math.nan)
SINGLE = [row for row in OPERATIONS.values() if row.family == "elementwise" and row.name != "clamp"]
"""Functions of single elements that torch takes only tensors for."""

SQUARE = {"square": (2,)}


def on_tensors(row: Operation, *numbers: float) -> Any:
    """Return what torch computes."""
    function = eval(row.torch, {"torch": torch})
    return function(*(torch.tensor([number], dtype=torch.float64) for number in numbers)).item()


def on_host(row: Operation, *numbers: float) -> Any:
    """Return what generated code computes on the host."""
    names = {"host": host, "math": math}
    return eval(row.host, names)(*numbers, *SQUARE.get(row.name, ()))


@pytest.mark.parametrize("row", SINGLE, ids=lambda row: row.name)
def test_the_host_computes_as_torch_does(row: Operation) -> None:
    """On single numbers, infinite and NaN among them, the host's function gives what that of tensors gives."""
    for numbers in product(NUMBERS, repeat=len(row.arguments)):
        assert on_host(row, *numbers) == pytest.approx(on_tensors(row, *numbers), nan_ok=True), numbers


@pytest.mark.parametrize("row", SINGLE, ids=lambda row: row.name)
def test_nan_goes_through_where_the_row_says_so(row: Operation) -> None:
    """A strict operation is NaN wherever an operand is; one that is not gives a number, or may."""
    for numbers in product(NUMBERS, repeat=len(row.arguments)):
        if any(map(math.isnan, numbers)):
            assert row.strict == math.isnan(on_host(row, *numbers)), numbers


@pytest.mark.parametrize("row", [row for row in SINGLE if row.zero is not None], ids=lambda row: row.name)
def test_the_value_at_zero(row: Operation) -> None:
    """What a row says of zero is what torch computes there, as a whole number to the bit."""
    value = on_tensors(row, 0.0)
    assert row.zero == value if row.zero == int(row.zero or 0) else pytest.approx(row.zero) == value


@pytest.mark.parametrize("row", [row for row in SINGLE if row.finite], ids=lambda row: row.name)
def test_finite_wherever_the_operand_is(row: Operation) -> None:
    """No finite number, however large, makes such an operation infinite."""
    for number in (-1e308, -1.0, 0.0, 1.0, 1e308):
        assert math.isfinite(on_tensors(row, number))


@pytest.mark.parametrize(
    "row",
    [row for row in OPERATIONS.values() if row.python is not None and len(row.arguments) < 3 and row.infix != "**"],
    ids=lambda row: row.name,
)
def test_python_computes_as_torch_does(row: Operation) -> None:
    """What is computed while compiling is what tensors give, and the same with operands swapped where it says so."""
    assert row.python is not None
    logic = row.family == "logic"
    operands = 2 if row.infix or len(row.arguments) > 1 else 1
    for numbers in product((False, True) if logic else (-2.0, 0.5, 3.0), repeat=operands):
        tensors = {name: torch.tensor(number) for name, number in zip("xy", numbers, strict=False)}
        if row.infix or row.prefix:
            value = eval(f"x {row.infix} y" if row.infix else f"{row.prefix}x", {}, tensors)
        else:
            value = eval(row.torch, {"torch": torch})(*tensors.values())
        assert value.item() == pytest.approx(row.python(*numbers))
        if row.symmetric:
            assert row.python(*numbers) == row.python(*reversed(numbers))


def test_every_function_is_computed_by_a_test() -> None:
    """No function of the language is without a formula that both evaluators compute."""
    text = " ".join(FORMULAS)
    assert [name for name in FUNCTIONS if f"{name}(" not in text] == []


def test_slots_are_filled_by_functions_that_exist() -> None:
    """Each kind of slot has its function in ``ops``, and in ``parts`` if a suite can hold it."""
    for name, kind in KINDS.items():
        assert callable(getattr(ops, kind.fill))
        assert (name == "values") != hasattr(parts, kind.fill)


def test_results_call_functions_that_exist() -> None:
    """What a reduction's result calls is there for tensors and, unless a suite cannot hold it, on the host."""
    for row in OPERATIONS.values():
        name = row.result.removeprefix("{ops}.").partition("(")[0]
        if row.result.startswith("{ops}."):
            assert callable(getattr(ops, name)), row.name
            assert row.slot in ("values", "bins") or callable(getattr(host, name)), row.name
