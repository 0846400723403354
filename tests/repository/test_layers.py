"""Imports go down the layers that the page on the architecture lists."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

import pytest
from folders import ROOT
from repository.imports import edges, imported, modules

UPWARDS = {"rlmetrics.names.tables.overlays": {"tables", "lint", "loader"}, "rlmetrics.state.fusing": {"formula"}}
"""Modules that reach up, and to which parts: inside functions, and only for overlays and suites made at run time."""

PAGE = ROOT / "docs" / "architecture.md"
_ROW = re.compile(r"\| (\d+) \| (\w+) \| ([^|]+) \|")
PARTS = {
    package: (int(layer), part)
    for layer, part, packages in _ROW.findall(PAGE.read_text(encoding="utf-8"))
    for package in re.findall(r"`([\w.]+)`", packages)
}
"""Packages and modules below ``rlmetrics``, each with its layer and its part."""


@pytest.fixture(scope="module")
def imports() -> dict[str, set[str]]:
    """Who imports whom in this checkout."""
    return edges(modules())


def place_of(module: str) -> tuple[int, str] | None:
    """The layer and the part of a module; None for what no part names."""
    parts = module.split(".")[1:]
    return next((PARTS[name] for size in (2, 1) if (name := ".".join(parts[:size])) in PARTS), None)


def upwards(imports: Mapping[str, set[str]]) -> list[tuple[str, str]]:
    """Each import of a part in the same layer or above, but for what is allowed."""
    found = []
    for module, targets in sorted(imports.items()):
        for target in sorted(targets):
            own, other = place_of(module), place_of(target)
            if own and other and own[1] != other[1] and other[0] <= own[0] and other[1] not in UPWARDS.get(module, ()):
                found.append((module, target))
    return found


def test_every_module_has_a_part(imports) -> None:
    """Nothing is left out but the faces of two packages, which hold nothing."""
    assert [module for module in sorted(imports) if place_of(module) is None] == ["rlmetrics", "rlmetrics.codegen"]


def test_every_part_is_there(imports) -> None:
    """Each package and module of the table holds something."""
    names = {".".join(module.split(".")[1 : 1 + size]) for module in imports for size in (1, 2)}
    assert set(PARTS) <= names


def test_imports_go_down(imports) -> None:
    """No part imports one of its own layer or above, but for the modules that reach up inside functions."""
    assert upwards(imports) == []


def test_what_reaches_up_does_so_inside_functions() -> None:
    """The top of these modules imports nothing from above, and each of the named parts is reached."""
    files = modules()
    for module, parts in UPWARDS.items():
        tree = ast.parse(files[module].read_text(encoding="utf-8"))
        top = ast.Module([node for node in tree.body if not isinstance(node, ast.FunctionDef | ast.ClassDef)], [])
        package = module.rpartition(".")[0]
        reached, at_top = (
            {place[1] for name in imported(part, package) if (place := place_of(name))} for part in (tree, top)
        )
        assert not at_top & parts
        assert parts <= reached


def test_an_import_that_goes_up_is_seen(imports) -> None:
    """One more import, of a command in the table of names, is found."""
    name = "rlmetrics.names.tables.tables"
    assert upwards({**imports, name: imports[name] | {"rlmetrics.cli.main"}}) == [(name, "rlmetrics.cli.main")]


def test_pages_of_both_languages_list_the_same() -> None:
    """Layers, parts and packages."""
    pages = [(ROOT / "docs" / folder / "architecture.md").read_text(encoding="utf-8") for folder in ("", "zh")]
    assert _ROW.findall(pages[0]) == _ROW.findall(pages[1])
