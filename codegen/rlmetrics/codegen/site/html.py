"""HTML of pages: their templates, and what every one of them can call."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from .page_links import link
from .texts import Texts

__all__ = ["LARGEST", "breakable", "fitting", "render"]

_PARTS = re.compile(r"(?<=[a-z0-9)/_.])(?=[A-Z_/.])")
_SHORT = 12

LARGEST = 50_000
"""Bytes of a page that is read at a glance."""

_FOLDER = Path(__file__).parent.parent / "templates" / "site"


@lru_cache(maxsize=1)
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_FOLDER),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=True,
        auto_reload=False,
    )
    environment.filters.update(breakable=breakable, commas=commas, lines=lines)
    return environment


def breakable(name: str) -> Markup:
    """Return a name of code as HTML that may break where a part begins."""
    return Markup(_PARTS.sub("<wbr>", escape(name))) if len(name) > _SHORT else escape(name)


def commas(items: Iterable[Markup]) -> Markup:
    """Return pieces of HTML as a list in a sentence."""
    return Markup(", ").join(items)


def lines(code: str) -> Markup:
    """Return a program as HTML; a blank line, which would end the block of the page, holds a blank."""
    return Markup("\n").join(escape(line) if line else Markup("&#32;") for line in code.split("\n"))


def fitting(template: str, page: str, texts: Texts, values: dict[str, object]) -> Markup:
    """Return HTML with as many of the page's ``pictures``, the most telling first, as its size leaves room for."""
    pictures = list(values["pictures"]) if isinstance(values["pictures"], list) else []
    while True:
        body = render(template, page, texts, **{**values, "pictures": pictures})
        if not pictures or len(body.encode()) <= LARGEST:
            return body
        pictures = pictures[:-1]


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
