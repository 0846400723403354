"""Lists that end in how many there are more."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["fitting"]


def fitting(names: Sequence[str], columns: int) -> str:
    """Return as many names as fit into some columns, and how many more there are.

    A name that is too long for the rest is passed over, never cut. There is one at least, however long it is.

    Args:
        names: The names, those that matter first.
        columns: How wide the text may be.
    """
    whole = ", ".join(names)
    if len(whole) <= columns:
        return whole
    room = columns - len(f", and {len(names)} more")
    shown: list[str] = []
    for name in names:
        if len(", ".join([*shown, name])) <= room:
            shown.append(name)
    shown = shown or [min(names, key=len)]
    return f"{', '.join(shown)}, and {len(names) - len(shown)} more" if len(shown) < len(names) else shown[0]
