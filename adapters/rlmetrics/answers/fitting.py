"""Lists that end in how many there are more."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["fitting"]


def fitting(names: Sequence[str], columns: int, *, least: int = 1) -> str:
    """Return as many names as fit into some columns, and how many more there are; no name is cut.

    Args:
        names: The names, in order.
        columns: How wide the text may be.
        least: How many names there are at least, however long they are.
    """
    for count in range(len(names), least, -1):
        text = _some(names, count)
        if len(text) <= columns:
            return text
    return _some(names, min(least, len(names)))


def _some(names: Sequence[str], count: int) -> str:
    more = len(names) - count
    return ", ".join([*names[:count], f"and {more} more"] if more else names)
