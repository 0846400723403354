"""Writes typed operations as calls of torch and of ``rlmetrics.state.ops``."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import Final

from .constants import Constants
from .line_scope import ATOM, COMPARE, PRODUCT, TERNARY, UNARY, Piece, Scope, UniqueNames, telling_name
from .nodes import Node
from .operations import OPERATIONS, REDUCTIONS

__all__ = ["Renderer"]


class Renderer:
    """Renders nodes; literals and parameters become Python numbers, everything else tensors.

    Args:
        safe: The nodes whose value in padding reaches no result.
        constants: The values of literal expressions.
    """

    def __init__(self, safe: frozenset[Node], constants: Constants):
        self.safe = safe
        self.constants = constants
        self._numbers: dict[Node, bool] = {}

    def render(self, node: Node, scope: Scope) -> Piece:
        """Write one operation, its operands through the scope."""
        row = OPERATIONS[node.op]
        special = _SPECIAL.get(node.op)
        if special is not None:
            return special(self, node, scope)
        if row.infix:
            return scope.infix(row.infix, *node.args)
        if row.prefix:
            return scope.prefix(row.prefix, node.args[0])
        if row.family == "elementwise":
            return self._torch(row.torch, node, scope)
        if row.family == "vocab":
            return self._from_vocab(node, scope)
        ddof = () if node.value is None else (f"ddof={node.value}",)
        return scope.call(row.torch or f"ops.{node.op}", node.operands, *ddof)

    def finishing(self, result: Callable[[Node], Piece]) -> Callable[[Node, Scope], Piece]:
        """Return what renders as this does, but takes reductions from slots.

        Args:
            result: Returns what a reduction's slots hold.
        """

        def render(node: Node, scope: Scope) -> Piece:
            return result(node) if node.op in REDUCTIONS else self.render(node, scope)

        return render

    def masking(self, masked: AbstractSet[Node]) -> Callable[[Node, Scope], Piece]:
        """Return what renders as this does, but replaces padding in some values by zero; inputs have it before."""

        def render(node: Node, scope: Scope) -> Piece:
            text, binding = self.render(node, scope)
            return (f"ops.masked({text}, mask)", ATOM) if node in masked and node.args else (text, binding)

        return render

    def is_number(self, node: Node) -> bool:
        """Return whether a node is a Python number or truth value in the generated code, not a tensor."""
        if node not in self._numbers:
            row = OPERATIONS[node.op]
            plain = row.family == "leaf" or (row.python is not None and not row.raises)
            self._numbers[node] = node.extent == "const" and (
                self.constants.value(node) is not None or (plain and all(self.is_number(arg) for arg in node.args))
            )
        return self._numbers[node]

    def _quotient(self, node: Node, scope: Scope) -> Piece:
        left, right = node.args
        if self.is_number(left) and self.is_number(right) and not self.is_number(node):
            # Python raises where torch gives infinity.
            text, right_binding = scope.piece(right)
            return f"{self._tensor(left, scope)} / {text if right_binding > PRODUCT else f'({text})'}", PRODUCT
        return scope.infix("/", left, right)

    def _not(self, node: Node, scope: Scope) -> Piece:
        if self.is_number(node.args[0]):
            return f"not {scope.piece(node.args[0])[0]}", TERNARY
        return scope.prefix("~", node.args[0])

    def _power(self, node: Node, scope: Scope) -> Piece:
        value = self.constants.value(node)
        if value is not None:
            return repr(value), ATOM if value >= 0 else UNARY
        if node.value == 2:
            return self._torch("torch.square", node, scope)
        return self._torch("torch.pow", node, scope, repr(node.value))

    def _torch(self, function: str, node: Node, scope: Scope, *more: str) -> Piece:
        if self.is_number(node.args[0]):
            return f"{function}({', '.join([self._tensor(node.args[0], scope), *more])})", ATOM
        return scope.call(function, node.args, *more)

    def _tensor(self, node: Node, scope: Scope) -> str:
        """Return the text of a node as a tensor."""
        text, _ = scope.piece(node)
        return f"ops.scalar({text})" if self.is_number(node) else text

    def _extreme(self, node: Node, scope: Scope) -> Piece:
        python, bound = ("min", "max") if node.op == "minimum" else ("max", "min")
        numbers = [self.is_number(arg) for arg in node.args]
        if all(numbers):
            return scope.call(python, node.args)
        if any(numbers):
            x, limit = node.args if numbers[1] else reversed(node.args)
            text, limit_text = (text for text, _ in scope.pieces([x, limit]))
            return f"torch.clamp({text}, {bound}={limit_text})", ATOM
        return scope.call(f"torch.{node.op}", node.args)

    def _clamp(self, node: Node, scope: Scope) -> Piece:
        x, low, high = node.args
        if all(self.is_number(arg) for arg in node.args):
            texts = [text for text, _ in scope.pieces(node.args)]
            return f"min(max({texts[0]}, {texts[1]}), {texts[2]})", ATOM
        if self.is_number(low) and self.is_number(high):
            return scope.call("torch.clamp", node.args)
        scope.pieces(node.args)
        x_text, low_text, high_text = (self._tensor(arg, scope) for arg in (x, low, high))
        return f"torch.minimum(torch.maximum({x_text}, {low_text}), {high_text})", ATOM

    def _where(self, node: Node, scope: Scope) -> Piece:
        condition, then, otherwise = node.args
        if not self.is_number(condition):
            return self._choose(node, scope)
        texts = [text if binding > TERNARY else f"({text})" for text, binding in scope.pieces(node.args)]
        # Both branches must have the shape of the result.
        for index, (branch, other) in enumerate(((then, otherwise), (otherwise, then)), start=1):
            if branch.extent == "const" and other.extent != "const":
                like = self._atom(other, scope)
                texts[3 - index] = like
                full = f"torch.full_like({like}, {texts[index]})"
                texts[index] = (
                    full if self.is_number(branch) else f"torch.zeros_like({like}) + {self._atom(branch, scope)}"
                )
        return f"{texts[1]} if {texts[0]} else {texts[2]}", TERNARY

    def _choose(self, node: Node, scope: Scope) -> Piece:
        condition, then, otherwise = node.args
        scope.pieces(node.args)
        texts = [scope.piece(arg)[0] for arg in node.args]
        if condition.extent == "const" and node.extent != "const":
            like = then if then.extent != "const" else otherwise
            texts[0] = f"{self._atom(condition, scope)} & torch.ones_like({self._atom(like, scope)}, dtype=torch.bool)"
        # Of two Python numbers, torch.where would make float32.
        numbers = node.dtype != "bool" and self.is_number(then) and self.is_number(otherwise)
        return f"{'ops.choose' if numbers else 'torch.where'}({', '.join(texts)})", ATOM

    def _atom(self, node: Node, scope: Scope) -> str:
        text, binding = scope.piece(node)
        return text if binding == ATOM else f"({text})"

    def _per_token(self, node: Node, scope: Scope) -> Piece:
        text, _ = scope.call("ops.per_token", node.args)
        if node in self.safe and node.dtype == "float" and node.args[1].value == "mask":
            return f"ops.masked({text}, mask)", ATOM
        return text, ATOM

    def _not_nan(self, node: Node, scope: Scope) -> Piece:
        return f"~{scope.call('torch.isnan', node.args)[0]}", UNARY

    def _repeat(self, node: Node, scope: Scope) -> Piece:
        return f"{self._atom(node.args[0], scope)}.expand_as({scope.piece(node.args[1])[0]})", ATOM

    # Over the vocabulary: in chunks of rows

    def _from_vocab(self, node: Node, scope: Scope) -> Piece:
        logits = node.args[0]
        mask = ("mask",) if node in self.safe else ()
        if node.op == "argmax_equals" and logits.op == "input":
            return scope.call("ops.argmax_equals", node.args)
        if node.op != "sum_vocab" and logits.op == "input":
            return scope.call(f"ops.{node.op}", node.args, *mask)
        leaves = self._leaves(node)
        arguments = [scope.variable(leaf) if leaf.operands else str(leaf.value) for leaf in leaves]
        function = scope.names.fresh(f"{telling_name(node, scope.let)}_rows")
        inner = Scope(
            UniqueNames(arguments), scope.let, self._row, dict(zip(leaves, arguments, strict=True)), rows=True
        )
        inner.prepare([node])
        result, _ = inner.piece(node)
        signature = ", ".join(f"{argument}: torch.Tensor" for argument in arguments)
        scope.lines += ["", f"def {function}({signature}) -> torch.Tensor:"]
        scope.lines += [f"    {line}" for line in inner.lines]
        scope.lines += [f"    return {result}", ""]
        keep = ("mask=mask",) if mask else ()
        return f"ops.in_chunks({', '.join([function, *arguments, *keep])})", ATOM

    def _leaves(self, root: Node) -> list[Node]:
        """Return what a value over the vocabulary is computed from: vocab inputs first, then token values."""
        vocab: dict[Node, None] = {}
        token: dict[Node, None] = {}
        stack, seen = [root], set[Node]()
        while stack:
            node = stack.pop()
            if node.extent == "vocab" and node.op == "input":
                vocab[node] = None
            elif node.extent == "token" and node is not root:
                token[node] = None
            elif node not in seen:
                seen.add(node)
                stack.extend(reversed(node.args))
        return [*vocab, *token]

    def _row(self, node: Node, scope: Scope) -> Piece:
        """Write an operation on rows ``[n, V]``."""
        rows = OPERATIONS[node.op].rows
        if rows:
            return scope.call(rows, node.args, *(["-1"] if rows.startswith("torch.") else []))
        if node.op == "sum_vocab":
            return f"{self._atom(node.args[0], scope)}.sum(-1)", ATOM
        if node.op == "argmax_equals":
            return f"{self._atom(node.args[0], scope)}.argmax(-1) == {self._atom(node.args[1], scope)}", COMPARE
        return self.render(node, scope)


_SPECIAL: Final[dict[str, Callable[[Renderer, Node, Scope], Piece]]] = {
    "input": lambda _, node, scope: (str(node.value), ATOM),
    "parameter": lambda _, node, scope: (str(node.value), ATOM),
    "literal": lambda _, node, scope: (repr(node.value), ATOM),
    "not_nan": Renderer._not_nan,
    "repeat": Renderer._repeat,
    "written": lambda _, node, scope: scope.call(f'written["{node.value}"]', node.args),
    "div": Renderer._quotient,
    "pow": Renderer._power,
    "not": Renderer._not,
    "minimum": Renderer._extreme,
    "maximum": Renderer._extreme,
    "clamp": Renderer._clamp,
    "where": Renderer._where,
    "per_token": Renderer._per_token,
}
"""What is more than an operator or a call."""
