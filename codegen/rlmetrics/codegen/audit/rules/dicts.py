"""Dict literals and comprehensions, ``update``, ``append`` into a key, ``dict(...)``, ``defaultdict`` and reads."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..abstract_values import (
    Constant,
    Mapping,
    Missing,
    ObjectValue,
    Sequence,
    TextValue,
    UnknownValue,
    Value,
    is_member,
    join,
    mappings,
    options,
    placeholder,
    text_of,
    texts,
)
from ..places import SourceLine
from .writes import key_names, shorten, store_item

if TYPE_CHECKING:
    from ..call_arguments import Arguments
    from ..frames import Frame
    from ..interpreter import Interpreter

_APPENDS = {"append", "extend", "add", "update_value"}


def build_dict(interpreter: Interpreter, frame: Frame, node: ast.expr) -> Value:
    """Evaluate ``{"a": x, **more}`` and ``{f"actor/{k}": v for k, v in …}``."""
    made = Mapping()
    if isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                absorb(interpreter, frame, made, interpreter.evaluate(frame, value), value)
            else:
                write(interpreter, frame, made, key, interpreter.evaluate(frame, value), value)
    elif isinstance(node, ast.DictComp):

        def body() -> None:
            write(interpreter, frame, made, node.key, interpreter.evaluate(frame, node.value), node.value)

        interpreter.comprehension(frame, node.generators, body)
    return made


def write(
    interpreter: Interpreter, frame: Frame, into: Mapping, key: ast.expr, value: Value, expression: ast.expr
) -> None:
    """Write one key of a literal."""
    for name in key_names(interpreter.evaluate(frame, key), key, into):
        into.write(
            name,
            value,
            interpreter.place(frame, key),
            shorten(expression),
        )


def absorb(interpreter: Interpreter, frame: Frame, into: Mapping, value: Value, source: ast.expr) -> None:
    """Merge what a value may be into a dict; a value of unknown keys is remembered as such."""
    known = mappings(value)
    for option in known:
        into.merge(option, interpreter.place(frame, source))
    others = [option for option in options(value) if not isinstance(option, Mapping)]
    for other in others:
        if isinstance(other, Sequence):
            for item in other.items:
                if isinstance(item, Sequence) and len(item.items) == 2:
                    names = texts(item.items[0])
                    if not names:
                        into.merge_unknown(shorten(source)[:120], frame.site(source))
                    for name in names:
                        into.write(
                            name,
                            item.items[1],
                            interpreter.place(frame, source),
                            shorten(source),
                        )
    if not known and any(isinstance(option, (UnknownValue, ObjectValue)) for option in others):
        into.merge_unknown(shorten(source)[:120], frame.site(source))


def update(interpreter: Interpreter, frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    """``metrics.update({...})`` and ``metrics.update(loss=...)``."""
    function = node.func
    if not (isinstance(function, ast.Attribute) and function.attr == "update"):
        return None

    targets = mappings(arguments.receiver)
    if not targets:
        return None
    for target in targets:
        for source, value in zip(node.args, arguments.positional, strict=False):
            absorb(interpreter, frame, target, value, source)
        for keyword in node.keywords:
            if keyword.arg is None:
                absorb(interpreter, frame, target, arguments.extra or UnknownValue(), keyword.value)
            else:
                target.write(
                    TextValue(keyword.arg),
                    arguments.keywords[keyword.arg],
                    interpreter.place(frame, keyword.value),
                    shorten(keyword.value),
                )
    return Constant(None)


def append(interpreter: Interpreter, frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    """``self._metrics[mode][key].append(value)`` and ``all_stats.append(stats)``."""
    function = node.func
    if not (isinstance(function, ast.Attribute) and function.attr in _APPENDS and arguments.positional):
        return None
    if isinstance(function.value, ast.Subscript):
        owner = interpreter.evaluate(frame, function.value.value)
        if mappings(owner):
            value = arguments.positional[0]
            held = value if function.attr == "extend" and isinstance(value, Sequence) else Sequence([value], False)
            store_item(interpreter, frame, function.value, held, node.args[0])
            return Constant(None)
    owner = arguments.receiver
    done = False
    for option in options(owner):
        if isinstance(option, Sequence):
            done = True
            value = arguments.positional[0]
            new = [value]
            if function.attr == "extend":
                new = [item for part in options(value) if isinstance(part, Sequence) for item in part.items]
            for item in new:
                if not any(item is old for old in option.items) and len(option.items) < 64:
                    option.items.append(item)
            option.exact = False
    return Constant(None) if done else None


def _depth(factory: ast.expr) -> int:
    """Return how many levels of dicts a ``defaultdict`` with this factory makes below itself."""
    if isinstance(factory, ast.Lambda):
        return _depth(factory.body)
    if isinstance(factory, ast.Call):
        name = getattr(factory.func, "id", getattr(factory.func, "attr", ""))
        return 1 + (_depth(factory.args[0]) if factory.args else 0) if "dict" in name.lower() else 0
    if isinstance(factory, ast.Name):
        return int("dict" in factory.id.lower() or factory.id not in ("list", "int", "float", "str", "set"))
    return int(isinstance(factory, (ast.Dict, ast.DictComp)))


def constructor(interpreter: Interpreter, frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    """``dict(loss=..., **more)``, ``defaultdict(list)``, ``OrderedDict()``, ``copy(metrics)``."""
    function = node.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    if name in ("defaultdict", "Counter"):
        return Mapping(autovivify=_depth(node.args[0]) if node.args else 0)
    if name in ("dict", "OrderedDict", "BatchFeature", "BatchEncoding") and isinstance(function, ast.Name):
        made = Mapping()
        for source, value in zip(node.args, arguments.positional, strict=False):
            absorb(interpreter, frame, made, value, source)
        for keyword in node.keywords:
            if keyword.arg is None:
                absorb(interpreter, frame, made, arguments.extra or UnknownValue(), keyword.value)
            else:
                site = SourceLine(frame.module.path, keyword.lineno, frame.info.symbol)
                made.write(
                    TextValue(keyword.arg, site),
                    arguments.keywords[keyword.arg],
                    interpreter.place(frame, keyword),
                    shorten(keyword.value),
                )
        return made
    return None


def read(interpreter: Interpreter, frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    """``items``, ``keys``, ``values``, ``get``, ``pop``, ``setdefault``, ``copy``, ``clear`` of a dict."""
    function = node.func
    if not isinstance(function, ast.Attribute) or function.attr not in _READS:
        return None
    values: list[Value] = []
    for option in options(arguments.receiver):
        if isinstance(option, Mapping):
            values.append(_read(interpreter, frame, option, function.attr, node, arguments))
        elif isinstance(option, ObjectValue) and function.attr in ("get", "pop") and arguments.positional:
            values.extend(
                option.attributes[name.template]
                for name in texts(arguments.positional[0])
                if name.template in option.attributes
            )
        elif isinstance(option, Sequence) and function.attr == "pop":
            values.extend(option.items)
    chosen_by_users = text_of(function.value) in interpreter.settings.open_sources  # perhaps as ``given or {}``
    if function.attr in ("items", "keys") and (
        (not values and isinstance(arguments.receiver, UnknownValue)) or chosen_by_users
    ):
        return _unknown_entries(interpreter, frame, function)
    return join(*values) if values else None


def _unknown_entries(interpreter: Interpreter, frame: Frame, function: ast.Attribute) -> Value:
    """Return the entries of an unknown dict: named after what users put there, or remembered as unknown."""
    text = text_of(function.value)
    name = interpreter.settings.open_sources.get(text)
    key: Value = UnknownValue("key", keys=(Missing(frame.site(function), text),))
    if name is not None:
        key = TextValue("{" + name + "}", frame.site(function))
    return Sequence([key if function.attr == "keys" else Sequence([key, UnknownValue("value")])], exact=False)


_READS = {"items", "keys", "values", "get", "pop", "setdefault", "copy", "clear", "model_dump", "to_dict"}


def _leaf(value: Value) -> Value:
    return UnknownValue(value.text, leaf=True) if isinstance(value, UnknownValue) else value


def _read(
    interpreter: Interpreter, frame: Frame, target: Mapping, how: str, node: ast.Call, arguments: Arguments
) -> Value:
    rest: list[Value] = list(target.unknown_keys())
    if how == "items":
        pairs: list[Value] = [
            Sequence([key, _leaf(slot.value)]) for key, slot in zip(target.keys(), target.slots.values(), strict=True)
        ]
        return Sequence([*pairs, *(Sequence([key, UnknownValue("value")]) for key in rest)], exact=not rest)
    if how == "keys":
        return Sequence([*target.keys(), *rest], exact=not rest)
    if how == "values":
        return Sequence([_leaf(slot.value) for slot in target.slots.values()], exact=not rest)
    if how in ("copy", "model_dump", "to_dict"):
        made = Mapping(autovivify=target.autovivify)
        made.merge(target, interpreter.place(frame, node))
        return made
    if how == "clear" or not arguments.positional:
        return Constant(None)
    names = texts(arguments.positional[0])
    values = [value for name in names if (value := target.child(name.template)) is not None]
    if how == "pop":
        for name in names:
            target.slots.pop(name.template, None)
    if how == "setdefault" and len(arguments.positional) > 1:
        for name in names or [TextValue("{" + placeholder(node.args[0]) + "}")]:
            if target.child(name.template) is None:
                target.write(
                    name,
                    arguments.positional[1],
                    interpreter.place(frame, node),
                    shorten(node.args[1]),
                )
                values.append(arguments.positional[1])
    # A dict by members of an enumeration is a table: what it has for one is the answer.
    if len(arguments.positional) > 1 and not (values and is_member(arguments.positional[0])):
        values.append(arguments.positional[1])
    return join(*values) if values else UnknownValue(text_of(node)[:80])
