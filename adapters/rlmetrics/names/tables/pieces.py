"""What the pieces of a record say together: the record itself, and every fact that holds.

A piece is a mapping of what the record or one fact says. What pieces set, the later ones replace: lint sees to it
that two facts that hold together never set the same differently. What they add, adds up.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from rlmetrics.lazy_typing import Any

__all__ = ["ADDED", "NOT_OF_THE_NUMBER", "combine"]

ADDED = (
    "traits",
    "without",
    "constant_when",
    "notes",
    "documented",
    "reads",
    "at",
    "logged_when",
    "fails",
)
"""What adds up over all pieces; what else one says, a later one says anew."""

_NOTHING: Mapping[str, tuple[Any, ...]] = dict.fromkeys(ADDED, ())

NOT_OF_THE_NUMBER = frozenset(
    {"when", "name", "notes", "documented", "reads", "at", "constant_when", "parameters", "gathered", "foreign"}
    | {"as_defined", "silent", "preferred", "overridden", "every", "axis"}
)
"""Fields that say nothing about how the number is computed, or whether it is logged."""

Piece = Mapping[str, Any]


def combine(record: Piece, facts: Sequence[Piece], profiles: Mapping[str, Piece]) -> dict[str, Any]:
    """Return what a record and the facts that hold say together.

    Reductions are set level by level. Scales are multiplied; one that several pieces name counts once.
    ``reproduced_by`` names a formula variant of the metric that stands with it, else of the record's: with another
    metric it does not count.

    Args:
        record: What the record says.
        facts: What the facts that hold say, in any order.
        profiles: The profiles that they can name.

    Returns:
        Everything that is said, with ``reduction`` and the fields of `ADDED` always there.
    """
    pieces = (record, *facts)
    profile: Piece = {}
    for piece in pieces:
        if "profile" in piece:
            profile = profiles[piece["profile"]]
    said: dict[str, Any] = dict(profile)
    reduction = dict(profile.get("reduction", ()))
    added: dict[str, dict[Any, None]] = {name: dict.fromkeys(profile[name]) for name in ADDED if name in profile}
    parameters: dict[str, Any] = {}
    scales: dict[float | str, None] = {}
    for piece in pieces:
        for name, value in piece.items():
            if name in _NOTHING:
                added.setdefault(name, {}).update(dict.fromkeys(value))
            elif name == "reduction":
                reduction.update(value)
            elif name == "parameters":
                parameters.update(value)
            elif name == "scale":
                scales[value] = None
            else:
                said[name] = value
    if scales:
        said["scale"] = next(iter(scales)) if len(scales) == 1 else _product(scales)
    if "reproduced_by" in said and not _belongs(pieces, said):
        del said["reproduced_by"]
    said["reduction"] = reduction
    if parameters:
        said["parameters"] = parameters
    said.update(_NOTHING)
    for name, values in added.items():
        said[name] = tuple(values)
    return said


def _product(scales: Collection[float | str]) -> float | str:
    if all(not isinstance(scale, str) for scale in scales):
        product = 1.0
        for scale in scales:
            product *= float(scale)
        return product
    return " * ".join(f"({scale})" for scale in scales)


def _belongs(pieces: Sequence[Piece], found: Mapping[str, Any]) -> bool:
    """Tell whether the formula variant is one of the metric that is logged."""
    own = pieces[0].get("metric")
    metrics = [piece.get("metric", own) for piece in pieces if "reproduced_by" in piece]
    return not metrics or found.get("metric") == metrics[-1]
