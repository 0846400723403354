"""Reads which modules of the package import one another."""

import ast
from collections.abc import Iterator
from importlib.util import resolve_name
from pathlib import Path

from folders import ROOT

ROOTS = ("generated", "adapters", "codegen")


def modules() -> dict[str, Path]:
    """Return every module of the package, with its file."""
    found = {}
    for root in ROOTS:
        for path in (ROOT / root).rglob("*.py"):
            parts = path.relative_to(ROOT / root).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(tree: ast.AST, package: str, *, annotations: bool = False) -> Iterator[str]:
    """Yield what a module imports as ``module`` and ``module.name``: in functions too, and for annotations if asked."""
    for node in ast.iter_child_nodes(tree):
        if not annotations and isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = resolve_name("." * node.level + (node.module or ""), package)
            yield from (f"{start}.{alias.name}" for alias in node.names)
        else:
            yield from imported(node, package, annotations=annotations)


def edges(sources: dict[str, Path], *, annotations: bool = False) -> dict[str, set[str]]:
    """Return for each module which of the others it imports; a name of a module counts as that module."""
    found = {}
    for name, path in sources.items():
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        targets = set(imported(ast.parse(path.read_text(encoding="utf-8")), package, annotations=annotations))
        found[name] = {one if one in sources else one.rpartition(".")[0] for one in targets} & sources.keys() - {name}
    return found
