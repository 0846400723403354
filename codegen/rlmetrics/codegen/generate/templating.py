"""The templates, and what they can call."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from ..output import layout, prose
from .markdown import FILTERS

FOLDER = Path(__file__).parent.parent / "templates"


@lru_cache(maxsize=1)
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
        auto_reload=False,
    )
    environment.globals.update(header=prose.header)
    environment.filters.update(
        wrap=lambda value, indent=0, hang=0: "\n".join(prose.wrap(value, indent, hang)),
        source=layout.source,
        quote=layout.quote,
        sentence=prose.sentence,
        **FILTERS,
    )
    return environment


def template(name: str) -> Template:
    """Return a compiled template of the folder ``templates``."""
    return _environment().get_template(name)
