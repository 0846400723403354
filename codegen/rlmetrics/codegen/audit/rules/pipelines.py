"""Megatron: ``forward_backward_func(forward_step_func=step)`` calls ``step`` and then the loss function it returned."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..abstract_values import FunctionValue, Sequence, Value, options
from ..call_arguments import Arguments

if TYPE_CHECKING:
    from ..frames import Frame
    from ..interpreter import Interpreter


def schedule(interpreter: Interpreter, frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    """Return the list of what the loss function returned second, one element for each micro-batch."""
    step = arguments.keywords.get("forward_step_func")
    if step is None:
        return None
    unknown = Arguments.unknown_ones(interpreter, frame)
    collected: list[Value] = []
    for option in options(step):
        output = interpreter.apply(frame, option, unknown)
        for loss in _loss_functions(output) if output is not None else []:
            returned = interpreter.apply(frame, loss, unknown)
            if returned is None:
                continue
            collected.extend(
                part.items[1] for part in options(returned) if isinstance(part, Sequence) and len(part.items) == 2
            )
    return Sequence(collected, exact=False)


def _loss_functions(output: Value) -> list[FunctionValue]:
    return [
        loss
        for option in options(output)
        if isinstance(option, Sequence)
        for item in option.items
        for loss in options(item)
        if isinstance(loss, FunctionValue)
    ]
