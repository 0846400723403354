"""How large a difference is on the reference batches, looked up in the generated table."""

from __future__ import annotations

from collections.abc import Sequence

from rlmetrics.lazy_typing import TYPE_CHECKING, Any

from ..tables.key_records import Typical

if TYPE_CHECKING:
    from ..tables.tables import Tables

__all__ = ["typical_of_level", "typical_of_trait"]

_BASES = ("pool", "mean")
_OPPOSITE = {"higher": "lower", "lower": "higher"}

Function = tuple[str, str | None]
"""A metric, and the variant of its function that gives the number."""


def typical_of_level(tables: Tables, function: Function, level: str, operations: tuple[str, str]) -> Typical | None:
    """Return how far two ways of putting the parts of a level together lie apart.

    Args:
        tables: The tables.
        function: What computes the number.
        level: The level.
        operations: The operation of the source and that of the target.
    """
    pair = sorted(operations)
    base = next((each for each in _BASES if each in pair), pair[0])
    # Sizes are told of the other operation, seen from the base.
    return _found(tables, function, f"level:{level} {'/'.join(pair)}", turned=operations[1] == base)


def typical_of_trait(tables: Tables, function: Function, trait: str, *, in_target: bool) -> Typical | None:
    """Return how far a number with a trait lies from the plain one.

    Args:
        tables: The tables.
        function: What computes the number.
        trait: The trait.
        in_target: Whether the target has it, not the source.
    """
    return _found(tables, function, f"trait:{trait}", turned=not in_target)


def _found(tables: Tables, function: Function, about: str, *, turned: bool) -> Typical | None:
    for name in _names(tables, *function):
        row: Sequence[Any] | None = tables.sizes.get(name, {}).get(about)
        if row is not None:
            low, high, unit, *rest = row
            direction = (_OPPOSITE[rest[0]] if turned else rest[0]) if rest else None
            return Typical(low, high, unit, direction)
    return None


def _names(tables: Tables, metric: str, variant: str | None) -> list[str]:
    """Return the functions that give a number: one that gives the same from other inputs is as good as the own one."""
    same = tables.metrics[metric].get("same", ())
    return [metric, *(f"{metric}@{each}" for each in same)] if variant in (None, *same) else [f"{metric}@{variant}"]
