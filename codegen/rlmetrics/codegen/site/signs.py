"""What a rule looks for on its own curve, read from its condition: a bound, a trend, a value it sticks to."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rlmetrics.health.conditions import FUNCTIONS, number_in

if TYPE_CHECKING:
    from rlmetrics.health.rules import Rule

__all__ = ["KINDS", "Sign", "signs_of"]

KINDS = (
    "above",
    "below",
    "above_start",
    "below_start",
    "falls",
    "rises",
    "level",
    "sticks",
    "meets",
    "constant",
    "swings",
    "spikes",
    "non_finite",
)
"""What can be wrong with a curve, what says most first."""

_VALUES = {"now", "high", "low", "start", "first", "mean"}
_BEGINNINGS = {"start", "first", "high", "at_share"}
_TRENDS = {"rising": "rises", "falling": "falls", "not_rising": "level", "flat": "level"}
_LOOSEST = ("info", "warning", "error")


@dataclass(frozen=True)
class Sign:
    """What is wrong with a curve.

    Attributes:
        kind: One of `KINDS`.
        bound: The number that the curve should not cross, or stick to; as a factor of where it started for
            ``above_start`` and ``below_start``.
        since: What a factor is of: ``start`` or ``high``.
        lasting: Whether most of a stretch must be beyond the bound, not the last value alone.
        at_start: Whether the first value decides.
        pure: Whether nothing else is asked for.
        alone: Whether no other curve has a say, but for exceptions.
        level: The mildest level that this makes.
    """

    kind: str
    bound: float = 0.0
    since: str = "start"
    lasting: bool = False
    at_start: bool = False
    pure: bool = True
    alone: bool = True
    level: str = "info"


_LOST = {"non_finite": "error", "zeros_for_nan": "error", "no_reward": "warning", "skipped_steps": "info"}
"""What the evaluator finds itself of numbers that are lost, each with its level."""


def signs_of(rule: Rule) -> list[Sign]:
    """Return what the mildest condition of a rule asks of its curve; several where any of them is enough."""
    if rule.special in _LOST:
        return [Sign("non_finite", level=_LOST[rule.special])]
    conditions = dict(rule.tiers)
    level = next((name for name in _LOOSEST if name in conditions), None)
    if level is None:
        return []
    tree = ast.parse(" ".join(conditions[level].text.split()), mode="eval").body
    found = [_joined(part, level) for part in _alternatives(tree)]
    return [sign for sign in found if sign is not None]


def _alternatives(node: ast.expr) -> Iterator[ast.expr]:
    """Yield what is enough each on its own."""
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
        for value in node.values:
            yield from _alternatives(value)
    else:
        yield node


def _signs(node: ast.expr) -> Iterator[Sign]:
    """Yield what must hold together, as far as it is about the curve itself; of other alternatives the first."""
    if isinstance(node, ast.BoolOp):
        for value in node.values if isinstance(node.op, ast.And) else node.values[:1]:
            yield from _signs(value)
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        found = _comparison(node.left, node.ops[0], node.comparators[0])
        if found is not None:
            yield found
    elif isinstance(node, ast.Call) and _about_x(node):
        name = _called(node)
        bound = number_in(node.args[1]) if name == "sure_above" else None
        if name == "constant":
            yield Sign("constant")
        elif bound is not None:
            yield Sign("above", bound, lasting=True)
        elif name in _TRENDS:
            yield Sign(_TRENDS[name])


def _comparison(left: ast.expr, op: ast.cmpop, right: ast.expr) -> Sign | None:
    upwards = isinstance(op, ast.Gt | ast.GtE)
    number, name = number_in(right), _called(left)
    if isinstance(op, ast.Eq):
        if not _is_x(left):
            return None
        return Sign("meets") if number is None else Sign("sticks", number)
    if _is_x(left) or (name in _VALUES and _about_x(left)):
        if number is not None:
            kind = "above" if upwards else "below"
            return Sign(kind, number, at_start=name in ("first", "start"))
        factor = _factor(right)
        if factor is not None and name != "first":
            return Sign("above_start" if upwards else "below_start", factor[0], since=factor[1])
        return None
    if not _about_x(left):
        return Sign("falls") if ast.unparse(left) == "high(x) - now(x)" and upwards else None
    if name in ("share_above", "share_below"):
        bound = number_in(left.args[1]) if isinstance(left, ast.Call) else None
        return Sign(name.removeprefix("share_"), bound, lasting=True) if bound is not None else None
    if name == "spikes":
        return Sign("spikes", number or 1)
    if name == "swing":
        return Sign("swings")
    if name == "repeats":
        return Sign("constant")
    if name in ("rise", "gain"):
        return Sign("rises" if upwards else "falls")
    return None


def _joined(node: ast.expr, level: str) -> Sign | None:
    """Return what counts most of what must hold together."""
    parts = [part for part in _conjuncts(node) if not _asks_whether_logged(part)]
    signs = [sign for part in parts for sign in _signs(part)]
    telling = [sign for sign in signs if not _guards(sign)] or signs
    telling = [sign for sign in telling if not sign.at_start] or telling
    if not telling:
        return None
    exact = [sign for sign in telling if sign.kind == "sticks"]
    first = min(exact or telling, key=lambda sign: KINDS.index(sign.kind))
    guards = sum(all(map(_guards, found)) for part in parts if (found := list(_signs(part))))
    pure = len(parts) - (guards if guards < len(parts) else 0) == 1
    asked = [part for part in parts if not (isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.Not))]
    others = {name.id for part in asked for name in ast.walk(part) if isinstance(name, ast.Name)} - {"x", *FUNCTIONS}
    return replace(first, pure=pure, alone=not others, level=level)


def _asks_whether_logged(node: ast.expr) -> bool:
    values = node.values if isinstance(node, ast.BoolOp) else [node]
    return all(_called(value) == "logged" for value in values)


def _conjuncts(node: ast.expr) -> list[ast.expr]:
    return list(node.values) if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And) else [node]


def _guards(sign: Sign) -> bool:
    """Tell whether a sign only says that there is anything to judge: that a number is above 0."""
    return sign.kind == "above" and sign.bound == 0


def _is_x(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "x"


def _about_x(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and bool(node.args) and _is_x(node.args[0])


def _called(node: ast.expr) -> str:
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""


def _factor(node: ast.expr) -> tuple[float, str] | None:
    """Return a factor and what it is of, of an expression such as ``0.3 * start(x)``."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        number, name = number_in(node.left), _called(node.right)
        if number is not None and name in _BEGINNINGS and _about_x(node.right):
            return number, "high" if name == "high" else "start"
    return None
