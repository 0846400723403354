"""The translator's page as a folder on disk."""

from __future__ import annotations

import shutil
from functools import lru_cache
from pathlib import Path

from rlmetrics.codegen.loader import read
from rlmetrics.codegen.site.page import Page
from rlmetrics.codegen.site.site import Site
from rlmetrics.codegen.site.texts import Texts
from rlmetrics.codegen.site.translator_page import translator_page
from rlmetrics.codegen.spec import Spec
from rlmetrics.names.tables.tables import Tables

__all__ = ["ROOT", "catalog_of", "written"]

ROOT = Path(__file__).parents[1]
_HEAD = (
    '<!doctype html><html lang="{language}"><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width">'
    '<title>{title}</title><link rel="stylesheet" href="../assets/rlmetrics.css"></head>'
    '<body class="md-typeset" data-md-color-scheme="default"><main>'
)


def written(folder: Path, tables: Tables, language: str = "en") -> Path:
    """Write the page of a language with all that it loads, and return its place."""
    place = folder / "translate" / "index.html"
    shutil.copytree(ROOT / "docs" / "assets", folder / "assets")
    for made in translator_page(Site(_spec(), {}, tables, Texts(language, catalog_of(language)))):
        if isinstance(made, Page):
            _, _, body = made.markdown("spec").split("---\n", 2)
            path, text = place, f"{_HEAD.format(language=language, title=made.title)}{body}</main></body></html>"
        else:
            path, text = folder / made.path, made.text
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return place


def catalog_of(language: str) -> dict[str, str]:
    """Return every text that the spec has in a language, by the English one; none for English itself."""
    return {} if language == "en" else dict(_spec().texts[language].catalog())


@lru_cache(maxsize=1)
def _spec() -> Spec:
    spec, findings = read(ROOT / "spec", ())
    assert spec is not None, findings
    return spec
