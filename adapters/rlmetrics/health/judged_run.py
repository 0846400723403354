"""A run as far as it is judged: rows become findings, by the rules that look at their keys."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from rlmetrics.logs.reading import step_in
from rlmetrics.names.inference import SourceAnswer
from rlmetrics.names.meanings.constancy import stated
from rlmetrics.names.tables.tables import Tables
from rlmetrics.names.tables.undescribed import bare

from .emptied import emptied_text, share_left_out
from .instances import Instance
from .key_meanings import KeyMeaning
from .lost import LostNumbers
from .out_of_range import impossible_value
from .report_records import Expected, Finding
from .row_facts import Axis, Kinds
from .run_curves import JudgedCurves

__all__ = ["JudgedRun", "constant_text", "defect_text"]


class JudgedRun:
    """What the rows of a run have told so far.

    Args:
        curves: The curves of the run.

    Attributes:
        notes: What is to be said about the source.
        answer: Where the rows come from, and how that is known.
        is_foreign: Whether an undescribed framework logs them: no key of its own is one of the spec's.
        rows: How many rows were judged.
        counted: How many of them stated no step, so that their number stands for it.
        axis: Their steps.
    """

    def __init__(self, curves: JudgedCurves) -> None:
        self.curves = curves
        self.notes: list[str] = []
        self.answer: SourceAnswer | None = None
        self.is_foreign = False
        self.rows = self.counted = 0
        self.axis = Axis()
        self._lost = LostNumbers(curves.channels, curves.intake.channel, _zeroing(curves.tables))
        self._kinds = Kinds(curves.tells)
        self._expected: dict[str, str] = {}
        self._specials = {rule.special: rule for rule in curves.rules.rules if rule.special and not rule.metrics}
        self._run_findings: dict[str, Finding] = {}

    @property
    def at(self) -> str | None:
        """The source; None while it is not known."""
        return None if self.curves.names is None else self.curves.names.at

    @property
    def expected(self) -> list[Expected]:
        """What looks sick and is what the release gives."""
        return [Expected(key, why) for key, why in self._expected.items()]

    def take(self, step: float | None, row: Mapping[str, Any]) -> list[Finding]:
        """Judge a row; return what was not known before, or is worse than was known."""
        curves, intake = self.curves, self.curves.intake
        if step is None:
            step = step_in(row)
            if step is None:
                step = float(self.rows)
                self.counted += 1
        elif not math.isfinite(step):
            step = self.axis.last or 0.0
        self.rows += 1
        if self.axis.lies_back(step) and not any(intake.channel(key) and curves.tells(key) for key in row):
            # Timers of parts of a step may be logged late; the run itself does not go back.
            place = self.axis.at
        else:
            place = self.axis.place(float(step))
        if self.is_foreign:
            row = {key: value for key, value in row.items() if bare(key) not in curves.tables.metrics}
        taken = intake.take(row, place)
        layout = taken.layout
        missing: frozenset[str] = frozenset()
        if layout is None or not self._kinds.again(layout.kind):
            missing = self._kinds.missing(row, row.keys() - taken.empty if taken.empty else None)
            if layout is not None:
                layout.kind = self._kinds.matched
            if any(curves.scheduled(key) for key in missing):
                # A broken update has a learning rate all the same. Rows without, such as the summary that transformers
                # logs at the end, are of no update.
                missing = frozenset()
        self._lost.come_back(row, step)
        new = self._judge(taken.pending, place, step) if taken.pending else []
        if taken.lost or missing or taken.empty:
            intake.flush()
            new += self._lost.take(row, step, taken.lost, missing, taken.empty)
        if taken.zeros:
            intake.flush()
            counted_out = any(
                left_out is not None and left_out.last == 1
                for channel in taken.zeros
                for left_out in [share_left_out(channel.meaning, curves.by_metric)]
            )
            zeroed = None if counted_out else self._lost.zeroed(taken.zeros, step)
            new += [] if zeroed is None else [zeroed]
        if self.axis.gap is not None:
            new += self._gap(*self.axis.gap)
        return new

    def _judge(self, pending: list[Instance], place: float, step: float) -> list[Finding]:
        curves, intake = self.curves, self.curves.intake
        due = [instance for instance in dict.fromkeys(pending) if instance.rule.tiers]
        for instance in due:
            instance.bind(curves.version, curves.by_metric)
        # A rule on single values may have to look at every row, which most curves need not take for that.
        if all(instance.rule.instant for instance in due):
            looked = intake.settle({channel: None for instance in due for channel in instance.feeds})
        else:
            looked = intake.flush()
        findings = []
        for instance in due:
            if instance.complete and self.judges(instance):
                said = instance.judge(place, step, self.axis.step_at)
                if instance.rule.instant:
                    instance.channel.alarmed = any(item.holds for item in instance.channel.instant)
                if said is not None:
                    intake.flush()
                    findings += [] if self._explained(instance) or not _is_its_metric(instance) else [said]
        for channel in looked:
            channel.series.forget()
        return findings

    def _gap(self, before: float, after: float) -> list[Finding]:
        rule = self._specials.get("log_gap")
        if rule is None or rule.id in self._run_findings:
            return []
        message = f"{rule.message} The gap is from step {before:g} to {after:g}."
        finding = Finding(
            rule.id,
            "info",
            rule.cause,
            None,
            "",
            before,
            after,
            after,
            None,
            message,
            rule.advice,
            rule.basis,
            rule.source,
        )
        self._run_findings[rule.id] = finding
        return [finding]

    def judges(self, instance: Instance) -> bool:
        """Tell whether a rule may be judged on a key; what speaks against it is kept for the report."""
        rule, meaning = instance.rule, instance.channel.meaning
        if instance.quiet:
            return instance.quiet == "no"
        quiet = "no"
        if rule.when and self.curves.names is not None and self.curves.names.holds(rule.when) is False:
            quiet = f"not_applicable:only judged where {rule.when}"
        elif rule.absolute and meaning.scale is None:
            quiet = "not_applicable:its scale depends on a setting that is not known"
        elif rule.absolute and (said := defect_text(meaning)):
            quiet = f"explained_by_release:{said}"
        instance.quiet = quiet
        return quiet == "no"

    def _explained(self, instance: Instance) -> bool:
        """Tell whether what was found is what the release or its configuration gives; then it is no finding."""
        if self.curves.names is None:
            return False
        emptied = emptied_text(instance.channel, self.curves.by_metric) if instance.channel.meaning.emptied else None
        if emptied is not None:
            # The number may fall for another reason later.
            self._expected[instance.channel.meaning.key] = emptied
            instance.finding = None
            return True
        if not instance.channel.series.constant():
            return False
        said = constant_text(instance.channel.meaning, instance.channel.series.last, self.curves.names.holds)
        if said is None:
            return False
        self._expected[instance.channel.meaning.key] = said
        instance.finding = None
        instance.quiet = f"explained_by_release:{said}"
        return True

    def findings(self) -> list[Finding]:
        """Return all that was found, the worst and earliest first."""
        found = (item for item in self.curves.instances() if item.finding is not None and _is_its_metric(item))
        findings = [item.finding for item in found if item.finding is not None]
        findings += self._run_findings.values()
        return sorted(findings, key=lambda item: (_ORDER[item.level], item.onset_step, item.rule, item.key))

    def state(self) -> dict[str, Any]:
        """Return all of it as plain values."""
        self.curves.intake.flush()
        return {
            "rows": self.rows,
            "axis": self.axis.state(),
            "kinds": self._kinds.state(),
            "expected": dict(self._expected),
            "run": {rule: _fields(finding) for rule, finding in self._run_findings.items()},
            "channels": {
                key: {
                    "series": channel.series.state(),
                    "due": channel.due,
                    "lost": channel.lost.state(),
                    "rules": {item.rule.id: item.state() for item in channel.instances},
                }
                for key, channel in self.curves.channels.items()
                if channel is not None
            },
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take what ``state`` returned."""
        from .series import Series

        self.rows = state["rows"]
        self.axis.restore(state["axis"])
        self._kinds.restore(state["kinds"])
        self._expected = dict(state["expected"])
        self._run_findings = {rule: Finding(**fields) for rule, fields in state["run"].items()}
        for key, saved in state["channels"].items():
            channel = self.curves.intake.channel(key)
            if channel is None:
                continue
            fresh = channel.series
            channel.series = Series.restored(key, saved["series"])
            channel.series.budget, channel.series.spiky = fresh.budget, fresh.spiky
            for item in channel.instances:
                if item.rule.id in saved["rules"]:
                    item.restore(saved["rules"][item.rule.id])
            channel.lost.restore(saved["lost"])
            channel.resume(saved["due"])
        self._lost.resume()
        self.curves.version += 1


_ORDER = {"error": 0, "warning": 1, "info": 2}


def _is_its_metric(instance: Instance) -> bool:
    """Tell whether a rule with bounds is about the number that a key shows, which no value contradicts."""
    return not instance.rule.tiers or impossible_value(instance.channel) is None


def _zeroing(tables: Tables) -> list[str]:
    """Return the trackers that store NaN as 0."""
    return [row["title"] for row in tables.trackers.values() if row.get("stores_nan_as") == 0]


def _fields(finding: Finding) -> dict[str, Any]:
    return {name: getattr(finding, name) for name in Finding.__dataclass_fields__}


def constant_text(meaning: KeyMeaning, value: float, holds: Callable[[str], bool | None]) -> str | None:
    """Return why a key is always a value, if its release says so; None if it should move."""
    for text in meaning.constant_when:
        constant = stated(text)
        if constant is None or constant.mode is not None or constant.number not in (None, value):
            continue
        if constant.guard is not None and holds(constant.guard) is False:
            continue
        return text
    return None


def defect_text(meaning: KeyMeaning) -> str | None:
    """Return the fault of a release that makes a number incomparable with a bound; None if there is none."""
    return next(iter(meaning.defects), None)
