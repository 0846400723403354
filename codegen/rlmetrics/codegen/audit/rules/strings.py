"""String methods that build keys, such as ``format``, ``join``, ``replace`` and ``removeprefix``."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from ..abstract_values import Constant, Sequence, TextValue, Value, join, options, placeholder

if TYPE_CHECKING:
    from ..call_arguments import Arguments
    from ..frames import Frame
    from ..interpreter import Interpreter


def method(interpreter: Interpreter, frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    """Apply a string method to what is known of the string."""
    function = node.func
    if not isinstance(function, ast.Attribute) or function.attr not in _METHODS:
        return None
    results = [
        result
        for option in options(arguments.receiver)
        if isinstance(option, TextValue) and (result := _apply(option, function.attr, node, arguments)) is not None
    ]
    return join(*results) if results else None


_METHODS = {"format", "join", "replace", "removeprefix", "removesuffix", "lower", "upper", "strip", "split", "rstrip"}


def _apply(text: TextValue, name: str, node: ast.Call, arguments: Arguments) -> Value | None:
    values = [value for value in arguments.positional if isinstance(value, TextValue) and value.known]
    if name == "join":
        return _join(text, node, arguments)
    if name == "split" and text.known and len(values) <= 1:
        separator = values[0].template if values else None
        return Sequence([TextValue(part) for part in text.template.split(separator)])
    if len(values) != len(arguments.positional):
        return None
    words = [value.template for value in values]
    if name == "replace" and len(words) == 2:
        changed = text.template.replace(words[0], words[1])
    elif name in ("removeprefix", "removesuffix") and len(words) == 1:
        changed = getattr(text.template, name)(words[0])
    elif name in ("lower", "upper") and not words:
        changed = re.sub(r"[^{}]+(?![^{]*\})", lambda match: getattr(match.group(), name)(), text.template)
    elif name in ("strip", "rstrip"):
        changed = getattr(text.template, name)(*words)
    else:
        return None
    return TextValue(changed, text.site, text.origins)


def _join(separator: TextValue, node: ast.Call, arguments: Arguments) -> Value | None:
    if len(arguments.positional) != 1 or not isinstance(arguments.positional[0], Sequence):
        return None
    items = arguments.positional[0]
    if not items.exact:
        return TextValue("{" + placeholder(node.args[0]) + "}", separator.site)
    pieces = []
    for item in items.items:
        if isinstance(item, TextValue):
            pieces.append(item.template)
        elif isinstance(item, Constant):
            pieces.append(str(item.value))
        else:
            pieces.append("{" + (getattr(item, "text", "") or "value").split("(")[0].split(".")[-1] + "}")
    return TextValue(separator.template.join(pieces), separator.site)
