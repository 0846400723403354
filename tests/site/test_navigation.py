"""What depends on which frameworks there are: the navigation, and what git ignores, of the spec as it is."""

from __future__ import annotations

from pathlib import Path

import yaml
from rlmetrics.codegen.site.navigation import expanded, ignored
from rlmetrics.names import load_tables

ROOT = Path(__file__).parents[2]


def test_each_framework_has_its_place() -> None:
    """In the order of their ranks; keys have an index where they have pages."""
    tables = load_tables(())
    found = expanded(["m.md", {"Look it up": ["k/{framework}.md", "{framework}.md"], "Speed": "speed.md"}], tables)
    names = [f"{name}.md" for name in tables.named]
    assert found == [
        "m.md",
        {"Look it up": [*(f"k/{name}.md" for name in tables.frameworks), *names], "Speed": "speed.md"},
    ]


def test_the_navigations_name_no_framework_themselves() -> None:
    """In either language: a framework that is added to the spec is there by itself."""
    tables = load_tables(())
    for file in ("mkdocs.yml", "mkdocs.zh.yml"):
        nav = yaml.safe_load((ROOT / file).read_text(encoding="utf-8"))["nav"]
        text = str(nav)
        assert not [name for name in tables.named if f"{name}.md" in text]
        assert [f"k/{name}.md" for name in tables.frameworks if f"k/{name}.md" not in str(expanded(nav, tables))] == []


def test_git_ignores_the_pages_of_every_framework() -> None:
    """In each language; `rlmetrics generate --docs` brings the file up to date, which is committed."""
    kept = (ROOT / "docs" / ".gitignore").read_text(encoding="utf-8")
    assert kept == ignored(load_tables(()).named, ["zh"])
    lines = kept.split()
    assert {"/trl/", "/trl.md", "/ms-swift.md", "/zh/trl.md", "/zh/ms-swift/"} <= set(lines)
