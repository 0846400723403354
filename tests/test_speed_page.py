"""The page of benchmarks shows the figures that were measured."""

from __future__ import annotations

import json

from benchmarks import page


def test_tables_are_those_of_the_figures() -> None:
    """Every figure on the page comes from its file, and every file is on the page."""
    text = page.PAGE.read_text(encoding="utf-8")

    assert text == page.page(text)
    for path in (page.DOCS / "benchmarks").glob("*.json"):
        assert f"<!-- figures: {path.stem} -->" in text


def test_other_figures_make_another_page(tmp_path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    """A figure that changes changes its table."""
    text = page.PAGE.read_text(encoding="utf-8")
    (tmp_path / "benchmarks").mkdir()
    for path in (page.DOCS / "benchmarks").glob("*.json"):
        document = json.loads(path.read_text(encoding="utf-8"))
        document["machine"]["date"] = "1970-01-01"
        (tmp_path / "benchmarks" / path.name).write_text(json.dumps(document), encoding="utf-8")
    monkeypatch.setattr(page, "DOCS", tmp_path)

    assert page.page(text) != text
    assert "1970-01-01" in page.page(text)
