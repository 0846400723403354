"""Tells whether two calls look alike, so that a call that is repeated with nothing new is answered from memory."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping

from .abstract_values import (
    ChoiceValue,
    Class,
    Constant,
    FunctionValue,
    ModuleValue,
    ObjectValue,
    Sequence,
    Super,
    TextValue,
    UnknownValue,
    Value,
)
from .abstract_values import Mapping as Dict

__all__ = ["signature", "signatures"]

_MAX_DEPTH = 3
_MAX_ITEMS = 12


def signatures(values: Iterable[Value]) -> tuple[Hashable, ...]:
    """Return what distinguishes several values."""
    return tuple(signature(value) for value in values)


def signature(value: Value | Mapping[str, Value] | None, depth: int = 0) -> Hashable:
    """Return what distinguishes a value from others: contents where they can't change, identity and size otherwise."""
    if value is None:
        return None
    if isinstance(value, TextValue):
        return ("text", value.template, value.origins)
    if isinstance(value, UnknownValue):
        return ("unknown", value.leaf, value.keys)
    if isinstance(value, Constant):
        return ("constant", type(value.value), repr(value.value))
    if isinstance(value, ChoiceValue):
        return ("choice", *(signature(option, depth + 1) for option in value.options))
    if isinstance(value, Sequence) and depth < _MAX_DEPTH and len(value.items) <= _MAX_ITEMS:
        return ("sequence", value.exact, *(signature(item, depth + 1) for item in value.items))
    if isinstance(value, Dict):
        return ("dict", id(value), len(value.slots), len(value.missing))
    if isinstance(value, FunctionValue):
        bound = signatures(value.bound) if depth < _MAX_DEPTH else id(value)
        return ("function", value.info, id(value.owner), id(value.closure), bound, _entries(value.keywords))
    if isinstance(value, (Class, ModuleValue)):
        return ("definition", value.info)
    if isinstance(value, Super):
        return ("super", id(value.owner), value.after)
    if isinstance(value, ObjectValue):
        return ("object", id(value), len(value.attributes))
    if isinstance(value, Mapping):
        return _entries(value)
    return ("other", id(value))


def _entries(entries: Mapping[str, Value]) -> Hashable:
    return tuple((name, signature(value)) for name, value in entries.items())
