"""The pages of benchmarks show the figures that were measured."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from benchmarks import page


@pytest.mark.parametrize("path", page.PAGES, ids=lambda path: path.parent.name)
def test_tables_are_those_of_the_figures(path: Path) -> None:
    """Every figure on a page comes from its file, and every file is on the page."""
    text = path.read_text(encoding="utf-8")

    assert text == page.page(text)
    for figures in (page.DOCS / "benchmarks").glob("*.json"):
        assert f"<!-- figures: {figures.stem} -->" in text


def test_other_figures_make_another_page(tmp_path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    """A figure that changes changes its table."""
    text = page.PAGES[0].read_text(encoding="utf-8")
    (tmp_path / "benchmarks").mkdir()
    for path in (page.DOCS / "benchmarks").glob("*.json"):
        document = json.loads(path.read_text(encoding="utf-8"))
        document["machine"]["date"] = "1970-01-01"
        (tmp_path / "benchmarks" / path.name).write_text(json.dumps(document), encoding="utf-8")
    monkeypatch.setattr(page, "DOCS", tmp_path)

    assert page.page(text) != text
    assert "1970-01-01" in page.page(text)
