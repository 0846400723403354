"""Layouts of TensorBoard's custom scalars page: charts that name tags, mostly by regular expressions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from .messages import layout_class

__all__ = ["widen"]

_LITERAL = re.compile(r"\^?((?:\\.|[^\\.^$*+?{}\[\]|()])+)\$?")


def widen(value: Any, names: Mapping[str, str], other_name: Callable[[str], str]) -> None:
    """Add translated tags to the charts of a layout, in place.

    Lines are chosen by regular expressions: these stay, and the new names of all tags that they match are added, so
    that the chart shows runs from before and after. The tags of a margin chart are plain names and are replaced.

    Args:
        value: The value of a summary that holds the layout.
        names: Tags of the run and what they become.
        other_name: What becomes of a tag that the run doesn't have.
    """
    strings = value.tensor.string_val
    for index, text in enumerate(strings):
        layout = layout_class().FromString(text)
        for category in layout.category:
            for chart in category.chart:
                if chart.WhichOneof("content") == "multiline":
                    tags = chart.multiline.tag
                    tags.extend([tag for tag in _added(tags, names, other_name) if tag not in tags])
                elif chart.WhichOneof("content") == "margin":
                    for series in chart.margin.series:
                        for field in ("value", "lower", "upper"):
                            tag = getattr(series, field)
                            setattr(series, field, names.get(tag) or other_name(tag))
        strings[index] = layout.SerializeToString(deterministic=True)


def _added(patterns: Any, names: Mapping[str, str], other_name: Callable[[str], str]) -> list[str]:
    found: dict[str, None] = {}
    for pattern in patterns:
        matched = {tag: new for tag, new in names.items() if _matches(pattern, tag)}
        if not matched and (literal := _LITERAL.fullmatch(pattern)):
            tag = re.sub(r"\\(.)", r"\1", literal[1])
            matched = {tag: other_name(tag)}
        found.update({f"^{re.escape(new)}$": None for tag, new in matched.items() if new != tag})
    return list(found)


def _matches(pattern: str, tag: str) -> bool:
    try:
        return re.match(pattern, tag) is not None
    except re.error:
        return False
