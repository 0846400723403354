"""From typed results to Python source: one body that fills the slots, one that computes each result from them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from rlmetrics.state.slot_layout import Slot

from .constants import Constants
from .declared import DeclaredInput
from .line_scope import Scope, UniqueNames
from .nodes import Arena, Node, walk
from .operations import OPERATIONS, REDUCTIONS
from .padding_guards import guarded, padding_masks
from .slot_plan import Empty, SlotPlan
from .torch_code import Renderer

__all__ = ["Finalized", "Lowered", "conversions", "finalize", "lower", "tidy"]

_LINE = 100


@dataclass(frozen=True)
class Finalized:
    """How one result comes from the slots.

    Attributes:
        lines: Assignments to write first.
        result: The expression of the result, a float64 tensor ``[]``, or ``[bins + 4]`` of a histogram; a Python number
            where several formulas are fused.
        empty: An expression, true where the population was empty; None where the formula has no notion of it.
    """

    lines: tuple[str, ...]
    result: str
    empty: str | None


@dataclass(frozen=True)
class Lowered:
    """The generated bodies of one or more formulas over shared slots."""

    inputs: tuple[str, ...]
    slots: tuple[Slot, ...]
    update_source: tuple[str, ...]
    results: Mapping[str, Finalized]


def lower(
    arena: Arena,
    roots: Mapping[str, tuple[Node, Empty]],
    inputs: Mapping[str, DeclaredInput],
    parameters: Iterable[str],
) -> Lowered:
    """Write the Python source of some results over the same inputs.

    Args:
        arena: Where the nodes are from.
        roots: Each result with its value over an empty population.
        inputs: The declared inputs, in their order.
        parameters: The names of the parameters, which the code must not hide.
    """
    nodes = [node for node, _ in roots.values()]
    names = UniqueNames([*inputs, *parameters])
    plan = SlotPlan(arena, nodes, names)
    renderer = Renderer(guarded(nodes), Constants())
    for node in walk(nodes):
        # From the leaves up, so that long chains of constants need no deep recursion.
        renderer.is_number(node)
    results = {key: finalize(arena, plan, renderer, names, root, empty) for key, (root, empty) in roots.items()}
    reduced = [node for filled in plan.filled for node in filled.nodes]
    used = {str(node.value): node for node in walk(reduced) if node.op == "input"}
    ordered = {name: used[name] for name in inputs if name in used}
    masks = padding_masks(nodes, renderer.safe)
    body = Scope(names, arena.names, renderer.masking(masks))
    body.lines += [*checks(ordered), *conversions(ordered, masks)]
    body.prepare(reduced)
    for filled in plan.filled:
        text, _ = body.call(filled.function, filled.nodes, *filled.more)
        body.lines.append(f"{filled.slot.name} = {text}")
    # What has no fixed width stands last, so that every other slot has a fixed place.
    slots = tuple(sorted((filled.slot for filled in plan.filled), key=lambda slot: slot.kind == "values"))
    return Lowered(tuple(ordered), slots, tuple(tidy(body.lines)), results)


def finalize(
    arena: Arena, plan: SlotPlan, renderer: Renderer, names: UniqueNames, root: Node, empty: Empty
) -> Finalized:
    """Write how a result comes from its slots, which the plan makes where they are missing."""
    reductions = [node for node in _reduced(root) if node.op in REDUCTIONS]
    scope = Scope(names.copy(), arena.names, renderer.finishing(plan.result), opaque=REDUCTIONS)
    scope.prepare([root])
    result, _ = scope.piece(root)
    guards = plan.guards(root, empty)
    if guards:
        value = f"{plan.helpers}.or_nan({{}})" if empty != 0 else f"{plan.helpers}.unless_empty({{}})"
        if len(result) + sum(map(len, guards)) > 60:
            name = scope.names.fresh("value")
            scope.lines.append(f"{name} = {result}")
            result = name
        result = value.format(", ".join([result, *(["0.0"] if empty == 0 else []), *guards]))
    known = empty is not None and (empty != 0 or OPERATIONS[root.op].empty != 0)
    sizes = dict.fromkeys(size for node in reductions if known and (size := plan.size(node)) is not None)
    tests = [f"{size} == 0" for size in sizes]
    test = " | ".join(f"({test})" for test in tests) if len(tests) > 1 else "".join(tests) or None
    return Finalized(tuple(scope.lines), result, test)


def _reduced(root: Node) -> Iterator[Node]:
    return (node for node in walk([root]) if node.extent == "reduced")


def checks(inputs: Mapping[str, Node]) -> Iterator[str]:
    """Yield calls that compare the shapes of the inputs."""
    names = {
        extent: [name for name, node in inputs.items() if node.extent == extent]
        for extent in ("vocab", "token", "sequence", "group", "batch", "scalar")
    }
    # The mask is the tensor that users check first.
    names["token"].sort(key=lambda name: name != "mask")
    for extent, rank in (("vocab", 3), ("token", 2), ("sequence", 1), ("group", 1)):
        if names[extent]:
            yield from _check(f"ops.same_shape({rank}, ", names[extent][0], names[extent][1:])
    for extent, rank in (("batch", 1), ("scalar", 0)):
        for name in names[extent]:
            yield from _check(f"ops.same_shape({rank}, ", name, [])
    heads = [names[extent][0] for extent in ("vocab", "token", "sequence") if names[extent]]
    if len(heads) > 1:
        yield from _check("ops.same_rows(", heads[0], heads[1:])


def _check(call: str, first: str, others: Sequence[str]) -> Iterator[str]:
    line = f"{call}{first}={first}"
    start = line
    for other in others:
        if len(line) + 2 * len(other) > _LINE:
            yield f"{line})"
            line = start
        line += f", {other}={other}"
    yield f"{line})"


def conversions(inputs: Mapping[str, Node], masked: AbstractSet[Node]) -> Iterator[str]:
    """Yield lines that give each input the dtype to compute in, and some of them a harmless value in padding."""
    for name, node in inputs.items():
        if node.dtype == "bool":
            yield f"{name} = {name}.bool()"
    for name, node in inputs.items():
        if node.dtype == "float" and node.extent != "vocab":
            yield f"{name} = ops.masked({name}, mask)" if node in masked else f"{name} = ops.as_float({name})"


def tidy(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines without repeated or outer blank ones."""
    for index, line in enumerate(lines):
        if line or (0 < index < len(lines) - 1 and lines[index - 1]):
            yield line
