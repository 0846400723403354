"""Text that a terminal shows as it is meant: nothing in it moves the cursor, turns letters around or ends a line."""

from __future__ import annotations

__all__ = ["printable"]


def printable(text: str) -> str:
    """Return a text on one line, with escapes in the place of all that can't be seen, printed or encoded."""
    return text if text.isprintable() else "".join(map(_shown, text))


def _shown(sign: str) -> str:
    return sign if sign.isprintable() else sign.encode("unicode_escape").decode("ascii")
