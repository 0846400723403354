"""``metrics[key] = value`` and ``self._metrics[mode][key] = value``."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from ..abstract_values import (
    Constant,
    Mapping,
    ObjectValue,
    Sequence,
    TextValue,
    UnknownValue,
    Value,
    options,
    placeholder,
    text_of,
    texts,
    unknown_keys,
)
from .sinks import is_summary, sink_one

if TYPE_CHECKING:
    from ..call_arguments import Arguments
    from ..frames import Frame
    from ..interpreter import Interpreter


def store_item(interpreter: Interpreter, frame: Frame, target: ast.Subscript, value: Value, source: ast.expr) -> None:
    """Write under every key the subscript may be, in every dict the container may be."""
    if _is_number(target.slice) and isinstance(target.value, ast.Subscript):
        outer = interpreter.evaluate(frame, target.value.value)
        if any(isinstance(option, Mapping) for option in options(outer)):  # self._rates["key"][0] += seconds
            store_item(interpreter, frame, target.value, Sequence([value], exact=False), source)
            return
    container = interpreter.evaluate(frame, target.value)
    key = interpreter.evaluate(frame, target.slice)
    if isinstance(container, UnknownValue) and isinstance(target.value, ast.Name) and value_is_named(target.value.id):
        container = Mapping()
        container.merge_unknown(target.value.id, frame.site(target))
        frame.env[target.value.id] = container
    for option in options(container):
        if isinstance(option, Mapping):
            for name in key_names(key, target.slice, option):
                option.write(
                    name,
                    value,
                    interpreter.place(frame, target),
                    shorten(source),
                )
        elif isinstance(option, ObjectValue):
            for name in texts(key):
                option.attributes[name.template] = value
        elif isinstance(option, Sequence):
            option.items.append(value)
        elif is_summary(text_of(target.value)):
            sink_one(interpreter, frame, target, key)


def set_item(interpreter: Interpreter, frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    """``metrics.__setitem__(key, value)`` and ``operator.setitem(metrics, key, value)``."""
    function = node.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    if isinstance(function, ast.Attribute) and name == "__setitem__":
        operands = [function.value, *node.args]
    else:
        operands = node.args if name == "setitem" else []
    if len(operands) != 3:
        return None
    container, key, value = operands
    target = ast.copy_location(ast.Subscript(container, key, ast.Store()), node)
    store_item(interpreter, frame, target, arguments.positional[-1], value)
    return Constant(None)


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int)


def key_names(key: Value, node: ast.expr, into: Mapping) -> list[TextValue]:
    """Return the keys that are written; keys copied from an unknown dict are remembered in ``into`` instead."""
    lost = unknown_keys(key)
    into.missing.update({(missing.site, missing.text): missing for missing in lost})
    names = texts(key)
    return names if names or lost else [TextValue("{" + placeholder(node) + "}")]


def value_is_named(name: str) -> bool:
    """Tell whether a variable's name says that it holds metrics, so that writing into it is logging."""
    return re.search(r"metric|stats|timing|logs", name) is not None


def shorten(node: ast.expr) -> str:
    """Return an expression's text on one line."""
    return text_of(node)[:300]
