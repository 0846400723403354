"""Several formulas over one set of tensors: shared parts once, all slots in one state, some inputs optional."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, get_args

from rlmetrics.state.kinds import SLOT_KINDS
from rlmetrics.state.slot_layout import Slot

from .axes import same_axes
from .compile import Atom, Compiled
from .declared import DeclaredInput
from .fused_updates import PartsRenderer
from .host_code import HostRenderer
from .line_scope import Scope, UniqueNames
from .lower import Finalized, finalize, tidy
from .nodes import Arena, Node, walk
from .operations import REDUCTIONS
from .padding import looks_at_padding
from .slot_plan import Empty, Filled, SlotPlan

__all__ = ["Fused", "FusedBlock", "fuse"]

_ATOMS: Final[tuple[Atom, ...]] = get_args(Atom)

_Key = tuple[str, ...]
"""The optional inputs that something needs, in the order of the inputs."""


@dataclass(frozen=True)
class FusedBlock:
    """Metrics that need the same optional inputs.

    Attributes:
        inputs: The optional inputs that they need; none where they are updated every time.
        metrics: Their names.
        updates: The slot that counts the updates that gave these inputs; None where every update does.
        atom: What none of them lets be cut.
        over_padding: One of them that looks at padding too, empty if none does.
    """

    inputs: tuple[str, ...]
    metrics: tuple[str, ...]
    updates: str | None
    atom: Atom = "token"
    over_padding: str = ""


@dataclass(frozen=True)
class Fused:
    """Several formulas over one set of tensors.

    The source uses ``torch``, and ``ops``, ``parts`` and ``host`` of ``rlmetrics.state``. An optional input may be
    None. What the variable of a slot holds is a ``parts.Value``.

    Attributes:
        inputs: The axes of each input that is used, in the order in which they were declared; axes of one name have
            one size.
        optional: Those of them that an update may lack.
        slots: What the state keeps; slots that merge alike stand next to each other, those of width one first.
        update_source: Lines that assign each slot's variable.
        blocks: The formulas by the optional inputs that they need.
        results: For each formula how its result comes from the slots, as Python numbers and (wide slots) lists of them.
        omitted: The formulas whose result is left out where the population was empty.
        histograms: For each formula that is a distribution, which has no result, its slot and the slot that counts the
            updates that gave its inputs, None where every update does.
    """

    inputs: Mapping[str, tuple[str, ...]]
    optional: tuple[str, ...]
    slots: tuple[Slot, ...]
    update_source: tuple[str, ...]
    blocks: tuple[FusedBlock, ...]
    results: Mapping[str, Finalized]
    omitted: frozenset[str]
    histograms: Mapping[str, tuple[str, str | None]]

    @property
    def like(self) -> str:
        """An expression of an input that the update has: the first that every update has, else the first given."""
        always = next((name for name in self.inputs if name not in self.optional), None)
        return always or f"parts.first_of({', '.join(self.inputs)})"

    @property
    def results_source(self) -> tuple[str, ...]:
        """Lines that return a dict of the results by name, from variables named like the slots."""
        return tuple(_results(self))


def fuse(
    formulas: Mapping[str, Compiled],
    parameter_names: Mapping[str, Mapping[str, str]] | None = None,
    optional: Collection[str] = (),
) -> Fused:
    """Lower several formulas together.

    A metric is over the updates that gave all its inputs, so it has slots of its own unless another metric needs the
    same optional inputs.

    Args:
        formulas: The formulas by name.
        parameter_names: For each formula, what its parameters are called in the fused code; two formulas that use
            one name share the value.
        optional: Inputs that an update may lack.
    """
    rename = parameter_names or {}
    arena = Arena()
    declared: dict[str, DeclaredInput] = {}
    roots: dict[str, tuple[Node, Empty]] = {}
    parameters: dict[str, None] = {}
    for name, compiled in formulas.items():
        renamed = dict(rename.get(name, {}))
        roots[name] = (arena.copy(compiled.root, compiled.arena.names, renamed), compiled.empty)
        declared.update(compiled.declared)
        parameters.update(dict.fromkeys(renamed.get(parameter, parameter) for parameter in compiled.parameters))
    used = {name for compiled in formulas.values() for name in compiled.inputs}
    inputs = same_axes(
        [compiled.inputs for compiled in formulas.values()],
        {name: word for name, word in declared.items() if name in used},
    )
    names = UniqueNames([*inputs, *parameters, "state", "host", "means", "parts", "written", "pack", "keep", "results"])
    keys: dict[_Key, list[str]] = {(): []}
    for name, compiled in formulas.items():
        key = tuple(word for word in inputs if word in optional and word in compiled.inputs)
        keys.setdefault(key, []).append(name)
    lacking = [name for name in inputs if name in optional]
    writer = _Writer(arena, names, [root for root, _ in roots.values()], inputs, lacking)
    pending = []
    blocks: list[FusedBlock] = []
    if sum("mask" in key for key in keys) > 1:
        # Nothing but the mask is needed to count its tokens, which is done once.
        keys.setdefault(("mask",), [])
    for key in sorted(keys, key=len):
        members = {name: roots[name] for name in keys[key]}
        updates = names.fresh(f"{_slug(keys[key][0])}_updates") if key and members else None
        pending.append(writer.add(key, members, updates))
        if members:
            atom = _ATOMS[max(_ATOMS.index(formulas[name].atom) for name in members)]
            padded = next((name for name, (root, _) in members.items() if looks_at_padding(root)), "")
            blocks.append(FusedBlock(key, tuple(members), updates, atom, padded))
    # Only now, so that no local variable of a result can take the name of a slot.
    results = {name: finalized for block in pending for name, finalized in block}
    return Fused(
        inputs=inputs,
        optional=tuple(lacking),
        slots=tuple(sorted(writer.slots, key=lambda slot: SLOT_KINDS.index(slot.kind))),
        update_source=tuple(writer.source(())),
        blocks=tuple(blocks),
        results=results,
        omitted=frozenset(name for name, (_, empty) in roots.items() if empty == "omit"),
        histograms={
            name: (writer.histograms[name], block.updates)
            for block in blocks
            for name in block.metrics
            if name in writer.histograms
        },
    )


class _Writer:
    """Writes one body for blocks of slots; a block that needs more inputs than another stands inside it.

    Args:
        arena: Where the nodes are from.
        names: Where names come from.
        roots: All results.
        inputs: The axes of the inputs.
        optional: The inputs that may be missing.
    """

    def __init__(
        self,
        arena: Arena,
        names: UniqueNames,
        roots: Sequence[Node],
        inputs: Mapping[str, tuple[str, ...]],
        optional: Sequence[str],
    ):
        self._arena = arena
        self._names = names
        self._axes = inputs
        self._inputs = {str(node.value): node for node in walk(roots) if node.op == "input"}
        self._optional = optional
        self._filled: dict[_Key, list[Filled]] = {}
        self._updates: dict[_Key, str] = {}
        self.histograms: dict[str, str] = {}
        self._masked = "mask" in self._inputs and self._inputs["mask"].extent == "token"
        self._renderer = PartsRenderer(roots, self._masked)
        self._opposites = _opposites(roots)
        self._host = HostRenderer(frozenset(), self._renderer.constants)
        for node in walk(roots):
            # From the leaves up, so that long chains of constants need no deep recursion.
            self._renderer.is_number(node)

    @property
    def slots(self) -> list[Slot]:
        """All slots."""
        counters = [Slot(name, "count") for name in self._updates.values()]
        return [*(filled.slot for block in self._filled.values() for filled in block), *counters]

    def add(
        self, key: _Key, members: Mapping[str, tuple[Node, Empty]], updates: str | None
    ) -> Iterator[tuple[str, Finalized]]:
        """Plan the slots of one block and return its results, to be taken once every block has its slots."""
        roots = [root for root, _ in members.values()]
        plan = SlotPlan(self._arena, roots, self._names, "host", self._axes, self._opposites)
        for name, (root, _) in members.items():
            plan.metric = _slug(name)
            for node in walk([root]):
                if node.op in REDUCTIONS:
                    plan.result(node)
                    plan.size(node)
        self.histograms.update((name, plan.slot(root)) for name, (root, _) in members.items() if root.op == "histogram")
        self._filled[key] = plan.filled
        if updates is not None:
            self._updates[key] = updates
        return (
            (name, finalize(self._arena, plan, self._host, self._names, root, empty))
            for name, (root, empty) in members.items()
            if root.op != "histogram"
        )

    def source(
        self,
        key: _Key,
        bound: Mapping[Node, str] | None = None,
        known: Mapping[tuple[object, ...], str] | None = None,
    ) -> Iterator[str]:
        """Yield the lines of a block, with those inside it.

        Args:
            key: The block.
            bound: Names of values that are computed already.
            known: Names of slot values that are computed already, by the call that made them.
        """
        scope = Scope(self._names, self._arena.names, self._renderer.render, bound)
        calls = dict(known or {})
        if not key:
            every = [filled for block in self._filled.values() for filled in block]
            inputs = {name: self._inputs[name] for name in self._axes}
            scope.lines += self._renderer.entrance(inputs, self._optional, every)
        inside = [other for other in self._filled if other != key and self._outer(other) == key]
        below = [node for other in self._subtree(key) if other != key for node in self._nodes(other)]
        scope.prepare(self._nodes(key), below)
        for filled in self._filled[key]:
            call = (filled.function, filled.nodes, filled.more)
            text = calls.get(call) or self._renderer.filled(filled, scope)
            calls.setdefault(call, filled.slot.name)
            scope.lines.append(f"{filled.slot.name} = {text}")
        if key in self._updates:
            scope.lines.append(f"{self._updates[key]} = parts.one()")
        elif key == ("mask",) and self._masked:
            name = self._names.fresh("tokens_in_mask")
            scope.lines.append(f"{name} = parts.size(keep)")
            calls["ops.count", (self._inputs["mask"],), ()] = name
        yield from tidy(scope.lines)
        for other in inside:
            yield f"if {' and '.join(f'{name} is not None' for name in other if name not in key)}:"
            yield from _indented(self.source(other, scope.bound, calls))
            yield "else:"
            yield from _indented(self._unseen(other))

    def _outer(self, key: _Key) -> _Key | None:
        """Return the block that a block stands in: that with most of its inputs, the first of several."""
        if not key:
            return None
        return max((other for other in self._filled if set(other) < set(key)), key=len)

    def _subtree(self, key: _Key) -> Iterator[_Key]:
        yield key
        for other in self._filled:
            if self._outer(other) == key:
                yield from self._subtree(other)

    def _nodes(self, key: _Key) -> list[Node]:
        return [node for filled in self._filled[key] for node in filled.nodes]

    def _unseen(self, key: _Key) -> Iterator[str]:
        """Yield lines that leave every slot of a block, and of those inside it, as it is."""
        for other in self._subtree(key):
            yield from (f"{filled.slot.name} = None" for filled in self._filled[other])
            if other in self._updates:
                yield f"{self._updates[other]} = None"


def _slug(name: str) -> str:
    """Return the name of a metric as part of the name of a slot."""
    return re.sub(r"\W+", "_", name)


def _opposites(roots: Sequence[Node]) -> dict[Node, Node]:
    """Return differences that are also there the other way round, with that one: the one that more is made from."""
    nodes = list(walk(roots))
    used = {arg for node in nodes if node.op not in REDUCTIONS for arg in node.args}
    differences = sorted((node for node in nodes if node.op == "sub"), key=lambda node: node not in used)
    first: dict[tuple[Node, ...], Node] = {}
    opposites: dict[Node, Node] = {}
    for node in differences:
        opposite = first.get(node.args[::-1])
        if opposite is None:
            first[node.args] = node
        else:
            opposites[node] = opposite
    return opposites


def _indented(lines: Iterable[str]) -> Iterator[str]:
    return (f"    {line}" if line else "" for line in lines)


def _results(fused: Fused) -> Iterator[str]:
    yield "results: dict[str, float] = {}"
    for block in fused.blocks:
        numbers = [name for name in block.metrics if name in fused.results]
        lines = [line for name in numbers for line in _result(name, fused.results[name], name in fused.omitted)]
        if block.updates is None or not lines:
            yield from lines
        else:
            yield f"if {block.updates} > 0:"
            yield from _indented(lines)
    yield "return results"


def _result(name: str, finalized: Finalized, omitted: bool) -> Iterator[str]:
    yield from finalized.lines
    assign = f'results["{name}"] = {finalized.result}'
    if omitted and finalized.empty is not None:
        yield f"if not ({finalized.empty}):"
        yield f"    {assign}"
    else:
        yield assign
