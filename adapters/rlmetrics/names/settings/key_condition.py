"""When a key is logged, in one text: its guards put together, and what is only said in words."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from rlmetrics.lazy_typing import Any

from .guards import parse
from .negation import written
from .simplification import simplified

__all__ = ["condition_of"]


def condition_of(combined: Mapping[str, Any]) -> str | None:
    """Return when a key is logged: its guards, then what is said in words."""
    guards: tuple[str, ...] = tuple(combined["logged_when"])
    guard = guards[0] if len(guards) == 1 else _all_of(guards)
    return "; ".join(text for text in (guard, combined.get("condition"), *combined["fails"]) if text) or None


@lru_cache(maxsize=256)
def _all_of(guards: tuple[str, ...]) -> str:
    """Return several guards as one; what one of them asks for anyway, none of the others asks for again."""
    text = " and ".join(f"({each})" if " or " in each else each for each in guards)
    if " or " not in text:
        return text
    return written(simplified(parse(text)))
