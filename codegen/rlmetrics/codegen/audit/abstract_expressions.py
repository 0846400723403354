"""Evaluates expressions to abstract values."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from .abstract_values import (
    Constant,
    FunctionValue,
    Mapping,
    Missing,
    ObjectValue,
    Sequence,
    TextValue,
    UnknownValue,
    Value,
    join,
    mappings,
    options,
    placeholder,
    text_of,
    texts,
    unknown_keys,
)
from .decide import decide
from .definitions import FunctionInfo
from .logging_calls import call
from .rules import build_dict
from .value_lookups import member, module_value, subscript

if TYPE_CHECKING:
    from .frames import Frame
    from .interpreter import Interpreter

MAX_TEXTS = 24

_PERCENT = re.compile(r"(?<!%)%[-+0-9.]*[sdirgfe]")
"""A value in a text that ``%`` fills in."""


def evaluate(interpreter: Interpreter, frame: Frame, node: ast.expr) -> Value:
    """Return what an expression may be; expressions without a rule are unknown, their parts still evaluated."""
    handler = _HANDLERS.get(type(node))
    if handler is not None:
        return handler(interpreter, frame, node)
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            evaluate(interpreter, frame, child)
    return UnknownValue(text_of(node)[:80])


def iterate(value: Value, source: ast.expr) -> list[Value]:
    """Return what a loop over the value binds, one entry for each known element."""
    values: list[Value] = []
    for option in options(value):
        if isinstance(option, Mapping):
            values.extend([*option.keys(), *option.unknown_keys()])
        elif isinstance(option, Sequence):
            values.extend(option.items)
            if not option.exact and not option.items:
                values.append(UnknownValue(placeholder(source)))
        elif not isinstance(option, Constant):
            values.append(UnknownValue(placeholder(source)))
    unknown = [item for item in values if isinstance(item, UnknownValue)][:1]
    known = [item for item in values if not isinstance(item, UnknownValue)]
    if unknown:  # numbers among unknown ones are only the first of a range
        known = [item for item in known if not (isinstance(item, Constant) and isinstance(item.value, int))]
    present = [item for item in known if not (isinstance(item, Constant) and item.value is None)]
    return [*(present or known), *unknown]


def _constant(interpreter: Interpreter, frame: Frame, node: ast.Constant) -> Value:
    if isinstance(node.value, str):
        return TextValue(node.value.replace("{", "").replace("}", ""), frame.site(node))
    return Constant(node.value)


def _name(interpreter: Interpreter, frame: Frame, node: ast.Name) -> Value:
    if node.id in frame.env:
        return frame.env[node.id]
    if frame.closure is not None and node.id in frame.closure:
        return frame.closure[node.id]
    return module_value(interpreter, frame.module.name, node.id)


def _attribute(interpreter: Interpreter, frame: Frame, node: ast.Attribute) -> Value:
    return member(interpreter, frame, evaluate(interpreter, frame, node.value), node)


def _joined(interpreter: Interpreter, frame: Frame, node: ast.JoinedStr) -> Value:
    results = [TextValue("", frame.site(node))]
    lost: list[Missing] = []
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            value = evaluate(interpreter, frame, part.value)
            lost.extend(unknown_keys(value))
            pieces = pieces_of(value, part.value)
        else:
            literal = _constant(interpreter, frame, part) if isinstance(part, ast.Constant) else UnknownValue()
            pieces = [TextValue(literal.template)] if isinstance(literal, TextValue) else []
        results = concatenate(results, pieces)
    return join(*results, *([UnknownValue(text_of(node)[:80], keys=tuple(lost))] if lost else []))


def pieces_of(value: Value, node: ast.expr) -> list[TextValue]:
    """Return the strings a value may turn into inside another string; a placeholder where it is unknown."""
    pieces: list[TextValue] = []
    for option in options(value):
        if isinstance(option, TextValue):
            pieces.append(option if option.origins else TextValue(option.template))
        elif isinstance(option, Constant) and option.value is not None and not isinstance(option.value, bool):
            pieces.append(TextValue(str(option.value)))
        elif not (isinstance(option, UnknownValue) and option.keys):
            name = TextValue("{" + placeholder(node) + "}")
            if name not in pieces:
                pieces.append(name)
    return pieces


def concatenate(heads: list[TextValue], tails: list[TextValue]) -> list[TextValue]:
    """Return all concatenations; a part that is a dict's key keeps its provenance."""
    return [
        TextValue(head.template + tail.template, head.site, tail.origins or head.origins)
        for head in heads
        for tail in tails
    ][: MAX_TEXTS * 16]


def _filled_in(node: ast.BinOp) -> ast.JoinedStr | None:
    """Return the f-string that ``"train/%s" % key`` stands for; None where it is no such thing."""
    if not (isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)):
        return None
    parts = _PERCENT.split(node.left.value)
    values = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
    if len(parts) != len(values) + 1:
        return None
    pieces: list[ast.expr] = [ast.Constant(parts[0].replace("%%", "%"))]
    for value, text in zip(values, parts[1:], strict=True):
        pieces += [ast.FormattedValue(value, -1), ast.Constant(text.replace("%%", "%"))]
    return ast.copy_location(ast.JoinedStr(pieces), node)


def _binary(interpreter: Interpreter, frame: Frame, node: ast.BinOp) -> Value:
    filled_in = _filled_in(node)
    if filled_in is not None:
        return _joined(interpreter, frame, filled_in)
    left, right = evaluate(interpreter, frame, node.left), evaluate(interpreter, frame, node.right)
    if isinstance(node.op, ast.Add):
        if texts(left) or texts(right):
            heads = [TextValue(t.template, frame.site(node), t.origins) for t in pieces_of(left, node.left)]
            lost = unknown_keys(left) + unknown_keys(right)
            rest = [UnknownValue(text_of(node)[:80], keys=lost)] if lost else []
            return join(*concatenate(heads, pieces_of(right, node.right)), *rest)
        sequences = [option for side in (left, right) for option in options(side) if isinstance(option, Sequence)]
        if sequences:
            return Sequence([item for s in sequences for item in s.items], exact=all(s.exact for s in sequences))
        carried: list[Value] = [
            option for side in (left, right) for option in options(side) if isinstance(option, (Mapping, ObjectValue))
        ]
        if carried:  # lists of what several workers return
            return Sequence(carried, exact=False)
        numbers = [side.value for side in (left, right) if isinstance(side, Constant) and isinstance(side.value, int)]
        if len(numbers) == 2:
            return Constant(sum(numbers))
    if isinstance(node.op, ast.Mult):
        repeated = [option for side in (left, right) for option in options(side) if isinstance(option, Sequence)]
        if repeated:
            return Sequence([item for sequence in repeated for item in sequence.items], exact=False)
    if isinstance(node.op, ast.BitAnd):
        return _intersection(left, right) or UnknownValue(text_of(node)[:80])
    if isinstance(node.op, ast.BitOr) and (mappings(left) or mappings(right)):
        merged = Mapping()
        for side in (*mappings(left), *mappings(right)):
            merged.merge(side, interpreter.place(frame, node))
        return merged
    return UnknownValue(text_of(node)[:80])


def _intersection(left: Value, right: Value) -> Value | None:
    """Return the elements of one known collection that another one may hold too (``set(a) & set(b)``)."""
    sides = [[item for option in options(side) for item in elements(option)] for side in (left, right)]
    if not all(sides):
        return None
    for one, other in (sides, sides[::-1]):
        if all(isinstance(item, TextValue) for item in one):
            names = {item.template for item in other if isinstance(item, TextValue)}
            open_ended = any(not isinstance(item, TextValue) for item in other)
            kept = [item for item in one if isinstance(item, TextValue) and (open_ended or item.template in names)]
            return Sequence(list(kept), exact=False)
    return None


def elements(value: Value) -> list[Value]:
    """Return the elements of one collection."""
    if isinstance(value, Sequence):
        return value.items
    if isinstance(value, Mapping):
        return [*value.keys(), *value.unknown_keys()]
    return []


def _condition(interpreter: Interpreter, frame: Frame, node: ast.IfExp) -> Value:
    decided = decide(interpreter, frame, node.test)
    if decided is not None:
        return evaluate(interpreter, frame, node.body if decided else node.orelse)
    with interpreter.branch():
        body = evaluate(interpreter, frame, node.body)
    with interpreter.branch():
        other = evaluate(interpreter, frame, node.orelse)
    return join(body, other)


def _boolean(interpreter: Interpreter, frame: Frame, node: ast.BoolOp) -> Value:
    values = [evaluate(interpreter, frame, value) for value in node.values]
    if isinstance(node.op, ast.Or):
        kept = [v for v in values if not (isinstance(v, Constant) and not v.value)]
        return join(*kept) if kept else values[-1]
    return join(*values)


def _sequence(interpreter: Interpreter, frame: Frame, node: ast.expr) -> Value:
    assert isinstance(node, (ast.List, ast.Tuple, ast.Set))
    items: list[Value] = []
    exact = True
    for element in node.elts:
        if isinstance(element, ast.Starred):
            value = evaluate(interpreter, frame, element.value)
            for option in options(value):
                if isinstance(option, Sequence):
                    items.extend(option.items)
                    exact = exact and option.exact
                else:
                    exact = False
        else:
            items.append(evaluate(interpreter, frame, element))
    return Sequence(items, exact)


def comprehension(
    interpreter: Interpreter, frame: Frame, generators: list[ast.comprehension], body: Callable[[], None]
) -> None:
    """Run ``body`` for every binding of the generators; what the comprehension binds does not leak."""
    saved = frame.env
    frame.env = dict(saved)

    def level(index: int) -> None:
        if index == len(generators):
            body()
            return
        generator = generators[index]
        source = interpreter.iterated(evaluate(interpreter, frame, generator.iter))
        for item in iterate(source, generator.iter)[:400]:
            interpreter.assign(frame, generator.target, item, generator.iter)
            if any(decide(interpreter, frame, test) is False for test in generator.ifs):
                continue
            level(index + 1)

    try:
        level(0)
    finally:
        frame.env = saved


def _list_comprehension(interpreter: Interpreter, frame: Frame, node: ast.expr) -> Value:
    assert isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp))
    items: list[Value] = []
    comprehension(interpreter, frame, node.generators, lambda: items.append(evaluate(interpreter, frame, node.elt)))
    known = [item for item in items if not isinstance(item, UnknownValue)]
    return Sequence(known or items, exact=False)


def _lambda(interpreter: Interpreter, frame: Frame, node: ast.Lambda) -> Value:
    info = FunctionInfo("<lambda>", node, frame.module, None, f"{frame.info.symbol}.<lambda>")
    return FunctionValue(info, frame.owner, frame.env)


def _transparent(interpreter: Interpreter, frame: Frame, node: ast.expr) -> Value:
    assert isinstance(node, (ast.Await, ast.YieldFrom, ast.Starred, ast.Yield))
    value = evaluate(interpreter, frame, node.value) if node.value is not None else Constant(None)
    if isinstance(node, ast.Yield):
        frame.yields.append(value)
    elif isinstance(node, ast.YieldFrom):
        frame.yields.extend(item for option in options(value) if isinstance(option, Sequence) for item in option.items)
    return value


def _named(interpreter: Interpreter, frame: Frame, node: ast.NamedExpr) -> Value:
    value = evaluate(interpreter, frame, node.value)
    interpreter.assign(frame, node.target, value, node.value)
    return value


def _call(interpreter: Interpreter, frame: Frame, node: ast.Call) -> Value:
    return call(interpreter, frame, node)


def _dict(interpreter: Interpreter, frame: Frame, node: ast.expr) -> Value:
    return build_dict(interpreter, frame, node)


_HANDLERS: dict[type[ast.expr], Callable[[Interpreter, Frame, ast.expr], Value]] = {
    ast.Constant: _constant,  # type: ignore[dict-item]
    ast.Name: _name,  # type: ignore[dict-item]
    ast.Attribute: _attribute,  # type: ignore[dict-item]
    ast.Subscript: subscript,  # type: ignore[dict-item]
    ast.JoinedStr: _joined,  # type: ignore[dict-item]
    ast.BinOp: _binary,  # type: ignore[dict-item]
    ast.IfExp: _condition,  # type: ignore[dict-item]
    ast.BoolOp: _boolean,  # type: ignore[dict-item]
    ast.List: _sequence,
    ast.Tuple: _sequence,
    ast.Set: _sequence,
    ast.ListComp: _list_comprehension,
    ast.SetComp: _list_comprehension,
    ast.GeneratorExp: _list_comprehension,
    ast.Lambda: _lambda,  # type: ignore[dict-item]
    ast.Await: _transparent,
    ast.Yield: _transparent,
    ast.YieldFrom: _transparent,
    ast.Starred: _transparent,
    ast.NamedExpr: _named,  # type: ignore[dict-item]
    ast.Call: _call,  # type: ignore[dict-item]
    ast.Dict: _dict,
    ast.DictComp: _dict,
}
