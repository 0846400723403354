"""Texts that say nothing new."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..lint_check import Check, Hit, check

if TYPE_CHECKING:
    from ..context import Context

__all__ = ["CHECKS"]

_WORD = re.compile(r"[a-z0-9]+")
_EMPTY_WORDS = frozenset(
    [
        *(
            "a",
            "an",
            "the",
            "of",
            "for",
            "in",
            "on",
            "at",
            "to",
            "by",
            "with",
            "over",
            "per",
            "as",
            "from",
            "and",
            "or",
        ),
        *("is", "are", "was", "be", "it", "its", "this", "that", "all", "each", "every"),
        *("metric", "value", "number", "measure", "measures", "measured", "shows"),
    ]
)


def _words(text: str) -> frozenset[str]:
    """Return the words that carry meaning, without a plural s."""
    words = (word for word in _WORD.findall(text.lower().replace("'s ", " ")) if word not in _EMPTY_WORDS)
    return frozenset(word.removesuffix("s") if len(word) > 3 else word for word in words)


@check(
    "empty-description",
    "warning",
    what="A description that only repeats the name and the brief of its metric.",
    fix="say what a high or low value means and what to look at next",
    prose=True,
)
def empty_description(context: Context) -> Iterator[Hit]:
    for name, metric in context.spec.metrics.items():
        known = _words(name) | _words(metric.brief) | _words(" ".join(metric.aliases)) | _words(metric.unit)
        if _words(metric.description) <= known:
            message = f"the description of `{name}` says no more than its name and brief"
            yield Hit(f"metrics/{context.spec.family_of[name]}", ("metrics", name, "description"), message)


@check(
    "same-text",
    "warning",
    what="A brief or a description that another metric has word for word.",
    fix="say what tells the two apart",
    prose=True,
)
def same_text(context: Context) -> Iterator[Hit]:
    for field in ("brief", "description"):
        first: dict[str, str] = {}
        for name, metric in context.spec.metrics.items():
            text = " ".join(str(getattr(metric, field)).split()).casefold()
            other = first.setdefault(text, name)
            if other != name:
                message = f"`{name}` has the same {field} as `{other}`"
                yield Hit(f"metrics/{context.spec.family_of[name]}", ("metrics", name, field), message)


CHECKS: tuple[Check, ...] = (empty_description, same_text)
