"""Values that the metric which a key is said to show can't have: then it is another number, which no rule judges."""

from __future__ import annotations

from .instances import Channel

__all__ = ["impossible_value"]

_ROUNDING = 1e-6
"""How far float32 leaves a range: below that a number is taken for its bound."""
_OWN = "impossible-divergence"
"""The rule that finds by itself what cannot be."""


def impossible_value(channel: Channel) -> float | None:
    """Return the value of a curve that lies outside the range of its metric, in its terms; None if none does."""
    if not channel.series.count or channel.meaning.span is None or channel.scale is None:
        return None
    if any(item.rule.id == _OWN for item in channel.instances):
        return None
    low, high = channel.meaning.span
    values = [*channel.series.points_of()[1], *channel.series.recent()[1]]
    least, most = min(values), max(values)
    if low is not None and low - least > _ROUNDING * max(1.0, abs(least)):
        return least
    return most if high is not None and most - high > _ROUNDING * max(1.0, abs(most)) else None
