"""Runs statements on abstract values: both branches of an undecided ``if``, every loop body at least once."""

from __future__ import annotations

import ast
from contextlib import ExitStack
from typing import TYPE_CHECKING

from .abstract_expressions import evaluate, iterate
from .abstract_values import (
    Constant,
    FunctionValue,
    Mapping,
    ObjectValue,
    Sequence,
    UnknownValue,
    Value,
    is_empty,
    join,
    mappings,
    options,
    text_of,
    texts,
)
from .decide import decide
from .definitions import FunctionInfo
from .frames import wrap
from .interpreter import MAX_ITERATIONS
from .program import imported_names
from .rules import store_item
from .rules.declared_ways import scoped

if TYPE_CHECKING:
    from .frames import Frame
    from .interpreter import Interpreter

__all__ = ["assign", "block"]

_WRITERS = {"append", "extend", "update", "__setitem__", "setdefault"}


def block(interpreter: Interpreter, frame: Frame, body: list[ast.stmt]) -> str | None:
    """Run statements; return how the block ends early (return, raise, continue, break) or None."""
    guards = 0
    ending: str | None = None
    for position, statement in enumerate(body):
        if (choice := _choice(interpreter, frame, statement)) is not None:
            ending = _each_mode(interpreter, frame, *choice, body[position + 1 :])
            break
        if isinstance(statement, ast.If):
            ending, guards_the_rest = _if(interpreter, frame, statement)
            guards += guards_the_rest
            interpreter.undecided += guards_the_rest
        else:
            ending = _statement(interpreter, frame, statement)
        if ending:
            break
    interpreter.undecided -= guards
    return ending


def _choice(interpreter: Interpreter, frame: Frame, statement: ast.stmt) -> tuple[str, ast.IfExp] | None:
    """``mode = "train" if interpreter.model.training else "eval"``, where the outcome is not known."""
    if not (isinstance(statement, ast.Assign) and isinstance(statement.value, ast.IfExp)):
        return None
    target, value = statement.targets[0], statement.value
    words = [part.value for part in (value.body, value.orelse) if isinstance(part, ast.Constant)]
    if not isinstance(target, ast.Name) or not any(isinstance(word, str) and "eval" in word for word in words):
        return None
    if len(words) < 2 or decide(interpreter, frame, value.test) is not None:
        return None
    return target.id, value


def _each_mode(
    interpreter: Interpreter, frame: Frame, name: str, choice: ast.IfExp, rest: list[ast.stmt]
) -> str | None:
    """Run the rest of a block once in training and once in evaluation, so that their stores are kept apart."""
    test = text_of(choice.test)
    before, after, endings = frame.env, [], []
    for holds, value in ((True, choice.body), (False, choice.orelse)):
        frame.env = {**before, name: evaluate(interpreter, frame, value)}
        known = interpreter.facts
        if test.startswith("self."):
            interpreter.facts = {**known, test: holds}
        endings.append(block(interpreter, frame, rest))
        interpreter.facts = known
        if not endings[-1]:
            after.append(frame.env)
    if after:
        frame.env = _join_environments(after[0], after[-1])
        return None
    return endings[0]


def _if(interpreter: Interpreter, frame: Frame, node: ast.If) -> tuple[str | None, bool]:
    """Run both branches; return how both end early, and whether one alone does, so that not all runs go on."""
    decided = decide(interpreter, frame, node.test)
    if decided is not None:
        return block(interpreter, frame, node.body if decided else node.orelse), False
    evaluate(interpreter, frame, node.test)
    before = dict(frame.env)
    with interpreter.branch():
        ended_body = block(interpreter, frame, node.body)
    after_body = frame.env
    frame.env = dict(before)
    with interpreter.branch():
        ended_else = block(interpreter, frame, node.orelse)
    if ended_body and ended_else:
        return ended_body, False
    if ended_body:
        return None, ended_body in ("return", "continue")
    if ended_else:
        frame.env = after_body
        return None, ended_else in ("return", "continue")
    frame.env = _join_environments(after_body, frame.env)
    return None, False


def _statement(interpreter: Interpreter, frame: Frame, node: ast.stmt) -> str | None:
    if isinstance(node, ast.Expr):
        evaluate(interpreter, frame, node.value)
    elif isinstance(node, ast.Assign):
        value = evaluate(interpreter, frame, node.value)
        _alias(interpreter, frame, node.value)
        for target in node.targets:
            assign(interpreter, frame, target, value, node.value)
    elif isinstance(node, ast.AnnAssign):
        if node.value is not None:
            assign(interpreter, frame, node.target, evaluate(interpreter, frame, node.value), node.value)
    elif isinstance(node, ast.AugAssign):
        _augmented(interpreter, frame, node)
    elif isinstance(node, ast.Return):
        frame.returns.append(evaluate(interpreter, frame, node.value) if node.value else Constant(None))
        return "return"
    elif isinstance(node, (ast.For, ast.AsyncFor)):
        _for(interpreter, frame, node)
    elif isinstance(node, ast.While):
        before = dict(frame.env)
        evaluate(interpreter, frame, node.test)
        block(interpreter, frame, node.body)
        block(interpreter, frame, node.orelse)
        frame.env = _join_environments(frame.env, before)
    elif isinstance(node, (ast.With, ast.AsyncWith)):
        return _with(interpreter, frame, node)
    elif isinstance(node, ast.Try):
        return _try(interpreter, frame, node)
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        info = FunctionInfo(node.name, node, frame.module, None, f"{frame.info.symbol}.{node.name}")
        frame.env[node.name] = FunctionValue(info, frame.owner, frame.env)
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        _import(interpreter, frame, node)
    elif isinstance(node, ast.Delete):
        for target in node.targets:
            _delete(interpreter, frame, target)
    elif isinstance(node, ast.Match):
        for case in node.cases:
            block(interpreter, frame, case.body)
    elif isinstance(node, ast.Raise):
        return "raise"
    elif isinstance(node, ast.Continue):
        return "continue"
    elif isinstance(node, ast.Break):
        return "break"
    return None


def _alias(interpreter: Interpreter, frame: Frame, node: ast.expr) -> None:
    """Report ``add = metrics["kl"].append``: what is called by that name later cannot be told."""
    if isinstance(node, ast.Attribute) and node.attr in _WRITERS:
        owner = node.value.value if isinstance(node.value, ast.Subscript) else node.value
        if mappings(evaluate(interpreter, frame, owner)):
            interpreter.report(frame, node, "a method that writes metrics, under another name")


def _augmented(interpreter: Interpreter, frame: Frame, node: ast.AugAssign) -> None:
    value = evaluate(interpreter, frame, node.value)
    if isinstance(node.target, ast.Subscript):
        assign(interpreter, frame, node.target, value, node.value)
    elif isinstance(node.target, ast.Name):
        old = frame.env.get(node.target.id, UnknownValue(node.target.id))
        combined = evaluate(interpreter, frame, ast.copy_location(ast.BinOp(node.target, node.op, node.value), node))
        if isinstance(old, Sequence) and isinstance(value, Sequence):
            old.items.extend(value.items)
            combined = old
        frame.env[node.target.id] = combined
    elif isinstance(node.target, ast.Attribute):
        assign(interpreter, frame, node.target, value, node.value)


def _for(interpreter: Interpreter, frame: Frame, node: ast.For | ast.AsyncFor) -> None:

    before = dict(frame.env)
    for item in iterate(interpreter.iterated(evaluate(interpreter, frame, node.iter)), node.iter)[:MAX_ITERATIONS]:
        assign(interpreter, frame, node.target, item, node.iter)
        if block(interpreter, frame, node.body) == "raise":
            break
    frame.env = _join_environments(frame.env, before)
    block(interpreter, frame, node.orelse)


def _with(interpreter: Interpreter, frame: Frame, node: ast.With | ast.AsyncWith) -> str | None:
    with ExitStack() as scopes:
        return _within(interpreter, frame, node, scopes)


def _within(interpreter: Interpreter, frame: Frame, node: ast.With | ast.AsyncWith, scopes: ExitStack) -> str | None:
    entered: list[ObjectValue] = []
    for item in node.items:
        scopes.enter_context(scoped(interpreter, frame, item.context_expr))
        value = evaluate(interpreter, frame, item.context_expr)
        for option in options(value):
            if isinstance(option, ObjectValue) and option.info is not None:
                entered.append(option)
        if item.optional_vars is not None:
            assign(interpreter, frame, item.optional_vars, value, item.context_expr)
    for opened in entered:
        interpreter.method(opened, "__enter__")
    ending = block(interpreter, frame, node.body)
    for opened in reversed(entered):
        interpreter.method(opened, "__exit__")
    return ending


def _try(interpreter: Interpreter, frame: Frame, node: ast.Try) -> str | None:
    before = dict(frame.env)
    ending = block(interpreter, frame, node.body)
    after = frame.env
    endings = [ending]
    for handler in node.handlers:
        frame.env = _join_environments(dict(before), dict(after))
        endings.append(block(interpreter, frame, handler.body))
        after = after if endings[-1] else _join_environments(after, frame.env)
    frame.env = after
    if not ending:
        ending = block(interpreter, frame, node.orelse)
    final = block(interpreter, frame, node.finalbody)
    return final or (ending if all(endings) else None)


def _import(interpreter: Interpreter, frame: Frame, node: ast.Import | ast.ImportFrom) -> None:
    for name, (source, attribute) in imported_names(node, frame.module).items():
        program = interpreter.program
        definition = program.modules.get(source) if attribute is None else program.imported(source, attribute)
        if definition is not None:
            frame.env[name] = wrap(definition)


def _delete(interpreter: Interpreter, frame: Frame, target: ast.expr) -> None:
    if isinstance(target, ast.Subscript):
        for container in options(evaluate(interpreter, frame, target.value)):
            for key in texts(evaluate(interpreter, frame, target.slice)):
                slot = container.slots.get(key.template) if isinstance(container, Mapping) else None
                if slot is not None and isinstance(container, Mapping) and not mappings(slot.value):
                    del container.slots[key.template]


def assign(interpreter: Interpreter, frame: Frame, target: ast.expr, value: Value, source: ast.expr) -> None:
    """Bind a target; writing into a dict goes through the rules of the ways of logging."""
    if isinstance(target, ast.Name):
        frame.env[target.id] = value
    elif isinstance(target, (ast.Tuple, ast.List)):
        _unpack(interpreter, frame, target.elts, value, source)
    elif isinstance(target, ast.Starred):
        assign(interpreter, frame, target.value, value, source)
    elif isinstance(target, ast.Attribute):
        for owner in options(evaluate(interpreter, frame, target.value)):
            if isinstance(owner, UnknownValue) and isinstance(target.value, ast.Name):
                frame.env[target.value.id] = ObjectValue(None, {target.attr: value})
            elif isinstance(owner, ObjectValue):
                old = owner.attributes.get(target.attr)
                made_anew = not interpreter.undecided and frame.info.name == "__init__"  # over what the base class put
                owner.attributes[target.attr] = value if old is None or made_anew else join(value, old)
                if not is_empty(value):
                    owner.empty.discard(target.attr)
                elif old is None:
                    owner.empty.add(target.attr)
    elif isinstance(target, ast.Subscript):
        store_item(interpreter, frame, target, value, source)
    else:
        iterate(value, source)


def _unpack(interpreter: Interpreter, frame: Frame, targets: list[ast.expr], value: Value, source: ast.expr) -> None:
    columns: list[list[Value]] = [[] for _ in targets]
    for option in options(value):
        if isinstance(option, Sequence) and option.exact and len(option.items) == len(targets):
            for column, item in zip(columns, option.items, strict=True):
                column.append(item)
        elif isinstance(option, Sequence) and option.items and not option.exact:
            for column in columns:
                column.extend(option.items)
    for target, column in zip(targets, columns, strict=True):
        assign(interpreter, frame, target, join(*column) if column else UnknownValue(text_of(target)), source)


def _join_environments(one: dict[str, Value], other: dict[str, Value]) -> dict[str, Value]:
    joined = dict(one)
    for name, value in other.items():
        if name not in joined:
            joined[name] = value
        elif joined[name] is not value:
            joined[name] = join(joined[name], value)
    return joined
