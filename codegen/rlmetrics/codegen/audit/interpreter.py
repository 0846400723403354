"""Runs function bodies on abstract values: both branches of an undecided ``if``, every loop body at least once."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

from ..model.audit_settings import AuditSettings
from .abstract_values import (
    Constant,
    FunctionValue,
    Mapping,
    ObjectValue,
    Sequence,
    TextValue,
    UnknownValue,
    Value,
    join,
    options,
    text_of,
)
from .definitions import ClassInfo, FunctionInfo
from .frames import Frame, Sunk, Unclear
from .memo import signature, signatures
from .places import CodePlace, SourceLine
from .program import PackageProgram

if TYPE_CHECKING:
    from .call_arguments import Arguments

MAX_DEPTH = 45
MAX_RECURSION = 3
MAX_ITERATIONS = 400


class Interpreter(ABC):
    """State of one run: shared objects, and what reached a tracker.

    `running.Runner` puts the modules together that run expressions, calls and statements; these know this class only.
    """

    def __init__(self, program: PackageProgram, settings: AuditSettings) -> None:
        self.program = program
        self.settings = settings
        self.undecided = 0
        """In how many branches of tests that depend on the run the run is."""
        self.facts: dict[str, bool] = {}
        """Tests on the trainer whose outcome holds on the path that is being followed (training or evaluation)."""
        self.channels: dict[tuple[str, str], Sequence] = {}
        """(folder, name of a queue) → what is put into it."""
        self.carried: dict[str, Mapping] = {}
        """Attribute → the dict that objects carry under it."""
        self.yielded: dict[str, list[Value]] = {}
        """Folder → what its generators yield."""
        self.started: set[tuple[str, str]] = set()
        self.call_sites: list[SourceLine] = []
        self.scopes: tuple[str, ...] = ()
        """What the scopes of a statistics tracker put before keys here."""
        self.stack: list[FunctionInfo] = []
        self.objects: dict[ClassInfo, ObjectValue] = {}
        self.globals: dict[tuple[str, str], Value] = {}
        self.sunk: list[Sunk] = []
        self.unclear: dict[tuple[str, int, str], Unclear] = {}
        self.executed: set[FunctionInfo] = set()
        self.remembered: dict[tuple[Hashable, ...], tuple[Value, object]] = {}
        """Results of calls of this round, with what was given, which must live as long as its identity counts."""
        self.allocated: dict[tuple[Hashable, ...], tuple[ObjectValue, object]] = {}

    # ------------------------------------------------------------------ bookkeeping

    def report(self, frame: Frame, node: ast.AST, reason: str) -> None:
        """Note a place that no rule understands."""
        site = frame.site(node)
        text = text_of(node).split("\n")[0][:200]
        self.unclear[site.path, site.line, reason] = Unclear(site.path, site.line, site.symbol, text, reason)

    @contextmanager
    def branch(self) -> Iterator[None]:
        """Run what only some runs reach."""
        self.undecided += 1
        try:
            yield
        finally:
            self.undecided -= 1

    @contextmanager
    def elsewhere(self) -> Iterator[None]:
        """Run what another process does, whatever led here."""
        undecided, self.undecided = self.undecided, 0
        sites, self.call_sites = self.call_sites, []
        try:
            yield
        finally:
            self.undecided, self.call_sites = undecided, sites

    def place(self, frame: Frame, node: ast.AST) -> CodePlace:
        """Return where a node is reached now."""
        return CodePlace(frame.site(node), self.call_sites[-1] if self.call_sites else None)

    def instance(self, info: ClassInfo) -> ObjectValue:
        """Return the one object that stands for all instances of a class, its ``__init__`` run once."""
        instance = self.objects.get(info)
        if instance is None:
            instance = self.objects[info] = ObjectValue(info)
            undecided, self.undecided = self.undecided, 0
            for name in self.settings.initializers:
                method = self.program.lookup(info, name)
                if method is not None and method not in self.stack:
                    self.run(FunctionValue(method, instance), [], {}, unknown_parameters=True)
            self.undecided = undecided
        return instance

    # ------------------------------------------------------------------ functions

    def run(
        self,
        function: FunctionValue,
        arguments: list[Value],
        keywords: dict[str, Value],
        *,
        unknown_parameters: bool = False,
        extra: Value | None = None,
    ) -> Value:
        """Call a function of the package; ``extra`` is what came by ``**kwargs``."""
        info = function.info
        if len(self.stack) >= MAX_DEPTH or self.stack.count(info) >= MAX_RECURSION:
            return UnknownValue(info.name)
        given = (function, arguments, keywords, extra)
        key = (*self._call_key(*given), unknown_parameters)
        if key in self.remembered:
            return self.remembered[key][0]
        env = self._bind(function, arguments, keywords, unknown_parameters, extra)
        frame = Frame(info, env, function.closure, function.owner or _receiver(info, env))
        self.stack.append(info)
        self.executed.add(info)
        try:
            if isinstance(info.node, ast.Lambda):
                return self.evaluate(frame, info.node.body)
            with self.decorated(info):
                self.block(frame, info.node.body)
        finally:
            self.stack.pop()
        if frame.yields and "contextmanager" not in info.decorators:
            frame.returns.append(Sequence(frame.yields, exact=False))
            self.yielded.setdefault(folder(info.module.path), []).extend(frame.yields)
        result = join(*frame.returns) if frame.returns else Constant(None)
        self.remembered[key] = (result, given)
        return result

    def _call_key(
        self, function: FunctionValue, arguments: list[Value], keywords: dict[str, Value], extra: Value | None
    ) -> tuple[Hashable, ...]:
        """Return what a repeated call has in common with the first: the arguments and the calling line."""
        return (
            signature(function),
            signatures(arguments),
            signature(keywords),
            signature(extra),
            self.undecided > 0,
            self.scopes,
            tuple(self.facts.items()),
            self.call_sites[-1] if self.call_sites else None,
        )

    def forget(self) -> None:
        """Begin another round: calls are made again, because what they read may have changed."""
        self.remembered.clear()
        self.started.clear()
        self.yielded.clear()

    def _bind(
        self,
        function: FunctionValue,
        arguments: list[Value],
        keywords: dict[str, Value],
        unknown: bool,
        extra: Value | None,
    ) -> dict[str, Value]:
        info, spec = function.info, function.info.node.args
        positional = [*function.bound, *arguments]
        keywords = {**function.keywords, **keywords}
        if function.owner is not None and info.owner is not None and not info.is_static:
            positional.insert(0, function.owner)
        env: dict[str, Value] = {}
        names = [argument.arg for argument in [*spec.posonlyargs, *spec.args]]
        frame = Frame(info, dict(function.closure or {}), function.closure, function.owner)
        defaults = dict(zip(names[len(names) - len(spec.defaults) :], spec.defaults, strict=True))
        defaults.update({a.arg: d for a, d in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if d is not None})
        for name, value in zip(names, positional, strict=False):
            env[name] = value
        if spec.vararg is not None:
            env[spec.vararg.arg] = Sequence(positional[len(names) :])
        for name in [*names, *(argument.arg for argument in spec.kwonlyargs)]:
            if name in keywords:
                env[name] = keywords.pop(name)
            elif name not in env:
                from_extra = self._from_extra(extra, name)
                if from_extra is not None:
                    env[name] = from_extra
                elif name in defaults and not unknown and extra is None:
                    env[name] = self.evaluate(frame, defaults[name])
                else:
                    env[name] = UnknownValue(name)
        if spec.kwarg is not None:
            rest = Mapping()
            for name, value in keywords.items():
                site = SourceLine(info.module.path, info.node.lineno, info.symbol)
                rest.write(TextValue(name), value, CodePlace(site), name)
            env[spec.kwarg.arg] = rest
        return env

    @staticmethod
    def _from_extra(extra: Value | None, name: str) -> Value | None:
        if extra is None:
            return None
        for option in options(extra):
            if isinstance(option, Mapping) and name in option.slots:
                return option.slots[name].value
        return None

    # ------------------------------------------------------------------ statements

    @abstractmethod
    def block(self, frame: Frame, body: list[ast.stmt]) -> str | None:
        """Run statements; return how the block ends early (return, raise, continue, break) or None."""

    @abstractmethod
    def decorated(self, info: FunctionInfo) -> AbstractContextManager[None]:
        """Return what the decorators of a function do around its body."""

    @abstractmethod
    def assign(self, frame: Frame, target: ast.expr, value: Value, source: ast.expr) -> None:
        """Bind a target; writing into a dict goes through the rules of the ways of logging."""

    @abstractmethod
    def evaluate(self, frame: Frame, node: ast.expr) -> Value:
        """Return what an expression may give."""

    @abstractmethod
    def comprehension(self, frame: Frame, generators: list[ast.comprehension], body: Callable[[], None]) -> None:
        """Run the body of a comprehension for what its generators give."""

    @abstractmethod
    def apply(self, frame: Frame, target: Value, arguments: Arguments) -> Value | None:
        """Call a known function or class; None if the target is neither."""

    def method(self, owner: ObjectValue, name: str) -> Value | None:
        """Run a method without arguments if the class has it."""
        function = self.program.lookup(owner.info, name) if owner.info is not None else None
        if function is None:
            return None
        return self.run(FunctionValue(function, owner), [], {}, unknown_parameters=True)

    def iterated(self, value: Value) -> Value:
        """Put what an object yields in its place where a loop runs over it."""
        values: list[Value] = []
        for option in options(value):
            method = (
                self.program.lookup(option.info, "__iter__")
                if isinstance(option, ObjectValue) and option.info
                else None
            )
            if method is not None and method.talks_of_metrics and isinstance(option, ObjectValue):
                values.append(self.run(FunctionValue(method, option), [], {}))
            else:
                values.append(option)
        return join(*values)


def folder(path: str) -> str:
    """Return the folder of a module's path."""
    return path.rpartition("/")[0]


def _receiver(info: FunctionInfo, env: dict[str, Value]) -> ObjectValue | None:
    """Return the object a plain function of a class was called on explicitly (``func(self, ...)``)."""
    parameters = info.node.args.args
    if info.owner is None or info.is_static or not parameters:
        return None
    value = env.get(parameters[0].arg)
    return value if isinstance(value, ObjectValue) else None
