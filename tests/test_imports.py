"""How the modules of the package import one another."""

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from importlib.util import resolve_name
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
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


def test_no_modules_import_one_another_in_a_circle() -> None:
    """No import leads back to its module, be it at the top, inside a function or for annotations."""
    circle = ()
    try:
        TopologicalSorter(edges(modules(), annotations=True)).prepare()
    except CycleError as error:
        circle = tuple(reversed(error.args[1]))
    assert circle == ()


def test_a_circle_is_seen(tmp_path: Path) -> None:
    """Two modules that import one another, one of them inside a function, are found."""
    first, second = tmp_path / "first.py", tmp_path / "second.py"
    first.write_text("from .second import two\n")
    second.write_text("def two():\n    from . import first\n    return first\n")
    found = edges({"package.first": first, "package.second": second})
    assert found == {"package.first": {"package.second"}, "package.second": {"package.first"}}
