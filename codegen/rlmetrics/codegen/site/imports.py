"""Which modules of the package import which, read from their source: nothing is imported for it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from importlib.util import resolve_name
from pathlib import Path

__all__ = ["ROOTS", "imports_of"]

ROOTS = ("generated", "adapters", "codegen")
"""Folders of a checkout that share the import name."""


def imports_of(root: Path) -> dict[str, frozenset[str]]:
    """Return for each module of a checkout which of the others it imports, at its top or inside its functions.

    What only a type checker reads counts as no import.
    """
    files = {name: path for folder in ROOTS for name, path in _modules(root / folder)}
    return {name: frozenset(_targets(name, path, files)) for name, path in sorted(files.items())}


def _modules(folder: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


def _targets(name: str, path: Path, files: Mapping[str, Path]) -> Iterator[str]:
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for target in _named(ast.parse(path.read_text(encoding="utf-8")), package):
        module = target if target in files else target.rpartition(".")[0]
        if module in files and module != name:
            yield module


def _named(tree: ast.AST, package: str) -> Iterator[str]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            yield from (name for other in node.orelse for name in _named(other, package))
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = resolve_name("." * node.level + (node.module or ""), package)
            yield from (f"{start}.{alias.name}" for alias in node.names)
        elif not isinstance(node, ast.expr):  # which holds no statements
            yield from _named(node, package)
