"""A rule on one curve: since when its condition holds, and what has been said about it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rlmetrics.names.tables.key_records import Transform

from .glances import is_bound, since_when
from .key_meanings import KeyMeaning
from .readiness import Attainable, Readiness, lasts, next_look
from .report_records import LEVELS, Finding
from .rules import Rule
from .series import NOTHING, Series

__all__ = ["MOST_WAITING", "SIBLING", "Channel", "Instance"]

MOST_WAITING = 32
"""Points that wait to be taken together, unless more are allowed."""
SIBLING = "sibling"
"""In place of a metric: the same metric of another placeholder, such as the reward of another function."""


_BEGINNING = {"first_at", "from_start"}
_ON_BEGINNING = {"first", "start", "elapsed", "points"}
_MOVING = {"falling", "rising", "rise", "gain", "start", "high"}
_RANK = {level: rank for rank, level in enumerate(LEVELS)}


class Lost:
    """The rows in which a key has no number, although rows of their kind have.

    Attributes:
        in_a_row: How many of them at the end.
        rows: How many at all.
        first: The step of the first.
        last: The step of the last.
        vanished: Whether the key was not in the last of them at all.
    """

    __slots__ = ("first", "in_a_row", "last", "rows", "vanished")

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Begin anew."""
        self.in_a_row = self.rows = 0
        self.first = self.last = math.nan
        self.vanished = False

    def add(self, step: float, *, vanished: bool = False) -> None:
        """Count another one."""
        self.in_a_row += 1
        self.rows += 1
        self.first = step if math.isnan(self.first) else self.first
        self.last = step
        self.vanished = vanished

    def state(self) -> list[float]:
        """Return all of it as plain values; empty without any row."""
        return [self.in_a_row, self.rows, self.first, self.last, self.vanished] if self.rows else []

    def restore(self, state: Sequence[float]) -> None:
        """Take what ``state`` returned."""
        if state:
            self.in_a_row, self.rows, self.vanished = int(state[0]), int(state[1]), bool(state[4])
            self.first, self.last = state[2], state[3]


class Channel:
    """A key with its curve.

    Attributes:
        meaning: What it is.
        series: Its curve.
        instances: The rules on it that look at single values, and those that look now and then.
        due: At how many points the rules on it look next.
        plain: Whether its values are those of the metric, without a conversion.
        calm: Between which logged values no rule on single values can find anything; None where there is no such rule.
        alarmed: Whether a rule on single values holds.
        nonfinite: The rule that finds NaN and infinities in it, if there is one.
        skipped: The rule that remarks where these are over.
        unrewarded: The rule that finds rows without a reward.
        zeroed: The rule that finds zeros that stand for NaN.
        ahead: How many points may wait.
        lost: Its rows without the number that others have.
        steps: Where the points are that the curve has not taken yet.
        values: Their values.
        room: How many points it takes before something is to be done.
    """

    __slots__ = (
        "ahead",
        "alarmed",
        "calm",
        "due",
        "instant",
        "lost",
        "meaning",
        "nonfinite",
        "now_and_then",
        "offset",
        "plain",
        "room",
        "scale",
        "series",
        "skipped",
        "steps",
        "unrewarded",
        "values",
        "zeroed",
    )

    def __init__(self, meaning: KeyMeaning, rules: Sequence[Rule], ahead: int = MOST_WAITING) -> None:
        self.meaning = meaning
        self.series = Series(meaning.key)
        self.series.spiky = any("spikes" in tier.functions for rule in rules for _, tier in rule.tiers)
        self.scale = meaning.scale
        self.offset = meaning.offset
        made = [Instance(rule, self) for rule in rules]
        special = {item.rule.special: item for item in made if item.rule.special}
        self.nonfinite = special.get("non_finite")
        self.skipped = special.get("skipped_steps")
        self.unrewarded = special.get("no_reward")
        self.zeroed = special.get("zeros_for_nan")
        self.lost = Lost()
        judged = [item for item in made if item.rule.tiers]
        self.instant = [item for item in judged if item.rule.instant]
        self.now_and_then = [item for item in judged if not item.rule.instant]
        self.plain = meaning.scale is None or (meaning.scale == 1.0 and not meaning.offset)
        self.calm = _calm(self.instant, self)
        self.alarmed = False
        self.due = self.room = 1
        self.ahead = ahead
        self.steps: list[float] = []
        self.values: list[float] = []

    @property
    def axis(self) -> Transform | None:
        """What the key makes of its metric; None where that depends on an unknown setting."""
        return None if self.scale is None else Transform(self.scale, self.offset)

    def converted(self, number: float) -> float:
        """Return a logged number in terms of the metric."""
        return float(number) if self.plain or self.scale is None else (float(number) - self.offset) / self.scale

    def logged(self, number: float) -> float:
        """Return a number in terms of the metric as it is logged."""
        return number if self.plain or self.scale is None else number * self.scale + self.offset

    def stirs(self, number: float) -> bool:
        """Tell whether a logged number may matter to a rule on single values."""
        return self.calm is not None and (self.alarmed or not self.calm[0] < number < self.calm[1])

    @property
    def count(self) -> int:
        """How many finite points came."""
        return self.series.count + len(self.values)

    def flush(self) -> None:
        """Let the curve take the points that wait."""
        if self.values:
            if len(self.values) == 1:
                self.series.add(self.steps[0], self.values[0])
            else:
                self.series.extend(self.steps, self.values)
            self.steps.clear()
            self.values.clear()

    def resume(self, due: int) -> None:
        """Go on where a run was saved, with the curve and the rules as they were."""
        self.due = due
        self.room = max(1, min(due - self.count, self.ahead))
        self.alarmed = any(item.holds for item in self.instant)

    def full(self) -> bool:
        """Make room for further points; tell whether the rules on it are due to look."""
        count = self.count
        if is_due := count >= self.due:
            self.due = next_look(count, suspects=any(item.suspects for item in self.now_and_then))
        self.room = min(self.due - count, self.ahead)
        if not is_due:
            self.flush()
        return is_due

    @property
    def instances(self) -> list[Instance]:
        """All rules on it."""
        special = (self.nonfinite, self.skipped, self.unrewarded, self.zeroed)
        return [*self.instant, *self.now_and_then, *(item for item in special if item is not None)]


class Instance:
    """A rule on one curve.

    Attributes:
        rule: The rule.
        channel: The curve.
        judged: Whether it could have found something and did not, or did.
        ready: Whether it could have found something by now.
        feeds: The curves that it looks at, its own first.
    """

    __slots__ = (
        "_asked",
        "_finding",
        "_last_step",
        "_needed",
        "_since",
        "_version",
        "active",
        "channel",
        "feeds",
        "judged",
        "peers",
        "quiet",
        "ready",
        "rule",
    )

    def __init__(self, rule: Rule, channel: Channel) -> None:
        self.rule = rule
        self.channel = channel
        self._finding: Finding | None = None
        self._last_step: float | None = None
        self.active = False
        self.judged = False
        self.ready = Readiness(rule.steps)
        self.quiet = ""
        self.feeds: list[Channel] = []
        self.peers: list[dict[str, Series]] = []
        self._since: dict[str, list[float]] = {}
        self._asked: list[tuple[str, Callable[..., Any], list[list[Series]]]] = []
        self._needed: list[Series] = []
        self._version = -1

    @property
    def finding(self) -> Finding | None:
        """What it found; the highest level so far."""
        found, last = self._finding, self._last_step
        if found is not None and last is not None:
            # What holds on for many rows is not made anew in each of them.
            found = self._finding = _replaced(found, last_step=last)
            self._last_step = None
        return found

    @finding.setter
    def finding(self, found: Finding | None) -> None:
        self._finding, self._last_step = found, None

    def bind(self, version: int, by_metric: Mapping[str, list[Channel]]) -> None:
        """Find the further curves that conditions name.

        Args:
            version: Another number wherever there are more curves than before.
            by_metric: The curves of each metric.
        """
        if version != self._version:
            self._version = version
            own = self.channel
            self.feeds = [own]
            curves: dict[str, Series] = {"x": own.series}
            siblings: list[Series] | None = None
            for name, metrics in self.rule.curves.items():
                if metrics == (SIBLING,):
                    alike = [
                        other
                        for other in by_metric.get(own.meaning.metric or "", ())
                        if other is not own
                        and other.meaning.template == own.meaning.template
                        and other.meaning.mode == own.meaning.mode
                    ][:8]
                    self.feeds += alike
                    siblings = [other.series for other in alike]
                    curves[name] = NOTHING
                else:
                    other = _first(metrics, by_metric, own)
                    self.feeds += [] if other is None else [other]
                    curves[name] = NOTHING if other is None else other.series
            self.peers = [curves]
            if siblings is not None:
                name = next(name for name, metrics in self.rule.curves.items() if metrics == (SIBLING,))
                self.peers = [{**curves, name: series} for series in siblings]
            self._asked = [
                (level, condition.call, [[curves[name] for name in condition.names] for curves in self.peers])
                for level, condition in self.rule.tiers
            ]
            self._needed = [self.peers[0][name] for name in self.rule.required] if self.peers else []

    @property
    def complete(self) -> bool:
        """Whether all further curves that are required have points."""
        for series in self._needed:
            if not series.count:
                return False
        return bool(self.peers)

    def judge(self, place: float, step: float, step_at: Callable[[float], float]) -> Finding | None:
        """Return a finding if the condition of a level has held long enough, and that level is a new one.

        Args:
            place: Where the row stands on an axis that never falls.
            step: Its step.
            step_at: Returns the step of an earlier place; a run that was resumed has a step at two.
        """
        series = self.channel.series
        rule = self.rule
        if series.count < rule.points or place - series.first_step < rule.warm_up:
            return None
        could = self.judged or self.ready.reached or self.ready.look(place, self._possible(series.count))
        held = False
        for level, call, peers in self._asked:
            since = self._since.get(level)
            if held or _holds(call, peers):
                # What holds for a worse level holds for those below it.
                held = True
                if since is None:
                    since = self._since[level] = [place, 0.0, step]
                since[1] += 1
                if lasts(since, place, rule.steps):
                    self.judged = True
                    said = self._say(level, since, step, step_at)
                    if said is not None:
                        return said
            elif since is not None:
                del self._since[level]
        if not held:
            self.active = False
            # What holds since the rule could find something first is no passing.
            self.judged = could
        return None

    def _possible(self, count: int) -> list[bool]:
        """Return of each level, the worst first, whether its condition could hold if the curve had so many points."""
        own = self.channel.series
        spacing = own.elapsed() / (own.count - 1) if own.count > 1 else 1.0
        known: dict[int, Attainable] = {}
        for series in (series for _, _, peers in self._asked for curves in peers for series in curves):
            if id(series) not in known:
                points = max(0, series.count + count - own.count) if series.count else 0
                known[id(series)] = Attainable(points, spacing, series.first_step, own=series is own)
        return [
            any(condition.possible(*[known[id(series)] for series in curves]) for curves in peers)
            for (_, condition), (_, _, peers) in zip(self.rule.tiers, self._asked, strict=True)
        ]

    def least(self, most: int) -> int | None:
        """Return of how many points of its curve it could find something first; None if not of so many.

        Further points are taken to come as those that there are: at their distance, with the other curves beside them.
        """
        own, ready = self.channel.series, Readiness(self.rule.steps)
        spacing = own.elapsed() / (own.count - 1) if own.count > 1 else 1.0
        count = 1
        while count <= most:
            elapsed = (count - 1) * spacing
            if (
                count >= self.rule.points
                and elapsed >= self.rule.warm_up
                and ready.look(elapsed, self._possible(count))
            ):
                return count
            count = next_look(count, suspects=True)
        return None

    @property
    def holds(self) -> bool:
        """Whether the condition of some level held when it was last looked at."""
        return bool(self._since)

    @property
    def held_since(self) -> float:
        """Since which step the condition of some level holds; only where one does."""
        return min(since[2] for since in self._since.values())

    @property
    def suspects(self) -> bool:
        """Whether the condition of a level holds that has not been said."""
        finding = self._finding
        return any(finding is None or _RANK[finding.level] < _RANK[level] for level in self._since)

    def _say(
        self, level: str, since: Sequence[float], step: float, step_at: Callable[[float], float]
    ) -> Finding | None:
        series = self.channel.series
        old = self._finding
        spiked = "spikes" in next(each.functions for name, each in self.rule.tiers if name == level)
        if old is not None and _RANK[old.level] >= _RANK[level]:
            if old.level == level:
                # The steps over which spikes are counted are none in which it jumped.
                self._last(max(old.first_step, step_at(series.last_spike())) if spiked else step)
            return None
        self.active = True
        began = self._onset(level, since[0])
        onset = since[2] if began == since[0] else step_at(began)
        value = series.jumped if spiked else series.last if self.rule.shows is None else self.rule.shows(series)
        self.finding = self.made(level, onset, step, None if math.isnan(value) else self.channel.logged(value))
        return self.finding

    def _onset(self, level: str, since: float) -> float:
        """Return where what a level asks for began, which may be long before it held.

        Args:
            level: The level.
            since: Since which place its condition held.
        """
        condition = next(condition for name, condition in self.rule.tiers if name == level)
        asked, series = condition.functions, self.channel.series
        if self.rule.instant or condition.exact:
            return since
        if asked & _BEGINNING or "first" in asked <= _ON_BEGINNING or condition.ever:
            return series.first_step
        if "spikes" in asked:
            return min(since, series.spiked_at())
        if condition.turns:
            return min(since, series.lowest_at(since))
        repeated = [item for name in condition.repeated if (item := self.peers[0][name]).same > 2]
        if repeated:
            began = max(item.same_since for item in repeated)
        elif "flat" in condition.functions or (
            "not_rising" in condition.functions and not condition.functions & _MOVING
        ):
            began = series.came_to(since)
        else:
            began = series.left_at(since, condition.heading)
            # What never moved was so from its first point on, unless another curve decides.
            began = since if began == series.first_step and len(condition.names) > 1 else began
        if is_bound(condition):
            raw = min(since_when(condition, curves, since) for curves in self.peers)
            # A short curve has no level that it could be seen to leave: what its values say alone is sure.
            began = raw if began == series.first_step else min(began, raw)
        return min(since, began)

    def _last(self, step: float) -> None:
        self.active = True
        self._last_step = step

    def made(self, level: str, onset: float, step: float, value: float | None, message: str | None = None) -> Finding:
        """Return a finding of this rule."""
        rule, meaning = self.rule, self.channel.meaning
        return Finding(
            rule.id,
            level,
            rule.cause,
            meaning.metric,
            meaning.key,
            onset,
            step,
            step,
            value,
            message or rule.said_at(level)[1],
            rule.advice,
            rule.basis,
            rule.source,
        )

    def lost(self, level: str, step: float, how: str) -> Finding | None:
        """Say that a value got lost; None if that has been said at this level."""
        old = self._finding
        self.judged = True
        if old is not None and LEVELS.index(old.level) >= LEVELS.index(level):
            self._last(step)
            return None
        self.active = True
        onset = step if old is None else old.onset_step
        self.finding = self.made(level, onset, step, None, f"{self.rule.message} {how}".rstrip())
        return self.finding

    def remark(self, level: str, first: float, last: float, said: str) -> None:
        """Say what is left of something that is over."""
        self.judged = True
        made = self.made(level, first, first, None, f"{self.rule.message} {said}")
        self.finding = _replaced(made, last_step=last)

    def state(self) -> dict[str, Any]:
        """Return what changes, as plain values."""
        last = self.finding
        finding = None if last is None else [last.level, last.onset_step, last.first_step, last.last_step]
        said = None if last is None else [last.value, last.message]
        kept = {"since": self._since, "finding": finding, "said": said, "active": self.active, "judged": self.judged}
        return {**kept, "ready": self.ready.state()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take what ``state`` returned."""
        self._since = {level: list(since) for level, since in state["since"].items()}
        self.active, self.judged = state["active"], state["judged"]
        self.ready.restore(state["ready"])
        if state["finding"] is not None:
            level, onset, first, last = state["finding"]
            value, message = state["said"]
            self.finding = _replaced(self.made(level, onset, first, value, message), last_step=last)


def _holds(call: Callable[..., Any], peers: list[list[Series]]) -> bool:
    for curves in peers:
        try:
            if call(*curves):
                return True
        except ArithmeticError:
            continue
    return False


def _calm(instances: Sequence[Instance], channel: Channel) -> tuple[float, float] | None:
    """Return between which logged values none of some rules on single values holds."""
    if not instances:
        return None
    low, high = -math.inf, math.inf
    for _, condition in (tier for item in instances for tier in item.rule.tiers):
        if not condition.bounds:
            return math.inf, -math.inf
        low = max(low, condition.bounds.get("below", -math.inf))
        high = min(high, condition.bounds.get("above", math.inf))
    if channel.plain or channel.scale is None:
        return low, high
    ends = sorted(end * channel.scale + channel.offset for end in (low, high))
    return ends[0], ends[1]


def _replaced(finding: Finding, *, last_step: float) -> Finding:
    fields = {name: getattr(finding, name) for name in Finding.__dataclass_fields__}
    return Finding(**{**fields, "last_step": last_step})


def _first(metrics: Sequence[str], by_metric: Mapping[str, list[Channel]], own: Channel) -> Channel | None:
    """Return the curve of the first metric that is logged, of training unless the metric is held out."""
    for metric in metrics:
        for channel in by_metric.get(metric, ()):
            if channel is not own and (channel.meaning.mode == "train" or metric == "held_out"):
                return channel
    return None
