"""Numbers that fall because less and less is counted, such as an entropy over responses that were not cut off.

A part in which nothing is left to count is a 0 in the mean, so that the number is its true level times the share of
parts that count. That says nothing about the policy.
"""

from __future__ import annotations

from collections.abc import Mapping

from .instances import Channel
from .key_meanings import KeyMeaning
from .series import Series
from .trends import median

__all__ = ["emptied_text", "share_left_out"]

_FEWEST = 5
_LEAST = 0.05
"""The share that must count for the level of the rest to be told."""
_VARIES = 1.5
"""How much more must count at one time than at another, for a number to show that it follows."""
_SPREAD = 0.25
"""How far the levels may lie apart, nine in ten of them, if the number follows the share."""
_KEEPS = 0.5
"""Which part of its level a number keeps if nothing but the share explains its fall."""


def share_left_out(meaning: KeyMeaning, by_metric: Mapping[str, list[Channel]]) -> Series | None:
    """Return the curve of the share of responses that a number may leave out; None if there is none."""
    for metric in meaning.emptied.shares if meaning.emptied is not None else ():
        for channel in by_metric.get(metric, ()):
            if channel.meaning.mode == meaning.mode and channel.series.count:
                return channel.series
    return None


def emptied_text(channel: Channel, by_metric: Mapping[str, list[Channel]]) -> str | None:
    """Return why a number is low, if the share that it leaves out explains that; None if it does not."""
    emptied, series = channel.meaning.emptied, channel.series
    left_out = share_left_out(channel.meaning, by_metric)
    if emptied is None or left_out is None or not series.now() < series.start():
        return None
    if emptied.when and not (_follows(series, left_out) or _stands_still(series, left_out, by_metric)):
        return None
    level = series.start() / max(1 - left_out.start(), _LEAST)
    if series.now() < _KEEPS * level * (1 - left_out.now()):
        return None
    said = "responses that were cut off are left out, and a part in which nothing is left to count is a 0 in the mean"
    return f"0, or low, since nothing was counted: {said}" + (f" ({emptied.when})" if emptied.when else "")


def _follows(series: Series, left_out: Series) -> bool:
    """Tell whether a number has moved with the share that counts, and with nothing else."""
    values, shares = series.points_of()[1], left_out.points_of()[1]
    if len(values) != len(shares):
        return False
    pairs = [(value, 1 - share) for value, share in zip(values, shares, strict=True) if 1 - share >= _LEAST]
    if len(pairs) < _FEWEST or max(kept for _, kept in pairs) < _VARIES * min(kept for _, kept in pairs):
        return False
    levels = sorted(value / kept for value, kept in pairs)
    tenth = len(levels) // 10
    return levels[-1 - tenth] - levels[tenth] <= _SPREAD * abs(median(levels))


def _stands_still(series: Series, left_out: Series, by_metric: Mapping[str, list[Channel]]) -> bool:
    """Tell whether all is left out, the gradient is 0 and rewards differ: then nothing that was left out is counted."""
    norm, spread = (
        next((item.series for name in names for item in by_metric.get(name, ()) if item.series.count), None)
        for names in (("optimizer/gradient_norm",), ("reward/group_std", "reward/std", "reward/score/std"))
    )
    gone = series.last == 0 and left_out.last == 1 and norm is not None and norm.last == 0
    return gone and spread is not None and spread.last > 0
