"""What looks sick and is what a release or its configuration gives."""

from __future__ import annotations

from collections.abc import Callable

from rlmetrics.names.meanings.constancy import stated

from .judged_keys import KeyMeaning

__all__ = ["constant_text", "defect_text"]


def constant_text(meaning: KeyMeaning, value: float, holds: Callable[[str], bool | None]) -> str | None:
    """Return why a key is always a value, if its release says so; None if it should move."""
    for text in meaning.constant_when:
        constant = stated(text)
        if constant is None or constant.mode is not None or constant.number not in (None, value):
            continue
        if constant.guard is not None and holds(constant.guard) is False:
            continue
        return text
    return None


def defect_text(meaning: KeyMeaning) -> str | None:
    """Return the fault of a release that makes a number incomparable with a bound; None if there is none."""
    return next(iter(meaning.defects), None)
