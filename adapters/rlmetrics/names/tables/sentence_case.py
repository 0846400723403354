"""How a text of the spec stands within a sentence."""

from __future__ import annotations

__all__ = ["lowered"]


def lowered(text: str) -> str:
    """Return a text with a small letter at its beginning; abbreviations such as ``KL`` and ``NaN`` stay as they are."""
    first = text.partition(" ")[0]
    return text[:1].lower() + text[1:] if first[1:].islower() or len(first) == 1 else text
