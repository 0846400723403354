"""``metrics[key] = value`` and ``self._metrics[mode][key] = value``."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..values import text_of, Mapping, Object, Sequence, Text, Value, options, placeholder, texts

if TYPE_CHECKING:
    from ..interpreter import Frame, Interpreter


def store_item(
    interpreter: Interpreter, frame: Frame, target: ast.Subscript, value: Value, source: ast.expr
) -> None:
    """Writes under every key the subscript may be, in every dict the container may be."""
    from ..expressions import evaluate

    container = evaluate(interpreter, frame, target.value)
    key = evaluate(interpreter, frame, target.slice)
    names = texts(key) or [Text("{" + placeholder(target.slice) + "}")]
    for option in options(container):
        if isinstance(option, Mapping):
            interpreter.touch(frame, target)
            for name in names:
                option.write(
                    name,
                    value,
                    site=frame.site(target),
                    expression=shorten(source),
                    conditions=interpreter.in_force(),
                )
        elif isinstance(option, Object):
            for name in names:
                option.attributes[name.template] = value
        elif isinstance(option, Sequence):
            option.items.append(value)


def shorten(node: ast.expr) -> str:
    """Returns an expression's text on one line."""
    return text_of(node)[:300]
