"""Small faults planted in generated functions: one change of one place each, by kind."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations

KINDS = (
    "mask dropped",
    "sign flipped",
    "ddof changed",
    "shifted by one",
    "inputs swapped",
    "sum for mean",
    "comparison flipped",
    "boundary moved",
    "constant changed",
)


_MASKED = re.compile(r"ops\.masked\((.+), mask\)")


@dataclass(frozen=True)
class Mutant:
    """A function's source with one fault.

    Attributes:
        kind: The kind of fault.
        line: The changed line as it was.
        change: What was put where.
        source: The source of all functions of the metric, changed.
    """

    kind: str
    line: str
    change: str
    source: str


@dataclass(frozen=True)
class _Edit:
    kind: str
    node: ast.expr
    text: str


def mutants(
    source: str, entrance: str, token_inputs: list[str], names: list[str], guarded: bool = False
) -> Iterator[Mutant]:
    """Yield every mutant of a metric's functions.

    A mask guards twice: at the entrance, where padding becomes zero, and in each reduction. One of the two can be
    missing without any effect on the value, so a mask is dropped from a reduction together with the entrance's, and
    from the whole entrance only where an exponential would bring garbage back in the gradient.

    Args:
        source: The source of all functions that compute the metric.
        entrance: The function among them that takes the inputs.
        token_inputs: Names of inputs that have a token axis and hold numbers.
        names: Names of all inputs.
        guarded: Whether the mask must keep gradients clean.
    """
    tree = ast.parse(source)
    lines = source.splitlines(keepends=True)
    seen = set()
    for edit in _edits(tree):
        mutant = _apply(lines, edit)
        if mutant.source not in seen:
            seen.add(mutant.source)
            yield mutant
    if guarded and "torch.exp(" in source and "ops.masked(" in source:
        yield Mutant("mask dropped", "(entrance)", "padding stays as it is", _without_entrance(source))
    update = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == entrance)
    yield from _shifts(update, lines, token_inputs)
    yield from _swaps(update, lines, names)


def first_line(function: ast.FunctionDef) -> int:
    """Return where a function begins, with its decorators."""
    return min([function.lineno, *(node.lineno for node in function.decorator_list)])


def why_equal(kind: str, line: str, change: str) -> str:
    """Return why a fault of this sort may leave every result as it is."""
    if change == "padding stays as it is":
        return (
            "every exponential meets numbers that are reduced or clamped, so padding stays harmless until it is masked"
        )
    if kind == "mask dropped":
        return "what is added up is zero outside the mask already"
    if "inputs[0]" in line or "members[0]" in line:
        return "all inputs have one length and lie on one device"
    if "state[" in line:
        return "both slots of the state hold the same count"
    if kind == "shifted by one":
        return "all positions are added up, in whatever order"
    if kind == "inputs swapped":
        return "the formula treats both alike"
    if kind == "boundary moved":
        return "both sides give the same on the boundary"
    if "clamp(" in line:
        return "beyond the bound nothing is left that the result could show"
    return "the other terms decide wherever this one differs"


def _edits(tree: ast.Module) -> Iterator[_Edit]:
    for function in tree.body:
        assert isinstance(function, ast.FunctionDef)
        for default in function.args.kw_defaults:
            if isinstance(default, ast.Constant) and isinstance(default.value, int | float):
                yield _Edit("constant changed", default, _other(default.value))
        # A longer slice of all that there is would be the same slice.
        ends = {id(node.upper) for node in ast.walk(function) if isinstance(node, ast.Slice)}
        results = [
            argument for one in function.decorator_list if isinstance(one, ast.Call) for argument in one.args[1:]
        ]
        yield from (edit for node in results for edit in _result(node))
        for statement in function.body:
            for node in ast.walk(statement):
                if id(node) in ends:
                    continue
                for edits in _OF_NODE.get(type(node), ()):
                    yield from edits(node)


def _result(node: ast.expr) -> Iterator[_Edit]:
    """Yield edits of the way from a state to the result that a decorator names."""
    if ast.unparse(node) == "results.ratio":
        yield _Edit("sum for mean", node, "lambda state: state[0]")
    if isinstance(node, ast.Call) and isinstance(node.args[0], ast.Constant):
        value = node.args[0].value
        if ast.unparse(node.func) in ("results.variance", "results.deviation"):
            yield _Edit("ddof changed", node.args[0], "0" if value else "1")
        else:
            yield from _constant(node.args[0])


def _call(node: ast.AST) -> Iterator[_Edit]:
    assert isinstance(node, ast.Call)
    function = ast.unparse(node.func)
    if function in ("check", "ops.masked") or function.startswith("_"):
        return
    without = [argument for argument in node.args if ast.unparse(argument) != "mask"]
    if 0 < len(without) < len(node.args) and function != "ops.per_token":
        yield _Edit("mask dropped", node, _called(function, without, node.keywords))
    if ast.unparse(node) == "mask.to(torch.bool)":
        yield _Edit("mask dropped", node, "torch.ones_like(mask, dtype=torch.bool)")
    if function == "ops.count" and [ast.unparse(argument) for argument in node.args] == ["mask"]:
        yield _Edit("mask dropped", node, "ops.number_of(mask)")
    for keyword in node.keywords:
        rest = [other for other in node.keywords if other is not keyword]
        if keyword.arg == "mask":
            yield _Edit("mask dropped", node, _called(function, node.args, rest))
        if keyword.arg == "ddof" and isinstance(keyword.value, ast.Constant):
            yield _Edit("ddof changed", keyword.value, "0" if keyword.value.value else "1")
    swapped = {"ops.seq_mean": "ops.seq_sum", "ops.group_mean": "ops.group_sum"}.get(function)
    if swapped is not None:
        yield _Edit("sum for mean", node, _called(swapped, node.args, node.keywords))
    if function == "ops.mean_of":
        moments = ast.unparse(node.args[0])
        yield _Edit("sum for mean", node, f"{moments}[1] * {moments}[0]")


def _binary(node: ast.AST) -> Iterator[_Edit]:
    assert isinstance(node, ast.BinOp)
    left, right = ast.unparse(node.left), ast.unparse(node.right)
    if isinstance(node.op, ast.BitAnd):
        for side, other in ((left, right), (right, left)):
            if side == "mask":
                yield _Edit("mask dropped", node, f"({other})")
    if isinstance(node.op, ast.Sub):
        yield _Edit("sign flipped", node, f"({left} + {right})")
    if isinstance(node.op, ast.Add):
        yield _Edit("sign flipped", node, f"({left} - {right})")
    if isinstance(node.op, ast.Div) and right.endswith("_count"):
        yield _Edit("sum for mean", node, f"({left})")


def _unary(node: ast.AST) -> Iterator[_Edit]:
    assert isinstance(node, ast.UnaryOp)
    # An axis counted from the other end may be the same axis.
    if isinstance(node.op, ast.USub) and ast.unparse(node.operand) != "1":
        yield _Edit("sign flipped", node, f"({ast.unparse(node.operand)})")


_FLIPPED: dict[type[ast.cmpop], str] = {
    ast.Lt: ">", ast.LtE: ">=", ast.Gt: "<", ast.GtE: "<=", ast.Eq: "!=", ast.NotEq: "=="
}  # fmt: skip
_MOVED: dict[type[ast.cmpop], str] = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">"}


def _compare(node: ast.AST) -> Iterator[_Edit]:
    assert isinstance(node, ast.Compare)
    left, right = ast.unparse(node.left), ast.unparse(node.comparators[0])
    for kind, table in (("comparison flipped", _FLIPPED), ("boundary moved", _MOVED)):
        if type(node.ops[0]) in table:
            yield _Edit(kind, node, f"({left} {table[type(node.ops[0])]} {right})")


def _slice(node: ast.AST) -> Iterator[_Edit]:
    assert isinstance(node, ast.Slice)
    if isinstance(node.upper, ast.Constant) and isinstance(node.upper.value, int):
        yield _Edit("constant changed", node.upper, str(node.upper.value - 1))


def _constant(node: ast.AST) -> Iterator[_Edit]:
    assert isinstance(node, ast.Constant)
    if isinstance(node.value, int | float) and not isinstance(node.value, bool):
        yield _Edit("constant changed", node, _other(node.value))


_OF_NODE: dict[type[ast.AST], list[Callable[[ast.AST], Iterator[_Edit]]]] = {
    ast.Call: [_call],
    ast.BinOp: [_binary],
    ast.UnaryOp: [_unary],
    ast.Compare: [_compare],
    ast.Constant: [_constant],
    ast.Slice: [_slice],
}


def _other(value: float) -> str:
    return repr(value + 1 if isinstance(value, int) else value * 1.5 + 0.1)


def _called(function: str, arguments: list[ast.expr], keywords: list[ast.keyword]) -> str:
    parts = [ast.unparse(argument) for argument in arguments]
    parts += [f"{keyword.arg}={ast.unparse(keyword.value)}" for keyword in keywords]
    return f"{function}({', '.join(parts)})"


def _apply(lines: list[str], edit: _Edit) -> Mutant:
    node = edit.node
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    before = "".join(lines[: node.lineno - 1]) + lines[node.lineno - 1][: node.col_offset]
    after = lines[node.end_lineno - 1][node.end_col_offset :] + "".join(lines[node.end_lineno :])
    line = lines[node.lineno - 1].strip()
    source = before + edit.text + after
    if edit.kind == "mask dropped":
        source = _without_entrance(source)
    return Mutant(edit.kind, line, f"{ast.unparse(node)} → {edit.text}", source)


def _without_entrance(source: str) -> str:
    """Return the source without the places where padding becomes zero before anything is computed."""
    return "\n".join(
        line if line.startswith("    check(") else _MASKED.sub(r"ops.as_float(\1)", line).replace(", mask=mask)", ")")
        for line in source.split("\n")
    )


def _shifts(update: ast.FunctionDef, lines: list[str], token_inputs: list[str]) -> Iterator[Mutant]:
    """Yield mutants that read an input one token too late."""
    check = update.body[0].end_lineno
    assert check is not None
    for name in token_inputs:
        # Not every module imports torch.
        line = f"    {name} = {name}.roll(1, 1)\n"
        source = "".join([*lines[:check], line, *lines[check:]])
        yield Mutant("shifted by one", f"(input {name})", line.strip(), source)


def _swaps(update: ast.FunctionDef, lines: list[str], names: list[str]) -> Iterator[Mutant]:
    """Yield mutants in which two inputs of the update change places."""
    start = update.body[0].end_lineno
    assert start is not None
    for one, other in combinations(names, 2):
        if _stem(one) == _stem(other):
            line = f"    {one}, {other} = {other}, {one}\n"
            source = "".join([*lines[:start], line, *lines[start:]])
            yield Mutant("inputs swapped", f"(inputs {one}, {other})", f"{one} ↔ {other}", source)


def _stem(name: str) -> str:
    """Return what an input measures, whoever's it is: old_logprobs and logprobs are both logprobs."""
    return name.rpartition("_")[2]
