"""Ways metrics travel: ``tu.get(td, "metrics")``, ``getattr``, tensordicts, ``ray.get``, ``asyncio``, ``partial``."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..abstract_values import (
    Class,
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
    text_of,
    texts,
)
from ..call_arguments import Arguments, carriers

if TYPE_CHECKING:
    from ..frames import Frame
    from ..interpreter import Interpreter

_FUNCTIONS = {
    "deepcopy", "run", "run_until_complete", "gather", "cast", "wait_for", "create_task", "ensure_future",
    "run_coroutine_threadsafe", "wrap_future", "reduce", "gather_for_metrics", "gather_object", "nullcontext", "iter",
    "next", "shield",
}  # fmt: skip
_METHODS = {"to", "cpu", "cuda", "result", "detach", "contiguous", "clone", "union", "repeat", "chunk", "select"}


def field_access(interpreter: Interpreter, frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    """``getattr(x, "name", default)``, ``tu.get(x, "name")``, ``tu.pop(x, "name")``."""
    function = node.func
    name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
    if name not in ("getattr", "get", "pop", "get_non_tensor_data") or len(arguments.positional) < 2:
        return None
    owner, keys = arguments.positional[0], texts(arguments.positional[1])
    values: list[Value] = []
    for option in options(owner):
        for key in keys:
            if isinstance(option, ObjectValue) and key.template in option.attributes:
                values.append(option.attributes[key.template])
            elif isinstance(option, Mapping) and (value := option.child(key.template)) is not None:
                values.append(value)
    if not values:
        return None
    return join(*values, *arguments.positional[2:3])


def dataclass_fields(interpreter: Interpreter, frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    """``fields(Experience)``: objects with the names of a dataclass's fields."""
    function = node.func
    name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
    known = (
        [option.info for option in options(arguments.positional[0]) if isinstance(option, Class)]
        if (name == "fields" and len(arguments.positional) == 1)
        else []
    )
    made: list[Value] = [ObjectValue(None, {"name": TextValue(field)}) for info in known for field in info.fields]
    return Sequence(made, exact=False) if made else None


def transport(interpreter: Interpreter, frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    """Evaluate calls that hand what they get on: ``ray.get``, ``asyncio.run``, ``x.to("cpu")``, ``partial``."""
    function = node.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    if name == "partial" and arguments.positional:
        bound = [
            FunctionValue(
                option.info,
                option.owner,
                option.closure,
                (*option.bound, *arguments.positional[1:]),
                {**option.keywords, **arguments.keywords},
            )
            for option in options(arguments.positional[0])
            if isinstance(option, FunctionValue)
        ]
        return join(*bound) if bound else UnknownValue("partial")
    if name == "get_tensordict":
        made = ObjectValue(None)
        for part in arguments.all():
            for mapping in mappings(part):
                made.attributes.update({key: slot.value for key, slot in mapping.slots.items()})
        return made
    if name == "assign_non_tensor_data" and len(arguments.positional) == 3:
        for option in options(arguments.positional[0]):
            if isinstance(option, ObjectValue):
                option.attributes.update(
                    {key.template: arguments.positional[2] for key in texts(arguments.positional[1])}
                )
        return UnknownValue(name)
    if name == "concat" and isinstance(function, ast.Attribute):
        for option in options(arguments.receiver):
            if isinstance(option, Class):
                nothing = Arguments.unknown_ones(interpreter, frame)
                return join(*(carriers(arguments) or [interpreter.apply(frame, option, nothing) or UnknownValue()]))
    if name == "get" and text_of(function) == "ray.get" and arguments.positional:
        return arguments.positional[0]
    if "meta_info" in arguments.keywords and name.startswith("from_"):
        return ObjectValue(None, dict(arguments.keywords))
    if name == "all_gather_object" and len(arguments.positional) >= 2:
        for option in options(arguments.positional[0]):
            if isinstance(option, Sequence):
                option.items.append(arguments.positional[1])
                option.exact = False
        return UnknownValue(name)
    if name in ("get", "future") and isinstance(function, ast.Attribute) and not arguments.all():
        owner = arguments.receiver
        return owner if any(isinstance(option, (ObjectValue, Mapping)) for option in options(owner)) else None
    if name in interpreter.settings.hands_on and arguments.positional:
        return arguments.positional[0]
    if name in _FUNCTIONS and arguments.positional and not isinstance(arguments.positional[0], FunctionValue):
        carried = [value for value in arguments.positional if not isinstance(value, UnknownValue)]
        if carried:
            return Sequence(carried, exact=True) if name == "gather" and len(carried) > 1 else carried[0]
        return None
    if name in _METHODS and isinstance(function, ast.Attribute):
        owner = arguments.receiver
        kept = [option for option in options(owner) if isinstance(option, (Mapping, ObjectValue, Sequence))]
        if kept:
            return join(*kept)
    return None
