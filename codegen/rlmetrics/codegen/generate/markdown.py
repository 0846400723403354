"""Pieces of the reference pages in Markdown: the filters of their templates."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from ..model import ClaimSource, HealthRule

_CODE = re.compile(r"(`+[^`]*`+)")
_SPECIAL = re.compile(r"([\\*\[\]{}#]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9]))")
"""What Markdown would take for its own; an underscore inside a word is none."""
_HTML = re.compile(r"[&<>]")


@lru_cache(maxsize=8192)
def markdown(text: str) -> str:
    """Return plain text so that Markdown shows it as it is; ``code`` in backticks stays code."""
    parts = _CODE.split(" ".join(text.split()))
    return "".join(part if index % 2 else _plain(part) for index, part in enumerate(parts))


def cell(text: str) -> str:
    """Return Markdown for a cell of a table, where a bar would end the cell even inside code."""
    return bar(markdown(text))


def bar(text: str) -> str:
    """Return Markdown for a cell of a table."""
    return text.replace("|", "\\|")


def _plain(text: str) -> str:
    text = _SPECIAL.sub(r"\\\1", text)
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") if _HTML.search(text) else text


def source_link(source: ClaimSource) -> str:
    """Return a source as Markdown: its title, linked where it has an address, and its place in a release."""
    title = markdown(source.title)
    place = ""
    if source.path is not None:
        place = f" `{source.path}{f':{source.line}' if source.line else ''}`"
    release = f" ({source.release})" if source.release else ""
    return f"{f'[{title}](<{source.url}>)' if source.url else title}{release}{place}"


def how_long(rule: HealthRule) -> str:
    """Return for how long a rule's condition must hold, and what must come before, in words."""
    parts = []
    if rule.tiers and rule.steps > 1:
        parts.append(f"for {rule.steps} steps")
    if rule.warm_up:
        parts.append(f"after the first {rule.warm_up} steps")
    if rule.points > 1:
        parts.append(f"with {rule.points} points or more")
    if rule.when:
        parts.append(f"where `{rule.when}`")
    return ", ".join(parts)


FILTERS: dict[str, Callable[[Any], str]] = {
    "cell": cell,
    "md": markdown,
    "how_long": how_long,
    "source_link": source_link,
}
"""What the templates call these."""
