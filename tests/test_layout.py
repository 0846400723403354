"""The one import name over three source roots, and what the project promises about its files."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROOTS = ("generated", "adapters", "codegen")
PUBLIC_TWICE = {
    "Report": ["adapters/rlmetrics/health/records.py", "adapters/rlmetrics/translate/report.py"],
}
"""Names that two packages offer to everyone; to rename one would break who imports it."""


@pytest.mark.parametrize("root", ROOTS)
def test_no_init_file_hides_the_other_roots(root):
    """``<root>/rlmetrics`` is a namespace: one ``__init__.py`` there would hide the other two roots."""
    assert not (ROOT / root / "rlmetrics" / "__init__.py").exists()


def test_each_subpackage_lives_in_one_root_and_is_typed():
    """No subpackage is spread over two roots, and each tells type checkers that it is typed."""
    found: dict[str, list[str]] = {}
    for root in ROOTS:
        for package in sorted((ROOT / root / "rlmetrics").iterdir()):
            if package.is_dir() and package.name != "__pycache__":
                found.setdefault(package.name, []).append(root)
                assert (package / "py.typed").is_file(), package
                assert (package / "__init__.py").is_file(), package
    assert {name: roots for name, roots in found.items() if len(roots) != 1} == {}


@pytest.mark.parametrize("module", ["rlmetrics.names", "rlmetrics.translate", "rlmetrics.cli"])
def test_the_runtime_core_needs_only_the_standard_library(module):
    """Names, translation and the command line import without torch, pydantic, jinja2 and yaml."""
    heavy = ("torch", "numpy", "pydantic", "jinja2", "yaml", "wandb")
    code = (
        f"import sys\nfor name in {heavy!r}: sys.modules[name] = None\n"
        f"import {module}\nprint(sorted(m for m in sys.modules if m.startswith('rlmetrics.codegen')))"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT)

    assert done.stderr == ""
    assert done.stdout == "[]\n"


@pytest.mark.slow
def test_each_class_has_a_name_of_its_own():
    """No two modules define classes of one name, so that a name leads to one place; private ones are local."""
    found: dict[str, list[str]] = {}
    for root in ROOTS:
        for path in sorted((ROOT / root / "rlmetrics").rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    found.setdefault(node.name, []).append(path.relative_to(ROOT).as_posix())
    assert {name: paths for name, paths in found.items() if len(paths) > 1} == PUBLIC_TWICE
