"""Which slots a formula keeps, and how its result comes from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from rlmetrics.state.kinds import KINDS, SlotKind
from rlmetrics.state.slot_layout import Slot

from .line_scope import ATOM, PRODUCT, UNARY, Piece, UniqueNames, telling_name
from .nodes import Arena, Node, Value, walk
from .operations import OPERATIONS, REDUCTIONS

__all__ = ["Empty", "Filled", "SlotPlan"]

Empty = Literal["nan", "omit", 0] | None
"""The value over an empty population; None leaves sums and counts at zero and everything else at NaN."""


@dataclass(frozen=True)
class Filled:
    """A slot with the call that fills it."""

    slot: Slot
    function: str
    nodes: tuple[Node, ...]
    more: tuple[str, ...] = ()


class SlotPlan:
    """Collects the slots of all reductions below some results, each once.

    Args:
        arena: Where nodes are made.
        roots: The results.
        names: Where slots get their names.
        helpers: The module of helpers that results call: ``ops`` for tensors, ``host`` for Python numbers.
        axes: The axes of the inputs, if equal kinds of axes may have different sizes.
        opposites: Differences whose negative is a node as well, with that node.
    """

    def __init__(
        self,
        arena: Arena,
        roots: Sequence[Node],
        names: UniqueNames,
        helpers: Literal["ops", "host"] = "ops",
        axes: Mapping[str, tuple[str, ...]] | None = None,
        opposites: Mapping[Node, Node] | None = None,
    ):
        self.filled: list[Filled] = []
        self.metric = ""
        """What slots without a name of their own are called after, if not empty."""
        self._arena = arena
        self._names = names
        self.helpers = helpers
        self._axes = axes or {}
        self._opposites = opposites or {}
        self._slots: dict[tuple[object, ...], str] = {}
        reductions = [node for node in walk(roots) if node.op in REDUCTIONS]
        self._spread = {(node.args[0], node.over) for node in reductions if OPERATIONS[node.op].slot == "moments"}

    # Results

    def result(self, node: Node) -> Piece:
        """Return a reduction as an expression of its slots."""
        row, x, over = OPERATIONS[node.op], node.args[0], node.over
        if node.op == "mean":
            return self._mean(x, over)
        if node.op == "sum":
            return self._sum(x, over)
        if node.op == "count":
            return self._count(x, over), ATOM
        slot = self.slot(node)
        size = self._size(x, over) if "{size}" in row.result else ""
        return row.result.format(ops=self.helpers, slot=slot, size=size, value=repr(node.value)), ATOM

    def _mean(self, x: Node, over: Node | None) -> Piece:
        if x.dtype == "bool":
            top, bottom = self._count(x, over), self._size(x, over)
        elif (x, over) in self._spread:
            return f"{self.helpers}.mean_of({self._keep('moments', [x], over)})", ATOM
        else:
            top, bottom = self._sum(x, over)[0], self._size(x, over)
        return (f"host.divide({top}, {bottom})", ATOM) if self.helpers == "host" else (f"{top} / {bottom}", PRODUCT)

    def size(self, node: Node) -> str | None:
        """Return how many elements a reduction was over, as an expression of its slots; None for histograms."""
        if node.op == "histogram":
            return None
        kind = OPERATIONS[node.op].slot
        assert kind is not None
        return f"{self.slot(node)}[0]" if KINDS[kind].has_size else self._size(node.args[0], node.over)

    def guards(self, root: Node, empty: Empty) -> list[str]:
        """Return the sizes that must be checked, because the arithmetic alone would not give the empty value."""
        if empty is None or root.op == "histogram" or (empty == 0 and OPERATIONS[root.op].empty == 0):
            return []
        natural = set() if empty == 0 else set(_strict(root))
        sizes = [
            self.size(node)
            for node in walk([root])
            if node.op in REDUCTIONS and (OPERATIONS[node.op].empty == 0 or node not in natural)
        ]
        return list(dict.fromkeys(size for size in sizes if size is not None))

    # Slots

    def slot(self, node: Node) -> str:
        """Return the slot that a reduction keeps, beside the size of its population."""
        row = OPERATIONS[node.op]
        assert row.slot is not None
        return self._keep(row.slot, node.args, node.over if "over" in row.keywords else None, node.value)

    def _keep(
        self, kind: SlotKind, args: Sequence[Node], over: Node | None, value: Value = None, name: str = ""
    ) -> str:
        """Return a slot that is filled from values over a population; a new one is called after them or as told."""
        operands = (*args,) if over is None else (*args, over)
        bins = value if isinstance(value, tuple) else None
        identity = (kind, operands, bins)
        if identity not in self._slots:
            name = name or KINDS[kind].called.format(*map(self._name, args))
            slot = Slot(self._fresh(name, kind), kind)
            more: tuple[str, ...] = ()
            if bins is not None:
                slot = replace(slot, low=bins[0], high=bins[1], bins=bins[2])
                more = (f"low={slot.low!r}", f"high={slot.high!r}", f"bins={slot.bins!r}")
            self._slots[identity] = slot.name
            self.filled.append(Filled(slot, f"ops.{KINDS[kind].fill}", operands, more))
        return self._slots[identity]

    def _fresh(self, name: str, kind: str) -> str:
        """Return a name for a slot; where another metric has it, it is called after its own."""
        if self.metric and not self._names.is_free(name):
            name = f"{self.metric}_{kind}"
        stem, _, last = name.rpartition("_")
        return self._names.fresh(stem if stem.endswith(f"_{last}") else name)

    def _sum(self, x: Node, over: Node | None) -> Piece:
        """Return the sum of a value; fused, from what other formulas have summed already."""
        if self.helpers == "host":
            if over is None and x.op == "seq_sum":
                # The sum of the sums of all sequences is that of all tokens.
                x, over = x.args[0], x.over
            opposite = x.args[0] if x.op == "neg" else self._opposites.get(x)
            if opposite is not None:
                return f"-{self._keep('sum', [opposite], over)}", UNARY
        return self._keep("sum", [x], over), ATOM

    def _count(self, condition: Node, over: Node | None) -> str:
        if condition is over:
            return self._size(condition, over)
        name = f"{self._name(condition)}_count"
        if over is not None and self.helpers == "ops":
            condition, over = self._arena.node("and", [condition, over], extent=condition.extent, dtype="bool"), None
        return self._keep("count", [condition], over, name=name)

    def _size(self, x: Node, over: Node | None) -> str:
        if (x, over) in self._spread:
            return f"{self._keep('moments', [x], over)}[0]"
        if over is None:
            return self._size_of_all(x)
        if over.value == "mask" and over.op == "input":
            name = self._sized("token")
        elif over.op == "group_exists":
            name = self._sized("group")
        else:
            name = self._sized(self._arena.names.get(over, "selected"))
        return self._keep("count", [over], None, name=name)

    def _size_of_all(self, x: Node) -> str:
        # Batches may differ in length; everything else of one domain has one size within a formula.
        identity = ("size", x.extent, x if x.extent == "batch" else None, self._size_of(x))
        if identity not in self._slots:
            wanted = {"token": "position", "batch": "element", "scalar": "update"}.get(x.extent, x.extent)
            self._slots[identity] = name = self._names.fresh(self._sized(wanted))
            rows = self.helpers == "host" and OPERATIONS[x.op].family == "sequence"
            tokens = next((node for node in walk([x]) if rows and (node.op, node.extent) == ("input", "token")), None)
            of = ("ops.number_of", (x,)) if tokens is None else ("ops.rows_of", (tokens,))
            self.filled.append(Filled(Slot(name, "count"), *of))
        return self._slots[identity]

    def _size_of(self, x: Node) -> tuple[str, ...]:
        """Return the axes of a value, of which formulas that are lowered together may have several of a kind."""
        shapes = [self._axes.get(str(node.value), ()) for node in walk([x]) if node.op == "input"]
        return max(shapes, key=len, default=())[: 2 if x.extent == "token" else 1]

    def _name(self, node: Node) -> str:
        named = node.op in ("input", "parameter") or node in self._arena.names
        return self.metric if self.metric and not named else telling_name(node, self._arena.names)

    def _sized(self, what: str) -> str:
        return f"{self.metric}_{what}_count" if self.metric else f"{what}_count"


def _strict(node: Node) -> Iterable[Node]:
    """Yield the reductions whose NaN becomes the NaN of the result."""
    stack, seen = [node], set[Node]()
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if node.op in REDUCTIONS:
            yield node
        elif OPERATIONS[node.op].strict and node.value != 0:
            stack.extend(node.args)
