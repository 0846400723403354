"""From syntax to typed expressions: names, arity, domains, dtypes, ``let`` and inserted metrics."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Final, Literal

from .calls import Calls
from .constants import Constants
from .declared import DeclaredInput, DeclaredParameter
from .domains import ELEMENT, LetScope, Side, join, require_bool
from .formula_errors import ExpressionSource, FormulaError
from .formula_parser import parse
from .keywords import literal
from .nodes import Arena, DType, Node, walk
from .operations import FUNCTIONS, OPERATORS
from .syntax import Binary, Expression, FormulaLiteral, FormulaName, MetricCall, Unary
from .vocabulary import Vocabulary

__all__ = ["Checker", "Metrics"]

Metrics = Callable[[str], tuple[str | None, Mapping[str, str]]]
"""Looks a metric up by id: its formula (None if it has none) and its ``let``; raises ``KeyError`` for an unknown id."""

_MAX_EXPONENT: Final = 8
_MAX_INSERTIONS: Final = 8
_LET_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,31}", re.ASCII)


class Checker:
    """Checks formulas over one set of inputs and parameters.

    Args:
        arena: Where the nodes are made.
        inputs: The declared inputs.
        parameters: The declared parameters.
        metrics: How ``metric('id')`` finds its formula.
        nan: ``skip`` leaves NaN out of every reduction to a scalar.
    """

    def __init__(
        self,
        arena: Arena,
        inputs: Mapping[str, DeclaredInput],
        parameters: Mapping[str, DeclaredParameter],
        metrics: Metrics,
        nan: Literal["propagate", "skip"] = "propagate",
    ):
        self.arena = arena
        self.inputs = inputs
        self.parameters = parameters
        self.metrics = metrics
        self._vocabulary = Vocabulary(arena, inputs)
        self._calls = Calls(self._vocabulary, self._node, skip_nan=nan == "skip")
        self._constants = Constants()
        self._inserting: list[str] = []
        self._inserted: dict[str, Node] = {}

    def program(self, formula: str, let: Mapping[str, str], metric: str | None = None) -> Node:
        """Check a whole formula with its ``let`` and return its result.

        Raises:
            FormulaError: The first thing that is wrong.
        """
        if metric is not None:
            self._inserting.append(metric)
        lets: dict[str, Node] = {}
        for name, text in let.items():
            scope = LetScope(ExpressionSource(name, text), lets)
            self._check_let_name(scope, name)
            lets[name] = node = self._node(parse(scope.source), scope)
            if node.args:
                self.arena.names.setdefault(node, name)
        scope = LetScope(ExpressionSource("formula", formula), lets)
        syntax = parse(scope.source)
        root = self._node(syntax, scope)
        if root.extent != "reduced":
            element = ELEMENT.get(root.extent, "vocabulary entry")
            what = "a constant" if root.extent == "const" else f"not reduced, it has a value per {element}"
            raise scope.error(syntax, f"the formula is {what}", "wrap it in a reduction, such as mean(…)")
        if root.dtype == "bool":
            raise scope.error(syntax, "the result is a boolean, not a number", "write where(…, 1, 0)")
        kept = {(node.args[0], node.over) for node in walk([root]) if node.op == "quantile"}
        if len(kept) > 1:
            message = "the formula has quantiles of two different values or populations, and a state keeps one list"
            raise scope.error(syntax, message, "make two metrics of it")
        if metric is not None:
            self._inserting.pop()
        return root

    def _check_let_name(self, scope: LetScope, name: str) -> None:
        start = scope.source
        if not _LET_NAME.fullmatch(name):
            message = f"{name[:40]!r} is not a name"
            raise start.error(0, message, "use lower-case letters, digits and underscores, 32 at most, a letter first")
        if name in FUNCTIONS or name in ("metric", "everything", "over"):
            raise start.error(0, f"{name!r} is a word of the language", "choose another name")
        if name in self.inputs or name in self.parameters:
            kind = "an input" if name in self.inputs else "a parameter"
            raise start.error(0, f"{name!r} is also {kind}", "choose another name")

    # Leaves and operators

    def _node(self, at: Expression, scope: LetScope) -> Node:
        if isinstance(at, FormulaLiteral):
            dtype: DType = "bool" if isinstance(at.value, bool) else "int" if isinstance(at.value, int) else "float"
            return self.arena.node("literal", extent="const", dtype=dtype, value=at.value)
        if isinstance(at, FormulaName):
            return self._name(at, scope)
        if isinstance(at, Unary):
            return self._unary(at, scope)
        if isinstance(at, Binary):
            return self._binary(at, scope)
        if isinstance(at, MetricCall):
            return self._insert(at, scope)
        return self._calls.call(at, scope)

    def _name(self, at: FormulaName, scope: LetScope) -> Node:
        name = at.name
        if name in scope.lets:
            return scope.lets[name]
        if name in self.inputs:
            return self._vocabulary.input(name)
        if name in self.parameters:
            default = self.parameters[name].default
            dtype: DType = "bool" if isinstance(default, bool) else "int" if isinstance(default, int) else "float"
            return self.arena.node("parameter", extent="const", dtype=dtype, value=name)
        if name == "everything":
            message = "`everything` is a population, not a value"
            raise scope.error(at, message, "use it in over=everything")
        if name in FUNCTIONS:
            raise scope.error(at, f"`{name}` is a function", f"call it: {FUNCTIONS[name].usage}")
        known = [*scope.lets, *self.inputs, *self.parameters]
        near = difflib.get_close_matches(name, known, 1)
        fix = f"did you mean `{near[0]}`?" if near else "declare it under `inputs`, `parameters` or, earlier, `let`"
        raise scope.error(at, f"`{name[:40]}` is not declared", fix)

    def _unary(self, at: Unary, scope: LetScope) -> Node:
        side = (at.operand, self._node(at.operand, scope))
        if at.operator == "~":
            require_bool(side, scope, "`~`")
            return self.arena.node("not", [side[1]], extent=side[1].extent, dtype="bool")
        operand = self._vocabulary.number(side, scope, "`-`")
        dtype = operand.dtype if operand.extent == "const" else "float"
        return self._finite(at, scope, self.arena.node("neg", [operand], extent=operand.extent, dtype=dtype))

    def _binary(self, at: Binary, scope: LetScope) -> Node:
        sign, row = f"`{at.operator}`", OPERATORS[at.operator]
        if row.name == "pow":
            return self._power(at, scope)
        sides: list[Side] = [(at.left, self._node(at.left, scope)), (at.right, self._node(at.right, scope))]
        left, right = (node for _, node in sides)
        extent = join(at, sides, scope, sign)
        if row.family == "logic":
            for side in sides:
                require_bool(side, scope, sign)
            return self.arena.node(row.name, [left, right], extent=extent, dtype="bool")
        same = left.dtype == right.dtype
        if row.family == "comparison":
            # Integers compare exactly, and booleans only for equality; all else as floats.
            if not (same and (left.dtype == "int" or (left.dtype == "bool" and row.symmetric))):
                left, right = (self._vocabulary.number(side, scope, sign) for side in sides)
            return self.arena.node(row.name, [left, right], extent=extent, dtype="bool")
        left, right = (self._vocabulary.number(side, scope, sign) for side in sides)
        dtype: DType = left.dtype if extent == "const" and row.name != "div" and same else "float"
        return self._finite(at, scope, self.arena.node(row.name, [left, right], extent=extent, dtype=dtype))

    def _power(self, at: Binary, scope: LetScope) -> Node:
        exponent = literal(at.right)
        if exponent is None or abs(exponent) > _MAX_EXPONENT:
            message = f"an exponent must be a number between -{_MAX_EXPONENT} and {_MAX_EXPONENT}"
            raise scope.error(at.right, message, "write exp(y * log(x)) for other powers")
        base = self._vocabulary.number((at.left, self._node(at.left, scope)), scope, "`**`")
        return self._finite(
            at, scope, self.arena.node("pow", [base], extent=base.extent, dtype="float", value=exponent)
        )

    def _finite(self, at: Expression, scope: LetScope, node: Node) -> Node:
        """Refuse arithmetic on literals that has no finite result."""
        value = self._constants.value(node)
        if value is not None and not isfinite(value):
            raise scope.error(at, f"{scope.quote(at)} is not a finite number", "write another constant")
        return node

    # Inserted metrics

    def _insert(self, at: MetricCall, scope: LetScope) -> Node:
        metric = at.metric
        if metric in self._inserting:
            chain = " → ".join([*self._inserting[self._inserting.index(metric) :], metric])
            raise scope.error(at, f"a metric cannot insert itself: {chain}", "write one of the formulas out")
        if len(self._inserting) >= _MAX_INSERTIONS:
            raise scope.error(
                at, f"metrics insert each other more than {_MAX_INSERTIONS} deep", "write the formula out"
            )
        if metric in self._inserted:
            return self._inserted[metric]
        try:
            formula, let = self.metrics(metric)
        except KeyError:
            raise scope.error(
                at, f"there is no metric {metric[:80]!r}", "write the id of a metric of the spec"
            ) from None
        if formula is None:
            raise scope.error(at, f"{metric!r} has no formula to insert", "insert metrics with a formula only")
        try:
            node = self.program(formula, let, metric)
        except FormulaError as error:
            if metric in self._inserting:
                del self._inserting[self._inserting.index(metric) :]
            message = f"in the inserted {metric!r} ({error.source_name}): {error.message}"
            raise scope.error(at, message, error.fix) from None
        self.arena.names.setdefault(node, metric.replace("/", "_"))
        self._inserted[metric] = node
        return node
