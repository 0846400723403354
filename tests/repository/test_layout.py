"""The one package in three source roots, and what the project promises about its files."""

import subprocess
import sys

import griffe
import pytest
import rlmetrics
from folders import ROOT

ROOTS = ("adapters", "codegen", "generated")
INTRODUCTION = ROOT / "adapters" / "rlmetrics" / "__init__.py"
PARTS = ("generated/rlmetrics/tables", "adapters/rlmetrics/names", "codegen/rlmetrics/codegen")


@pytest.mark.parametrize("first", ROOTS)
def test_each_root_is_a_part_of_the_one_package(first):
    """Whatever the order of the import path, the parts of one checkout go together, and one root introduces them."""
    roots = sorted(ROOTS, key=lambda root: root != first)
    code = (
        f"import sys\nsys.path[:0] = {[str(ROOT / root) for root in roots]!r}\n"
        "import rlmetrics, rlmetrics.tables, rlmetrics.names, rlmetrics.codegen\n"
        "print(rlmetrics.__file__, rlmetrics.__version__)\n"
        "print(rlmetrics.tables.__file__, rlmetrics.names.__file__, rlmetrics.codegen.__file__)"
    )

    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=False)

    parts = [ROOT / part / "__init__.py" for part in PARTS]
    assert done.stderr == ""
    assert done.stdout.splitlines() == [f"{INTRODUCTION} {rlmetrics.__version__}", " ".join(map(str, parts))]


def test_each_root_has_what_type_checkers_look_for():
    """They read one folder at a time: ``__init__.py`` makes its modules known, ``py.typed`` their types."""
    markers = [path for root in ROOTS for path in (ROOT / root).rglob("py.typed")]
    assert markers == [ROOT / root / "rlmetrics" / "py.typed" for root in ROOTS]
    generated, handed = ((ROOT / root / "rlmetrics" / "__init__.py").read_text() for root in ("generated", "codegen"))
    assert generated.split("\n", 1)[1] == handed


def test_the_api_pages_find_every_root():
    """What makes them reads files, too: it knows modules of all three folders."""
    found = griffe.ModuleFinder([ROOT / root for root in ROOTS]).find_package("rlmetrics")
    assert found.path == [ROOT / root / "rlmetrics" for root in ROOTS]


def test_each_subpackage_lives_in_one_root():
    """No subpackage is spread over two roots."""
    found: dict[str, list[str]] = {}
    for root in ROOTS:
        for package in sorted((ROOT / root / "rlmetrics").iterdir()):
            if package.is_dir() and package.name != "__pycache__":
                found.setdefault(package.name, []).append(root)
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
