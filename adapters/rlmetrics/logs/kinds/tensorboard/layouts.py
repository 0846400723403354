"""Layouts of TensorBoard's custom scalars page: charts that name tags, mostly by regular expressions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ...protobufs import decode_error
from .tensorboard_messages import layout_class

__all__ = ["LAYOUT", "MARGIN", "layout_in", "named_in"]

LAYOUT = "custom_scalars__config__"
"""The tag of a layout."""
_LITERAL = re.compile(r"\^?((?:\\.|[^\\.^$*+?{}\[\]|()])+)\$?")
MARGIN = ("value", "lower", "upper")


def layout_in(text: bytes) -> Any:
    """Return the layout that a text holds; None if it holds none."""
    try:
        return layout_class().FromString(text)
    except decode_error():
        return None


def named_in(value: Any) -> Iterator[str]:
    """Yield the tags that a layout names letter by letter, to infer where they come from."""
    for layout in filter(None, map(layout_in, value.tensor.string_val)):
        for chart in (chart for category in layout.category for chart in category.chart):
            for pattern in chart.multiline.tag:
                if literal := _LITERAL.fullmatch(pattern):
                    yield re.sub(r"\\(.)", r"\1", literal[1])
            for series in chart.margin.series:
                yield from (tag for field in MARGIN if (tag := getattr(series, field)))
