"""Follows what processes and threads send each other: queues, fields of the objects sent, dicts that these carry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .abstract_values import FunctionValue, Mapping, ObjectValue, Sequence, UnknownValue, Value, join, mappings
from .definitions import ClassInfo

if TYPE_CHECKING:
    import ast

    from .call_arguments import Arguments
    from .frames import Frame
    from .interpreter import Interpreter

__all__ = ["carried", "queue", "sent_items", "sent_objects", "taken_along"]

_PUTS = {"put", "put_nowait"}
_GETS = {"get", "get_nowait"}


def queue(interpreter: Interpreter, frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    """``self._metrics_queue.put_nowait(payload)`` here, ``worker.metrics_queue.get_nowait()`` there."""
    function = node.func
    sends = interpreter.settings.message_fields or interpreter.settings.queues
    if not sends or getattr(function, "attr", "") not in _PUTS | _GETS:
        return None
    name = getattr(getattr(function, "value", None), "attr", "").lstrip("_")
    if not name.endswith(("queue", "buffer")):
        return None
    here = _folder(frame)
    if getattr(function, "attr", "") in _PUTS and arguments.positional:
        channel = interpreter.channels.setdefault((here, name), Sequence([], exact=False))
        value = arguments.positional[0]
        if not isinstance(value, UnknownValue) and not any(value is item for item in channel.items):
            channel.items.append(value)
        return UnknownValue(name)
    start_senders(interpreter, here)
    sent = interpreter.channels.get((here, name))
    return join(*sent.items) if sent is not None and sent.items else None


def sent_objects(interpreter: Interpreter, frame: Frame, name: str) -> Value | None:
    """Return a field of the objects that a class of the same folder stands for (``sample.metrics``)."""
    here = _folder(frame)
    wanted = interpreter.settings.message_fields[name]
    start_senders(interpreter, here)
    objects = [
        made.attributes[name]
        for made, _ in interpreter.allocated.values()
        if made.info is not None
        and made.info.name == wanted
        and made.info.module.path.startswith(here + "/")
        and name in made.attributes
    ]
    return join(*objects) if objects else None


def sent_items(interpreter: Interpreter, frame: Frame, name: str) -> list[Value]:
    """Return an entry of the dicts that generators of the same folder yield (``example["metrics"]``)."""
    here = _folder(frame)
    start_senders(interpreter, here)
    items = [
        value
        for yielded in interpreter.yielded.get(here, ())
        for mapping in mappings(yielded)
        if (value := mapping.child(name)) is not None
    ]
    return [join(*items)] if items else []


def carried(interpreter: Interpreter, frame: Frame, name: str) -> Mapping:
    """Return the dict that all objects carry under a declared name (``experience.info``)."""
    shared = interpreter.carried.setdefault(name, Mapping())
    if ("", name) not in interpreter.started:
        interpreter.started.add(("", name))
        for info in interpreter.program.classes():
            if info.name in interpreter.settings.carried[name]:
                with interpreter.elsewhere():
                    _run_all(interpreter, interpreter.instance(info), info)
    return shared


def taken_along(interpreter: Interpreter, frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    """Note the dict that a new object is given to carry: ``Experience(..., info=info)``."""
    for name in interpreter.settings.carried.keys() & arguments.keywords.keys():
        for mapping in mappings(arguments.keywords[name]):
            shared = carried(interpreter, frame, name)
            if mapping is not shared:
                shared.merge(mapping, interpreter.place(frame, node))
    return None


def start_senders(interpreter: Interpreter, here: str) -> None:
    """Run, once in each round, the classes of a folder that send something."""
    if (here, "started") in interpreter.started:
        return
    interpreter.started.add((here, "started"))
    senders = [info for info in interpreter.program.classes() if _folder_of(info) == here and _sends(interpreter, info)]
    for receives in (False, True):  # what a generator takes from a queue must have been put there
        for info in senders:
            if ("__iter__" in info.methods) is not receives:
                continue
            owner = interpreter.instance(info)
            with interpreter.elsewhere():
                _run_all(interpreter, owner, info)


def _run_all(interpreter: Interpreter, owner: ObjectValue, info: ClassInfo) -> None:
    names = {name for base in interpreter.program.base_classes(info) for name in base.methods} - {"__init__"}
    methods = [function for name in sorted(names) if (function := interpreter.program.lookup(info, name)) is not None]
    used = {name for method in methods for name in method.own_uses}
    for method in sorted(methods, key=lambda method: method.name in used):  # what others call comes by their calls
        done = method.name in used and method in interpreter.executed
        if method.talks_of_metrics and method not in interpreter.stack and not done:
            interpreter.run(FunctionValue(method, owner), [], {}, unknown_parameters=True)


def _sends(interpreter: Interpreter, info: ClassInfo) -> bool:
    """Tell whether a class puts something into a queue, or yields what a queue gave it; trainers only receive."""
    methods = [method for base in interpreter.program.base_classes(info) for method in base.methods.values()]
    if any(method.hands_over and "log" in info.methods for method in methods):
        return False
    return any(_PUTS & method.called or (method.name == "__iter__" and "get" in method.called) for method in methods)


def _folder(frame: Frame) -> str:
    return frame.module.path.rpartition("/")[0]


def _folder_of(info: ClassInfo) -> str:
    return info.module.path.rpartition("/")[0]
