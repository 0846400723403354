"""A module's symbols and their statements, with fingerprints and lines."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Literal

from .fingerprint import BLOCKS, digest, fingerprint, is_words

__all__ = ["REST", "CodeStatement", "ParsedModule", "Symbol", "read_module"]

REST = "<module>"
"""The symbol of what a module runs outside its functions, classes and assignments: imports and conditions."""

_FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINITION = (*_FUNCTION, ast.ClassDef)


@dataclass(frozen=True)
class CodeStatement:
    """A statement of a symbol; of a compound one, its header.

    Attributes:
        fingerprint: What it says.
        first: First line of it, counted from 1.
        last: Last line of it; of a compound statement, of its header.
        end: Last line with everything nested in it.
        parent: Place of the enclosing statement in its symbol, or -1.
        block: Which block of the enclosing statement holds it, such as ``orelse``.
    """

    fingerprint: str
    first: int
    last: int
    end: int
    parent: int
    block: str = ""


@dataclass(frozen=True)
class Symbol:
    """A function or method with everything nested in it, a class body without its methods, or an assignment.

    Attributes:
        path: Path of its module in the package's archive.
        name: Qualified name, such as ``GRPOTrainer._compute_loss``.
        kind: What it is.
        owner: Qualified name of the enclosing class, or nothing.
        statements: In the order of the source; the first is the definition itself.
    """

    path: str
    name: str
    kind: Literal["function", "class", "assignment", "rest"]
    owner: str
    statements: tuple[CodeStatement, ...]

    @cached_property
    def fingerprint(self) -> str:
        """What all of its statements say, in their order and nesting."""
        return digest(f"{s.parent} {s.block} {s.fingerprint}" for s in self.statements)

    @cached_property
    def places(self) -> Mapping[str, tuple[int, ...]]:
        """Fingerprint to the places of the statements that have it."""
        by_fingerprint: dict[str, list[int]] = {}
        for index, statement in enumerate(self.statements):
            by_fingerprint.setdefault(statement.fingerprint, []).append(index)
        return {key: tuple(places) for key, places in by_fingerprint.items()}

    def place_at(self, line: int) -> int | None:
        """Return the place of the smallest statement around a line, or None where only blocks are around it."""
        around = [
            (statement.last - statement.first, -index)
            for index, statement in enumerate(self.statements)
            if statement.first <= line <= statement.last
        ]
        return -min(around)[1] if around else None

    def enclosing(self, place: int) -> tuple[int, ...]:
        """Return the places of the statements around one, the innermost first, the definition itself left out."""
        headers: list[int] = []
        place = self.statements[place].parent
        while place > 0:
            headers.append(place)
            place = self.statements[place].parent
        return tuple(headers)


@dataclass(frozen=True)
class ParsedModule:
    """A parsed module.

    Attributes:
        path: Path in the package's archive.
        symbols: By qualified name, in the order of the source.
        bases: Class to the names of its bases, as they are written.
        imports: Name to ``module:name`` (or ``module:``) of what an import binds to it, in whichever block it stands.
        calls: Symbol to the names that it calls or mentions, such as ``masked_mean``, ``self.log`` and ``core.masked``.
    """

    path: str
    symbols: Mapping[str, Symbol]
    bases: Mapping[str, tuple[str, ...]]
    imports: Mapping[str, str]
    calls: Mapping[str, frozenset[str]] = field(repr=False)

    @property
    def name(self) -> str:
        """Dotted name."""
        return self.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    def symbol_at(self, line: int) -> Symbol | None:
        """Return the smallest symbol around a line."""
        around = [
            (symbol.statements[0].end - symbol.statements[0].first, symbol.name)
            for symbol in self.symbols.values()
            if symbol.kind != "rest" and symbol.statements[0].first <= line <= symbol.statements[0].end
        ]
        return self.symbols[min(around)[1]] if around else self.symbols.get(REST)


def read_module(path: str, text: str) -> ParsedModule:
    """Parse a module.

    Raises:
        SyntaxError: If this Python can't parse it.
    """
    reader = _Reader(path)
    tree = ast.parse(text)
    reader.read(tree.body, "", top=True)
    rest = tuple(reader.rest)
    if rest:
        reader.symbols[REST] = Symbol(path, REST, "rest", "", rest)
    return ParsedModule(path, reader.symbols, reader.bases, reader.imports, reader.calls)


class _Reader:
    def __init__(self, path: str) -> None:
        self.path = path
        self.symbols: dict[str, Symbol] = {}
        self.bases: dict[str, tuple[str, ...]] = {}
        self.imports: dict[str, str] = {}
        self.calls = _Calls()
        self.rest: list[CodeStatement] = []

    def read(self, body: Sequence[ast.stmt], owner: str, *, top: bool, parent: int = -1, block: str = "") -> None:
        """Take the symbols out of a module's or class's body, through conditions around definitions."""
        for node in body:
            if isinstance(node, _FUNCTION):
                self._add(_setter(node) or node.name, owner, "function", list(_statements([node])), node)
                self._imports_in(node)
            elif isinstance(node, ast.ClassDef):
                self._add_class(node, owner)
            elif not top:
                continue
            elif isinstance(node, (ast.Assign, ast.AnnAssign)) and (names := _names(node)):
                for name in names:
                    self._add(name, owner, "assignment", list(_statements([node])), node)
            elif not is_words(node):
                self._add_rest(node, parent, block)

    def _add_rest(self, node: ast.stmt, parent: int, block: str) -> None:
        place = len(self.rest)
        self.rest.append(_statement(node, parent, block))
        self._imports_in(node)
        for name in BLOCKS:
            for child in getattr(node, name, ()):
                inner = child.body if isinstance(child, (ast.ExceptHandler, ast.match_case)) else [child]
                self.read(inner, "", top=True, parent=place, block=name)

    def _add_class(self, node: ast.ClassDef, owner: str) -> None:
        inner = [child for child in node.body if not isinstance(child, _DEFINITION)]
        head = _statement(node, -1, "")
        name = self._add(node.name, owner, "class", [head, *_statements(inner, 0, "body", 1)], node)
        self.bases[name] = tuple(ast.unparse(base) for base in node.bases)
        self.read(node.body, name, top=False)

    def _add(
        self,
        name: str,
        owner: str,
        kind: Literal["function", "class", "assignment"],
        statements: list[CodeStatement],
        node: ast.stmt,
    ) -> str:
        name = f"{owner}.{name}" if owner else name
        again = 2
        while name in self.symbols:
            name = f"{name.partition('#')[0]}#{again}"
            again += 1
        self.symbols[name] = Symbol(self.path, name, kind, owner, tuple(statements))
        nodes: list[ast.AST] = [node]
        if isinstance(node, ast.ClassDef):
            nodes = [*node.decorator_list, *(child for child in node.body if not isinstance(child, _DEFINITION))]
        self.calls.nodes[name] = nodes
        return name

    def _imports_in(self, node: ast.AST) -> None:
        for statement in _all_statements(node):
            if isinstance(statement, ast.Import):
                for alias in statement.names:
                    bound = alias.asname or alias.name.partition(".")[0]
                    self.imports.setdefault(bound, f"{alias.name if alias.asname else bound}:")
            elif isinstance(statement, ast.ImportFrom):
                base = self._absolute(statement)
                for alias in statement.names:
                    self.imports.setdefault(alias.asname or alias.name, f"{base}:{alias.name}")

    def _absolute(self, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        parts = self.path.split("/")[: -node.level]
        return ".".join([*parts, node.module] if node.module else parts)


class _Calls(Mapping[str, frozenset[str]]):
    """Symbol to the names that it mentions, looked for when they are asked for: few symbols of a module ever are."""

    def __init__(self) -> None:
        self.nodes: dict[str, list[ast.AST]] = {}
        self._found: dict[str, frozenset[str]] = {}

    def __getitem__(self, name: str) -> frozenset[str]:
        if name not in self._found:
            self._found[name] = frozenset(chain.from_iterable(map(_mentioned, self.nodes[name])))
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.nodes)

    def __len__(self) -> int:
        return len(self.nodes)


def _all_statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a statement and all those nested in it, outer ones first."""
    todo = deque([node])
    while todo:
        statement = todo.popleft()
        yield statement
        for name in BLOCKS:
            todo.extend(getattr(statement, name, ()))


def _statements(nodes: Sequence[ast.AST], parent: int = -1, block: str = "", start: int = 0) -> Iterator[CodeStatement]:
    """Yield the statements in the order of the source, numbered from ``start``; docstrings are left out."""
    place = start
    for node in nodes:
        if is_words(node):
            continue
        yield _statement(node, parent, block)
        own, place = place, place + 1
        for name in BLOCKS:
            for inner in _statements(getattr(node, name, ()), own, name, place):
                place += 1
                yield inner


def _statement(node: ast.AST, parent: int, block: str) -> CodeStatement:
    if isinstance(node, ast.match_case):
        first, end = node.pattern.lineno, node.body[-1].end_lineno or node.pattern.lineno
    else:
        assert isinstance(node, (ast.stmt, ast.excepthandler))
        first, end = node.lineno, node.end_lineno or node.lineno
    for decorator in getattr(node, "decorator_list", ()):
        first = min(first, decorator.lineno)
    inner = [_first_line(child) for name in BLOCKS for child in getattr(node, name, ())]
    last = max(_header_lines(node), default=first) if inner else end
    return CodeStatement(fingerprint(node), first, min(max(first, last), end), end, parent, block)


def _first_line(node: ast.AST) -> int:
    return int(getattr(node, "lineno", 0))


def _header_lines(node: ast.AST) -> Iterator[int]:
    for name, value in ast.iter_fields(node):
        if name in BLOCKS:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from (int(getattr(inner, "end_lineno", 0) or 0) for inner in ast.walk(child))


def _setter(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str | None:
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Attribute) and decorator.attr in ("setter", "deleter"):
            return f"{node.name}.{decorator.attr}"
    return None


def _names(node: ast.Assign | ast.AnnAssign) -> list[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _mentioned(node: ast.AST) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            yield part.id
        elif isinstance(part, ast.Attribute):
            if isinstance(part.value, ast.Name):
                yield f"{part.value.id}.{part.attr}"
            elif isinstance(part.value, ast.Call) and getattr(part.value.func, "id", "") == "super":
                yield f"super.{part.attr}"
