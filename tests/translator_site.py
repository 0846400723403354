"""The translator's page as a folder on disk."""

from __future__ import annotations

import shutil
from pathlib import Path

from rlmetrics.codegen.loader import read
from rlmetrics.codegen.site.page import Page
from rlmetrics.codegen.site.site import Site
from rlmetrics.codegen.site.translator import translator_page
from rlmetrics.names.tables import Tables

__all__ = ["ROOT", "written"]

ROOT = Path(__file__).parents[1]
_HEAD = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    '<title>{title}</title><link rel="stylesheet" href="../assets/rlmetrics.css"></head>'
    '<body class="md-typeset" data-md-color-scheme="default"><main>'
)


def written(folder: Path, tables: Tables) -> Path:
    """Write the page with all that it loads, and return its place."""
    spec, findings = read(ROOT / "spec", ())
    assert spec is not None, findings
    place = folder / "translate" / "index.html"
    shutil.copytree(ROOT / "docs" / "assets", folder / "assets")
    for made in translator_page(Site(spec, {}, tables)):
        if isinstance(made, Page):
            _, _, body = made.markdown("spec").split("---\n", 2)
            path, text = place, f"{_HEAD.format(title=made.title)}{body}</main></body></html>"
        else:
            path, text = folder / made.path, made.text
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return place
