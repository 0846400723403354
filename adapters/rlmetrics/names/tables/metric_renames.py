"""Metrics that were renamed: their old names keep working, and say once what to write."""

from __future__ import annotations

import warnings

__all__ = ["RenamedMetricWarning", "warn_renamed"]


class RenamedMetricWarning(UserWarning):
    """A metric was asked for by a name that it no longer has."""


_warned: set[str] = set()


def warn_renamed(old: str, new: str) -> None:
    """Warn of an old name, once in each process."""
    if old not in _warned:
        _warned.add(old)
        warnings.warn(f"{old} is called {new} now; write that", RenamedMetricWarning, stacklevel=3)
