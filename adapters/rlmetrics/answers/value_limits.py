"""Values against the limits of their run: a setting that the spec says no value of a metric is above."""

from __future__ import annotations

import math
from collections.abc import Iterator

from rlmetrics.lazy_typing import TYPE_CHECKING, NamedTuple
from rlmetrics.names.meanings.view import FrameworkView

from .judgement import Judgement
from .value_ranges import axis_of

if TYPE_CHECKING:
    from rlmetrics.names import Resolution
    from rlmetrics.names.meanings.protocol import View

    from .pasted import Given

__all__ = ["at_limit"]

_ONE = {"max"}
"""Statistics that reach a limit as soon as one part does; all others only where every part does."""


class _Limit(NamedTuple):
    """A limit that is in force.

    Attributes:
        setting: The setting.
        value: Its value.
        unless: Where values can be above it all the same.
        is_given: Whether somebody said the value; else it is the release's default, which the run may have changed.
    """

    setting: str
    value: float
    unless: str | None
    is_given: bool


def at_limit(view: View, resolution: Resolution, given: Given) -> list[Judgement]:
    """Return that a value is at a limit of its run, or above it, which cannot be.

    Args:
        view: The source, with the settings that were given.
        resolution: What the key means.
        given: The value.
    """
    axis, number = axis_of(resolution), given.number
    if number is None or not math.isfinite(number) or axis is None or not isinstance(view, FrameworkView):
        return []
    metric, half = axis.undone(number), given.half / abs(axis.scale)
    said: list[Judgement] = []
    for limit in sorted(_limits(view, resolution), key=lambda item: (item.value, not item.is_given)):
        what = f"{limit.setting} = {limit.value:g}"
        if metric - half > limit.value and limit.is_given:
            why = None if limit.unless is None else f"Possible only where {limit.unless}."
            says = f"{given.text} is above the limit ({what}): that is not possible here."
            says += " The run had another limit, or the value belongs to another key."
            said.append(Judgement("error", "limit", says, why))
        elif abs(metric - limit.value) <= half:
            reached = _reached(view, resolution)
            says = f"{given.text} is the limit ({what}): {reached}."
            if not limit.is_given:
                says = f"{given.text} is the default limit ({what}): if the run left it so, {reached}."
            said.append(Judgement("info", "limit", says))
    return said[:1]


def _limits(view: FrameworkView, resolution: Resolution) -> Iterator[_Limit]:
    config = view.components[str(resolution.component)].config
    for name, row in config.keys.items():
        value = config.values.get(name)
        if (
            resolution.metric in row.get("limits", ())
            and isinstance(value, int | float)
            and not isinstance(value, bool)
        ):
            yield _Limit(name, value, row.get("unless"), is_given=name in config.given)


def _reached(view: View, resolution: Resolution) -> str:
    """Return what a value at a limit says: that one part reached it, or that all did."""
    identity = view.tables.metrics[str(resolution.metric)].get("identity", {})
    quantity, whose = str(identity.get("quantity", "")), str(identity.get("of", ""))
    part = whose if quantity == "length" else "response" if identity.get("extent") == "sequence" else "part"
    return f"{'at least one' if identity.get('statistic') in _ONE else 'every'} {part} reached it"
