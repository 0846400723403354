"""Which slots a formula keeps, and how its result comes from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from rlmetrics.state.layout import Slot, SlotKind

from .nodes import Arena, Node, walk
from .operations import OPERATIONS, REDUCTIONS
from .scope import ATOM, PRODUCT, UNARY, Names, Piece, telling_name

__all__ = ["Empty", "Filled", "Plan"]

Empty = Literal["nan", "omit", 0] | None
"""The value over an empty population; None leaves sums and counts at zero and everything else at NaN."""


@dataclass(frozen=True)
class Filled:
    """A slot with the call that fills it."""

    slot: Slot
    function: str
    nodes: tuple[Node, ...]
    more: tuple[str, ...] = ()


class Plan:
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
        names: Names,
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
        self._spread = {(node.args[0], node.over) for node in reductions if node.op in ("var", "std")}

    # Results

    def result(self, node: Node) -> Piece:
        """Return a reduction as an expression of its slots."""
        op, x, over = node.op, node.args[0], node.over
        if op == "mean" and x.dtype == "bool":
            return self._quotient(self._count(x, over), self._size(x, over))
        if op == "mean":
            if (x, over) in self._spread:
                return f"{self.helpers}.mean_of({self._moments(x, over)})", ATOM
            return self._quotient(self._sum(x, over)[0], self._size(x, over))
        if op == "sum":
            return self._sum(x, over)
        if op == "count":
            return self._count(x, over), ATOM
        if op in ("min", "max"):
            kind: SlotKind = "min" if op == "min" else "max"
            return f"{self.helpers}.or_nan({self._extent_slot(kind, x, over)}, {self._size(x, over)})", ATOM
        if op in ("var", "std"):
            function = "variance" if op == "var" else "standard_deviation"
            return f"{self.helpers}.{function}({self._moments(x, over)}, ddof={node.value})", ATOM
        if op == "last":
            return f"{self.helpers}.last_value({self._last(x)})", ATOM
        if op == "histogram":
            return f"{self.helpers}.histogram_result({self.bins(node)})", ATOM
        if op == "at_max":
            return f"{self.helpers}.value_at_max({self._at_max(node)})", ATOM
        if op == "quantile":
            values = self._slot("values", f"{self._name(x)}_values", "ops.kept", [x, over])
            return f"{self.helpers}.quantile({values}, {self._size(x, over)}, level={node.value!r})", ATOM
        comoments = self._comoments(node)
        if op == "cov":
            return f"{self.helpers}.covariance({comoments}, ddof={node.value})", ATOM
        return f"{self.helpers}.correlation({comoments})", ATOM

    def _quotient(self, top: str, bottom: str) -> Piece:
        return (f"host.divide({top}, {bottom})", ATOM) if self.helpers == "host" else (f"{top} / {bottom}", PRODUCT)

    def size(self, node: Node) -> str | None:
        """Return how many elements a reduction was over, as an expression of its slots; None for histograms."""
        x, over = node.args[0], node.over
        if node.op in ("var", "std"):
            return f"{self._moments(x, over)}[0]"
        if node.op in ("cov", "corr"):
            return f"{self._comoments(node)}[0]"
        if node.op == "last":
            return f"{self._last(x)}[0]"
        if node.op == "at_max":
            return f"{self._at_max(node)}[0]"
        if node.op == "histogram":
            return None
        return self._size(x, over)

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

    def _slot(self, kind: SlotKind, name: str, function: str, nodes: Iterable[Node | None]) -> str:
        operands = tuple(node for node in nodes if node is not None)
        identity = (kind, function, operands)
        if identity not in self._slots:
            self._slots[identity] = fresh = self._fresh(name, kind)
            self.filled.append(Filled(Slot(fresh, kind), function, operands))
        return self._slots[identity]

    def _fresh(self, name: str, kind: str) -> str:
        """Return a name for a slot; where another metric has it, it is called after its own."""
        if self.metric and not self._names.is_free(name):
            name = f"{self.metric}_{kind}"
        stem, _, last = name.rpartition("_")
        return self._names.fresh(stem if stem.endswith(f"_{last}") else name)

    def _sum(self, x: Node, over: Node | None) -> Piece:
        """Return the sum of a value; fused, from what other formulas have summed already."""
        if self.helpers == "ops":
            return self._extent_slot("sum", x, over), ATOM
        if over is None and x.op == "seq_sum":
            # The sum of the sums of all sequences is that of all tokens.
            x, over = x.args[0], x.over
        opposite = x.args[0] if x.op == "neg" else self._opposites.get(x)
        if opposite is not None:
            return f"-{self._extent_slot('sum', opposite, over)}", UNARY
        return self._extent_slot("sum", x, over), ATOM

    def _extent_slot(self, kind: SlotKind, x: Node, over: Node | None) -> str:
        function = {"sum": "total", "min": "smallest", "max": "largest"}[kind]
        return self._slot(kind, f"{self._name(x)}_{kind}", f"ops.{function}", [x, over])

    def _count(self, condition: Node, over: Node | None) -> str:
        name = f"{self._name(condition)}_count"
        if condition is over:
            return self._size(condition, over)
        if over is not None and self.helpers == "ops":
            condition, over = self._arena.node("and", [condition, over], extent=condition.extent, dtype="bool"), None
        return self._slot("count", name, "ops.count", [condition, over])

    def _size(self, x: Node, over: Node | None) -> str:
        if (x, over) in self._spread:
            return f"{self._moments(x, over)}[0]"
        if over is None:
            return self._size_of_all(x)
        if over.value == "mask" and over.op == "input":
            name = self._sized("token")
        elif over.op == "group_exists":
            name = self._sized("group")
        else:
            name = self._sized(self._arena.names.get(over, "selected"))
        return self._slot("count", name, "ops.count", [over])

    def _size_of_all(self, x: Node) -> str:
        # Batches may differ in length; everything else of one domain has one size within a formula.
        identity = ("size", x.extent, x if x.extent == "batch" else None, self._size_of(x))
        if identity not in self._slots:
            wanted = {"token": "position", "batch": "element", "scalar": "update"}.get(x.extent, x.extent)
            self._slots[identity] = name = self._names.fresh(self._sized(wanted))
            rows = self.helpers == "host" and x.op.startswith("seq_")
            tokens = next((node for node in walk([x]) if rows and (node.op, node.extent) == ("input", "token")), None)
            of = ("ops.number_of", (x,)) if tokens is None else ("ops.rows_of", (tokens,))
            self.filled.append(Filled(Slot(name, "count"), *of))
        return self._slots[identity]

    def _size_of(self, x: Node) -> tuple[str, ...]:
        """Return the axes of a value, of which formulas that are lowered together may have several of a kind."""
        shapes = [self._axes.get(str(node.value), ()) for node in walk([x]) if node.op == "input"]
        return max(shapes, key=len, default=())[: 2 if x.extent == "token" else 1]

    def _moments(self, x: Node, over: Node | None) -> str:
        return self._slot("moments", f"{self._name(x)}_moments", "ops.moments", [x, over])

    def _comoments(self, node: Node) -> str:
        x, y = node.args
        return self._slot("comoments", f"{self._name(x)}_{self._name(y)}_comoments", "ops.comoments", [x, y, node.over])

    def _at_max(self, node: Node) -> str:
        x, by = node.args
        return self._slot("at_max", f"{self._name(x)}_at_max", "ops.at_max", [x, by, node.over])

    def _last(self, x: Node) -> str:
        return self._slot("last", f"last_{self._name(x)}", "ops.last", [x])

    def bins(self, node: Node) -> str:
        """Return the slot of a histogram."""
        assert isinstance(node.value, tuple)
        low, high, bins = node.value
        identity = ("bins", node)
        if identity not in self._slots:
            x = node.args[0]
            self._slots[identity] = name = self._names.fresh(f"{self._name(x)}_bins")
            operands = (x,) if node.over is None else (x, node.over)
            more = (f"low={low!r}", f"high={high!r}", f"bins={bins!r}")
            self.filled.append(Filled(Slot(name, "bins", bins, low, high), "ops.histogram", operands, more))
        return self._slots[identity]

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
