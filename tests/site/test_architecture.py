"""The picture of the architecture is true to the imports, and imports go down its layers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from repository.imports import imported, modules
from rlmetrics.codegen.site.imports import imports_of
from rlmetrics.codegen.site.pictures.layers import LAYERS, UPWARDS, arrows, draw, part_of

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def imports() -> dict[str, frozenset[str]]:
    """Who imports whom in this checkout, as the picture has it."""
    return imports_of(ROOT)


def _drawn(svg: str) -> set[tuple[str, str]]:
    return {
        (path.attrib["data-from"], path.attrib["data-to"])
        for path in ElementTree.fromstring(svg).iter()
        if "data-from" in path.attrib
    }


def _upwards(between: set[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    row = {part.name: number for number, layer in enumerate(LAYERS) for part in layer}
    yield from ((first, second) for first, second in sorted(between) if row[second] <= row[first])


def test_every_module_has_a_part(imports) -> None:
    """Nothing is left out of the picture but the faces of two packages, which hold nothing."""
    assert [module for module in imports if part_of(module) is None] == ["rlmetrics", "rlmetrics.codegen"]


def test_imports_go_down(imports) -> None:
    """No part imports one of its own layer or above, but for the modules that reach up inside functions."""
    assert list(_upwards({pair for pair, reaches in arrows(imports).items() if not reaches})) == []


def test_what_reaches_up_does_so_inside_functions() -> None:
    """The top of these modules imports nothing from above, and each of the named parts is reached."""
    files = modules()
    for module, parts in UPWARDS.items():
        tree = ast.parse(files[module].read_text(encoding="utf-8"))
        top = ast.Module([node for node in tree.body if not isinstance(node, ast.FunctionDef | ast.ClassDef)], [])
        package = module.rpartition(".")[0]
        assert not {part_of(name) for name in imported(top, package)} & {*parts}
        assert {*parts} <= {part_of(name) for name in imported(tree, package)}


def test_an_import_that_goes_up_is_seen(imports) -> None:
    """One more import, of a command in the table of names, is an arrow that goes up."""
    planted = {
        **imports,
        "rlmetrics.names.tables.tables": imports["rlmetrics.names.tables.tables"] | {"rlmetrics.cli.main"},
    }
    found = {pair for pair, reaches in arrows(planted).items() if not reaches}
    assert list(_upwards(found)) == [("names", "cli")]
    assert ("names", "cli") in _drawn(draw(planted))


def test_the_picture_can_be_read(imports) -> None:
    """Every part by name, colours for light and dark, words for those who do not see it, and no box on another."""
    svg = draw(imports)
    texts = [text.text for text in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
    assert all(part.name in texts and part.says in texts for layer in LAYERS for part in layer)
    assert "prefers-color-scheme:dark" in svg
    assert re.search("<title[^>]*>Who imports whom</title><desc", svg)
    for layer in LAYERS:
        places = sorted(part.across for part in layer)
        assert all(right - left > 0.18 for left, right in pairwise(places))
