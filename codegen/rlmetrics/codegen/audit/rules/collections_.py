"""Built-ins over collections: ``enumerate``, ``zip``, ``sorted``, ``list``, ``set`` and ``len``."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..abstract_values import (
    Constant,
    FunctionValue,
    Mapping,
    ObjectValue,
    Sequence,
    TextValue,
    UnknownValue,
    Value,
    join,
    options,
)

if TYPE_CHECKING:
    from ..call_arguments import Arguments
    from ..frames import Frame
    from ..interpreter import Interpreter


def builtin(interpreter: Interpreter, frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    """Evaluate a built-in function over sequences."""
    if isinstance(node.func, ast.Attribute) and node.func.attr == "union" and node.args:
        return _union(interpreter, frame, node)
    name = "fromkeys" if getattr(node.func, "attr", "") == "fromkeys" else getattr(node.func, "id", "")
    if not arguments.positional or name not in _BUILTINS:
        return None
    first = arguments.positional[0]
    if name == "len":
        return Constant(len(first.template)) if isinstance(first, TextValue) and first.known else UnknownValue("len")
    if name == "str":
        return _to_string(interpreter, frame, node, first)
    if name == "zip":
        return _zip(arguments.positional)
    if name == "map":
        return None
    parts = [_items(option) for option in options(first)]
    known = [part for part in parts if part is not None]
    if not known:
        return None
    items = [item for part in known for item in part]
    exact = len(parts) == 1 and isinstance(first, Sequence) and first.exact and name in ("list", "tuple", "enumerate")
    if name == "enumerate":
        return Sequence([Sequence([UnknownValue("index"), item]) for item in items], exact)
    return Sequence(items, exact)


_BUILTINS = {
    "enumerate",
    "zip",
    "sorted",
    "list",
    "set",
    "tuple",
    "reversed",
    "frozenset",
    "len",
    "str",
    "map",
    "fromkeys",
}


def _to_string(interpreter: Interpreter, frame: Frame, node: ast.Call, value: Value) -> Value | None:
    if isinstance(value, TextValue):
        return value
    if isinstance(value, ObjectValue) and value.info is not None:
        method = interpreter.program.lookup(value.info, "__str__")
        if method is not None:
            made = interpreter.run(FunctionValue(method, value), [], {})
            site = frame.site(node)  # where the text becomes part of a key, not where its words stand
            return join(*(TextValue(o.template, site) if isinstance(o, TextValue) else o for o in options(made)))
    return None


def _union(interpreter: Interpreter, frame: Frame, node: ast.Call) -> Value | None:
    """Return what sets have together: ``set().union(*(row.keys() for row in rows))``."""
    items: list[Value] = []
    for argument in node.args:
        starred = isinstance(argument, ast.Starred)
        value = interpreter.evaluate(frame, argument.value if isinstance(argument, ast.Starred) else argument)
        for option in options(value):
            for part in (_items(option) or []) if starred else [option]:
                for inner in options(part):
                    items += _items(inner) or []
    return Sequence(items, exact=False) if items else None


def _items(value: Value) -> list[Value] | None:
    if isinstance(value, Sequence):
        return list(value.items)
    if isinstance(value, Mapping):
        return [*value.keys(), *value.unknown_keys()]
    return None


def _zip(columns: list[Value]) -> Value | None:
    known = [column.items if isinstance(column, Sequence) and column.exact else None for column in columns]
    lengths = {len(items) for items in known if items is not None}
    first = columns[0]
    if not lengths and isinstance(first, Sequence) and any(isinstance(item, TextValue) for item in first.items):
        rest = [_element(column) for column in columns[1:]]
        return Sequence([Sequence([item, *rest]) for item in first.items], exact=False)
    if len(lengths) != 1:
        return Sequence([Sequence([_element(column) for column in columns])], exact=False)
    count = lengths.pop()
    rows: list[Value] = [
        Sequence(
            [items[i] if items is not None else _element(column) for items, column in zip(known, columns, strict=True)]
        )
        for i in range(count)
    ]
    return Sequence(rows)


def _element(column: Value) -> Value:
    items = [item for option in options(column) if isinstance(option, Sequence) for item in option.items]
    known = all(isinstance(option, Sequence) for option in options(column))
    return join(*items) if known and 0 < len(items) <= _MAX_ELEMENTS else UnknownValue("element")


_MAX_ELEMENTS = 8
