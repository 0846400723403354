"""The language of rules: expressions over curves, such as ``now(x) < 0.1 * start(x) and not_rising(reward)``.

A name alone is the last value of a curve. A number that is not known yet is NaN, so that comparisons with it are
false; write conditions so that false is harmless. Nothing but the curves can be reached from an expression.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Collection
from functools import cache, cached_property, lru_cache
from typing import Any

from rlmetrics.lazy_dataclasses import dataclass

from .series import Series

__all__ = ["FUNCTIONS", "Condition", "ConditionError", "number_in", "parse_condition", "parse_number"]

FUNCTIONS = (
    "arrives",
    "at_share",
    "by_chance",
    "constant",
    "correlation",
    "early_swing",
    "elapsed",
    "falling",
    "first",
    "first_at",
    "flat",
    "from_start",
    "gain",
    "high",
    "logged",
    "low",
    "mean",
    "moves_with",
    "noise",
    "not_rising",
    "now",
    "points",
    "repeats",
    "rise",
    "rising",
    "share_above",
    "share_below",
    "spikes",
    "start",
    "sure_above",
    "swing",
)
"""The words of conditions: methods of `Series`, written with the curve as their first argument."""

_REPEATED = {"by_chance", "constant", "repeats"}
_OF_TWO = {"correlation", "moves_with"}
_WITH_BOUND = {"arrives", "share_above", "share_below", "sure_above"}
_LEVELS = {"first", "now", "mean", "high", "low", "start", "at_share", "rise", "gain", "noise"}
"""Words whose values have the unit of the curve."""
_COSTS = {
    **dict.fromkeys(("flat", "not_rising", "rising", "falling", "swing", "early_swing", "high", "low"), 3),
    **dict.fromkeys(("correlation", "moves_with", "arrives"), 9),
}
"""How long words take to be found out; the others take no time worth speaking of."""
_FALLS, _RISES = re.compile(r"(?<!not )\bfalling(?=\(x\b)"), re.compile(r"(?<!not )\brising(?=\(x\b)")
_ABOVE_ITS_LOWEST = re.compile(r"\bx\)? > [\d.]+ \* low\(x\)")
_NEVER_ABOVE = re.compile(r"\bhigh\(x\) < -?[\d.]+(?! \*)")
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div)
_COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
_MAX_LENGTH = 1000


class ConditionError(ValueError):
    """An expression that is none; the text says what is wrong with it."""


@dataclass(frozen=True)
class Condition:
    """A condition; it is compiled when it is asked first, since most rules have no curve in a run.

    Attributes:
        text: As written.
        names: The curves that it needs, sorted.
        functions: The words that it uses.
        absolute: Whether values of ``x`` are compared with a number other than 0, so that their unit matters.
        bounds: The number that ``x`` alone is compared with, where nothing else is asked, as ``above`` or ``below``; as
            ``above_start`` or ``below_start`` if it is a multiple of where ``x`` started.
        repeated: The curves of which it asks how often in a row they had one value.
        pointed: Whether the value of ``x``, or its level, is compared with a number.
    """

    text: str
    names: tuple[str, ...]
    functions: frozenset[str]
    absolute: bool
    bounds: dict[str, float]
    repeated: tuple[str, ...] = ()
    pointed: bool = False

    @cached_property
    def call(self) -> Callable[..., Any]:
        """What asks the curves, in the order of ``names``."""
        return _compiled(_parsed(self.text), _Reader(self.text))

    @cached_property
    def possible(self) -> Callable[..., Any]:
        """As ``call``, of curves that are as bad as can be: what must not hold does not."""
        return _compiled(_parsed(self.text), _Reader(self.text, worst=True))

    @cached_property
    def heading(self) -> int:
        """Whether it asks ``x`` to fall (1) or to rise (-1); 0 where it asks neither, or either."""
        return len(set(_FALLS.findall(self.text))) - len(set(_RISES.findall(self.text)))

    @cached_property
    def turns(self) -> bool:
        """Whether it asks ``x`` to be far above its lowest, and nothing of its trend: it began where that was."""
        return not self.heading and bool(_ABOVE_ITS_LOWEST.search(self.text))

    @cached_property
    def ever(self) -> bool:
        """Whether it asks ``x`` never to have been above some number: it is so from its first point on."""
        return bool(_NEVER_ABOVE.search(self.text))

    @cached_property
    def exact(self) -> bool:
        """Whether the last values alone decide, and each by being some number: no way leads there."""
        ops = [type(op) for part in ast.walk(_parsed(self.text)) if isinstance(part, ast.Compare) for op in part.ops]
        return self.instant and set(ops) == {ast.Eq}

    @property
    def instant(self) -> bool:
        """Whether the last value alone decides."""
        return self.functions <= {"logged"}

    def holds(self, curves: dict[str, Series]) -> bool:
        """Return whether it holds for some curves."""
        try:
            return bool(self.call(*[curves[name] for name in self.names]))
        except ArithmeticError:
            return False


@lru_cache(maxsize=1024)
def parse_condition(text: str) -> Condition:
    """Return a condition.

    Raises:
        ConditionError: It is not written in the language of rules.
    """
    if len(text) > _MAX_LENGTH:
        msg = f"a condition may have {_MAX_LENGTH} characters"
        raise ConditionError(msg)
    node, reader = _parsed(text), _Reader(text)
    reader.truth(node)
    functions, repeated = frozenset(reader.functions), tuple(sorted(reader.repeated))
    names = tuple(sorted(reader.names))
    return Condition(text, names, functions, reader.absolute, _bounds(node), repeated, _is_pointed(node))


@lru_cache(maxsize=1024)
def _parsed(text: str) -> ast.expr:
    """Return an expression in which the parts of an "and" stand in the order in which they are asked."""
    try:
        tree = ast.parse(" ".join(text.split()), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        msg = f"{text!r} is no condition: {getattr(error, 'msg', error)}"
        raise ConditionError(msg) from None
    for part in ast.walk(tree):
        if isinstance(part, ast.BoolOp):
            part.values = _cheapest_first(part)
    return tree.body


def _compiled(node: ast.expr, reader: _Reader) -> Callable[..., Any]:
    """Return what asks the curves that a condition names, in the order of their names."""
    body = reader.truth(node)
    parameters = ast.arguments(
        posonlyargs=[],
        args=[ast.arg(name) for name in sorted(reader.names)],
        kwonlyargs=[],
        kw_defaults=[],
        defaults=[],
    )
    function = ast.Expression(ast.Lambda(parameters, body))
    ast.fix_missing_locations(function)
    condition: Callable[..., Any] = eval(compile(function, "<condition>", "eval"), {"__builtins__": {}})
    return condition


@lru_cache(maxsize=64)
def parse_number(text: str) -> Callable[[Series], float]:
    """Return what computes a number from the curve ``x``, such as ``mean(x, 30)``.

    Raises:
        ConditionError: It is not written in the language of rules, or names another curve.
    """
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        msg = f"{text!r} is no number: {getattr(error, 'msg', error)}"
        raise ConditionError(msg) from None
    reader = _Reader(text)
    body = reader.number(tree.body)
    if reader.names - {"x"}:
        msg = f"{text!r} may name the curve x alone"
        raise ConditionError(msg)
    parameters = ast.arguments(posonlyargs=[], args=[ast.arg("x")], kwonlyargs=[], kw_defaults=[], defaults=[])
    function = ast.Expression(ast.Lambda(parameters, body))
    ast.fix_missing_locations(function)
    number: Callable[[Series], float] = eval(compile(function, "<number>", "eval"), {"__builtins__": {}})
    return number


class _Reader:
    """Rebuilds an expression from the few forms that are allowed.

    Args:
        text: The expression.
        worst: Whether what must not hold is taken not to.
    """

    def __init__(self, text: str, *, worst: bool = False) -> None:
        self.text = text
        self.worst = worst
        self.names: set[str] = set()
        self.functions: set[str] = set()
        self.repeated: set[str] = set()
        self.absolute = False

    def truth(self, node: ast.expr) -> ast.expr:
        if isinstance(node, ast.BoolOp):
            return ast.BoolOp(node.op, [self.truth(value) for value in node.values])
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            denied = ast.UnaryOp(node.op, self.truth(node.operand))
            return ast.Constant(True) if self.worst else denied
        if isinstance(node, ast.Compare) and all(isinstance(op, _COMPARISONS) for op in node.ops):
            self.absolute = self.absolute or _is_absolute([node.left, *node.comparators])
            return ast.Compare(self.number(node.left), node.ops, [self.number(item) for item in node.comparators])
        if isinstance(node, ast.Call):
            return self.call(node)
        raise self.error(node, "a comparison or a test is expected")

    def number(self, node: ast.expr) -> ast.expr:
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            return node
        if isinstance(node, ast.BinOp) and isinstance(node.op, _OPERATORS):
            return ast.BinOp(self.number(node.left), node.op, self.number(node.right))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return ast.UnaryOp(node.op, self.number(node.operand))
        if isinstance(node, ast.Name):
            return ast.Attribute(self.curve(node), "last", ast.Load())
        if isinstance(node, ast.Call):
            return self.call(node)
        raise self.error(node, "a number is expected")

    def curve(self, node: ast.expr) -> ast.expr:
        if not isinstance(node, ast.Name) or node.id in FUNCTIONS:
            raise self.error(node, "the name of a curve is expected")
        self.names.add(node.id)
        return ast.Name(node.id, ast.Load())

    def call(self, node: ast.Call) -> ast.expr:
        if not isinstance(node.func, ast.Name) or node.func.id not in FUNCTIONS:
            raise self.error(node, f"words are {', '.join(FUNCTIONS)}")
        name = node.func.id
        if node.keywords or not node.args:
            raise self.error(node, "a curve is expected as the first argument, and no names of arguments")
        curve, *rest = node.args
        taken, least = _arguments(name)
        if not least <= len(rest) <= len(taken):
            raise self.error(node, f"{name} takes {' and '.join(taken) or 'a curve alone'}")
        if name == "spikes" and not (isinstance(curve, ast.Name) and curve.id == "x"):
            raise self.error(node, "spikes are looked for in x only")
        self.functions.add(name)
        if name in _REPEATED and isinstance(curve, ast.Name):
            self.repeated.add(curve.id)
        self.absolute = self.absolute or (name in _WITH_BOUND and number_in(rest[0]) not in (None, 0))
        arguments = [
            self.curve(item) if name in _OF_TWO and not index else self.number(item) for index, item in enumerate(rest)
        ]
        return ast.Call(ast.Attribute(self.curve(curve), name, ast.Load()), arguments, [])

    def error(self, node: ast.expr, what: str) -> ConditionError:
        return ConditionError(f"{ast.unparse(node)!r} cannot stand in a condition: {what}")


@cache
def _arguments(word: str) -> tuple[list[str], int]:
    """Return what a word takes beside its curve, and how much of that it needs."""
    taken = list(inspect.signature(getattr(Series, word)).parameters.values())[1:]
    return [item.name for item in taken], sum(item.default is item.empty for item in taken)


def _cheapest_first(node: ast.BoolOp) -> list[ast.expr]:
    """Return the parts of an "and" in the order in which they are asked: what takes long only where the rest holds.

    Where one of them divides, and may so decide for all, the order stays as written.
    """
    if isinstance(node.op, ast.Or) or any(isinstance(part, ast.Div) for part in ast.walk(node)):
        return node.values
    return sorted(node.values, key=_cost)


def _cost(node: ast.expr) -> int:
    return sum(_COSTS.get(part.id, 0) for part in ast.walk(node) if isinstance(part, ast.Name))


def number_in(node: ast.expr) -> float | None:
    """Return the value of a number; None of anything else."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = number_in(node.operand)
        return None if value is None else -value
    return float(node.value) if isinstance(node, ast.Constant) and isinstance(node.value, int | float) else None


def _value_of_x(node: ast.expr) -> bool:
    """Tell whether something is the value, or a level, of ``x``."""
    if isinstance(node, ast.Call):
        levels = isinstance(node.func, ast.Name) and node.func.id in _LEVELS
        return levels and bool(node.args) and _value_of_x(node.args[0])
    return _is_x(node)


def _is_absolute(sides: list[ast.expr]) -> bool:
    return any(map(_value_of_x, sides)) and any(number_in(side) not in (None, 0.0) for side in sides)


def _is_pointed(node: ast.expr) -> bool:
    """Tell whether anywhere the value of ``x`` is compared with a number, or the share of points beyond one."""
    for part in ast.walk(node):
        if isinstance(part, ast.Compare):
            sides = [part.left, *part.comparators]
            if any(map(_where_x_is, sides)) and any(number_in(side) is not None for side in sides):
                return True
        elif _asks_of_x(part, ("share_above", "share_below", "sure_above")):
            return True
    return False


def _where_x_is(node: ast.expr) -> bool:
    """Tell whether something is the value of ``x``, or its level at the end."""
    return _is_x(node) or _asks_of_x(node, ("now", "mean"))


def _asks_of_x(node: ast.AST, words: Collection[str]) -> bool:
    """Tell whether something asks one of some words of ``x``."""
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in words and _is_x(node.args[0])
    )


def _is_x(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "x"


def _bounds(node: ast.expr) -> dict[str, float]:
    if not isinstance(node, ast.Compare) or len(node.ops) != 1 or not _value_of_x(node.left):
        return {}
    op, right = node.ops[0], node.comparators[0]
    side = "above" if isinstance(op, ast.Gt | ast.GtE) else "below" if isinstance(op, ast.Lt | ast.LtE) else None
    number = number_in(right)
    if side is not None and number is not None:
        return {side: number}
    if side is not None and isinstance(right, ast.BinOp) and isinstance(right.op, ast.Mult):
        number = number_in(right.left)
        return {f"{side}_start": number} if number is not None and _asks_of_x(right.right, ("start",)) else {}
    return {}
