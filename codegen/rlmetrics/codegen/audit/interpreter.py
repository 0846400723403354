"""Runs function bodies on abstract values: both branches of an undecided ``if``, every loop body at least once."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from .decide import decide
from .memo import signature, signatures
from .program import ClassInfo, FunctionInfo, ModuleInfo, Program, imported_names
from .settings import Settings
from .values import (
    Class,
    Constant,
    Function,
    Mapping,
    Module,
    Object,
    Place,
    Sequence,
    Site,
    Text,
    Unknown,
    Value,
    join,
    mappings,
    negate,
    options,
    split_condition,
    text_of,
    texts,
)

MAX_DEPTH = 45
MAX_RECURSION = 3
MAX_ITERATIONS = 400


@dataclass(eq=False)
class Frame:
    """A running function."""

    info: FunctionInfo
    env: dict[str, Value]
    closure: dict[str, Value] | None = None
    owner: Object | None = None
    returns: list[Value] = field(default_factory=list)
    yields: list[Value] = field(default_factory=list)

    @property
    def module(self) -> ModuleInfo:
        """The module whose names the function sees."""
        return self.info.module

    def site(self, node: ast.AST) -> Site:
        """Returns where a node stands."""
        return Site(self.module.path, getattr(node, "lineno", 1), self.info.symbol)


@dataclass(frozen=True)
class Sunk:
    """A dict that was handed to a tracker."""

    mapping: Mapping
    site: Site
    sink: str


@dataclass(frozen=True)
class Unclear:
    """A place that looks like logging and that no rule understands."""

    path: str
    line: int
    symbol: str
    text: str
    reason: str


class Interpreter:
    """State of one run: shared objects, conditions in force, and what reached a tracker."""

    def __init__(self, program: Program, settings: Settings) -> None:
        self.program = program
        self.settings = settings
        self.conditions: list[str] = []
        self.facts: dict[str, bool] = {}
        """Tests on the trainer whose outcome holds on the path that is being followed (training or evaluation)."""
        self.channels: dict[tuple[str, str], Sequence] = {}
        """(folder, name of a queue) → what is put into it."""
        self.yielded: dict[str, list[Value]] = {}
        """Folder → what its generators yield."""
        self.started: set[tuple[str, str]] = set()
        self.call_sites: list[Site] = []
        self.stack: list[FunctionInfo] = []
        self.objects: dict[ClassInfo, Object] = {}
        self.globals: dict[tuple[str, str], Value] = {}
        self.sunk: list[Sunk] = []
        self.unclear: dict[tuple[str, int, str], Unclear] = {}
        self.executed: set[FunctionInfo] = set()
        self.touched: set[tuple[str, int]] = set()
        self.remembered: dict[tuple[Hashable, ...], tuple[Value, object]] = {}
        """Results of calls of this round, with what was given, which must live as long as its identity counts."""
        self.allocated: dict[tuple[Hashable, ...], tuple[Object, object]] = {}

    # ------------------------------------------------------------------ bookkeeping

    def report(self, frame: Frame, node: ast.AST, reason: str) -> None:
        """Notes a place that no rule understands."""
        site = frame.site(node)
        text = text_of(node).split("\n")[0][:200]
        self.unclear[site.path, site.line, reason] = Unclear(site.path, site.line, site.symbol, text, reason)

    def touch(self, frame: Frame, node: ast.AST) -> None:
        """Notes that a rule handled the lines of a node."""
        first = getattr(node, "lineno", 0)
        for line in range(first, (getattr(node, "end_lineno", None) or first) + 1):
            self.touched.add((frame.module.path, line))

    @contextmanager
    def under(self, condition: str | None) -> Iterator[None]:
        """Puts a condition in force."""
        added = self.push(condition)
        try:
            yield
        finally:
            del self.conditions[len(self.conditions) - added :]

    @contextmanager
    def elsewhere(self) -> Iterator[None]:
        """Runs what another process does: the conditions here apply to what is made of its answer, not inside."""
        saved, self.conditions = self.conditions, []
        sites, self.call_sites = self.call_sites, []
        try:
            yield
        finally:
            self.conditions, self.call_sites = saved, sites

    def push(self, condition: str | None) -> int:
        """Puts the parts of a condition in force that are not yet; returns how many."""
        before = len(self.conditions)
        for part in split_condition(condition) if condition else ():
            if part not in self.conditions and not self._is_plumbing(part):
                self.conditions.append(part)
        return len(self.conditions) - before

    def _is_plumbing(self, condition: str) -> bool:
        return any(word in condition for word in self.settings.plumbing_conditions)

    def place(self, frame: Frame, node: ast.AST) -> Place:
        """Returns where a node is reached now."""
        return Place(frame.site(node), tuple(self.conditions), self.call_sites[-1] if self.call_sites else None)

    def instance(self, info: ClassInfo) -> Object:
        """Returns the one object that stands for all instances of a class, its ``__init__`` run once."""
        found = self.objects.get(info)
        if found is None:
            found = self.objects[info] = Object(info)
            saved, self.conditions = self.conditions, []
            for name in self.settings.initializers:
                method = self.program.lookup(info, name)
                if method is not None and method not in self.stack:
                    self.run(Function(method, found), [], {}, unknown_parameters=True)
            self.conditions = saved
        return found

    # ------------------------------------------------------------------ functions

    def run(
        self,
        function: Function,
        arguments: list[Value],
        keywords: dict[str, Value],
        *,
        unknown_parameters: bool = False,
        extra: Value | None = None,
    ) -> Value:
        """Calls a function of the package; ``extra`` is what came by ``**kwargs``."""
        info = function.info
        if len(self.stack) >= MAX_DEPTH or self.stack.count(info) >= MAX_RECURSION:
            return Unknown(info.name)
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
                from .expressions import evaluate

                return evaluate(self, frame, info.node.body)
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
        self, function: Function, arguments: list[Value], keywords: dict[str, Value], extra: Value | None
    ) -> tuple[Hashable, ...]:
        """What a repeated call has in common with the first: the arguments, the conditions and the calling line."""
        return (
            signature(function),
            signatures(arguments),
            signature(keywords),
            signature(extra),
            tuple(self.conditions),
            tuple(self.facts.items()),
            self.call_sites[-1] if self.call_sites else None,
        )

    def forget(self) -> None:
        """Begins another round: calls are made again, because what they read may have changed."""
        self.remembered.clear()
        self.started.clear()
        self.yielded.clear()

    def _bind(
        self,
        function: Function,
        arguments: list[Value],
        keywords: dict[str, Value],
        unknown: bool,
        extra: Value | None,
    ) -> dict[str, Value]:
        from .expressions import evaluate

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
                    env[name] = evaluate(self, frame, defaults[name])
                else:
                    env[name] = Unknown(name)
        if spec.kwarg is not None:
            rest = Mapping()
            for name, value in keywords.items():
                site = Site(info.module.path, info.node.lineno, info.symbol)
                rest.write(Text(name), value, Place(site), name)
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

    def block(self, frame: Frame, body: list[ast.stmt]) -> str | None:
        """Runs statements; returns how the block ends early (return, raise, continue, break) or None."""
        pushed = 0
        ending: str | None = None
        for position, statement in enumerate(body):
            if (choice := self._choice(frame, statement)) is not None:
                ending = self._each_mode(frame, *choice, body[position + 1 :])
                break
            if isinstance(statement, ast.If):
                ending, guard = self._if(frame, statement)
                pushed += self.push(guard)
            else:
                ending = self._statement(frame, statement)
            if ending:
                break
        del self.conditions[len(self.conditions) - pushed :]
        return ending

    def _choice(self, frame: Frame, statement: ast.stmt) -> tuple[str, ast.IfExp] | None:
        """``mode = "train" if self.model.training else "eval"``, where the outcome is not known."""
        if not (isinstance(statement, ast.Assign) and isinstance(statement.value, ast.IfExp)):
            return None
        target, value = statement.targets[0], statement.value
        words = [part.value for part in (value.body, value.orelse) if isinstance(part, ast.Constant)]
        if not isinstance(target, ast.Name) or not any(isinstance(word, str) and "eval" in word for word in words):
            return None
        if len(words) < 2 or decide(self, frame, value.test) is not None:
            return None
        return target.id, value

    def _each_mode(self, frame: Frame, name: str, choice: ast.IfExp, rest: list[ast.stmt]) -> str | None:
        """Runs the rest of a block once in training and once in evaluation, so that their stores are kept apart."""
        from .expressions import evaluate

        test = text_of(choice.test)
        before, after, endings = frame.env, [], []
        for holds, value in ((True, choice.body), (False, choice.orelse)):
            frame.env = {**before, name: evaluate(self, frame, value)}
            known = self.facts
            if test.startswith("self."):
                self.facts = {**known, test: holds}
            endings.append(self.block(frame, rest))
            self.facts = known
            if not endings[-1]:
                after.append(frame.env)
        if after:
            frame.env = _join_environments(after[0], after[-1])
            return None
        return endings[0]

    def _if(self, frame: Frame, node: ast.If) -> tuple[str | None, str | None]:
        decided = decide(self, frame, node.test)
        if decided is not None:
            return self.block(frame, node.body if decided else node.orelse), None
        from .expressions import evaluate

        evaluate(self, frame, node.test)
        condition = text_of(node.test)
        before = dict(frame.env)
        with self.under(condition):
            ended_body = self.block(frame, node.body)
        after_body = frame.env
        frame.env = dict(before)
        with self.under(negate(condition)):
            ended_else = self.block(frame, node.orelse)
        if ended_body and ended_else:
            return ended_body, None
        if ended_body:
            return None, negate(condition) if ended_body in ("return", "continue") else None
        if ended_else:
            frame.env = after_body
            return None, condition if ended_else in ("return", "continue") else None
        frame.env = _join_environments(after_body, frame.env)
        return None, None

    def _statement(self, frame: Frame, node: ast.stmt) -> str | None:
        from .expressions import evaluate

        if isinstance(node, ast.Expr):
            evaluate(self, frame, node.value)
        elif isinstance(node, ast.Assign):
            value = evaluate(self, frame, node.value)
            for target in node.targets:
                self.assign(frame, target, value, node.value)
        elif isinstance(node, ast.AnnAssign):
            if node.value is not None:
                self.assign(frame, node.target, evaluate(self, frame, node.value), node.value)
        elif isinstance(node, ast.AugAssign):
            self._augmented(frame, node)
        elif isinstance(node, ast.Return):
            frame.returns.append(evaluate(self, frame, node.value) if node.value else Constant(None))
            return "return"
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            self._for(frame, node)
        elif isinstance(node, ast.While):
            before = dict(frame.env)
            evaluate(self, frame, node.test)
            self.block(frame, node.body)
            self.block(frame, node.orelse)
            frame.env = _join_environments(frame.env, before)
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            return self._with(frame, node)
        elif isinstance(node, ast.Try):
            return self._try(frame, node)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            info = FunctionInfo(node.name, node, frame.module, None, f"{frame.info.symbol}.{node.name}")
            frame.env[node.name] = Function(info, frame.owner, frame.env)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            self._import(frame, node)
        elif isinstance(node, ast.Delete):
            for target in node.targets:
                self._delete(frame, target)
        elif isinstance(node, ast.Match):
            for case in node.cases:
                self.block(frame, case.body)
        elif isinstance(node, ast.Raise):
            return "raise"
        elif isinstance(node, ast.Continue):
            return "continue"
        elif isinstance(node, ast.Break):
            return "break"
        return None

    def _augmented(self, frame: Frame, node: ast.AugAssign) -> None:
        from .expressions import evaluate

        value = evaluate(self, frame, node.value)
        if isinstance(node.target, ast.Subscript):
            self.assign(frame, node.target, value, node.value)
        elif isinstance(node.target, ast.Name):
            old = frame.env.get(node.target.id, Unknown(node.target.id))
            combined = evaluate(self, frame, ast.copy_location(ast.BinOp(node.target, node.op, node.value), node))
            if isinstance(old, Sequence) and isinstance(value, Sequence):
                old.items.extend(value.items)
                combined = old
            frame.env[node.target.id] = combined
        elif isinstance(node.target, ast.Attribute):
            self.assign(frame, node.target, value, node.value)

    def _for(self, frame: Frame, node: ast.For | ast.AsyncFor) -> None:
        from .expressions import evaluate, iterate

        before = dict(frame.env)
        for item in iterate(self.iterated(evaluate(self, frame, node.iter)), node.iter)[:MAX_ITERATIONS]:
            self.assign(frame, node.target, item, node.iter)
            if self.block(frame, node.body) == "raise":
                break
        frame.env = _join_environments(frame.env, before)
        self.block(frame, node.orelse)

    def _with(self, frame: Frame, node: ast.With | ast.AsyncWith) -> str | None:
        from .expressions import evaluate

        entered: list[Object] = []
        for item in node.items:
            value = evaluate(self, frame, item.context_expr)
            for option in options(value):
                if isinstance(option, Object) and option.info is not None:
                    entered.append(option)
            if item.optional_vars is not None:
                self.assign(frame, item.optional_vars, value, item.context_expr)
        for opened in entered:
            self.method(opened, "__enter__")
        ending = self.block(frame, node.body)
        for opened in reversed(entered):
            self.method(opened, "__exit__")
        return ending

    def method(self, owner: Object, name: str) -> Value | None:
        """Runs a method without arguments if the class has it."""
        found = self.program.lookup(owner.info, name) if owner.info is not None else None
        if found is None:
            return None
        return self.run(Function(found, owner), [], {}, unknown_parameters=True)

    def iterated(self, value: Value) -> Value:
        """Puts what an object yields in its place where a loop runs over it."""
        found: list[Value] = []
        for option in options(value):
            method = (
                self.program.lookup(option.info, "__iter__") if isinstance(option, Object) and option.info else None
            )
            if method is not None and method.talks_of_metrics and isinstance(option, Object):
                found.append(self.run(Function(method, option), [], {}))
            else:
                found.append(option)
        return join(*found)

    def _try(self, frame: Frame, node: ast.Try) -> str | None:
        before = dict(frame.env)
        ending = self.block(frame, node.body)
        after = frame.env
        endings = [ending]
        for handler in node.handlers:
            frame.env = _join_environments(dict(before), dict(after))
            endings.append(self.block(frame, handler.body))
            after = after if endings[-1] else _join_environments(after, frame.env)
        frame.env = after
        if not ending:
            ending = self.block(frame, node.orelse)
        final = self.block(frame, node.finalbody)
        return final or (ending if all(endings) else None)

    def _import(self, frame: Frame, node: ast.Import | ast.ImportFrom) -> None:
        for name, (source, attribute) in imported_names(node, frame.module).items():
            found = (
                self.program.modules.get(source) if attribute is None else self.program._imported(source, attribute, 0)
            )
            if found is not None:
                frame.env[name] = wrap(found)

    def _delete(self, frame: Frame, target: ast.expr) -> None:
        from .expressions import evaluate

        if isinstance(target, ast.Subscript):
            for container in options(evaluate(self, frame, target.value)):
                for key in texts(evaluate(self, frame, target.slice)):
                    slot = container.slots.get(key.template) if isinstance(container, Mapping) else None
                    if slot is not None and isinstance(container, Mapping) and not mappings(slot.value):
                        del container.slots[key.template]

    # ------------------------------------------------------------------ assignment

    def assign(self, frame: Frame, target: ast.expr, value: Value, source: ast.expr) -> None:
        """Binds a target; writing into a dict goes through the rules of the ways of logging."""
        from .expressions import evaluate, iterate
        from .rules import store_item

        if isinstance(target, ast.Name):
            frame.env[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            self._unpack(frame, target.elts, value, source)
        elif isinstance(target, ast.Starred):
            self.assign(frame, target.value, value, source)
        elif isinstance(target, ast.Attribute):
            for owner in options(evaluate(self, frame, target.value)):
                if isinstance(owner, Unknown) and isinstance(target.value, ast.Name):
                    frame.env[target.value.id] = Object(None, {target.attr: value})
                elif isinstance(owner, Object):
                    old = owner.attributes.get(target.attr)
                    made_anew = not self.conditions and frame.info.name == "__init__"  # over what the base class put
                    owner.attributes[target.attr] = value if old is None or made_anew else join(value, old)
        elif isinstance(target, ast.Subscript):
            store_item(self, frame, target, value, source)
        else:
            iterate(value, source)

    def _unpack(self, frame: Frame, targets: list[ast.expr], value: Value, source: ast.expr) -> None:
        columns: list[list[Value]] = [[] for _ in targets]
        for option in options(value):
            if isinstance(option, Sequence) and option.exact and len(option.items) == len(targets):
                for column, item in zip(columns, option.items, strict=True):
                    column.append(item)
            elif isinstance(option, Sequence) and option.items and not option.exact:
                for column in columns:
                    column.extend(option.items)
        for target, column in zip(targets, columns, strict=True):
            self.assign(frame, target, join(*column) if column else Unknown(text_of(target)), source)


def folder(path: str) -> str:
    """Returns the folder of a module's path."""
    return path.rpartition("/")[0]


def _receiver(info: FunctionInfo, env: dict[str, Value]) -> Object | None:
    """The object a plain function of a class was called on explicitly (``func(self, ...)``)."""
    parameters = info.node.args.args
    if info.owner is None or info.is_static or not parameters:
        return None
    value = env.get(parameters[0].arg)
    return value if isinstance(value, Object) else None


def wrap(found: FunctionInfo | ClassInfo | ModuleInfo) -> Value:
    """Turns an index entry into a value."""
    if isinstance(found, FunctionInfo):
        return Function(found)
    if isinstance(found, ClassInfo):
        return Class(found)
    return Module(found)


def _join_environments(one: dict[str, Value], other: dict[str, Value]) -> dict[str, Value]:
    joined = dict(one)
    for name, value in other.items():
        if name not in joined:
            joined[name] = value
        elif joined[name] is not value:
            joined[name] = join(joined[name], value)
    return joined
