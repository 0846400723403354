"""Lines that several answers share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .facts import shortened

if TYPE_CHECKING:
    from .changes import Change

__all__ = ["change_row"]

_CAUSE = 50
"""Of a change with a cause of more characters one is told."""


def change_row(change: Change, *, full: bool = False) -> tuple[str, str]:
    """Return a change as a release and what happened there.

    Args:
        change: What happened.
        full: Whether every cause is told, else the heaviest.
    """
    causes = list(change.causes)
    if not full:
        weighing = [cause for cause in causes if cause.weighs] or causes
        causes = weighing[: 1 if weighing and len(weighing[0].text) > _CAUSE else 2]
    more = len(change.causes) - len(causes)
    text = "; ".join(cause.whole or cause.text if full else shortened(cause.text) for cause in causes) + (
        f"; {more} more" if more else ""
    )
    if change.kind == "came":
        text = "logged since then"
    elif change.kind == "went":
        text = f"{change.key} is no longer logged"
    elif change.kind == "renamed":
        text = f"was {change.was}, is {change.key}{f'; {text}' if text else ''}"
    elif change.until is not None:
        text = f"{text} (until {change.until})" if change.until != change.release else f"{text} (only then)"
    return change.release, text
