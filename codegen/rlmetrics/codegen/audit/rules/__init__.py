"""The ways of logging, one module each; :data:`CALL_RULES` is tried in order for every call."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .. import messages
from . import collections_, containers, declared_ways, dicts, pipelines, strings
from .dicts import build_dict
from .writes import set_item, store_item

if TYPE_CHECKING:
    import ast

    from ..abstract_values import Value
    from ..frames import Frame
    from ..interpreter import Interpreter

CallRule = Callable[["Interpreter", "Frame", "ast.Call", Any], "Value | None"]

CALL_RULES: tuple[CallRule, ...] = (
    messages.taken_along,
    declared_ways.declared,
    declared_ways.called_by_name,
    messages.queue,
    set_item,
    dicts.update,
    dicts.append,
    dicts.read,
    dicts.constructor,
    pipelines.schedule,
    containers.field_access,
    containers.dataclass_fields,
    containers.transport,
    collections_.builtin,
    strings.method,
)

__all__ = ["CALL_RULES", "build_dict", "store_item"]
