"""Ways of logging that the framework's settings declare: sinks, stores of a statistics tracker, calls by a name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING

from ..abstract_values import (
    FunctionValue,
    Mapping,
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
)
from ..call_arguments import Arguments
from ..frames import Sunk

if TYPE_CHECKING:
    from ...model.audit_settings import AuditSettings, Sink, Store
    from ..definitions import FunctionInfo
    from ..frames import Frame
    from ..interpreter import Interpreter

__all__ = ["called_by_name", "declared", "scoped", "scoped_by_decorator", "sink_names"]

_KEY = "{key}"
_KNOWN = "log"
"""What needs no declaration, unless it is called on the class that is named, as in ``Trainer.log(self, …)``."""


def sink_names(settings: AuditSettings) -> frozenset[str]:
    """Return the names of all methods that are declared to take numbers."""
    sinks = (sink.method.rpartition(".")[2] for sink in settings.sinks)
    return frozenset({*sinks, *(store.method for store in settings.stores if not store.prefix)})


def declared(interpreter: Interpreter, frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    """Record what a declared method is given; None if the call is none of one."""
    if not isinstance(node.func, ast.Attribute):
        return None
    for sink in interpreter.settings.sinks:
        if _is_method(interpreter, sink.method, node.func, arguments):
            _take(interpreter, frame, node, sink, arguments)
            return UnknownValue(text_of(node)[:80])
    for store in interpreter.settings.stores:
        if not store.prefix and store.method == node.func.attr and _is_of(interpreter, store, node.func, arguments):
            _keep(interpreter, frame, node, store, arguments)
            return UnknownValue(text_of(node)[:80])
    return None


def called_by_name(interpreter: Interpreter, frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    """Run the methods whose name a declared method is given, such as ``group.run("fit", ...)``."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    wanted = interpreter.settings.calls.get(name)
    if wanted is None:
        return None
    given = _argument(arguments, wanted)
    handed = _without(arguments, wanted)
    workers = None
    if isinstance(node.func, ast.Attribute):
        workers = interpreter.settings.workers.get(placeholder(node.func.value))
    results: list[Value] = []
    with interpreter.elsewhere():
        for text in texts(given) if given is not None else []:
            for info in interpreter.program.methods.get(text.template, []):
                fits = info.makes_metrics if workers is None else info.owner is not None and info.owner.name in workers
                if fits and info not in interpreter.stack:
                    owner = None if info.owner is None else interpreter.instance(info.owner)
                    result = interpreter.apply(frame, FunctionValue(info, owner), handed)
                    results += [] if result is None else [result]
    # Every worker gives a result of its own.
    return Sequence([join(*results)], exact=False) if results else None


def scoped(
    interpreter: Interpreter, frame: Frame, node: ast.expr, arguments: Arguments | None = None
) -> AbstractContextManager[None]:
    """Return what puts the prefix of a scope before the keys that are kept within a ``with``."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return nullcontext()
    for store in interpreter.settings.stores:
        if store.prefix and store.method == node.func.attr:
            arguments = arguments or Arguments(interpreter, frame, node)
            given = _argument(arguments, 0 if store.keys == "keywords" else store.keys)
            names = [text.template for text in texts(given)] if given is not None else []
            if _is_of(interpreter, store, node.func, arguments):
                return _within(interpreter, names[0] if names else placeholder(node.args[0]) if node.args else "")
    return nullcontext()


def scoped_by_decorator(interpreter: Interpreter, info: FunctionInfo) -> AbstractContextManager[None]:
    """Return the same for a function whose decorator is a scope."""
    names = {store.method for store in interpreter.settings.stores if store.prefix}
    for decorator in [] if isinstance(info.node, ast.Lambda) else info.node.decorator_list:
        if isinstance(decorator, ast.Call) and isinstance(decorator.func, ast.Attribute):
            first = decorator.args[0] if decorator.args else None
            if decorator.func.attr in names and isinstance(first, ast.Constant) and isinstance(first.value, str):
                return _within(interpreter, first.value)
    return nullcontext()


@contextmanager
def _within(interpreter: Interpreter, scope: str) -> Iterator[None]:
    before = interpreter.scopes
    interpreter.scopes = (*before, scope)
    try:
        yield
    finally:
        interpreter.scopes = before


def _is_method(interpreter: Interpreter, written: str, function: ast.Attribute, arguments: Arguments) -> bool:
    owner, _, name = written.rpartition(".")
    if name != function.attr:
        return False
    if name == _KNOWN:
        return text_of(function.value).rpartition(".")[2] == owner
    known = [option.info for option in options(arguments.receiver) if isinstance(option, ObjectValue) and option.info]
    if not owner or not known:
        return True
    return any(base.name == owner for info in known for base in interpreter.program.base_classes(info))


def _is_of(interpreter: Interpreter, store: Store, function: ast.Attribute, arguments: Arguments) -> bool:
    receiver = function.value
    called = receiver.func if isinstance(receiver, ast.Call) else receiver
    if text_of(called).split(".")[-1] in store.of:
        return True
    return any(
        base.name in store.of
        for option in options(arguments.receiver)
        if isinstance(option, ObjectValue) and option.info is not None
        for base in interpreter.program.base_classes(option.info)
    )


def _scopes_of(interpreter: Interpreter, frame: Frame, node: ast.Call) -> list[tuple[str, ...]]:
    """Return the scopes before what a tracker keeps: its own, where it is asked for by a name, or those around."""
    made = node.func.value if isinstance(node.func, ast.Attribute) else None
    if isinstance(made, ast.Call) and isinstance(made.func, ast.Attribute) and made.args:
        tracker = text_of(made.func.value).split(".")[-1]
        for store in interpreter.settings.stores:
            if store.prefix and store.method == made.func.attr and tracker in store.of:
                named = texts(interpreter.evaluate(frame, made.args[0]))
                return [(text.template,) for text in named] or [(f"{{{placeholder(made.args[0])}}}",)]
    return [interpreter.scopes]


def _argument(arguments: Arguments, wanted: str | int) -> Value | None:
    if isinstance(wanted, int):
        return arguments.positional[wanted] if wanted < len(arguments.positional) else None
    return arguments.keywords.get(wanted) or next(iter(arguments.positional), None)


def _without(arguments: Arguments, wanted: str | int) -> Arguments:
    """Return the arguments of the method that is called, without its name."""
    left = object.__new__(Arguments)
    left.receiver, left.extra, left.unknown = UnknownValue(), arguments.extra, True
    left.keywords = {name: value for name, value in arguments.keywords.items() if name != wanted}
    by_place = not isinstance(wanted, str) or wanted not in arguments.keywords
    place = wanted if isinstance(wanted, int) else 0
    left.positional = [value for at, value in enumerate(arguments.positional) if not by_place or at != place]
    return left


def _take(interpreter: Interpreter, frame: Frame, node: ast.Call, sink: Sink, arguments: Arguments) -> None:
    """Record the dict that a sink is given."""
    if sink.argument is None:
        value = next((item for item in arguments.all() if mappings(item)), None)
    elif isinstance(sink.argument, str) and sink.argument not in arguments.keywords:
        value = next((item for item in arguments.positional if mappings(item)), None)
    else:
        value = _argument(arguments, sink.argument)
    found = [] if value is None else mappings(value)
    for mapping in found:
        made = Mapping()
        made.missing.update(mapping.missing)
        _fill(interpreter, frame, node, sink, mapping, made, "")
        named = _named(sink.key, arguments)
        if named != _KEY:
            prefixed = Mapping()
            prefixed.missing.update(made.missing)
            for key in made.keys():  # noqa: SIM118
                _write(interpreter, frame, node, prefixed, named.replace(_KEY, key.template), key)
            made = prefixed
        interpreter.sunk.append(Sunk(made, frame.site(node)))
    if not found:
        interpreter.report(frame, node, "a declared sink whose dict is not known")


def _fill(
    interpreter: Interpreter, frame: Frame, node: ast.Call, sink: Sink, mapping: Mapping, made: Mapping, prefix: str
) -> None:
    for key in mapping.keys():  # noqa: SIM118
        value = mapping.slots[key.template].value
        name = f"{prefix}{key.template}"
        inner = [option for option in options(value) if isinstance(option, Mapping)]
        if sink.nested is not None and inner:
            for each in inner:
                _fill(interpreter, frame, node, sink, each, made, f"{name}{sink.nested}")
            continue
        is_list = any(isinstance(option, Sequence) for option in options(value))
        for form in sink.lists if sink.lists and is_list else (_KEY,):
            shown = form.replace(_KEY, name)
            if sink.drop is None or re.fullmatch(sink.drop, shown) is None:
                _write(interpreter, frame, node, made, shown, key)


def _named(form: str, arguments: Arguments) -> str:
    """Return the form of a key with the texts of other arguments filled in."""
    for name in re.findall(r"\{(\w+)\}", form):
        said = [text.template for text in texts(arguments.keywords[name])] if name in arguments.keywords else []
        if name != "key" and said:
            form = form.replace(f"{{{name}}}", said[0])
    return form


def _keep(interpreter: Interpreter, frame: Frame, node: ast.Call, store: Store, arguments: Arguments) -> None:
    """Record the numbers that a statistics tracker is given by name."""
    if store.keys == "keywords":
        given = [TextValue(name) for name in arguments.keywords if name not in (*store.besides, store.unless)]
        if arguments.extra is not None:
            inner = mappings(arguments.extra)
            given += [key for mapping in inner for key in mapping.keys()]  # noqa: SIM118
            if not inner or any(mapping.missing for mapping in inner):
                interpreter.report(frame, node, "a statistics tracker that is given keys that are not known")
    else:
        value = _argument(arguments, store.keys)
        given = list(texts(value)) if value is not None else []
        if not given:
            interpreter.report(frame, node, "a statistics tracker that is given a key that is not known")
    plain = store.unless is not None and store.unless in arguments.keywords
    made = Mapping()
    for scopes in _scopes_of(interpreter, frame, node):
        for key in given:
            name = "/".join(filter(None, (*scopes, key.template)))
            for form in (_KEY,) if plain else store.makes:
                _write(interpreter, frame, node, made, form.replace(_KEY, name), key)
    interpreter.sunk.append(Sunk(made, frame.site(node)))


def _write(interpreter: Interpreter, frame: Frame, node: ast.Call, made: Mapping, name: str, key: TextValue) -> None:
    text = TextValue(name, key.site, key.origins)
    made.write(text, UnknownValue(name), interpreter.place(frame, node), "")
