"""What a monitor knows, as a report: findings, diagnoses, what was not judged and why, and what it cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from rlmetrics.names.inference import SourceAnswer

from .advising import advised
from .diagnosing import diagnose
from .instances import SIBLING, Channel, Instance
from .intake import MOST_UNUSED
from .judged_keys import SourceNames
from .report_records import Curve, Diagnosis, Expected, Finding, NotJudged, Report, counted
from .row_facts import Axis
from .rules import Rule, Rules

__all__ = ["make_report"]

_MOST_CURVES = 12
_MANY_FALLS = 0.2
"""Share of rows before an earlier step above which a log is not in the order of training."""
_SKIPPED = "steps-skipped"
_NO_SIGNAL = {"no_learning_signal", "non_finite"}
_COMPLETIONS = (
    ("data.train_batch_size", "actor_rollout_ref.rollout.n"),
    ("per_device_train_batch_size", "gradient_accumulation_steps"),
)
"""Settings whose product is how many responses a step takes, per process in TRL."""


class JudgedRun(Protocol):
    """What a report reads of a monitor, whose attributes these are."""

    faults: int
    fault: str
    notes: list[str]
    rows: int
    counted: int
    axis: Axis
    answer: SourceAnswer | None

    @property
    def crowded(self) -> bool: ...
    @property
    def decimals(self) -> int | None: ...
    @property
    def at(self) -> str | None: ...
    @property
    def names(self) -> SourceNames | None: ...
    @property
    def config(self) -> Mapping[str, Any]: ...
    @property
    def rules(self) -> Rules: ...
    @property
    def channels(self) -> Mapping[str, Channel | None]: ...
    @property
    def expected(self) -> Sequence[Expected]: ...
    def findings(self) -> list[Finding]: ...


def make_report(monitor: JudgedRun, run: str) -> Report:
    """Return a report on all rows so far."""
    findings = tuple(monitor.findings())
    first = monitor.axis.first or 0.0
    last = monitor.axis.last if monitor.axis.last is not None else first
    made = diagnose(findings, monitor.rules, (first, last))
    diagnoses = tuple(advised(made, findings, monitor.channels, monitor.names))
    not_judged, passed = _states(monitor, {finding.rule for finding in findings})
    return Report(
        run=run,
        at=monitor.at,
        rows=monitor.rows,
        findings=findings,
        diagnoses=diagnoses,
        not_judged=tuple(not_judged),
        passed=tuple(passed),
        expected=tuple(monitor.expected),
        notes=tuple(_notes(monitor)),
        steps=(first, last),
        cost=_cost(monitor, findings, diagnoses),
        curves=tuple(_curves(monitor, findings, diagnoses)),
        keys=sum(channel is not None for channel in monitor.channels.values()),
        answer=monitor.answer,
    )


def _notes(monitor: JudgedRun) -> list[str]:
    notes = list(monitor.notes)
    axis = monitor.axis
    if monitor.counted:
        notes.append(f"{counted(monitor.counted, 'row')} without a step: the number of the row stands for it")
    if axis.falls > _MANY_FALLS * monitor.rows:
        notes.append(f"steps fall in {axis.falls} of {counted(monitor.rows, 'row')}; sort the log to have it judged")
    elif axis.resumed:
        back = ", ".join(f"from step {before:g} to {after:g}" for before, after in axis.resumed[:5])
        notes.append(f"the run goes back {back}: taken as resumed; both passes are judged")
    elif axis.falls:
        notes.append(f"{counted(axis.falls, 'row')} after rows of later steps, judged in the order of the log")
    if monitor.decimals is not None:
        zero, below = f"{0:.{monitor.decimals}f}", f"{0.5 * 10**-monitor.decimals:.{monitor.decimals + 1}f}"
        notes.append(f"numbers are printed with {monitor.decimals} decimals: {zero} is below {below}, not exactly 0")
    if monitor.crowded:
        notes.append(
            f"more than {MOST_UNUSED:,} keys that no rule looks at; the keys that rules look at are all judged"
        )
    if monitor.faults:
        notes.append(f"{monitor.faults} rows could not be judged because of a fault of this tool ({monitor.fault})")
    names = monitor.names
    if names is not None and names.disputed:
        keys = ", ".join(sorted(names.disputed)[:5])
        notes.append(f"not judged, since releases that log these keys mean different things by them: {keys}")
    return notes


def _states(monitor: JudgedRun, fired: set[str]) -> tuple[list[NotJudged], list[str]]:
    """Return the rules that could not be judged, each with the reason, and those that found nothing."""
    by_rule: dict[str, list[Instance]] = {}
    for channel in monitor.channels.values():
        for instance in channel.instances if channel is not None else ():
            by_rule.setdefault(instance.rule.id, []).append(instance)
    left: list[NotJudged] = []
    passed: list[str] = []
    for rule in monitor.rules.rules:
        if rule.id in fired:
            continue
        state = _state(monitor, rule, by_rule.get(rule.id, []))
        if state is None:
            passed.append(rule.id)
        else:
            left.append(state)
    order = {"explained_by_release": 0, "not_ready": 1, "not_logged": 2, "not_applicable": 3}
    return sorted(left, key=lambda item: order[item.state]), passed


def _state(monitor: JudgedRun, rule: Rule, instances: list[Instance]) -> NotJudged | None:
    if rule.special == "log_gap":
        return None
    if not instances:
        return _not_logged(monitor, rule)
    quiet = [item.quiet for item in instances if item.quiet not in ("", "no")]
    if quiet and len(quiet) == len(instances):
        state, _, why = quiet[0].partition(":")
        return NotJudged(rule.id, state, why)
    if any(item.judged for item in instances) or rule.special:
        return None
    missing = _missing_curves(monitor, rule)
    unknown = [name for name in missing if "/" in name and not _is_logged(monitor, rule, name)]
    if unknown:
        return NotJudged(rule.id, "not_applicable", f"{monitor.at or 'this source'} does not log {unknown[0]}")
    if missing:
        return NotJudged(rule.id, "not_logged", f"needs {' and '.join(missing)} too", _how(monitor, missing))
    series = max((item.channel.series for item in instances), key=lambda item: item.count)
    if series.count < rule.points:
        return NotJudged(rule.id, "not_ready", f"{series.count} points; needs {rule.points}", points=rule.points)
    return NotJudged(rule.id, "not_ready", f"{series.elapsed():g} steps; the first {rule.warm_up} are not judged")


def _missing_curves(monitor: JudgedRun, rule: Rule) -> list[str]:
    logged = {channel.meaning.metric for channel in monitor.channels.values() if channel is not None}
    held = any(channel is not None and channel.meaning.held_out for channel in monitor.channels.values())
    missing = []
    for name in rule.required:
        metrics = rule.curves[name]
        if metrics == (SIBLING,):
            missing.append("a second reward function")
        elif metrics == ("held_out",):
            missing += [] if held else ["a held-out score"]
        elif not logged.intersection(metrics):
            missing.append(metrics[0])
    return missing


def _is_logged(monitor: JudgedRun, rule: Rule, first: str) -> bool:
    """Tell whether the source logs any of the metrics that a curve may be, of which the first is named."""
    conditions = monitor.names.conditions if monitor.names is not None else {}
    return any(metric in conditions for metrics in rule.curves.values() if metrics[0] == first for metric in metrics)


def _not_logged(monitor: JudgedRun, rule: Rule) -> NotJudged:
    if rule.mode == "held_out":
        if not _is_logged(monitor, rule, rule.curves["reward"][0]):
            return NotJudged(rule.id, "not_applicable", f"{monitor.at or 'this source'} logs no reward to maximise")
        how = "log a score on data that is not trained on, such as an evaluation reward"
        return NotJudged(rule.id, "not_logged", "no held-out score is logged", how)
    conditions = monitor.names.conditions if monitor.names is not None else {}
    known = [metric for metric in rule.metrics if metric in conditions]
    if not known:
        return NotJudged(rule.id, "not_applicable", f"{monitor.at or 'this source'} has no such metric")
    return NotJudged(rule.id, "not_logged", f"{known[0]} is not logged", _how(monitor, known))


def _how(monitor: JudgedRun, metrics: list[str]) -> str | None:
    conditions = monitor.names.conditions if monitor.names is not None else {}
    said = conditions.get(metrics[0]) if metrics else None
    if said is None:
        return None
    return f"logged where {said}" if said else "the release logs it always, but this log does not have it"


def _cost(monitor: JudgedRun, findings: tuple[Finding, ...], diagnoses: tuple[Diagnosis, ...]) -> dict[str, float]:
    """Return what was spent since there is no signal any more: steps, hours of the run, responses."""
    # Steps beside which the gradient is finite are made.
    wanted = next((item for item in diagnoses if item.cause in _NO_SIGNAL and _SKIPPED not in item.explains), None)
    if wanted is None or monitor.axis.last is None:
        return {}
    steps = _without_gradient(monitor) if wanted.cause == "no_learning_signal" else None
    if steps is None:
        if wanted.level == "info":
            return {}
        last = max(item.last_step for item in findings if item.rule in wanted.explains)
        steps = max(0.0, (monitor.axis.last if wanted.cause == "non_finite" else last) - wanted.onset_step)
    cost = {"steps": steps}
    timer = next((item.series for item in _of(monitor, "timing/step")), None)
    if timer is not None and timer.count:
        values = timer.points_of()[1]
        cost["hours"] = round(steps * sum(values) / len(values) / 3600, 3)
        devices = _number(monitor, "trainer.n_gpus_per_node")
        if devices:
            cost["gpu_hours"] = round(cost["hours"] * devices * (_number(monitor, "trainer.nnodes") or 1), 3)
    for names in _COMPLETIONS:
        numbers = [_number(monitor, name) for name in names]
        if all(numbers):
            cost["completions"] = steps * float(numbers[0] or 0) * float(numbers[1] or 0)
            break
    return cost


def _without_gradient(monitor: JudgedRun) -> float | None:
    """Return how many optimizer steps had a gradient of exactly 0; None where no gradient norm is logged."""
    series = next((item.series for item in _of(monitor, "optimizer/gradient_norm") if item.series.count > 1), None)
    if series is None:
        return None
    return float(round(series.zeros * series.elapsed() / (series.count - 1)))


def _number(monitor: JudgedRun, name: str) -> float | None:
    value = monitor.config.get(name)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and value > 0 else None


def _of(monitor: JudgedRun, metric: str) -> list[Channel]:
    return [item for item in monitor.channels.values() if item is not None and item.meaning.metric == metric]


def _curves(monitor: JudgedRun, findings: tuple[Finding, ...], diagnoses: tuple[Diagnosis, ...]) -> list[Curve]:
    """Return the curves that the answer rests on first, then those of other findings."""
    order = [rule for diagnosis in diagnoses for rule in diagnosis.explains]
    ranked = sorted(findings, key=lambda item: order.index(item.rule) if item.rule in order else len(order))
    keys = [item.key for item in ranked if item.key]
    if monitor.names is not None:
        wanted = ("reward/score/mean", "reward/total/mean", "preference/reward/margin", "loss/total")
        keys += [
            item.meaning.key for metric in wanted for item in _of(monitor, metric) if item.meaning.mode == "train"
        ][:1]
    curves: list[Curve] = []
    for key in dict.fromkeys(keys):
        channel = monitor.channels.get(key)
        if channel is not None and channel.series.count and len(curves) < _MOST_CURVES:
            steps, values = _course(channel)
            curves.append(Curve(key, channel.meaning.metric, channel.meaning.unit, tuple(steps), tuple(values)))
    return curves


def _course(channel: Channel) -> tuple[list[float], list[float]]:
    """Return steps and values, the latter as logged."""
    steps, values = channel.series.points_of()
    return steps, [channel.logged(value) for value in values]
