"""HTML of pages: their templates, and what every one of them can call."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from .addresses import link
from .texts import Texts

__all__ = ["render"]

_FOLDER = Path(__file__).parent.parent / "templates" / "site"


@lru_cache(maxsize=1)
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(_FOLDER),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=True,
        auto_reload=False,
    )


def render(template: str, page: str, texts: Texts, **values: object) -> Markup:
    """Return HTML.

    Args:
        template: A file of ``templates/site``.
        page: The address of the page that is made, from which ``link`` leads to others.
        texts: The language; templates call ``t`` for the interface and ``say`` for texts of the spec.
        values: What the template shows.
    """
    return Markup(
        _environment()
        .get_template(template)
        .render(t=texts.t, say=texts.say, plain=texts.plain, link=lambda to, at="": link(page, to, at), **values)
    )
