"""What a report says of values beside its findings: beyond a bound in too few rows to call, and impossible ones."""

from __future__ import annotations

import math
from collections.abc import Iterator

from rlmetrics.wording.voice import later

from .advising import far_learning_rate
from .emptied import emptied_text
from .glances import beyond, is_bound
from .instances import Channel, Instance
from .judged_run import JudgedRun, constant_text
from .out_of_range import impossible_value
from .report_records import LEVELS, Beyond, Expected, Finding

__all__ = ["beyond_bounds", "impossible"]

_MOST = 32
"""Points of which every single one is kept. One of more that lies beyond a bound is what a long run has."""
_TIMES = later("{times} times the release's default of {usual}")
_OUT_OF = later("{value} can't be this quantity, which is from {low} to {high}: no rule judges it")
_ABOVE = later("{value} can't be this quantity, which is never above {high}: no rule judges it")
_BELOW = later("{value} can't be this quantity, which is never below {low}: no rule judges it")


def impossible(run: JudgedRun) -> list[Expected]:
    """Return the curves with a value that the metric they are said to show can't have."""
    found = []
    for channel in run.curves.channels.values():
        value = None if channel is None else impossible_value(channel)
        if channel is not None and channel.meaning.span is not None and value is not None:
            found.append(Expected(channel.meaning.key, _never(channel, value, *channel.meaning.span)))
    return found


def _never(channel: Channel, value: float, low: float | None, high: float | None) -> str:
    """Return that a value of the metric is outside its range, in terms of the key."""
    ends = [None if end is None else channel.logged(end) for end in (low, high)]
    if channel.scale is not None and channel.scale < 0:
        ends.reverse()
    shown = f"{channel.logged(value):.6g}"
    if ends[0] is None:
        return _ABOVE.format(value=shown, high=f"{ends[1]:g}")
    if ends[1] is None:
        return _BELOW.format(value=shown, low=f"{ends[0]:g}")
    return _OUT_OF.format(value=shown, low=f"{ends[0]:g}", high=f"{ends[1]:g}")


def beyond_bounds(run: JudgedRun, findings: tuple[Finding, ...], left_out: set[str]) -> list[Beyond]:
    """Return which values lie beyond the bound of a rule that did not find them to last.

    Args:
        run: The run.
        findings: What rules found; a key that one of them is about is told already.
        left_out: Keys that no rule judges.
    """
    told = {finding.key for finding in findings} | left_out
    best: dict[str, Beyond] = {}
    for instance in run.curves.instances():
        key = instance.channel.meaning.key
        if key in told or not 0 < instance.channel.series.count <= _MOST or instance.rule.instant:
            continue
        for seen in _seen(run, instance):
            if key not in best or _weight(seen) > _weight(best[key]):
                best[key] = seen
    far = far_learning_rate(run.curves.channels, run.curves.names)
    if far is not None:
        course = zip(*far.channel.series.until(math.inf), strict=True)
        steps = [step for step, value in course if far.channel.logged(value) >= far.bound]
        what = _TIMES.format(times=f"{far.value / far.usual:,.0f}", usual=f"{far.usual:g}")
        key = far.channel.meaning.key
        if key not in told:
            best[key] = Beyond("", "warning", key, what, far.value, tuple(steps), far.channel.series.count)
    return sorted(best.values(), key=lambda item: (-LEVELS.index(item.level), -len(item.steps) / item.of, item.key))


def _weight(seen: Beyond) -> tuple[int, int]:
    return LEVELS.index(seen.level), len(seen.steps)


def _seen(run: JudgedRun, instance: Instance) -> Iterator[Beyond]:
    """Yield for each level of a rule which values lie beyond its bound."""
    channel, rule = instance.channel, instance.rule
    if not any(is_bound(condition) for _, condition in rule.tiers) or not run.judges(instance):
        return
    instance.bind(run.curves.version, run.curves.by_metric)
    if not instance.complete or _is_given(run, channel):
        return
    steps, values = channel.series.recent()
    first = channel.series.first_step
    for level, condition in rule.tiers:
        if not is_bound(condition):
            continue
        over = [
            (step, value)
            for step, value in zip(steps, values, strict=True)
            if any(beyond(condition, curves, value, step) for curves in instance.peers)
        ]
        # One step that a rule leaves out is as it is by construction; more of them wait until a curve is known.
        if over and not (rule.warm_up == 1 and [step for step, _ in over] == [first]):
            most = max((value for _, value in over), key=abs)
            told = tuple(step for step, _ in over)
            title, _ = rule.said_at(level)
            yield Beyond(rule.id, level, channel.meaning.key, title, channel.logged(most), told, len(values))


def _is_given(run: JudgedRun, channel: Channel) -> bool:
    """Tell whether a number is what the release, or what is left out of it, makes it."""
    if channel.meaning.emptied is not None and emptied_text(channel, run.curves.by_metric) is not None:
        return True
    names = run.curves.names
    if names is None or not (channel.series.constant() or channel.series.count == 1):
        return False
    return constant_text(channel.meaning, channel.series.last, names.holds) is not None
