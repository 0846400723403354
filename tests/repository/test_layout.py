"""The one package in three source roots, and what the project promises about its files."""

import subprocess
import sys

import pytest
import rlmetrics
from folders import ROOT

ROOTS = ("generated", "adapters", "codegen")


@pytest.mark.parametrize("root", ROOTS)
def test_each_root_is_a_part_of_the_one_package(root):
    """What is imported lies in this checkout, whatever else is installed; only one root introduces the package."""
    assert str(ROOT / root / "rlmetrics") in rlmetrics.__path__
    assert len(rlmetrics.__path__) == len(ROOTS)
    assert (ROOT / root / "rlmetrics" / "__init__.py").is_file() == (root == "adapters")


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
