"""What runs while function bodies are followed, and what is noted on the way."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from .abstract_values import Class, FunctionValue, Mapping, ModuleValue, ObjectValue, Value
from .definitions import ClassInfo, FunctionInfo, ModuleInfo
from .places import SourceLine

__all__ = ["Frame", "Sunk", "Unclear", "wrap"]


@dataclass(eq=False)
class Frame:
    """A running function."""

    info: FunctionInfo
    env: dict[str, Value]
    closure: dict[str, Value] | None = None
    owner: ObjectValue | None = None
    returns: list[Value] = field(default_factory=list)
    yields: list[Value] = field(default_factory=list)

    @property
    def module(self) -> ModuleInfo:
        """The module whose names the function sees."""
        return self.info.module

    def site(self, node: ast.AST) -> SourceLine:
        """Return where a node stands."""
        line = getattr(node, "lineno", 1)
        source_line = self.info.sites.get(line)
        if source_line is None:
            source_line = self.info.sites[line] = SourceLine(self.module.path, line, self.info.symbol)
        return source_line


@dataclass(frozen=True)
class Sunk:
    """A dict that was handed to a tracker."""

    mapping: Mapping
    site: SourceLine


@dataclass(frozen=True)
class Unclear:
    """A place that looks like logging and that no rule understands."""

    path: str
    line: int
    symbol: str
    text: str
    reason: str


def wrap(value: FunctionInfo | ClassInfo | ModuleInfo) -> Value:
    """Turn an index entry into a value."""
    if isinstance(value, FunctionInfo):
        return FunctionValue(value)
    if isinstance(value, ClassInfo):
        return Class(value)
    return ModuleValue(value)
