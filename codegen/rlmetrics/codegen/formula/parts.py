"""Writes fused updates: as :mod:`.render`, but with masks and conditions as ``rlmetrics.state.parts`` has them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

from .constants import Constants
from .guards import guarded
from .nodes import Node, walk
from .padding import is_mask, nothing_in_padding
from .plan import REDUCTIONS, Filled
from .render import Renderer
from .scope import Piece, Scope

__all__ = ["PartsRenderer"]

_WIDTH: Final = 116
_CAN_BE_CLEAN: Final = frozenset(f"parts.{name}" for name in ["total", "count", "moments", "smallest", "largest"])
_MIRRORED: Final = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}


class PartsRenderer(Renderer):
    """Renders the tensors of fused updates and the calls that fill slots.

    Args:
        roots: All results.
        masked: Whether every update has a mask of tokens.
    """

    def __init__(self, roots: Iterable[Node], masked: bool):
        roots = list(roots)
        super().__init__(guarded(roots), Constants())
        self._clean = nothing_in_padding(roots, self.safe)
        self._bits = _as_bits(roots) if masked else frozenset[Node]()
        self._masked = masked

    def entrance(self, inputs: Mapping[str, Node], optional: Collection[str]) -> Iterator[str]:
        """Yield lines that give each input the dtype to compute in, and padding a harmless value."""
        for name, node in inputs.items():
            if node.dtype == "bool":
                yield f"{name} = parts.truth({name})" if name in optional else f"{name} = {name}.bool()"
        if any(is_mask(node) for node in inputs.values()):
            yield "keep = parts.keep_of(mask)" + ("" if self._masked else " if mask is not None else None")
        floats = {name: node for name, node in inputs.items() if node.dtype == "float" and node.extent != "vocab"}
        padded = [name for name, node in floats.items() if node in self.safe and node.extent == "token"]
        if padded:
            yield from _assigned(padded, "parts.masked", ["keep", *padded])
        for name in floats:
            if name not in padded:
                yield f"{name} = {'parts.widened' if name in optional else 'ops.as_float'}({name})"

    def filled(self, filled: Filled, scope: Scope) -> str:
        """Return the call that fills a slot."""
        function = filled.function.replace("ops.", "parts.") if filled.function != "ops.histogram" else filled.function
        nodes = filled.nodes
        if function == "parts.count" and is_mask(nodes[0]) and self._masked:
            # Counted with its own mask, it is one of the conditions that are counted together.
            return "parts.count(keep, keep, clean=True)"
        if len(nodes) != 2 or not is_mask(nodes[1]) or not self._masked or function == "ops.histogram":
            return scope.call(function, nodes, *filled.more)[0]
        population = "mask" if function == "parts.count" and nodes[0] not in self._bits else "keep"
        clean = self._cleanliness(nodes[0]) if function in _CAN_BE_CLEAN else []
        return scope.call(function, nodes[:1], population, *clean, *filled.more)[0]

    def _cleanliness(self, node: Node) -> list[str]:
        return ["clean=True"] if node in self._clean else []

    def render(self, node: Node, scope: Scope) -> Piece:
        """Write one operation, its operands through the scope."""
        if node.op == "seq_sum" and is_mask(node.over) and self._masked:
            return scope.call("parts.seq_sum", node.args, "keep", *self._cleanliness(node.args[0]))
        if node in self._bits and node.op in _MIRRORED:
            x, y = node.args
            op = node.op
            if self.is_number(x):
                x, y, op = y, x, _MIRRORED[op]
            return scope.call(f"parts.{op}", [x, y], "keep")
        return super().render(node, scope)


def _assigned(names: Sequence[str], function: str, arguments: Sequence[str]) -> Iterator[str]:
    """Yield a call that assigns several names: on one line where that is short, else a line for each."""
    target = f"({names[0]},)" if len(names) == 1 else ", ".join(names)
    line = f"{target} = {function}({', '.join(arguments)})"
    if len(line) <= _WIDTH:
        yield line
    else:
        yield from ["(", *(f"    {name}," for name in names), f") = {function}("]
        yield from [*(f"    {argument}," for argument in arguments), ")"]


def _as_bits(roots: Iterable[Node]) -> frozenset[Node]:
    """Return the conditions of tokens that are only counted, or part of such: comparisons of floats, and, or."""
    nodes = list(walk(roots))
    bits: set[Node] = set()
    for node in nodes:
        if node.extent != "token" or node.dtype != "bool":
            continue
        compared = node.op in _MIRRORED and any(arg.extent == "token" for arg in node.args)
        floats = all(arg.dtype == "float" or arg.extent == "const" for arg in node.args)
        if (compared and floats) or (node.op in ("and", "or") and bits.issuperset(node.args)):
            bits.add(node)
    while True:
        spoiled = {
            operand
            for node in nodes
            for operand in node.operands
            if operand in bits and not _counts(node, operand) and not (node in bits and node.op in ("and", "or"))
        }
        spoiled |= {node for node in bits if node.op in ("and", "or") and not bits.issuperset(node.args)}
        if not spoiled:
            return frozenset(bits)
        bits -= spoiled


def _counts(node: Node, condition: Node) -> bool:
    """Return whether a node is a reduction that only counts a condition among the tokens of the mask."""
    counting = node.op in REDUCTIONS and node.op in ("mean", "count", "sum")
    return counting and node.args[0] is condition and is_mask(node.over) and node.op != "sum"
