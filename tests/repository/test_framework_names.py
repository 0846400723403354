"""A framework is data: Python outside of what serves one framework alone names none."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from rlmetrics.names import load_tables

ROOT = Path(__file__).parents[2]
OWN = {
    "adapters/rlmetrics/trainers/": "adapters for the running trainers of one framework",
    "adapters/rlmetrics/logs/kinds/__init__.py": "kinds of files, one of which is named like what writes it",
    "adapters/rlmetrics/logs/kinds/verl_console.py": "a console's own format",
    "adapters/rlmetrics/logs/kinds/notebook.py": "which notebooks hold, too",
    "adapters/rlmetrics/translate/rewriting/verl_console_rewriter.py": "the same, written",
    "adapters/rlmetrics/translate/rewriting/notebook_rewriter.py": "in notebooks, too",
    "adapters/rlmetrics/translate/rewriting/__init__.py": "kinds of files",
    "adapters/rlmetrics/cli/options.py": "says how a source is written",
    "adapters/rlmetrics/cli/overview.py": "the same",
    "adapters/rlmetrics/cli/demo.py": "shows the runs that are bundled with it",
    "adapters/rlmetrics/cli/commands.py": "examples in the help of commands, each of which a test runs",
}
"""What may name a framework, and why."""
EXAMPLE = re.compile(
    r"[\d.]+\+\w+[\d.]+|(such as|like|at=)[ `']*[\w-]+|[\w-]+(\[\w+\])?==[\w.*]*|\w+/\w+(\.py|_trainer)|or `?[\w-]+=="
)
"""An example of a source or a file, which says nothing about its framework."""


def _named() -> re.Pattern[str]:
    """Return what finds a framework by its name, its title or its package."""
    tables = load_tables(())
    names = {name for known in tables.named for name in (known, tables.title(known), tables.head(known)["package"])}
    return re.compile(rf"(?<![a-z])({'|'.join(sorted(map(re.escape, names)))})(?![a-z])", re.IGNORECASE)


def _texts(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield texts and names of a module with their lines, without docstrings."""
    documented = {
        id(first.value)
        for node in ast.walk(tree)
        for body in [getattr(node, "body", None)]
        for first in (body if isinstance(body, list) else [])
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documented:
            yield node.lineno, node.value
        elif isinstance(node, ast.Name):
            yield node.lineno, node.id
        elif isinstance(node, ast.Attribute):
            yield node.lineno, node.attr
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, " ".join([node.module or "", *(alias.name for alias in node.names)])


def _hits(text: str, named: re.Pattern[str]) -> list[str]:
    return [f"{line}: {said[:80]}" for line, said in _texts(ast.parse(text)) if named.search(EXAMPLE.sub(" ", said))]


@pytest.mark.parametrize("root", ["adapters/rlmetrics", "codegen/rlmetrics"])
def test_no_behaviour_names_a_framework(root: str) -> None:
    """What differs between frameworks stands in the spec: docstrings and examples alone name some."""
    named = _named()
    found = {
        path.relative_to(ROOT).as_posix(): hits
        for path in sorted((ROOT / root).rglob("*.py"))
        if not path.relative_to(ROOT).as_posix().startswith(tuple(OWN))
        and (hits := _hits(path.read_text(encoding="utf-8"), named))
    }
    assert found == {}


def test_what_may_name_one_does() -> None:
    """The list of exceptions holds no file that needs none."""
    named = _named()
    for place in OWN:
        files = [ROOT / place] if place.endswith(".py") else (ROOT / place).glob("*.py")
        assert any(named.search(path.read_text(encoding="utf-8")) for path in files), place


@pytest.mark.parametrize(
    ("code", "is_found"),
    [
        ('if framework == "trl":\n    pass', True),
        ('JUMPS = {"verl": ("0.3",)}', True),
        ('said = "OpenRLHF logs no such key"', True),
        ('"""Of TRL."""\nname = 1', False),
        ('help = "such as trl==1.16.0 or verl==0.9.1"', False),
        ('name = "control"', False),
    ],
)
def test_a_name_in_behaviour_is_found(code: str, is_found: bool) -> None:
    """In texts and tables, not in docstrings and examples."""
    assert bool(_hits(code, _named())) is is_found
