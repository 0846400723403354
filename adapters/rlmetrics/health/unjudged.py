"""Which rules could not be judged, and why: what a run does not log, has too few points of, or leaves open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rlmetrics.lazy_typing import NamedTuple
from rlmetrics.wording.condition_words import condition_texts
from rlmetrics.wording.place_words import place_words
from rlmetrics.wording.voice import later

from .instances import SIBLING, Instance
from .judged_run import JudgedRun
from .key_meanings import LoggedAs
from .report_records import NotJudged
from .rules import Rule

__all__ = ["states_of"]

_MOST_POINTS = 1 << 14
"""Of how many points a rule that needs more is taken never to find anything."""
_NEEDS = later("needs {names} too")
_FEW = later("{count} points; needs {least}")
_HOLDS = later("what it looks for holds since {place}, and must for {steps} steps")
_NO_NUMBER = later("{key} is logged, but not as a number")
_SELDOM = later("it looks at the first steps alone, of which too few are logged")
_ABSENT = later("{names} is not logged")
_DISPUTED = later("{key} may be {metric} or something else")
_UNKNOWN = later("what logged the keys is not known")
_SAY_WHAT = later("--at says what logged it")
_NO_SCORE = later("no held-out score is logged")
_LOG_A_SCORE = later("log a score on data that is not trained on, such as an evaluation reward")
_NOT_EVALUATED = later("{names} is not logged in evaluation")
_EVALUATE = later("have the run evaluated on data that is not trained on")
_SECOND = "a second reward function"
_LEFT_OUT = later("the release logs it always, but this log does not have it")
_LOGGED = later("logged {what}")
_ONE_LEFT_OUT = later("{source} logs it always, but this log does not have it")
_ONE_LOGS = later("{source} logs it {what}")
"""Why a rule was not judged, and what would have it judged."""


def states_of(run: JudgedRun, fired: set[str]) -> tuple[list[NotJudged], list[str]]:
    """Return the rules that could not be judged, each with the reason, and those that found nothing."""
    by_rule: dict[str, list[Instance]] = {}
    for channel in run.curves.channels.values():
        for instance in channel.instances if channel is not None else ():
            by_rule.setdefault(instance.rule.id, []).append(instance)
    left: list[NotJudged] = []
    passed: list[str] = []
    curves = _LoggedCurves(run)
    for rule in run.curves.rules.rules:
        if rule.id in fired:
            continue
        state = _state(curves, rule, by_rule.get(rule.id, []))
        if state is None:
            passed.append(rule.id)
        else:
            left.append(state)
    order = {"explained_by_release": 0, "not_ready": 1, "not_logged": 2, "not_applicable": 3}
    return sorted(left, key=lambda item: order[item.state]), passed


class _NotLogged(NamedTuple):
    """Why a curve is not there, and what would have it."""

    why: str
    how: str


class _LoggedCurves:
    """What a run logs and what its source could log, for all rules.

    Args:
        run: The run.

    Attributes:
        run: The run.
        at: What logged it, in words.
        logged: Under which key, and under which condition, the source logs each metric.
        metrics: The metrics that are logged.
        numbered: Those of which there is a number.
        disputed: The keys as logged that have no one meaning, by their names without what a tracker puts before them.
        held: Whether a score on held-out data is.
        rivals: By metric, a key that means it or something else.
    """

    def __init__(self, run: JudgedRun) -> None:
        names = run.curves.names
        meanings = [channel.meaning for channel in run.curves.channels.values() if channel is not None]
        self.run = run
        self.at = run.at or "this source"
        self.logged: Mapping[str, LoggedAs] = names.logged if names is not None else {}
        self.metrics = {meaning.metric for meaning in meanings}
        counted = [channel for channel in run.curves.channels.values() if channel is not None and channel.series.count]
        self.numbered = {channel.meaning.metric for channel in counted}
        self.disputed = {key.removeprefix("train/"): key for key in (names.disputed if names is not None else ())}
        self.held = any(meaning.held_out for meaning in meanings)
        self.rivals = {metric: meaning.key for meaning in meanings for metric in meaning.rivals}

    def missing(self, rule: Rule) -> list[str]:
        """Return the curves that a rule needs and that are not logged."""
        missing = []
        for name in rule.required:
            metrics = rule.curves[name]
            if metrics == (SIBLING,):
                missing.append(_SECOND)
            elif metrics == ("held_out",):
                missing += [] if self.held else ["a held-out score"]
            elif self.metrics.isdisjoint(metrics):
                missing.append(metrics[0])
        return missing

    def lacked(self, rule: Rule, instance: Instance) -> list[str]:
        """Return what the further curves of a rule lack: metrics that are not logged as numbers, and a second function.

        A curve that is chosen among several, such as another reward function, leaves none of the rule's curves bound
        where it is not there; what the log has is not lacking then.
        """
        found: list[str] = []
        for name, metrics in rule.curves.items():
            if any(curves[name].count for curves in instance.peers):
                continue
            if metrics == (SIBLING,):
                return [_SECOND]
            if self.numbered.isdisjoint(metrics):
                found.append(metrics[0])
        return found

    def unsettled(self, metrics: Sequence[str]) -> _NotLogged | None:
        """Return why a metric is not judged whose key is there: it may be this one or another."""
        for metric in metrics:
            named = self.logged[metric].key if metric in self.logged else ""
            key = self.rivals.get(metric) or self.disputed.get(named)
            if key is not None:
                return _NotLogged(_DISPUTED.format(key=key, metric=metric), _SAY_WHAT)
        return None

    def could(self, rule: Rule, first: str) -> bool:
        """Tell whether the source logs any of the metrics that a curve may be, of which the first is named."""
        curves = (metrics for metrics in rule.curves.values() if metrics[0] == first)
        return any(metric in self.logged for metrics in curves for metric in metrics)

    def spelled(self, metrics: Sequence[str]) -> list[str]:
        """Return the keys that the source logs metrics under; the names of those that it has no key for."""
        return [self.logged[metric].key if metric in self.logged else metric for metric in metrics]

    def how(self, metric: str) -> str | None:
        """Return what would have a metric logged."""
        found = self.logged.get(metric)
        if found is None:
            return None
        said = "; ".join(condition_texts(found.condition)) if found.condition else ""
        answer = self.run.answer
        if answer is None or answer.is_given or answer.is_single:
            return _LOGGED.format(what=said) if said else _LEFT_OUT
        # Which of several releases wrote the log is open: what is said of one of them names it.
        return _ONE_LOGS.format(source=self.at, what=said) if said else _ONE_LEFT_OUT.format(source=self.at)


def _state(curves: _LoggedCurves, rule: Rule, instances: list[Instance]) -> NotJudged | None:
    if rule.special == "log_gap":
        return None
    if not instances:
        return _not_logged(curves, rule)
    quiet = [item.quiet for item in instances if item.quiet not in ("", "no")]
    if quiet and len(quiet) == len(instances):
        state, _, why = quiet[0].partition(":")
        return NotJudged(rule.id, state, why)
    if any(item.judged for item in instances) or rule.special:
        return None
    missing = curves.missing(rule) if any(item.channel.series.count for item in instances) else []
    unknown = [name for name in missing if "/" in name and not curves.could(rule, name)]
    if unknown:
        return NotJudged(rule.id, "not_applicable", f"{curves.at} does not log {unknown[0]}")
    unsettled = curves.unsettled(missing)
    if unsettled is not None:
        return NotJudged(rule.id, "not_logged", *unsettled)
    if missing:
        return NotJudged(
            rule.id, "not_logged", _NEEDS.format(names=" and ".join(curves.spelled(missing))), curves.how(missing[0])
        )
    return _not_ready(curves, rule, max(instances, key=lambda item: item.channel.series.count))


def _not_ready(curves: _LoggedCurves, rule: Rule, instance: Instance) -> NotJudged:
    """Return why a rule can't have found anything yet on a curve, or not found that all is well."""
    count, run = instance.channel.series.count, curves.run
    if not count:
        return NotJudged(rule.id, "not_logged", _NO_NUMBER.format(key=instance.channel.meaning.key))
    instance.bind(run.curves.version, run.curves.by_metric)
    if instance.ready.reached and instance.holds:
        place = place_words(f"{instance.held_since:g}", by_row=bool(run.rows) and run.counted == run.rows)
        return NotJudged(rule.id, "not_ready", _HOLDS.format(place=place, steps=rule.steps))
    least = instance.least(_MOST_POINTS)
    if least is not None:
        return NotJudged(rule.id, "not_ready", _FEW.format(count=count, least=least), points=least)
    wanted = curves.lacked(rule, instance)
    unsettled = curves.unsettled(wanted)
    if unsettled is not None:
        return NotJudged(rule.id, "not_logged", *unsettled)
    if wanted:
        names = [name for name in wanted if name == _SECOND or curves.could(rule, name)]
        state, how = ("not_logged", curves.how(names[0])) if names else ("not_applicable", None)
        return NotJudged(rule.id, state, _NEEDS.format(names=" or ".join(curves.spelled(names or wanted))), how)
    return NotJudged(rule.id, "not_applicable", _SELDOM)


def _not_logged(curves: _LoggedCurves, rule: Rule) -> NotJudged:
    answer = curves.run.answer
    if answer is not None and not (answer.is_given or answer.is_known or answer.undescribed):
        return NotJudged(rule.id, "not_logged", _UNKNOWN, _SAY_WHAT)
    if rule.mode == "held_out":
        if not curves.could(rule, rule.curves["reward"][0]):
            return NotJudged(rule.id, "not_applicable", f"{curves.at} logs no reward to maximise")
        return NotJudged(rule.id, "not_logged", _NO_SCORE, _LOG_A_SCORE)
    known = [metric for metric in rule.metrics if metric in curves.logged]
    if not known:
        return NotJudged(rule.id, "not_applicable", f"{curves.at} has no such metric")
    unsettled = curves.unsettled(known)
    if unsettled is not None:
        return NotJudged(rule.id, "not_logged", *unsettled)
    if rule.mode == "eval":
        return NotJudged(rule.id, "not_logged", _NOT_EVALUATED.format(names=curves.logged[known[0]].key), _EVALUATE)
    return NotJudged(rule.id, "not_logged", _ABSENT.format(names=curves.logged[known[0]].key), curves.how(known[0]))
