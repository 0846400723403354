"""The picture of the architecture is true to the imports, and imports go down its layers."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from folders import ROOT
from repository.imports import edges, modules
from rlmetrics.codegen.site.imports import imports_of
from rlmetrics.codegen.site.pictures.layers import draw, part_of


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


def test_arrows_are_the_imports(imports) -> None:
    """An arrow stands where a module of one part imports one of another, by a reading of imports of its own."""
    wanted = {(part_of(first), part_of(second)) for first, targets in edges(modules()).items() for second in targets}
    # The faces of packages, which hold nothing, are no part.
    wanted = {(first, second) for first, second in wanted if first != second and None not in (first, second)}
    assert wanted == _drawn(draw(imports))
