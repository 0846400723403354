"""Factors of a number that a trait says in words as well: one change is told once."""

from __future__ import annotations

from collections.abc import Sequence

from rlmetrics.lazy_typing import TYPE_CHECKING, Any, TypeVar
from rlmetrics.names.tables.part_counts import vanish_if

if TYPE_CHECKING:
    from rlmetrics.names.differences.entry_contrast import Cause
    from rlmetrics.names.tables.tables import Tables
    from rlmetrics.names.upgrades.causes import SharedCause

__all__ = ["told_once"]

_Told = TypeVar("_Told", "SharedCause", "Cause")


def told_once(causes: Sequence[_Told], tables: Tables) -> list[_Told]:
    """Return causes without the factors of which traits that came or went with them say the same.

    Args:
        causes: What changed: of one key in one release, or of several with the release and the keys of each.
        tables: The spec.
    """
    return [cause for cause in causes if cause.kind != "scale" or not _is_said(cause, causes, tables)]


def _is_said(factor: _Told, causes: Sequence[_Told], tables: Tables) -> bool:
    """Tell whether traits went with the factor before, and came with the one after."""
    beside = [cause for cause in causes if cause.kind == "trait" and _is_beside(cause, factor)]
    gone = [tables.traits[cause.name].get("vanishes_if") for cause in beside if not cause.after]
    came = [tables.traits[cause.name].get("vanishes_if") for cause in beside if cause.after]
    return _says(gone, factor.before) and _says(came, factor.after)


def _says(guards: Sequence[Any], factor: Any) -> bool:
    """Tell whether a factor is 1, or of nothing but counts that each of the guards makes 1."""
    if not isinstance(factor, str):
        return bool(factor == 1)
    single = vanish_if(factor)
    return single is not None and all(guard in guards for guard in single)


def _is_beside(trait: _Told, factor: _Told) -> bool:
    """Tell whether a trait changed in the same release, and about the same keys."""
    if getattr(trait, "release", None) != getattr(factor, "release", None):
        return False
    return {*getattr(factor, "keys", ())} <= {*getattr(trait, "keys", ())}
