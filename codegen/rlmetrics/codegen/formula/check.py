"""From syntax to typed expressions: names, arity, domains, dtypes, ``let`` and inserted metrics."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Final, Literal

from ..model import Input, Parameter
from .constants import Constants
from .errors import FormulaError, Source
from .functions import FUNCTIONS
from .nodes import AXES, Arena, DType, Extent, Node
from .parse import parse
from .syntax import Binary, Call, Expression, MetricCall, Name, Unary
from .syntax import Literal as LiteralSyntax

__all__ = ["Checker", "Metrics"]

Metrics = Callable[[str], tuple[str | None, Mapping[str, str]]]
"""Looks a metric up by id: its formula (None if it has none) and its ``let``; raises ``KeyError`` for an unknown id."""

_ARITHMETIC: Final = {"+": "add", "-": "sub", "*": "mul", "/": "div"}
_COMPARISONS: Final = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}
_MAX_EXPONENT: Final = 8
_MAX_BINS: Final = 10_000
_MAX_INSERTIONS: Final = 8
_LET_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,31}", re.ASCII)
_ELEMENT: Final = {"token": "token", "sequence": "sequence", "group": "group", "batch": "element", "scalar": "update"}
_BROADCASTS: Final[dict[str, tuple[Extent, tuple[Extent, ...]]]] = {
    "per_token": ("token", ("sequence", "scalar")),
    "per_sequence": ("sequence", ("group", "scalar")),
    "per_vocab": ("vocab", ("token",)),
}
_BRIDGES: Final[dict[tuple[Extent, Extent], str]] = {
    ("token", "sequence"): "write per_token({1}), or reduce the other side to sequences, as in seq_sum({0})",
    ("sequence", "group"): "write per_sequence({1}), or reduce the other side to groups, as in group_mean({0})",
    ("vocab", "token"): "write per_vocab({1}), or reduce the other side over the vocabulary, as in sum_vocab({0})",
    ("token", "group"): "write per_token(per_sequence({1}))",
    ("vocab", "sequence"): "write per_vocab(per_token({1}))",
    ("token", "scalar"): "write per_token({1})",
    ("sequence", "scalar"): "write per_sequence({1})",
    ("vocab", "scalar"): "write per_vocab(per_token({1}))",
}


@dataclass
class _Scope:
    """One formula with its ``let``."""

    source: Source
    lets: dict[str, Node] = field(default_factory=dict)

    def error(self, at: Expression, message: str, fix: str) -> FormulaError:
        return self.source.error(at.span.start, message, fix)

    def quote(self, at: Expression) -> str:
        return self.source.quote(at.span.start, at.span.end)


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
        inputs: Mapping[str, Input],
        parameters: Mapping[str, Parameter],
        metrics: Metrics,
        nan: Literal["propagate", "skip"] = "propagate",
    ):
        self.arena = arena
        self.inputs = inputs
        self.parameters = parameters
        self.metrics = metrics
        self.skip_nan = nan == "skip"
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
            scope = _Scope(Source(name, text), lets)
            self._check_let_name(scope, name)
            lets[name] = node = self._node(parse(scope.source), scope)
            if node.args:
                self.arena.names.setdefault(node, name)
        scope = _Scope(Source("formula", formula), lets)
        syntax = parse(scope.source)
        root = self._node(syntax, scope)
        if root.extent != "reduced":
            what = f"the formula is not reduced: {scope.quote(syntax)} has one value per {_ELEMENT.get(root.extent, root.extent)}"
            if root.extent == "const":
                what = "the formula is a constant"
            raise scope.error(syntax, what, "wrap it in a reduction, such as mean(…)")
        if root.dtype == "bool":
            raise scope.error(syntax, "the result is a boolean, not a number", "write where(…, 1, 0)")
        if metric is not None:
            self._inserting.pop()
        return root

    def _check_let_name(self, scope: _Scope, name: str) -> None:
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

    def _node(self, at: Expression, scope: _Scope) -> Node:
        if isinstance(at, LiteralSyntax):
            dtype: DType = "bool" if isinstance(at.value, bool) else "int" if isinstance(at.value, int) else "float"
            return self.arena.node("literal", extent="const", dtype=dtype, value=at.value)
        if isinstance(at, Name):
            return self._name(at, scope)
        if isinstance(at, Unary):
            return self._unary(at, scope)
        if isinstance(at, Binary):
            return self._binary(at, scope)
        if isinstance(at, MetricCall):
            return self._insert(at, scope)
        return self._call(at, scope)

    def _name(self, at: Name, scope: _Scope) -> Node:
        name = at.name
        if name in scope.lets:
            return scope.lets[name]
        if name in self.inputs:
            return self._input(name)
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

    def _input(self, name: str) -> Node:
        declared = self.inputs[name]
        node = self.arena.node("input", extent=declared.domain, dtype=declared.dtype, value=name)
        if declared.domain == "group" and "group_ids" in self.inputs:
            return self.arena.node("pad_groups", [node, self._group_index()], extent="group", dtype=declared.dtype)
        return node

    def _unary(self, at: Unary, scope: _Scope) -> Node:
        operand = self._node(at.operand, scope)
        if at.operator == "~":
            self._require_bool(at.operand, operand, scope, "`~`")
            return self.arena.node("not", [operand], extent=operand.extent, dtype="bool")
        operand = self._number(at.operand, operand, scope, "`-`")
        return self._finite(at, scope, self.arena.node("neg", [operand], extent=operand.extent, dtype=_plus(operand)))

    def _binary(self, at: Binary, scope: _Scope) -> Node:
        sign = f"`{at.operator}`"
        left = self._node(at.left, scope)
        if at.operator == "**":
            return self._power(at, left, scope)
        right = self._node(at.right, scope)
        sides = ((at.left, left), (at.right, right))
        extent = self._join(at, sides, scope, sign)
        if at.operator in "&|":
            for syntax, node in sides:
                self._require_bool(syntax, node, scope, sign)
            op = "and" if at.operator == "&" else "or"
            return self.arena.node(op, [left, right], extent=extent, dtype="bool")
        if at.operator in _COMPARISONS:
            op = _COMPARISONS[at.operator]
            if not (op in ("eq", "ne") and left.dtype == right.dtype == "bool") and {left.dtype, right.dtype} != {"int"}:
                left, right = (self._number(syntax, node, scope, sign) for syntax, node in sides)
            return self.arena.node(op, [left, right], extent=extent, dtype="bool")
        left, right = (self._number(syntax, node, scope, sign) for syntax, node in sides)
        op = _ARITHMETIC[at.operator]
        dtype: DType = "int" if extent == "const" and op != "div" and left.dtype == right.dtype == "int" else "float"
        return self._finite(at, scope, self.arena.node(op, [left, right], extent=extent, dtype=dtype))

    def _power(self, at: Binary, base: Node, scope: _Scope) -> Node:
        exponent = _literal(at.right)
        if exponent is None or abs(exponent) > _MAX_EXPONENT:
            message = f"an exponent must be a number between -{_MAX_EXPONENT} and {_MAX_EXPONENT}"
            raise scope.error(at.right, message, "write exp(y * log(x)) for other powers")
        base = self._number(at.left, base, scope, "`**`")
        return self._finite(at, scope, self.arena.node("pow", [base], extent=base.extent, dtype="float", value=exponent))

    # Calls

    def _call(self, at: Call, scope: _Scope) -> Node:
        function = FUNCTIONS.get(at.function)
        if function is None:
            near = difflib.get_close_matches(at.function, FUNCTIONS, 1)
            fix = f"did you mean `{near[0]}`?" if near else "use a function of the table or `impl`"
            raise scope.error(at, f"`{at.function[:40]}` is not a function of the language", fix)
        if len(at.arguments) != len(function.arguments):
            expected, got = len(function.arguments), len(at.arguments)
            message = f"`{function.name}` takes {expected} argument{'s' * (expected != 1)}, not {got}"
            raise scope.error(at, message, f"write {function.usage}")
        allowed = {keyword.rstrip("!") for keyword in function.keywords}
        given = {keyword.name: keyword.value for keyword in at.keywords}
        for name, value in given.items():
            if name not in allowed:
                message = f"`{function.name}` has no keyword `{name[:40]}`"
                raise scope.error(value, message, f"write {function.usage}")
        for keyword in function.keywords:
            if keyword.endswith("!") and keyword[:-1] not in given:
                raise scope.error(at, f"`{function.name}` needs `{keyword[:-1]}=`", f"write {function.usage}")
        nodes = [self._node(argument, scope) for argument in at.arguments]
        if function.family == "elementwise":
            return self._elementwise(at, nodes, scope)
        if function.family == "choice":
            return self._where(at, nodes, scope)
        if function.family == "broadcast":
            return self._broadcast(at, nodes[0], scope)
        if function.family == "vocab":
            return self._vocab(at, nodes, scope)
        if function.family == "sequence":
            return self._sequence(at, nodes[0], given, scope)
        if function.family == "group":
            return self._group(at, nodes, given, scope)
        return self._reduction(at, nodes, given, scope)

    def _elementwise(self, at: Call, nodes: list[Node], scope: _Scope) -> Node:
        name = f"`{at.function}`"
        pairs = list(zip(at.arguments, nodes, strict=True))
        extent = self._join(at, pairs, scope, name)
        args = [self._number(syntax, node, scope, name) for syntax, node in pairs]
        dtype: DType = "bool" if at.function == "is_finite" else "float"
        return self.arena.node(at.function, args, extent=extent, dtype=dtype)

    def _where(self, at: Call, nodes: list[Node], scope: _Scope) -> Node:
        pairs = list(zip(at.arguments, nodes, strict=True))
        extent = self._join(at, pairs, scope, "`where`")
        self._require_bool(*pairs[0], scope, "the condition of `where`")
        condition, x, y = nodes
        if x.dtype == y.dtype == "bool":
            return self.arena.node("where", nodes, extent=extent, dtype="bool")
        x, y = (self._number(syntax, node, scope, "`where`") for syntax, node in pairs[1:])
        return self.arena.node("where", [condition, x, y], extent=extent, dtype="float")

    def _broadcast(self, at: Call, x: Node, scope: _Scope) -> Node:
        target, allowed = _BROADCASTS[at.function]
        if x.extent not in allowed:
            message = f"`{at.function}` takes a value per {' or '.join(allowed)}, and {self._describe(at.arguments[0], x, scope)}"
            raise scope.error(at.arguments[0], message, "delete it" if x.extent in (target, "const") else "reduce first")
        if at.function == "per_sequence" and x.extent == "group":
            index = self._require_groups(at, scope)
            return self.arena.node("per_sequence", [x, index], extent="sequence", dtype=x.dtype)
        like = self._like(target)
        if like is None:
            message = f"no {target} input tells how often to repeat"
            raise scope.error(at, message, "declare one under `inputs`, such as mask" if target == "token" else "declare one")
        op = "repeat" if at.function == "per_sequence" else at.function
        return self.arena.node(op, [x, like], extent=target, dtype=x.dtype)

    def _like(self, extent: Extent) -> Node | None:
        """Return the input whose shape a broadcast takes."""
        if extent == "token" and "mask" in self.inputs:
            return self._input("mask")
        for name, declared in self.inputs.items():
            if declared.domain == extent:
                return self._input(name)
        return None

    def _vocab(self, at: Call, nodes: list[Node], scope: _Scope) -> Node:
        logits = nodes[0]
        if logits.extent != "vocab":
            message = f"`{at.function}` takes a value per vocabulary entry, and {self._describe(at.arguments[0], logits, scope)}"
            raise scope.error(at.arguments[0], message, "pass logits, or broadcast with per_vocab(…)")
        args = [self._number(at.arguments[0], logits, scope, f"`{at.function}`")]
        if len(nodes) == 2:
            tokens = nodes[1]
            if (tokens.extent, tokens.dtype) != ("token", "int"):
                message = f"`{at.function}` takes token ids, and {self._describe(at.arguments[1], tokens, scope)}"
                raise scope.error(at.arguments[1], message, "pass an integer token input, such as tokens")
            args.append(tokens)
        extent: Extent = "vocab" if at.function in ("softmax", "log_softmax") else "token"
        dtype: DType = "bool" if at.function == "argmax_equals" else "float"
        return self.arena.node(at.function, args, extent=extent, dtype=dtype)

    def _sequence(self, at: Call, x: Node, given: Mapping[str, Expression], scope: _Scope) -> Node:
        name = at.function
        if x.extent != "token":
            fix = "reduce over the vocabulary first" if x.extent == "vocab" else "use a reduction of its own domain"
            raise scope.error(
                at.arguments[0], f"`{name}` takes a value per token, and {self._describe(at.arguments[0], x, scope)}", fix
            )
        boolean = name in ("seq_count", "seq_any", "seq_all")
        x = self._operand(at, x, scope, boolean=boolean, fraction=name in ("seq_mean", "seq_first", "seq_last"))
        over = self._population(at, "token", given, scope)
        dtype: DType = "bool" if name in ("seq_any", "seq_all") else "float"
        return self.arena.node(name, [x], extent="sequence", dtype=dtype, over=over)

    def _group(self, at: Call, nodes: list[Node], given: Mapping[str, Expression], scope: _Scope) -> Node:
        args = []
        for x in nodes:
            if x.extent != "sequence":
                message = f"`{at.function}` takes a value per sequence, and {self._describe(at.arguments[0], x, scope)}"
                fix = "reduce it to sequences first, as in seq_sum(…)" if x.extent == "token" else "use another reduction"
                raise scope.error(at.arguments[0], message, fix)
            args.append(self._operand(at, x, scope, boolean=False, fraction=at.function == "group_mean"))
        index = self._require_groups(at, scope)
        over = self._population(at, "sequence", given, scope)
        ddof = self._ddof(given, scope) if at.function in ("group_var", "group_std") else None
        return self.arena.node(at.function, [*args, index], extent="group", dtype="float", over=over, value=ddof)

    def _reduction(self, at: Call, nodes: list[Node], given: Mapping[str, Expression], scope: _Scope) -> Node:
        name = at.function
        pairs = list(zip(at.arguments, nodes, strict=True))
        extent = self._join(at, pairs, scope, f"`{name}`")
        syntax, x = pairs[0]
        if extent == "const":
            raise scope.error(syntax, f"`{name}` has nothing to reduce: {scope.quote(syntax)} is a constant", "delete the reduction")
        if extent == "reduced":
            raise scope.error(syntax, f"{scope.quote(syntax)} is reduced already", "delete the outer reduction")
        if extent == "vocab":
            message = f"`{name}` cannot reduce over the vocabulary"
            raise scope.error(syntax, message, "reduce over the vocabulary first, as in sum_vocab(…)")
        if name == "last" and extent != "scalar":
            raise scope.error(syntax, f"`last` takes a scalar, and {self._describe(syntax, x, scope)}", "use seq_last or mean")
        boolean, fraction = name == "count", name == "mean"
        args = [
            self._operand(at, node, scope, boolean=boolean, fraction=fraction, place=place)
            for place, node in enumerate(nodes)
        ]
        over = self._population(at, extent, given, scope)
        if self.skip_nan and name != "count":
            for arg in args:
                if arg.dtype != "bool":
                    number = self.arena.node("not_nan", [arg], extent=extent, dtype="bool")
                    over = number if over is None else self.arena.node("and", [over, number], extent=extent, dtype="bool")
        value = self._ddof(given, scope) if name in ("var", "std", "cov") else None
        if name == "histogram":
            return self.arena.node(name, args, extent="reduced", dtype="float", over=over, value=self._bins(given, scope))
        return self.arena.node(name, args, extent="reduced", dtype="float", over=over, value=value)

    def _operand(
        self, at: Call, x: Node, scope: _Scope, *, boolean: bool, fraction: bool, place: int = 0
    ) -> Node:
        """Return the operand of a reduction with the dtype it needs."""
        syntax = at.arguments[place]
        if boolean and x.dtype != "bool":
            message = f"`{at.function}` takes a boolean, and {scope.quote(syntax)} is {_a(x.dtype)}"
            raise scope.error(syntax, message, "compare it with something, as in x > 0")
        if not boolean and x.dtype == "bool" and not fraction:
            fix = {"sum": "write count(…)", "seq_sum": "write seq_count(…)"}.get(at.function, "write where(…, 1, 0)")
            raise scope.error(syntax, f"`{at.function}` takes a number, and {scope.quote(syntax)} is a boolean", fix)
        return x

    # Populations and keywords

    def _population(self, at: Call, extent: Extent, given: Mapping[str, Expression], scope: _Scope) -> Node | None:
        """Return what a reduction counts; None for every element."""
        over: Node | None = None
        if "over" in given:
            over = self._over(at, given["over"], extent, scope)
        elif extent == "token":
            mask = self.inputs.get("mask")
            if mask is None or (mask.domain, mask.dtype) != ("token", "bool"):
                message = f"`{at.function}` would count padding, because no mask is declared"
                raise scope.error(at, message, "declare the input mask, or say over=… (over=everything counts padding)")
            over = self._input("mask")
        if extent == "group" and "group_ids" in self.inputs:
            exists = self.arena.node("group_exists", [self._group_index()], extent="group", dtype="bool")
            return exists if over is None else self.arena.node("and", [exists, over], extent="group", dtype="bool")
        return over

    def _over(self, at: Call, syntax: Expression, extent: Extent, scope: _Scope) -> Node | None:
        rest = _without_everything(syntax)
        if rest is None:
            return None
        over = self._node(rest, scope)
        if over.extent != extent or over.dtype != "bool":
            message = f"`over=` of this `{at.function}` takes a boolean per {_ELEMENT[extent]}, and {self._describe(rest, over, scope)}"
            raise scope.error(rest, message, f"write a condition over {extent} values")
        if extent == "token" and rest is syntax and not self._has_mask(over):
            message = f"{scope.quote(syntax)} selects padding too, because no mask is in it"
            raise scope.error(syntax, message, "write over=mask & (…), or over=everything & (…) if padding shall count")
        return over

    def _has_mask(self, over: Node) -> bool:
        """Return whether a boolean input, such as the mask, takes part in a population."""
        stack, seen = [over], set[Node]()
        while stack:
            node = stack.pop()
            if node.op == "input" and node.dtype == "bool":
                return True
            if node not in seen:
                seen.add(node)
                stack.extend(node.operands)
        return False

    def _ddof(self, given: Mapping[str, Expression], scope: _Scope) -> int:
        if "ddof" not in given:
            return 1
        value = _literal(given["ddof"])
        if value not in (0, 1):
            raise scope.error(given["ddof"], "`ddof` must be 0 or 1", "write ddof=0 (by n) or ddof=1 (by n - 1)")
        return int(value)

    def _bins(self, given: Mapping[str, Expression], scope: _Scope) -> tuple[float, float, int]:
        low, high, bins = (_literal(given[name]) for name in ("low", "high", "bins"))
        for name, value in (("low", low), ("high", high)):
            if value is None:
                raise scope.error(given[name], f"`{name}` must be a number", "write a literal: bins of states must agree")
        if not isinstance(bins, int) or not 1 <= bins <= _MAX_BINS:
            raise scope.error(given["bins"], f"`bins` must be a whole number from 1 to {_MAX_BINS}", "write such as bins=50")
        assert low is not None and high is not None
        if not low < high:
            raise scope.error(given["high"], f"`high` ({high}) is not above `low` ({low})", "swap or widen them")
        return float(low), float(high), bins

    def _group_index(self) -> Node:
        ids = self.arena.node("input", extent="sequence", dtype="int", value="group_ids")
        return self.arena.node("group_index", [ids], extent="sequence", dtype="int")

    def _require_groups(self, at: Call, scope: _Scope) -> Node:
        if "group_ids" not in self.inputs:
            raise scope.error(at, f"`{at.function}` needs to know the groups", "declare the input group_ids")
        return self._group_index()

    # Domains and types

    def _join(
        self, at: Expression, sides: list[tuple[Expression, Node]] | tuple[tuple[Expression, Node], ...], scope: _Scope, what: str
    ) -> Extent:
        """Return the domain that all sides share; constants go with everything."""
        first: tuple[Expression, Node] | None = None
        for syntax, node in sides:
            if node.extent == "const":
                continue
            if node.op == "histogram":
                raise scope.error(syntax, f"{what} cannot work on a histogram", "let the histogram be the whole formula")
            if first is None:
                first = (syntax, node)
            elif node.extent != first[1].extent:
                message = f"{what} joins {self._extent(*first, scope)} with {self._extent(syntax, node, scope)}"
                raise scope.error(at, message, self._bridge(first, (syntax, node), scope))
        return "const" if first is None else first[1].extent

    def _bridge(self, one: tuple[Expression, Node], other: tuple[Expression, Node], scope: _Scope) -> str:
        if "reduced" in (one[1].extent, other[1].extent):
            return "that takes two passes over the data, which no additive state can hold: reduce both sides, or use `impl`"
        for first, second in ((one, other), (other, one)):
            bridge = _BRIDGES.get((first[1].extent, second[1].extent))
            if bridge is not None:
                texts = [scope.quote(syntax).strip("`") for syntax, _ in (first, second)]
                return bridge.format(*texts)
        return "reduce both sides first"

    def _extent(self, syntax: Expression, node: Node, scope: _Scope) -> str:
        extent = "" if node.extent in ("const", "reduced") else f"{node.extent} "
        return f"{scope.quote(syntax)} ({extent}{AXES[node.extent]})"

    def _describe(self, syntax: Expression, node: Node, scope: _Scope) -> str:
        extent = "" if node.extent in ("const", "reduced") else f"{node.extent} "
        return f"{scope.quote(syntax)} is {_a(node.dtype)}, {extent}{AXES[node.extent]}"

    def _require_bool(self, syntax: Expression, node: Node, scope: _Scope, what: str) -> None:
        if node.dtype != "bool":
            message = f"{what} takes booleans, and {scope.quote(syntax)} is {_a(node.dtype)}"
            raise scope.error(syntax, message, "put comparisons in brackets, as in mask & (x > 0)")

    def _number(self, syntax: Expression, node: Node, scope: _Scope, what: str) -> Node:
        """Return the node as a float; integers are converted, so that nothing overflows."""
        if node.op == "histogram":
            raise scope.error(syntax, f"{what} cannot work on a histogram", "let the histogram be the whole formula")
        if node.dtype == "bool":
            message = f"{what} takes numbers, and {scope.quote(syntax)} is a boolean"
            raise scope.error(syntax, message, "write where(…, 1, 0)")
        if node.dtype == "int" and node.extent != "const":
            return self.arena.node("to_float", [node], extent=node.extent, dtype="float")
        return node

    def _finite(self, at: Expression, scope: _Scope, node: Node) -> Node:
        """Refuse arithmetic on literals that has no finite result."""
        value = self._constants.value(node)
        if value is not None and not isfinite(value):
            raise scope.error(at, f"{scope.quote(at)} is not a finite number", "write another constant")
        return node

    # Inserted metrics

    def _insert(self, at: MetricCall, scope: _Scope) -> Node:
        metric = at.metric
        if metric in self._inserting:
            chain = " → ".join([*self._inserting[self._inserting.index(metric) :], metric])
            raise scope.error(at, f"a metric cannot insert itself: {chain}", "write one of the formulas out")
        if len(self._inserting) >= _MAX_INSERTIONS:
            raise scope.error(at, f"metrics insert each other more than {_MAX_INSERTIONS} deep", "write the formula out")
        if metric in self._inserted:
            return self._inserted[metric]
        try:
            formula, let = self.metrics(metric)
        except KeyError:
            raise scope.error(at, f"there is no metric {metric[:80]!r}", "write the id of a metric of the spec") from None
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


def _literal(at: Expression) -> int | float | None:
    """Return the number that an expression spells out, with an optional minus."""
    if isinstance(at, Unary) and at.operator == "-":
        value = _literal(at.operand)
        return None if value is None else -value
    if isinstance(at, LiteralSyntax) and not isinstance(at.value, bool):
        return at.value
    return None


def _without_everything(at: Expression) -> Expression | None:
    """Return a population without its ``everything``; None if nothing else is in it."""
    if isinstance(at, Name) and at.name == "everything":
        return None
    if isinstance(at, Binary) and at.operator == "&":
        left, right = _without_everything(at.left), _without_everything(at.right)
        if left is None:
            return right
        if right is None:
            return left
        if left is not at.left or right is not at.right:
            return Binary(at.span, "&", left, right)
    return at


def _plus(node: Node) -> DType:
    return "int" if node.extent == "const" and node.dtype == "int" else "float"


def _a(dtype: DType) -> str:
    return {"float": "a float", "int": "an integer", "bool": "a boolean"}[dtype]
