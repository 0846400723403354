"""References of one reference page: what several metrics cite is listed once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ..model import Metric, Source
from .markdown import markdown, source_link

__all__ = ["Cited"]


class Cited:
    """Shows references, those of several metrics by their authors with a link to the list.

    Attributes:
        listed: The references that the page lists, as Markdown, in the order of their numbers, which start at 1.
    """

    def __init__(self, metrics: Iterable[Metric]) -> None:
        """Count how many metrics cite each reference."""
        counted = Counter(source_link(source) for metric in metrics for source in metric.references)
        shared = [text for text, count in counted.items() if count > 1]
        self.listed = {text: number for number, text in enumerate(shared, 1)}

    def __call__(self, source: Source) -> str:
        """Return a reference as Markdown."""
        text = source_link(source)
        if text not in self.listed:
            return text
        return f"[{markdown(source.title.partition(', ')[0])}](#p{self.listed[text]})"
