"""The evaluated arguments of a call."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Protocol

from .abstract_values import ObjectValue, Sequence, UnknownValue, Value, mappings, options

if TYPE_CHECKING:
    from .frames import Frame

__all__ = ["Arguments", "Evaluator", "carriers"]


class Evaluator(Protocol):
    """What gives expressions their values, such as the interpreter."""

    def evaluate(self, frame: Frame, node: ast.expr) -> Value:
        """Return the value of an expression in a frame."""
        ...


class Arguments:
    """The evaluated arguments of a call, and the object that it is called on; each evaluated once."""

    def __init__(self, interpreter: Evaluator, frame: Frame, node: ast.Call) -> None:
        self.receiver: Value = UnknownValue()
        if isinstance(node.func, ast.Attribute):
            self.receiver = interpreter.evaluate(frame, node.func.value)
        self.positional: list[Value] = []
        self.keywords: dict[str, Value] = {}
        self.extra: Value | None = None
        self.unknown = False
        for argument in node.args:
            value = interpreter.evaluate(frame, argument)
            if isinstance(argument, ast.Starred):
                if isinstance(value, Sequence) and value.exact:
                    self.positional.extend(value.items)
                else:
                    break
            else:
                self.positional.append(value)
        for keyword in node.keywords:
            value = interpreter.evaluate(frame, keyword.value)
            if keyword.arg is None:
                self.extra = value
            else:
                self.keywords[keyword.arg] = value

    @classmethod
    def unknown_ones(cls, interpreter: Evaluator, frame: Frame) -> Arguments:
        """Return arguments of which nothing is known."""
        none = cls(interpreter, frame, ast.Call(ast.Name("unknown", ast.Load()), [], []))
        none.unknown = True
        return none

    def all(self) -> list[Value]:
        """Return all argument values."""
        return [*self.positional, *self.keywords.values()]


def carriers(arguments: Arguments) -> list[Value]:
    """Return the objects with dicts, which come back from a call of unknown effect (``postprocess(output)``)."""
    return [
        element
        for argument in arguments.all()
        for option in options(argument)
        for item in (option.items if isinstance(option, Sequence) else [option])
        for element in options(item)
        if isinstance(element, ObjectValue)
        and any(mapping.slots for value in element.attributes.values() for mapping in mappings(value))
    ]
