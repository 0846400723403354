"""Resolves calls: ways of logging first, then functions of the package, then by name where the object is unknown."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .abstract_values import (
    Class,
    Constant,
    FunctionValue,
    Mapping,
    ObjectValue,
    Super,
    TextValue,
    UnknownValue,
    Value,
    is_member,
    join,
    mappings,
    options,
    placeholder,
    text_of,
)
from .call_arguments import Arguments, carriers
from .definitions import ClassInfo, FunctionInfo
from .memo import signature, signatures
from .rules import CALL_RULES
from .rules.sinks import evaluation_metrics, sink
from .value_lookups import member

if TYPE_CHECKING:
    from .call_arguments import Arguments
    from .frames import Frame
    from .interpreter import Interpreter

MAX_CANDIDATES = 16
_TOO_COMMON = {
    "get", "update", "append", "extend", "items", "keys", "values", "pop", "to", "item", "mean", "sum", "max", "min",
    "copy", "clear", "add", "join", "format", "split", "forward", "__init__", "setdefault", "remove", "insert", "size",
    "info", "warning", "debug", "error", "log", "start", "stop", "close", "open", "read", "write", "run", "reset",
    "init", "encode", "decode", "put", "load", "save", "index", "sort", "count", "view", "float", "cpu", "cuda",
}  # fmt: skip


def call(interpreter: Interpreter, frame: Frame, node: ast.Call) -> Value:
    """Return what a call may give, having run it if it is part of the package."""
    function = node.func
    if isinstance(function, ast.Name) and function.id == "super" and frame.owner is not None and not node.args:
        owner_class = frame.info.owner
        if owner_class is not None:
            return Super(frame.owner, owner_class)
    arguments = Arguments(interpreter, frame, node)
    if isinstance(arguments.receiver, Constant) and arguments.receiver.value is None:
        return Constant(None)  # this class never makes the object, so the call does not happen
    for rule in CALL_RULES:
        result = rule(interpreter, frame, node, arguments)
        if result is not None:
            return result
    if isinstance(function, ast.Attribute):
        target = member(interpreter, frame, arguments.receiver, function)
    else:
        target = interpreter.evaluate(frame, function)
    interpreter.call_sites.append(frame.site(node))
    try:
        return _dispatch(interpreter, frame, node, target, arguments)
    finally:
        interpreter.call_sites.pop()


def _dispatch(interpreter: Interpreter, frame: Frame, node: ast.Call, target: Value, arguments: Arguments) -> Value:
    function = node.func
    if any(_is_tracker(interpreter, option) for option in options(target)):
        sink(interpreter, frame, node, arguments)
        return UnknownValue(text_of(node)[:80])
    if _is_base_constructor(function):
        given = [v for a, v in zip(node.args, arguments.positional, strict=False) if text_of(a) == "compute_metrics"]
        for function_given in (*given, arguments.keywords.get("compute_metrics", UnknownValue())):
            evaluation_metrics(interpreter, frame, node, function_given)
    values = [
        value for option in options(target) if (value := apply(interpreter, frame, option, arguments)) is not None
    ]
    if values:
        return join(*values)
    if sink(interpreter, frame, node, arguments):
        return UnknownValue(text_of(node)[:80])
    if isinstance(function, ast.Attribute) and function.attr in interpreter.settings.writers:
        written_elsewhere(interpreter, frame, node, interpreter.settings.writers[function.attr], arguments)
    made = returned_elsewhere(interpreter, frame, node, arguments)
    if made is not None:
        return made
    candidates = _by_name(interpreter, frame, function)
    if candidates:
        with interpreter.elsewhere():
            results = [apply(interpreter, frame, candidate, arguments) for candidate in candidates]
        return join(*(result for result in results if result is not None))
    handed = [*hand_over(interpreter, arguments), *carriers(arguments)]
    use_objects(interpreter, arguments)
    return join(*handed) if handed else UnknownValue(text_of(node)[:120])


def _is_base_constructor(function: ast.expr) -> bool:
    return isinstance(function, ast.Attribute) and function.attr == "__init__"


def _is_tracker(interpreter: Interpreter, target: Value) -> bool:
    return (
        isinstance(target, FunctionValue)
        and target.info.owner is not None
        and target.info.owner.name in interpreter.settings.trackers
        and target.info.name == "log"
    )


def hand_over(interpreter: Interpreter, arguments: Arguments) -> list[Value]:
    """Run methods that were passed to a call of unknown effect (``redirect(model, self.compute_loss, ...)``)."""
    return [
        interpreter.run(decorated(interpreter, option), [], {}, unknown_parameters=True)
        for argument in arguments.all()
        for option in options(argument)
        if isinstance(option, FunctionValue)
        and option.info.talks_of_metrics
        and (option.owner is not None or (option.info.hands_over and option.info not in interpreter.stack))
    ]


def use_objects(interpreter: Interpreter, arguments: Arguments) -> None:
    """Run what a call of unknown effect will use of objects given to it: ``DataLoader(dataset, collate_fn=c)``."""
    for argument in arguments.all():
        for option in options(argument):
            if isinstance(option, ObjectValue) and option.info is not None:
                for name in interpreter.settings.used_methods:
                    method = interpreter.program.lookup(option.info, name)
                    if method is not None and method.talks_of_metrics:
                        interpreter.run(FunctionValue(method, option), [], {}, unknown_parameters=True)


def decorated(interpreter: Interpreter, function: FunctionValue) -> FunctionValue:
    """Apply the decorators that log (``profiling_decorator``) to a bound method."""
    if function.owner is None:
        return function
    for name in interpreter.settings.decorators:
        if name in function.info.decorators:
            decorator = interpreter.program.resolve(function.info.module, name)
            if isinstance(decorator, FunctionInfo):
                wrapped = interpreter.run(FunctionValue(decorator), [FunctionValue(function.info)], {})
                if isinstance(wrapped, FunctionValue):
                    return FunctionValue(wrapped.info, None, wrapped.closure, (function.owner, *function.bound))
    return function


def apply(interpreter: Interpreter, frame: Frame, target: Value, arguments: Arguments) -> Value | None:
    """Call a known function or class; None if the target is neither."""
    if isinstance(target, FunctionValue):
        if target.info.is_abstract and target.owner is not None and target.owner.info is not None:
            return _virtual(interpreter, frame, target, target.owner.info, arguments)
        # Whatever a member of an enumeration is asked, such as its name, may be part of a key.
        if not target.info.talks_of_metrics and target.closure is None and not is_member(target.owner):
            handed = [*hand_over(interpreter, arguments), *carriers(arguments)]
            if handed:
                return join(*handed)
            plain = target.info.plain_result
            return interpreter.evaluate(frame, plain) if plain is not None else UnknownValue(target.info.name)
        return interpreter.run(
            decorated(interpreter, target),
            arguments.positional,
            arguments.keywords,
            extra=arguments.extra,
            unknown_parameters=arguments.unknown,
        )
    if isinstance(target, Class):
        return construct(interpreter, frame, target.info, arguments)
    # An alternative constructor calls the class that it belongs to.
    if isinstance(target, ObjectValue) and target.info is not None and "classmethod" in frame.info.decorators:
        return construct(interpreter, frame, target.info, arguments)
    return None


def _virtual(
    interpreter: Interpreter, frame: Frame, target: FunctionValue, info: ClassInfo, arguments: Arguments
) -> Value:
    """Call what subclasses provide for an abstract method."""
    values = [
        apply(
            interpreter,
            frame,
            FunctionValue(override, interpreter.instance(subclass), None, target.bound, target.keywords),
            arguments,
        )
        for subclass, override in interpreter.program.overrides(info, target.info.name)
        if override not in interpreter.stack
    ]
    known = [value for value in values if value is not None]
    return join(*known) if known else UnknownValue(target.info.name)


def construct(interpreter: Interpreter, frame: Frame, info: ClassInfo, arguments: Arguments) -> Value:
    """Make an object: run ``__init__``, or assign the fields of a dataclass."""
    given = (arguments.positional, arguments.keywords, arguments.extra)
    key = (
        info,
        interpreter.call_sites[-1] if interpreter.call_sites else None,
        signatures(arguments.positional),
        signature(arguments.keywords),
        signature(arguments.extra),
    )
    known = interpreter.allocated.get(key)
    made = known[0] if known is not None else ObjectValue(info)
    interpreter.allocated[key] = (made, given)
    init = interpreter.program.lookup(info, "__init__")
    if init is not None:
        if init.talks_of_metrics or len(init.node.args.args) <= 8:
            interpreter.run(FunctionValue(init, made), arguments.positional, arguments.keywords, extra=arguments.extra)
        return made
    for name, value in zip(info.fields, arguments.positional, strict=False):
        made.attributes[name] = value
    made.attributes.update(arguments.keywords)
    for name, default in info.fields.items():
        if name not in made.attributes and default is not None:
            text = text_of(default)
            if "default_factory=dict" in text or "default_factory=lambda: defaultdict" in text:
                made.attributes[name] = Mapping()
    return made


def _by_name(interpreter: Interpreter, frame: Frame, function: ast.expr) -> list[Value]:
    """Return the candidates for a call on an unknown object (a remote worker, an engine): all methods of that name."""
    program = interpreter.program
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    if name == "remote" and isinstance(function, ast.Attribute):
        function = function.value
        name = function.attr if isinstance(function, ast.Attribute) else ""
    indirect = interpreter.settings.indirect.get(name)
    if indirect is not None:
        return _indirect(interpreter, indirect)
    if not interpreter.settings.by_name:
        return []
    if not isinstance(function, ast.Attribute) or name in _TOO_COMMON or name.startswith("__"):
        return []
    workers = interpreter.settings.workers.get(placeholder(function.value))
    infos = [
        info
        for info in program.methods.get(name, [])
        if info not in interpreter.stack
        and not info.module.path.startswith(interpreter.settings.not_by_name)
        and (info.makes_metrics if workers is None else info.owner is not None and info.owner.name in workers)
    ]
    if len(infos) > MAX_CANDIDATES:
        return []
    return [
        FunctionValue(info, None if info.is_static or info.owner is None else interpreter.instance(info.owner))
        for info in infos
    ]


def _indirect(interpreter: Interpreter, names: tuple[str, ...]) -> list[Value]:
    functions: list[FunctionInfo] = []
    for module in interpreter.program.modules.values():
        for info in module.functions.values():
            if info in interpreter.stack:
                continue
            if info.name in names or any(name.startswith("@") and name[1:] in info.decorators for name in names):
                functions.append(info)
    return [FunctionValue(info) for info in functions]


def written_elsewhere(
    interpreter: Interpreter, frame: Frame, node: ast.Call, keys: tuple[str, ...], arguments: Arguments
) -> None:
    """Write the keys that a function of another package puts into a dict that it is given."""
    for argument in arguments.all():
        for mapping in mappings(argument):
            for key in keys:
                mapping.write(TextValue(key), UnknownValue(key), interpreter.place(frame, node), text_of(node))


def returned_elsewhere(interpreter: Interpreter, frame: Frame, node: ast.Call, arguments: Arguments) -> Mapping | None:
    """Return the dict that a method of another package's object makes, where the settings know its keys."""
    method = getattr(node.func, "attr", "")
    for place, keys in interpreter.settings.returned.items():
        made_by, _, name = place.partition(".")
        if name == method and made_by in _makers(interpreter, frame, node, arguments):
            made = Mapping()
            for key in keys:
                made.write(TextValue(key), UnknownValue(key), interpreter.place(frame, node), text_of(node))
            return made
    return None


def _makers(interpreter: Interpreter, frame: Frame, node: ast.Call, arguments: Arguments) -> set[str]:
    """Return what may have made the object that a method is called on.

    Either that was followed, or the class assigns it to the attribute in a method that was not run.
    """
    texts = [option.text for option in options(arguments.receiver) if isinstance(option, UnknownValue)]
    receiver = node.func.value if isinstance(node.func, ast.Attribute) else node
    if isinstance(receiver, ast.Attribute) and frame.owner is not None and frame.owner.info is not None:
        texts += [
            text_of(assignment.value)
            for info in interpreter.program.base_classes(frame.owner.info)
            for function in info.methods.values()
            for assignment in ast.walk(function.node)
            if isinstance(assignment, ast.Assign)
            and isinstance(assignment.value, ast.Call)
            and any(text_of(target) == text_of(receiver) for target in assignment.targets)
        ]
    return {text.partition("(")[0].rpartition(".")[2] for text in texts}
