"""What looks sick and is what a release or its configuration gives."""

from __future__ import annotations

import re
from collections.abc import Callable

from .judged_keys import KeyMeaning

__all__ = ["constant_text", "defect_text"]

_VALUE = re.compile(r"(?:always )?(?:the )?(-?[0-9]+(?:\.[0-9]+)?)\b")


def constant_text(meaning: KeyMeaning, value: float, holds: Callable[[str], bool | None]) -> str | None:
    """Return why a key is always a value, if its release says so; None if it should move."""
    for text in meaning.constant_when:
        stated = _VALUE.match(text)
        if stated is not None and float(stated[1]) != value:
            continue
        if text.startswith("never") or "in evaluation" in text:
            continue
        _, when, guard = text.partition(" when ")
        if when and holds(guard) is False:
            continue
        return text
    return None


def defect_text(meaning: KeyMeaning) -> str | None:
    """Return the fault of a release that makes a number incomparable with a bound; None if there is none."""
    return next(iter(meaning.defects), None)
