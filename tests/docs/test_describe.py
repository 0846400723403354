"""The overlays that pages show pass lint, and give the table that the page shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from folders import ROOT
from rlmetrics.codegen.lint import lint
from rlmetrics.names import map_names

FILE = re.compile(r"<!-- file: (\S+) -->\n```yaml\n(.*?)```", re.S)
ROW = re.compile(r"^\| `(\S+)` \| (?:`(\S+)`|\S+) \| (\S*)", re.M)
PAGES = [ROOT / "docs", ROOT / "docs" / "zh"]


def _written(folder: Path, *pages: Path) -> Path:
    for page in pages:
        for path, text in FILE.findall(page.read_text(encoding="utf-8")):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("docs", PAGES, ids=["en", "zh"])
def test_the_smallest_overlay_passes_lint(tmp_path: Path, docs: Path) -> None:
    """But for the remark that nothing proves it."""
    overlay = _written(tmp_path / "mine", docs / "spec-editing.md")
    found = [item for item in lint(ROOT / "spec", [overlay]) if item.location.file.startswith(str(overlay))]
    assert [item.id for item in found] == ["unproven-framework"]


def test_the_package_is_translated_as_the_page_shows(tmp_path: Path) -> None:
    """Key by key."""
    page = ROOT / "docs" / "describe.md"
    overlay = _written(tmp_path / "agilerl", page)
    small = next(
        text for path, text in FILE.findall((ROOT / "docs/spec-editing.md").read_text("utf-8")) if "/framework." in path
    )
    text = small.replace("mine", "agilerl").replace("Mine", "AgileRL").replace("1.0.0", "2.58.0")
    (overlay / "frameworks/agilerl/framework.yaml").write_text(text, encoding="utf-8")
    rows = {row.from_: (row.to, row.severity) for row in map_names("agilerl", "verl==0.9.1", spec=overlay).rows}
    shown = ROW.findall(page.read_text(encoding="utf-8").partition("<!-- table")[2])
    assert {key for key, _, _ in shown} == {*rows}
    for key, to, said in shown:
        assert rows[key][0] == (to or None)
        assert not to or rows[key][1] == said.rstrip(":")
