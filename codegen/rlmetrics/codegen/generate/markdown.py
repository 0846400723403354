"""Pieces of the reference pages in Markdown: the filters of their templates."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from ..model import Health, Source
from .functions import Function
from .text import anchor

_CODE = re.compile(r"(`+[^`]*`+)")
_SPECIAL = re.compile(r"([\\*_\[\]{}#])")
_HTML = re.compile(r"[&<>]")
_HEALTH_KINDS = {"info": "info", "warning": "warning", "error": "danger"}
"""How a rule's level looks as an admonition."""
_TRENDS = {
    "rising": "keeps rising",
    "falling": "keeps falling",
    "spike": "jumps",
    "plateau": "stops moving",
    "non_finite": "is NaN or infinite",
}


@lru_cache(maxsize=8192)
def markdown(text: str) -> str:
    """Return plain text so that Markdown shows it as it is; ``code`` in backticks stays code."""
    parts = _CODE.split(" ".join(text.split()))
    return "".join(part if place % 2 else _plain(part) for place, part in enumerate(parts))


def cell(text: str) -> str:
    """Return Markdown for a cell of a table, where a bar would end the cell even inside code."""
    return bar(markdown(text))


def bar(text: str) -> str:
    """Return Markdown for a cell of a table."""
    return text.replace("|", "\\|")


def _plain(text: str) -> str:
    text = _SPECIAL.sub(r"\\\1", text)
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") if _HTML.search(text) else text


def signature(function: Function) -> str:
    """Return how a function is called."""
    parameters = [
        name if parameter.default is None else f"{name}={parameter.default!r}"
        for name, parameter in function.parameters.items()
    ]
    return f"{function.name}({', '.join([*function.inputs, *(['*', *parameters] if parameters else [])])})"


def source_link(source: Source) -> str:
    """Return a source as Markdown: its title, linked where it has an address, and its place in a release."""
    title = markdown(source.title)
    place = ""
    if source.path is not None:
        place = f" `{source.path}{f':{source.line}' if source.line else ''}`"
    release = f" ({source.release})" if source.release else ""
    return f"{f'[{title}](<{source.url}>)' if source.url else title}{release}{place}"


def rule(health: Health) -> str:
    """Return when a health rule fires, in words."""
    conditions = []
    if health.above is not None:
        conditions.append(f"above {health.above:g}")
    if health.below is not None:
        conditions.append(f"below {health.below:g}")
    if health.stuck_at is not None:
        conditions.append(f"stuck at {health.stuck_at:g}")
    if health.trend is not None:
        conditions.append(_TRENDS[health.trend])
    text = " or ".join(conditions)
    if health.steps > 1:
        text += f" for {health.steps} logged steps"
    if health.warm_up:
        text += f", after the first {health.warm_up}"
    if health.when:
        text += f", {markdown(health.when)}"
    return text


def remark(one: Any) -> str:
    """Return where statements about a metric's keys hold, and the statements."""
    said = "; ".join(one.said)
    return f"{one.where}: {said}" if one.where else said


FILTERS: dict[str, Callable[[Any], str]] = {
    "anchor": anchor,
    "bar": bar,
    "cell": cell,
    "md": markdown,
    "health_kind": _HEALTH_KINDS.__getitem__,
    "remark": remark,
    "rule": rule,
    "signature": signature,
    "source_link": source_link,
}
"""What the templates call these."""
