"""Defaults of a package's own configuration, read from its dataclasses."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .packages import Package
from .symbols import Symbol

__all__ = ["class_defaults"]


def class_defaults(package: Package, symbol: Symbol) -> dict[str, str]:
    """Return the fields of a configuration class and of its bases in the package, with their defaults in Python.

    A field without a default is ``required``; a factory is the call of it.
    """
    defaults: dict[str, str] = {}
    for base in package.mro(symbol):
        for name, value in _fields(package.texts[base.path], base):
            defaults.setdefault(name, value)
    return defaults


def _fields(text: str, symbol: Symbol) -> Iterator[tuple[str, str]]:
    head = symbol.statements[0]
    lines = text.splitlines()
    for statement in symbol.statements[1:]:
        if statement.parent != 0:
            continue
        source = "\n".join(lines[statement.first - 1 : statement.end])
        indent = len(source) - len(source.lstrip())
        try:
            node = ast.parse("if 1:\n" + " " * indent + source.lstrip()).body[0]
        except SyntaxError:
            continue
        assert isinstance(node, ast.If)
        inner = node.body[0]
        if isinstance(inner, ast.AnnAssign) and isinstance(inner.target, ast.Name) and head.first:
            yield inner.target.id, _default(inner.value)


def _default(value: ast.expr | None) -> str:
    if value is None:
        return "required"
    if isinstance(value, ast.Call) and getattr(value.func, "id", getattr(value.func, "attr", "")) == "field":
        given = {keyword.arg: keyword.value for keyword in value.keywords}
        if "default" in given:
            return ast.unparse(given["default"])
        return f"{ast.unparse(given['default_factory'])}()" if "default_factory" in given else "required"
    return ast.unparse(value)
