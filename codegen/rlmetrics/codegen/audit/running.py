"""The interpreter with the modules that run expressions, calls and statements."""

from __future__ import annotations

import ast
from collections.abc import Callable
from contextlib import AbstractContextManager

from . import abstract_expressions, logging_calls, statements
from .abstract_values import Value
from .call_arguments import Arguments
from .definitions import FunctionInfo
from .frames import Frame
from .interpreter import Interpreter
from .rules.declared_ways import scoped_by_decorator

__all__ = ["Runner"]


class Runner(Interpreter):
    """Follows what a program logs."""

    def block(self, frame: Frame, body: list[ast.stmt]) -> str | None:
        """Run statements."""
        return statements.block(self, frame, body)

    def decorated(self, info: FunctionInfo) -> AbstractContextManager[None]:
        """Put the scope of a statistics tracker around a function."""
        return scoped_by_decorator(self, info)

    def assign(self, frame: Frame, target: ast.expr, value: Value, source: ast.expr) -> None:
        """Bind a target."""
        statements.assign(self, frame, target, value, source)

    def evaluate(self, frame: Frame, node: ast.expr) -> Value:
        """Return what an expression may give."""
        return abstract_expressions.evaluate(self, frame, node)

    def comprehension(self, frame: Frame, generators: list[ast.comprehension], body: Callable[[], None]) -> None:
        """Run the body of a comprehension."""
        abstract_expressions.comprehension(self, frame, generators, body)

    def apply(self, frame: Frame, target: Value, arguments: Arguments) -> Value | None:
        """Call a known function or class."""
        return logging_calls.apply(self, frame, target, arguments)
