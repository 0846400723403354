"""The page "What a value tells": what a certain value of a metric means, and when to worry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup

from .html import render
from .page import Page
from .page_links import metric_page
from .pictures.drawing import number

if TYPE_CHECKING:
    from .page import Asset
    from .site import Site
    from .texts import Texts

__all__ = ["VALUES", "ToldValue", "told", "value_words", "values"]

VALUES = "sick/values"
"""The address of the page."""


@dataclass(frozen=True)
class ToldValue:
    """What a value tells.

    Attributes:
        level: ``expected``, ``info``, ``warning`` or ``error``.
        says: What it means.
        worry: When to worry; empty if there is nothing to add.
    """

    level: str
    says: Markup
    worry: Markup


def values(site: Site) -> Iterator[Page | Asset]:
    """Yield the page."""
    found = {metric: told(site, metric) for metric in site.tables.metrics}
    body = render(
        "values.html.j2",
        VALUES,
        site.texts,
        found={metric: rows for metric, rows in found.items() if rows},
        of_metric=metric_page,
    )
    plain = site.texts.plain
    yield Page(VALUES, plain("What a value tells"), plain("Is a value such as 0 or 1 what it should be?"), body)


def told(site: Site, metric: str) -> Sequence[ToldValue]:
    """Return what certain values of a metric mean, in the order of the spec."""
    t = site.texts.t
    return [
        ToldValue(
            str(row["level"]),
            t(str(row["says"]), value=value_words(row["value"], site.texts)),
            t("Worry if {what}.", what=site.texts.say(str(row["worry"]))) if row.get("worry") else Markup(""),
        )
        for row in site.tables.texts.get(metric, {}).get("reads", ())
    ]


def value_words(value: object, texts: Texts) -> str:
    """Return a value, or a range of values, as it begins a sentence."""
    if isinstance(value, int | float):
        return number(value)
    text = str(value)
    low, dots, high = text.partition("..")
    if dots:
        return texts.plain("A value from {low} to {high}", low=_number(low), high=_number(high))
    if text.startswith("<"):
        return texts.plain("A value below {bound}", bound=_number(text[1:]))
    if text.startswith(">"):
        return texts.plain("A value above {bound}", bound=_number(text[1:]))
    return text.upper() if text == "nan" else text


def _number(text: str) -> str:
    value = float(text)
    return number(value, 4) if abs(value) >= 1e-6 else "0"
