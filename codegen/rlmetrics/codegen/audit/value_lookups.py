"""Looks values up: top-level names, attributes, subscripts and slices."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .abstract_values import (
    MEMBER,
    Class,
    Constant,
    FunctionValue,
    Mapping,
    ModuleValue,
    ObjectValue,
    Sequence,
    Super,
    TextValue,
    UnknownValue,
    Value,
    join,
    options,
    placeholder,
    text_of,
    texts,
    unknown_keys,
)
from .definitions import ClassInfo, FunctionInfo
from .frames import Frame, wrap
from .messages import carried, sent_items, sent_objects

if TYPE_CHECKING:
    from .interpreter import Interpreter

__all__ = ["member", "module_value", "subscript"]


def module_value(interpreter: Interpreter, module_name: str, name: str) -> Value:
    """Return the value of a module's top-level name."""
    key = (module_name, name)
    if key in interpreter.globals:
        return interpreter.globals[key]
    interpreter.globals[key] = UnknownValue(name)
    module = interpreter.program.modules[module_name]
    definition = interpreter.program.resolve(module, name)
    if definition is not None:
        interpreter.globals[key] = wrap(definition)
    elif name in module.assignments:
        lambda_node = ast.parse("lambda: None", mode="eval").body
        assert isinstance(lambda_node, ast.Lambda)
        info = FunctionInfo(name, lambda_node, module, None, name)
        value = interpreter.evaluate(Frame(info, {}), module.assignments[name])
        interpreter.globals[key] = TextValue(value.template) if isinstance(value, TextValue) else value
    elif name in module.imports:
        source, attribute = module.imports[name]
        if attribute is not None and source in interpreter.program.modules:
            interpreter.globals[key] = module_value(interpreter, source, attribute)
    return interpreter.globals[key]


def member(interpreter: Interpreter, frame: Frame, owner: Value, node: ast.Attribute) -> Value:
    """Return what an attribute of an evaluated object may be."""
    return join(*(_member(interpreter, frame, option, node) for option in options(owner)))


def _member(interpreter: Interpreter, frame: Frame, owner: Value, node: ast.Attribute) -> Value:
    name, program = node.attr, interpreter.program
    if name in interpreter.settings.carried:
        return carried(interpreter, frame, name)
    if isinstance(owner, ObjectValue):
        if name in owner.attributes:
            return owner.attributes[name]
        if owner.info is not None:
            if name == "__class__":
                return Class(owner.info)
            attribute = program.lookup(owner.info, name)
            if attribute is not None:
                if {"property", "cached_property"} & set(attribute.decorators):
                    return interpreter.run(FunctionValue(attribute, owner), [], {})
                return FunctionValue(attribute, owner)
            constant = _class_constant(interpreter, owner.info, name)
            if constant is not None:
                return constant
    elif isinstance(owner, Super):
        attribute = program.lookup(owner.owner.info, name, owner.after) if owner.owner.info else None
        if attribute is not None:
            return FunctionValue(attribute, owner.owner)
    elif isinstance(owner, Class):
        if name == "__name__":
            return TextValue(owner.info.name)
        if name in owner.info.members:
            return ObjectValue(owner.info, {"name": TextValue(name), MEMBER: TextValue(f"{owner.info.name}.{name}")})
        attribute = program.lookup(owner.info, name)
        if attribute is not None:
            bound = ObjectValue(owner.info) if "classmethod" in attribute.decorators else None
            return FunctionValue(attribute, bound)
    elif isinstance(owner, ModuleValue):
        member = program.member(owner.info, name)
        if member is not None:
            return wrap(member)
        return module_value(interpreter, owner.info.name, name)
    elif isinstance(owner, FunctionValue) and name == "__name__":
        return TextValue(owner.info.name)
    elif isinstance(owner, Mapping):
        value = owner.child(name)
        if value is not None:
            return value
    elif name in interpreter.settings.messages:
        return _message(interpreter, interpreter.settings.messages[name])
    elif name in interpreter.settings.message_fields:
        return sent_objects(interpreter, frame, name) or UnknownValue(text_of(node)[:80])
    return UnknownValue(text_of(node)[:80])


def _message(interpreter: Interpreter, sender: str) -> Value:
    """Return what an object from another process carries: the result of the method that filled it there."""
    class_name, _, method = sender.partition(".")
    results = [
        interpreter.run(FunctionValue(info, interpreter.instance(info.owner)), [], {}, unknown_parameters=True)
        for info in interpreter.program.methods.get(method, [])
        if info.owner is not None and info.owner.name == class_name and info not in interpreter.stack
    ]
    return join(*results) if results else UnknownValue(sender)


def _class_constant(interpreter: Interpreter, info: ClassInfo, name: str) -> Value | None:
    """Return what a class body assigns: a class to instantiate, a prefix of keys."""
    for base in interpreter.program.base_classes(info):
        node = base.constants.get(name)
        if isinstance(node, ast.Name):
            return module_value(interpreter, base.module.name, node.id)
        if isinstance(node, ast.Constant):
            return TextValue(node.value) if isinstance(node.value, str) else Constant(node.value)
    return None


def subscript(interpreter: Interpreter, frame: Frame, node: ast.Subscript) -> Value:
    """Return what an entry, an element or a part of an evaluated value may be."""
    owner = interpreter.evaluate(frame, node.value)
    if isinstance(node.slice, ast.Slice):
        return _slice(interpreter, frame, owner, node.slice)
    key = interpreter.evaluate(frame, node.slice)
    values = [item for option in options(owner) for item in _item(interpreter, frame, option, key, node)]
    return join(*values) if values else UnknownValue(text_of(node)[:80])


def _item(interpreter: Interpreter, frame: Frame, owner: Value, key: Value, node: ast.Subscript) -> list[Value]:
    if isinstance(owner, Mapping):
        names = texts(key)
        if not names and not unknown_keys(key):
            names = [TextValue("{" + placeholder(node.slice) + "}")]
        values: list[Value] = []
        for name in names:
            slot = owner.slots.get(name.template)
            value = slot.value if slot else None if owner.autovivify else owner.child(name.template)
            if value is None and owner.autovivify:
                value = Mapping(autovivify=owner.autovivify - 1)
                owner.write(name, value, interpreter.place(frame, node), "")
            if value is not None:
                values.append(value)
        return values
    if isinstance(owner, ObjectValue):
        return [owner.attributes[name.template] for name in texts(key) if name.template in owner.attributes]
    if isinstance(owner, Sequence):
        if isinstance(key, Constant) and isinstance(key.value, int) and owner.exact:
            return [owner.items[key.value]] if -len(owner.items) <= key.value < len(owner.items) else []
        return list(owner.items)
    if (
        isinstance(owner, UnknownValue)
        and isinstance(key, TextValue)
        and key.template in interpreter.settings.message_fields
    ):
        return sent_items(interpreter, frame, key.template)
    return []


def _slice(interpreter: Interpreter, frame: Frame, owner: Value, node: ast.Slice) -> Value:
    bounds = [interpreter.evaluate(frame, part) if part else Constant(None) for part in (node.lower, node.upper)]
    numbers = [b.value for b in bounds if isinstance(b, Constant) and (b.value is None or isinstance(b.value, int))]
    values: list[Value] = []
    for option in options(owner):
        if isinstance(option, TextValue) and option.known and len(numbers) == 2:
            values.append(TextValue(option.template[slice(*numbers)], option.site, option.origins))
        elif isinstance(option, Sequence):
            values.append(Sequence(list(option.items), exact=False))
        elif isinstance(option, UnknownValue) and option.keys:
            values.append(option)
    return join(*values) if values else UnknownValue()
