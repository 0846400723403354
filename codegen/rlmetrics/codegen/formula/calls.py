"""Calls: arity, keywords, and what each family of functions takes and gives."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from . import keywords
from .domains import LetScope, Side, join, require_bool
from .formula_errors import FormulaError
from .nodes import Extent, Node, Value
from .operation import Operation
from .operations import FUNCTIONS
from .selection import population
from .syntax import Call, Expression
from .vocabulary import Vocabulary

__all__ = ["Calls"]


@dataclass(frozen=True)
class _Checked:
    """A call whose arguments have been checked one by one."""

    at: Call
    row: Operation
    sides: tuple[Side, ...]
    given: Mapping[str, Expression]
    scope: LetScope

    @property
    def name(self) -> str:
        return self.row.name

    @property
    def extent(self) -> Extent:
        """Over what the value varies."""
        assert self.row.extent is not None
        return self.row.extent

    @property
    def nodes(self) -> list[Node]:
        return [node for _, node in self.sides]

    def wants(self, what: str, place: int, fix: str) -> FormulaError:
        """Return an error about one argument."""
        syntax, node = self.sides[place]
        return self.scope.error(syntax, f"`{self.name}` takes {what}, and {self.scope.describe(syntax, node)}", fix)


class Calls:
    """Checks calls.

    Args:
        vocabulary: The declared inputs.
        check: Checks an argument.
        skip_nan: Leave NaN out of every reduction to a scalar.
    """

    def __init__(self, vocabulary: Vocabulary, check: Callable[[Expression, LetScope], Node], *, skip_nan: bool):
        self.arena = vocabulary.arena
        self.vocabulary = vocabulary
        self.check = check
        self.skip_nan = skip_nan

    def call(self, at: Call, scope: LetScope) -> Node:
        """Check a call with its arguments.

        Raises:
            FormulaError: The first thing that is wrong.
        """
        row = _row(at, scope)
        given = {keyword.name: keyword.value for keyword in at.keywords}
        sides = tuple((argument, self.check(argument, scope)) for argument in at.arguments)
        checked = _Checked(at, row, sides, given, scope)
        if row.family == "elementwise":
            return self._elementwise(checked)
        if row.family == "choice":
            return self._where(checked)
        if row.family == "broadcast":
            return self._broadcast(checked)
        if row.family == "vocab":
            return self._vocab(checked)
        if row.family == "sequence":
            return self._sequence(checked)
        if row.family == "group":
            return self._group(checked)
        return self._reduction(checked)

    def _elementwise(self, call: _Checked) -> Node:
        what = f"`{call.name}`"
        extent = join(call.at, call.sides, call.scope, what)
        args = [self.vocabulary.number(side, call.scope, what) for side in call.sides]
        return self.arena.node(call.name, args, extent=extent, dtype=call.row.dtype)

    def _where(self, call: _Checked) -> Node:
        extent = join(call.at, call.sides, call.scope, "`where`")
        condition, *branches = call.sides
        require_bool(condition, call.scope, "the condition of `where`")
        if all(node.dtype == "bool" for _, node in branches):
            return self.arena.node("where", call.nodes, extent=extent, dtype="bool")
        numbers = [self.vocabulary.number(side, call.scope, "`where`") for side in branches]
        return self.arena.node("where", [condition[1], *numbers], extent=extent, dtype="float")

    def _broadcast(self, call: _Checked) -> Node:
        target, allowed = call.extent, call.row.takes
        x = call.nodes[0]
        if x.extent not in allowed:
            fix = f"delete `{call.name}`" if x.extent in (target, "const") else "reduce first, or use another broadcast"
            raise call.wants(f"a value per {' or '.join(allowed)}", 0, fix)
        if call.name == "per_sequence" and x.extent == "group":
            index = self.vocabulary.group_index(call.at, call.scope)
            return self.arena.node("per_sequence", [x, index], extent="sequence", dtype=x.dtype)
        like = self.vocabulary.like(target)
        if like is None:
            message = f"no {target} input tells how often to repeat"
            raise call.scope.error(call.at, message, f"declare a {target} input")
        op = "repeat" if call.name == "per_sequence" else call.name
        return self.arena.node(op, [x, like], extent=target, dtype=x.dtype)

    def _vocab(self, call: _Checked) -> Node:
        logits, *tokens = call.nodes
        if logits.extent != "vocab":
            raise call.wants("a value per vocabulary entry", 0, "pass logits, or broadcast with per_vocab(…)")
        if tokens and (tokens[0].extent, tokens[0].dtype) != ("token", "int"):
            raise call.wants("token ids", 1, "pass an integer token input, such as tokens")
        logits = self.vocabulary.number(call.sides[0], call.scope, f"`{call.name}`")
        return self.arena.node(call.name, [logits, *tokens], extent=call.extent, dtype=call.row.dtype)

    def _sequence(self, call: _Checked) -> Node:
        x = call.nodes[0]
        if x.extent != "token":
            vocab = x.extent == "vocab"
            raise call.wants("a value per token", 0, "reduce over the vocabulary first" if vocab else "use mean or sum")
        _check_operand(call, 0)
        over = self._population(call, "token")
        return self.arena.node(call.name, [x], extent="sequence", dtype=call.row.dtype, over=over)

    def _group(self, call: _Checked) -> Node:
        for number, node in enumerate(call.nodes):
            if node.extent != "sequence":
                token = node.extent == "token"
                fix = "reduce it to sequences first, as in seq_sum(…)" if token else "use mean or sum"
                raise call.wants("a value per sequence", number, fix)
            _check_operand(call, number)
        index = self.vocabulary.group_index(call.at, call.scope)
        over = self._population(call, "sequence")
        args = [*call.nodes, index]
        return self.arena.node(call.name, args, extent="group", dtype="float", over=over, value=_value(call))

    def _reduction(self, call: _Checked) -> Node:
        extent = join(call.at, call.sides, call.scope, f"`{call.name}`")
        for index, (syntax, node) in enumerate(call.sides):
            if node.extent in ("const", "reduced"):
                kind = "a constant" if node.extent == "const" else "reduced already"
                message = f"`{call.name}` has nothing to reduce: {call.scope.quote(syntax)} is {kind}"
                raise call.scope.error(syntax, message, f"delete `{call.name}`")
            if extent == "vocab":
                raise call.wants("no vocabulary", index, "reduce over the vocabulary first, as in sum_vocab(…)")
            if call.name == "last" and extent != "scalar":
                raise call.wants("a scalar", index, "use seq_last, mean or sum")
            _check_operand(call, index)
        over = self._population(call, extent)
        if self.skip_nan:
            for node in call.nodes:
                if node.dtype == "float":
                    over = self.vocabulary.both(over, self.arena.node("not_nan", [node], extent=extent, dtype="bool"))
        return self.arena.node(call.name, call.nodes, extent="reduced", dtype="float", over=over, value=_value(call))

    def _population(self, call: _Checked, extent: Extent) -> Node | None:
        return population(self.vocabulary, self.check, call.at, extent, call.given, call.scope)


def _value(call: _Checked) -> Value:
    """Return what the keyword arguments of a reduction say, beside its population."""
    if "ddof" in call.row.keywords:
        return keywords.ddof(call.given, call.scope)
    if "bins" in call.row.required:
        return keywords.bins(call.given, call.scope)
    return keywords.level(call.given, call.scope) if "level" in call.row.required else None


def _row(at: Call, scope: LetScope) -> Operation:
    """Return the function of a call whose arity and keywords are right."""
    row = FUNCTIONS.get(at.function)
    if row is None:
        near = difflib.get_close_matches(at.function, FUNCTIONS, 1)
        fix = f"did you mean `{near[0]}`?" if near else "use a function of the table or `impl`"
        raise scope.error(at, f"`{at.function[:40]}` is not a function of the language", fix)
    usage = f"write {row.usage}"
    expected, got = len(row.arguments), len(at.arguments)
    if expected != got:
        raise scope.error(at, f"`{at.function}` takes {expected} argument{'s' * (expected != 1)}, not {got}", usage)
    for keyword in at.keywords:
        if keyword.name not in (*row.keywords, *row.required):
            raise scope.error(keyword.value, f"`{at.function}` has no keyword `{keyword.name[:40]}`", usage)
    for name in row.required:
        if name not in {keyword.name for keyword in at.keywords}:
            raise scope.error(at, f"`{at.function}` needs `{name}=`", usage)
    return row


def _check_operand(call: _Checked, place: int) -> None:
    """Check that what is reduced has the dtype that the reduction needs."""
    node = call.nodes[place]
    if call.row.of == "condition" and node.dtype != "bool":
        raise call.wants("a boolean", place, "compare it with something, as in x > 0")
    if call.row.of == "number" and node.dtype == "bool":
        fix = {"sum": "write count(…)", "seq_sum": "write seq_count(…)"}.get(call.name, "write where(…, 1, 0)")
        raise call.wants("a number", place, fix)
