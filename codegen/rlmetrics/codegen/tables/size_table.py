"""The table of sizes: what was measured of formulas that are still the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..sizes import sizes_lock
from .data import Table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..spec import Spec

__all__ = ["sizes_table"]


def sizes_table(spec: Spec, texts: Mapping[str, Mapping[str, Any]]) -> Table:
    """Return how large differences are: low, high, unit and, if there is one, direction, by function and kind.

    Args:
        spec: The spec, in whose folder they are kept.
        texts: The long texts of all metrics, as the tables have them.
    """
    measured = sizes_lock.read(spec.root)
    valid = {} if measured is None else sizes_lock.valid(measured, texts)
    data = {
        name: {
            about: [size.low, size.high, size.unit, *([size.direction] if size.direction else [])]
            for about, size in sizes.items()
        }
        for name, sizes in sorted(valid.items())
    }
    return Table(f"spec/{sizes_lock.FILE}", {"SIZES": data})
