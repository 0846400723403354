"""What a monitor knows, as a report: findings, diagnoses, what was not judged and why, and what it cost."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rlmetrics.wording.voice import later

from .advising import advised
from .beyond_bounds import beyond_bounds, impossible
from .diagnosing import diagnose
from .instances import Channel
from .intake import MOST_UNUSED
from .judged_run import JudgedRun
from .report_records import Curve, Diagnosis, Finding, NotJudged, Report, counted
from .unjudged import states_of

__all__ = ["make_report"]

_MOST_CURVES = 12
_MOST_NAMED = 5
_MANY_FALLS = 0.2
"""Share of rows before an earlier step above which the rows of several runs stand among each other."""
_FEWEST_FALLS = 4
_MIXED = later(
    "rows of several runs stand among each other: steps go back in {falls} of {rows}, and nothing tells which row is "
    "of which; log each run to a file of its own, or its name as 'run' in each row"
)
_SKIPPED = "steps-skipped"
_NO_SIGNAL = {"no_learning_signal", "non_finite"}
_COMPLETIONS = (
    ("data.train_batch_size", "actor_rollout_ref.rollout.n"),
    ("per_device_train_batch_size", "gradient_accumulation_steps"),
)
"""Settings whose product is how many responses a step takes, per process in TRL."""
_ANOTHER_FACTOR = later("{names} may be logged with another factor, {what}: if {when}, which --config would say")


def make_report(run: JudgedRun, title: str, faults: int, fault: str) -> Report:
    """Return a report on all rows so far.

    Args:
        run: The run.
        title: What it is called.
        faults: How many rows could not be judged because of an error in this code.
        fault: The last of these errors.
    """
    if run.axis.falls >= _FEWEST_FALLS and run.axis.falls > _MANY_FALLS * run.rows:
        return _of_several(run, title)
    left_out = impossible(run)
    keys = {item.key for item in left_out}
    findings = tuple(run.findings())
    first = run.axis.first or 0.0
    last = run.axis.last if run.axis.last is not None else first
    made = diagnose(findings, run.curves.rules, (first, last))
    by_row = bool(run.rows) and run.counted == run.rows
    diagnoses = tuple(advised(made, findings, run.curves.channels, run.curves.names, by_row=by_row))
    not_judged, passed = states_of(run, {finding.rule for finding in findings})
    judged = [channel.meaning for channel in run.curves.channels.values() if channel is not None]
    unreviewed = tuple(meaning.key for meaning in judged if meaning.unreviewed)
    return Report(
        run=title,
        at=run.at,
        rows=run.rows,
        findings=findings,
        diagnoses=diagnoses,
        not_judged=tuple(not_judged),
        passed=tuple(passed),
        expected=tuple(run.expected),
        notes=(*_unreviewed(unreviewed, len(judged)), *_notes(run, faults, fault)),
        steps=(first, last),
        cost=_cost(run, findings, diagnoses),
        curves=tuple(_curves(run, findings, diagnoses)),
        keys=len(judged),
        answer=run.answer,
        framework=_framework(run),
        unreviewed=unreviewed,
        by_row=by_row,
        beyond=tuple(beyond_bounds(run, findings, keys)),
        impossible=tuple(left_out),
    )


def _of_several(run: JudgedRun, title: str) -> Report:
    """Return a report that judges nothing: curves that jump between runs are those of none."""
    why = _MIXED.format(falls=run.axis.falls, rows=counted(run.rows, "row"))
    last = run.axis.last if run.axis.last is not None else run.axis.first or 0.0
    return Report(
        run=title,
        at=run.at,
        rows=run.rows,
        findings=(),
        diagnoses=(),
        not_judged=tuple(NotJudged(rule.id, "not_applicable", why, None) for rule in run.curves.rules.rules),
        passed=(),
        expected=(),
        notes=tuple(run.notes),
        steps=(run.axis.first or 0.0, last),
        cost={},
        curves=(),
        keys=len(run.curves.channels),
        answer=run.answer,
        framework=_framework(run),
        mixed=why,
    )


def _framework(run: JudgedRun) -> str | None:
    """Return the title of the framework that logged a run."""
    name = re.split(r"\[|==", run.at or "", maxsplit=1)[0]
    title: str | None = run.curves.tables.head(name).get("title")
    return title


def _unreviewed(keys: Sequence[str], judged: int) -> list[str]:
    """Return of which of the keys that rules look at not all is stated."""
    if not keys:
        return []
    names = f"{', '.join(keys[:_MOST_NAMED])}{' …' if len(keys) > _MOST_NAMED else ''}"
    are = "is" if len(keys) == 1 else "are"
    of = f"{len(keys)} of {counted(judged, 'judged key')}"
    return [f"unreviewed: how {of} {are} computed is not stated in full: {names}"]


def _notes(run: JudgedRun, faults: int, fault: str) -> list[str]:
    notes = list(run.notes)
    axis, intake = run.axis, run.curves.intake
    if run.counted:
        notes.append(f"{counted(run.counted, 'row')} without a step: the number of the row stands for it")
    if axis.resumed:
        back = ", ".join(f"from step {before:g} to {after:g}" for before, after in axis.resumed[:5])
        notes.append(f"the run goes back {back}: taken as resumed; both passes are judged")
    elif axis.falls:
        notes.append(f"{counted(axis.falls, 'row')} after rows of later steps, judged in the order of the log")
    if intake.decimals is not None:
        zero, below = (
            f"{0:.{intake.decimals}f}",
            f"{0.5 * 10**-intake.decimals:.{intake.decimals + 1}f}",
        )
        notes.append(f"numbers are printed with {intake.decimals} decimals: {zero} is below {below}, not exactly 0")
    if intake.crowded:
        notes.append(
            f"more than {MOST_UNUSED:,} keys that no rule looks at; the keys that rules look at are all judged"
        )
    notes += _rescaled(run)
    if faults:
        notes.append(f"{faults} rows could not be judged because of a fault of this tool ({fault})")
    names = run.curves.names
    disputed = sorted(names.disputed) if names is not None else []
    shared = [key for key in disputed if run.curves.channels.get(key) is not None]
    apart = [key for key in disputed if key not in shared]
    why = "since releases that log these keys mean different things by them"
    if apart:
        notes.append(f"not judged, {why}: {', '.join(apart[:5])}")
    if shared:
        notes.append(f"judged only by rules that hold for each of their meanings, {why}: {', '.join(shared[:5])}")
    return notes


def _rescaled(run: JudgedRun) -> list[str]:
    """Return which keys have another factor under settings that nobody gave, by the settings."""
    by_setting: dict[tuple[str, str], list[str]] = {}
    for channel in run.curves.channels.values():
        if channel is not None and channel.series.count and any(item.rule.absolute for item in channel.instances):
            for one in channel.meaning.rescaled:
                by_setting.setdefault(one, []).append(channel.meaning.key)
    return [
        _ANOTHER_FACTOR.format(
            what=what, when=when, names=f"{', '.join(keys[:_MOST_NAMED])}{' …' if len(keys) > _MOST_NAMED else ''}"
        )
        for (when, what), keys in by_setting.items()
    ]


def _cost(run: JudgedRun, findings: tuple[Finding, ...], diagnoses: tuple[Diagnosis, ...]) -> dict[str, float]:
    """Return what was spent since there is no signal any more: steps, hours of the run, responses."""
    # Steps beside which the gradient is finite are made.
    wanted = next((item for item in diagnoses if item.cause in _NO_SIGNAL and _SKIPPED not in item.explains), None)
    if wanted is None or run.axis.last is None:
        return {}
    steps = _without_gradient(run) if wanted.cause == "no_learning_signal" else None
    if steps is None:
        if wanted.level == "info":
            return {}
        last = max(item.last_step for item in findings if item.rule in wanted.explains)
        # Both ends are steps without signal.
        steps = max(0.0, (run.axis.last if wanted.cause == "non_finite" else last) - wanted.onset_step + 1)
    cost = {"steps": steps}
    timer = next((item.series for item in _of(run, "timing/step")), None)
    if timer is not None and timer.count:
        values = timer.points_of()[1]
        cost["hours"] = round(steps * sum(values) / len(values) / 3600, 3)
        devices = _number(run, "trainer.n_gpus_per_node")
        if devices:
            cost["gpu_hours"] = round(cost["hours"] * devices * (_number(run, "trainer.nnodes") or 1), 3)
    for names in _COMPLETIONS:
        numbers = [_number(run, name) for name in names]
        if all(numbers):
            cost["completions"] = steps * float(numbers[0] or 0) * float(numbers[1] or 0)
            break
    return cost


def _without_gradient(run: JudgedRun) -> float | None:
    """Return how many optimizer steps had a gradient of exactly 0; None where no gradient norm is logged."""
    series = next((item.series for item in _of(run, "optimizer/gradient_norm") if item.series.count > 1), None)
    if series is None:
        return None
    return float(round(series.zeros * series.elapsed() / (series.count - 1)))


def _number(run: JudgedRun, name: str) -> float | None:
    value = run.curves.config.get(name)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and value > 0 else None


def _of(run: JudgedRun, metric: str) -> list[Channel]:
    return [item for item in run.curves.channels.values() if item is not None and item.meaning.metric == metric]


def _curves(run: JudgedRun, findings: tuple[Finding, ...], diagnoses: tuple[Diagnosis, ...]) -> list[Curve]:
    """Return the curves that the answer rests on first, then those of other findings."""
    order = [rule for diagnosis in diagnoses for rule in diagnosis.explains]
    ranked = sorted(findings, key=lambda item: order.index(item.rule) if item.rule in order else len(order))
    keys = [item.key for item in ranked if item.key]
    if run.curves.names is not None:
        wanted = ("reward/score/mean", "reward/total/mean", "preference/reward/margin", "loss/total")
        keys += [item.meaning.key for metric in wanted for item in _of(run, metric) if item.meaning.mode == "train"][:1]
    curves: list[Curve] = []
    for key in dict.fromkeys(keys):
        channel = run.curves.channels.get(key)
        if channel is not None and channel.series.count and len(curves) < _MOST_CURVES:
            steps, values = _course(channel)
            axis = channel.axis
            unit = channel.meaning.unit if axis is not None and axis.is_plain else None
            curves.append(Curve(key, channel.meaning.metric, unit, tuple(steps), tuple(values), axis))
    return curves


def _course(channel: Channel) -> tuple[list[float], list[float]]:
    """Return steps and values, the latter as logged."""
    steps, values = channel.series.points_of()
    return steps, [channel.logged(value) for value in values]
