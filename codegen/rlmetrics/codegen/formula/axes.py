"""Which axes of the inputs of several formulas are one and the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from .declared import DeclaredInput, Domain

__all__ = ["AXES_OF", "same_axes"]

AXES_OF: Final[Mapping[Domain, tuple[str, ...]]] = {
    "token": ("B", "T"),
    "vocab": ("B", "T", "V"),
    "sequence": ("B",),
    "group": ("G",),
    "batch": ("N",),
    "scalar": (),
}


def same_axes(formulas: Iterable[Iterable[str]], declared: Mapping[str, DeclaredInput]) -> dict[str, tuple[str, ...]]:
    """Return the axes of each input, numbered from the second on where axes of one kind may differ in size.

    Within a formula, axes of one kind have one size; between formulas only if a chain of shared inputs says so. A list
    of chosen responses may be shorter than one of rejected ones, unless some formula takes both. Rows are the same
    everywhere: what one update gives belongs to the same responses.

    Args:
        formulas: The inputs of each formula.
        declared: The declared inputs.
    """
    parents: dict[tuple[str, str], tuple[str, str]] = {}

    def top(axis: tuple[str, str]) -> tuple[str, str]:
        while parents.setdefault(axis, axis) != axis:
            axis = parents[axis]
        return axis

    rows: list[tuple[str, str]] = []
    for inputs in formulas:
        first = {"B": rows[0]} if rows else {}
        for name in inputs:
            if not rows and "B" in AXES_OF[declared[name].domain]:
                rows.append((name, "B"))
            for kind in AXES_OF[declared[name].domain]:
                parents[top((name, kind))] = top(first.setdefault(kind, (name, kind)))
    numbered: dict[tuple[str, str], str] = {}
    used: dict[str, int] = {}
    result: dict[str, tuple[str, ...]] = {}
    for name in declared:
        axes = []
        for kind in AXES_OF[declared[name].domain]:
            axis = top((name, kind))
            if axis not in numbered:
                used[kind] = used.get(kind, 0) + 1
                numbered[axis] = kind if used[kind] == 1 else f"{kind}{used[kind]}"
            axes.append(numbered[axis])
        result[name] = tuple(axes)
    return result
