"""Writes fused updates: as :mod:`.render`, but with masks and reductions as ``rlmetrics.state.parts`` has them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from rlmetrics.state.kinds import KINDS

from .constants import Constants
from .line_scope import Piece, Scope
from .nodes import Node, walk
from .operations import OPERATIONS
from .padding import is_mask, nothing_in_padding
from .padding_guards import guarded
from .slot_plan import Filled
from .torch_code import Renderer

__all__ = ["PartsRenderer"]

_WIDTH: Final = 116
_ELEMENTWISE: Final = frozenset(["leaf", "arithmetic", "comparison", "logic", "elementwise", "choice"])
"""Families of operations whose value at a token depends on that token alone; so do the two below."""

_CONVERSIONS: Final = ("to_float", "not_nan")


class PartsRenderer(Renderer):
    """Renders the tensors of fused updates and the calls that fill slots.

    Args:
        roots: All results.
        masked: Whether there is a mask of tokens; what needs it stands where it is given.
    """

    def __init__(self, roots: Iterable[Node], masked: bool):
        roots = list(roots)
        super().__init__(guarded(roots), Constants())
        self._clean = nothing_in_padding(roots, self.safe)
        self._masked = masked
        self._in_rows: set[str] = set()

    def entrance(self, inputs: Mapping[str, Node], optional: Sequence[str], filled: Iterable[Filled]) -> Iterator[str]:
        """Yield lines that give each input the dtype to compute in, and padding a harmless value.

        Args:
            inputs: The inputs.
            optional: Those that may be missing.
            filled: All slots.
        """
        for name, node in inputs.items():
            if node.dtype == "bool":
                yield f"{name} = parts.truth({name})" if name in optional else f"{name} = {name}.bool()"
        tokens = [name for name, node in inputs.items() if node.extent == "token" and not is_mask(node)]
        floats = [name for name, node in inputs.items() if node.dtype == "float" and node.extent != "vocab"]
        if self._masked:
            self._in_rows = _needed_in_rows(filled)
            chosen = [name for name in tokens if name not in self._in_rows]
            yield from _assigned(["keep", *chosen], "parts.selected", ["mask", *chosen])
            padded = [name for name in floats if name in self._in_rows and inputs[name] in self.safe and name in tokens]
            if padded:
                yield from _assigned(["_", *padded], "parts.masked", ["mask", *padded])
            floats = [name for name in floats if name not in (*chosen, *padded)]
        for name in floats:
            yield f"{name} = {'parts.widened' if name in optional else 'ops.as_float'}({name})"

    def filled(self, filled: Filled, scope: Scope) -> str:
        """Return the call that fills a slot."""
        function, nodes = filled.function.replace("ops.", "parts."), filled.nodes
        if function == "parts.count" and is_mask(nodes[0]) and self._masked:
            return "parts.size(keep)"
        if function == "parts.rows_of" and self._masked and nodes[0] in self.safe:
            return "parts.rows_of(mask)"
        if not self._masked or len(nodes) < 2 or not is_mask(nodes[-1]):
            return scope.call(function, nodes, *filled.more)[0]
        clean = self._cleanliness(nodes[0]) if KINDS[filled.slot.kind].clean else []
        population = "keep" if _needs_no_rows(filled) and not self._in_rows & _inputs_of(nodes) else "mask"
        return scope.call(function, nodes[:-1], population, *clean, *filled.more)[0]

    def _cleanliness(self, node: Node) -> list[str]:
        return ["clean=True"] if node in self._clean else []

    def render(self, node: Node, scope: Scope) -> Piece:
        """Write one operation, its operands through the scope."""
        if node.op == "seq_sum" and is_mask(node.over) and self._masked:
            return scope.call("parts.seq_sum", node.args, "mask", *self._cleanliness(node.args[0]))
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


def _needed_in_rows(filled: Iterable[Filled]) -> set[str]:
    """Return the inputs of tokens that some slot needs with their places, and those that stand beside them anywhere."""
    needed = set[str]()
    waiting = [(_inputs_of(one.nodes), _needs_no_rows(one)) for one in filled]
    while True:
        more = {name for names, alone in waiting if not alone or names & needed for name in names}
        if more <= needed:
            return needed
        needed |= more


def _inputs_of(nodes: Iterable[Node]) -> set[str]:
    """Return the inputs of tokens below some nodes, without the mask."""
    return {
        str(node.value) for node in walk(nodes) if node.op == "input" and node.extent == "token" and not is_mask(node)
    }


def _needs_no_rows(filled: Filled) -> bool:
    """Return whether a slot needs no more than the tokens under the mask: not their places, nor what is beside them."""
    nodes = list(walk(filled.nodes))
    tokens = [node for node in nodes if node.extent in ("token", "vocab")]
    if not tokens or filled.function == "ops.rows_of":
        return True
    if filled.nodes[0].extent != "token":
        return False
    whole = filled.function == "ops.count" and is_mask(filled.nodes[0])
    elementwise = all(_is_elementwise(node) and node.extent in ("token", "const") for node in nodes)
    return elementwise and (whole or is_mask(filled.nodes[-1]))


def _is_elementwise(node: Node) -> bool:
    return OPERATIONS[node.op].family in _ELEMENTWISE or node.op in _CONVERSIONS
