"""What a package defines: its functions, classes and modules, and what their text says by itself."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from functools import cached_property

from .places import SourceLine

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

_TALKS_OF_METRICS = re.compile(
    r"metric|stat|timing|timer|_log|logs|logger|wandb|trackio|tracking|profil|loss|append_to|rename|log_\w*traces",
    re.IGNORECASE,
)
_KEY_LIKE = re.compile(r"[\w@{}-]*(/[\w@{}-]*)+")


def _is_dict_of_names(node: ast.expr | None) -> bool:
    """Tell whether an expression is ``dict(name=value, ...)``."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "dict"
        and bool(node.keywords)
    )


@dataclass(eq=False)
class FunctionInfo:
    """A function or method."""

    name: str
    node: FunctionNode
    module: ModuleInfo
    owner: ClassInfo | None
    symbol: str
    sites: dict[int, SourceLine] = field(default_factory=dict, repr=False)
    """Lines of it that were asked for; there are few, and each is asked for often."""

    @cached_property
    def is_static(self) -> bool:
        """Whether it is a static method."""
        return "staticmethod" in self.decorators

    @cached_property
    def decorators(self) -> tuple[str, ...]:
        """Names of the decorators, without their arguments."""
        if isinstance(self.node, ast.Lambda):
            return ()
        names = []
        for decorator in self.node.decorator_list:
            target = decorator.func if isinstance(decorator, ast.Call) else decorator
            names.append(target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", ""))
        return tuple(names)

    @cached_property
    def talks_of_metrics(self) -> bool:
        """Whether its text names metrics, timers, logs or keys; other functions need no interpretation."""
        if _TALKS_OF_METRICS.search(self.symbol):
            return True
        for node in ast.walk(self.node):
            if isinstance(node, ast.Name) and _TALKS_OF_METRICS.search(node.id):
                return True
            if isinstance(node, ast.Attribute) and _TALKS_OF_METRICS.search(node.attr):
                return True
            if isinstance(node, ast.arg) and _TALKS_OF_METRICS.search(node.arg):
                return True
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and _KEY_LIKE.fullmatch(node.value):
                return True
            if isinstance(node, ast.Return) and _is_dict_of_names(node.value):
                return True
        return bool(self.called & (SMALL_HELPERS | self.module.entrances))

    @cached_property
    def is_abstract(self) -> bool:
        """Whether its body says nothing but that subclasses must provide it."""
        if isinstance(self.node, ast.Lambda):
            return False
        return all(
            isinstance(statement, (ast.Raise, ast.Pass))
            or (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))
            for statement in self.node.body
        )

    @cached_property
    def plain_result(self) -> ast.expr | None:
        """What a function returns that returns one empty collection or constant and nothing else."""
        if isinstance(self.node, ast.Lambda):
            return None
        values = [node.value for node in ast.walk(self.node) if isinstance(node, ast.Return)]
        if len(values) != 1:
            return None
        value = values[0]
        empty = isinstance(value, (ast.Dict, ast.List, ast.Tuple)) and not list(ast.iter_child_nodes(value))[1:]
        return value if isinstance(value, ast.Constant) or empty else None

    @cached_property
    def makes_metrics(self) -> bool:
        """Whether it names metrics or timings themselves, as a function must that hands some to another process."""
        return any(
            re.search(r"metric|timing|stats|timer|loss_fn", name) is not None
            for node in ast.walk(self.node)
            for name in (
                getattr(node, "id", None) or getattr(node, "attr", None) or getattr(node, "arg", None) or "",
                node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else "",
            )
        )

    @cached_property
    def hands_over(self) -> bool:
        """Whether it calls something named like the entrance of a tracker."""
        return bool(({"log", "log_metrics", "log_summary"} | self.module.entrances) & self.called)

    @cached_property
    def own_uses(self) -> set[str]:
        """Names that a method uses of its own object: methods it calls or passes on."""
        return {
            node.attr
            for node in ast.walk(self.node)
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
        }

    def calls_base(self, name: str) -> bool:
        """Tell whether it calls a method of that name of a base class: ``super().name`` or ``Base.name(self)``."""
        return any(
            isinstance(node, ast.Attribute)
            and node.attr == name
            and not (isinstance(node.value, ast.Name) and node.value.id == "self")
            for node in ast.walk(self.node)
        )

    @cached_property
    def called(self) -> set[str]:
        """Names of what it calls."""
        names = set()
        for node in ast.walk(self.node):
            if isinstance(node, ast.Call):
                if isinstance(node.func, ast.Attribute):
                    names.add(node.func.attr)
                elif isinstance(node.func, ast.Name):
                    names.add(node.func.id)
        return names


SMALL_HELPERS = {"flatten_dict", "update_from", "recurse"}


@dataclass(eq=False)
class ClassInfo:
    """A class; ``bases`` are names as written."""

    name: str
    node: ast.ClassDef
    module: ModuleInfo
    bases: tuple[str, ...]
    methods: dict[str, FunctionInfo] = field(default_factory=dict)
    fields: dict[str, ast.expr | None] = field(default_factory=dict)
    """Annotated names of the body (the fields of a dataclass) with their defaults."""
    constants: dict[str, ast.expr] = field(default_factory=dict)
    """Names that the body assigns."""
    members: tuple[str, ...] = ()
    """Names of an enumeration's members."""


@dataclass(eq=False)
class ModuleInfo:
    """A module with its top-level names."""

    name: str
    path: str
    tree: ast.Module
    is_package: bool
    functions: dict[str, FunctionInfo] = field(default_factory=dict)
    classes: dict[str, ClassInfo] = field(default_factory=dict)
    imports: dict[str, tuple[str, str | None]] = field(default_factory=dict)
    assignments: dict[str, ast.expr] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    """Modules from which everything is imported."""
    entrances: frozenset[str] = frozenset()
    """Names of methods that are declared to take numbers."""
