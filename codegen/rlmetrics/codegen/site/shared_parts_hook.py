"""Lets stand once what is the same on every page of the site; ``mkdocs.yml`` names this file under ``hooks``.

Thousands of pages are not in the navigation, which is then the same on all of them, as header and footer are, and most
of what they hold. Scripts have these instead, and put them where they would stand. Pages in the navigation have them as
they are, so that all of these can be reached without scripts. Templates indent; what stands between elements is one
line end here.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from shutil import rmtree
from typing import Any

__all__ = ["SHARED", "squeezed"]

SHARED = {part: f"assets/generated/{part}.js" for part in ("header", "navigation", "footer")}
"""The scripts, by the template of what they hold."""
_AS_IT_IS = re.compile(r"(<(?:pre|textarea|script|style)\b.*?</(?:pre|textarea|script|style)>)", re.DOTALL)
_LINES = re.compile(r"\s*\n\s*")
_CODE = re.compile(r"<script>(.*?)</script>", re.DOTALL)
"""What a browser does not run where a script puts it; data have a type."""
_SCRIPT = (
    "(()=>{const script=document.currentScript,base=script.dataset.base;"
    "script.insertAdjacentHTML('beforebegin',%s.replaceAll('\"./','\"'+base+'/').replaceAll('\".\"','\"'+base+'\"'));"
    "%sscript.remove()})();\n%s"
)
_PAGE = {
    "header": (
        "document.querySelector('.rlm-language').href=script.dataset.other;"
        "document.querySelector('[data-md-component=header-topic]>*').textContent="
        "document.title.replace(/ - [^-]*$/,'');"
    )
}
"""What is the page's own in a part that stands once."""
_UNUSED = ("assets/javascripts/lunr", "assets/javascripts/workers")
"""What the theme brings for a search that this site has not."""

_templates: list[Any] = []
_parts: dict[str, str] = {}


def on_config(config: Any) -> Any:
    """Tell templates that this hook runs; where it does not, each page has all parts of its own."""
    _parts.clear()
    config["extra"]["navigation_once"] = True
    return config


def on_env(env: Any, config: Any, files: Any) -> Any:
    """Keep the templates."""
    _templates[:] = [env]
    return env


def on_page_context(context: Any, page: Any, config: Any, nav: Any) -> Any:
    """Make the parts of pages that are not in the navigation, with addresses from the root of the site."""
    if not _parts and page not in nav.pages:
        for part in SHARED:
            template = _templates[0].get_template(f"{part}.html")
            _parts[part] = squeezed(template.render({**context, "page": None, "base_url": "."}))
    return context


def on_post_page(output: str, page: Any, config: Any) -> str:
    """Leave out what templates indent."""
    return squeezed(output)


def on_post_build(config: Any) -> None:
    """Write the parts, and remove what the theme brings and no page loads."""
    site = Path(config["site_dir"])
    for part, html in _parts.items():
        path = site / SHARED[part]
        path.parent.mkdir(parents=True, exist_ok=True)
        literal = json.dumps(_CODE.sub("", html), ensure_ascii=False)
        code = "".join(f"{text};\n" for text in _CODE.findall(html))
        path.write_text(_SCRIPT % (literal, _PAGE.get(part, ""), code), encoding="utf-8")
    for folder in _UNUSED:
        rmtree(site / folder, ignore_errors=True)
    for path in (site / "assets").rglob("*.map"):
        path.unlink()


def squeezed(html: str) -> str:
    """Return a page in which every run of white space that breaks a line is one line end, but for code and scripts."""
    parts = _AS_IT_IS.split(html)
    return "".join(part if at % 2 else _LINES.sub("\n", part) for at, part in enumerate(parts))
