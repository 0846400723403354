"""Judges a run row by row while it is trained, in constant memory and without ever raising."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterable, Mapping
from typing import Any

from rlmetrics.logs.reading import step_in
from rlmetrics.names.inference import Clues, SourceAnswer, find_source, nonzero_in
from rlmetrics.names.inference.wording import source_line
from rlmetrics.names.sources.source import CANONICAL
from rlmetrics.names.tables.loading import load_tables
from rlmetrics.names.tables.tables import Overlays, Tables
from rlmetrics.names.tables.undescribed import bare

from .emptied import emptied_text, share_left_out
from .expected_findings import constant_text, defect_text
from .instances import MOST_WAITING, Channel, Instance
from .intake import Intake
from .judged_keys import HELD_OUT, KeyMeaning, SourceNames
from .lost import LostNumbers
from .report_records import Expected, Finding, Report
from .reporting import make_report
from .row_facts import Axis, Kinds
from .rules import Rules

__all__ = ["Monitor"]

_COMMON = ("timing/", "memory/", "throughput/", "progress/")
"""Families of metrics that rows of every kind have."""
_LEARNING_RATE = "optimizer/learning_rate"
_MOST_OF_METRIC = 500
"""Curves of one metric: users name reward functions, and names with a running number must not fill the memory."""
_AUTO_ROWS = 3
"""Rows whose keys are gathered before a source is inferred from them."""


class Monitor:
    """Judges logged rows by the rules of the spec.

    Args:
        at: The source that logs the rows, such as ``verl==0.9.1``; by default inferred from the first rows.
        config: Settings of the run. Those that the source does not know are left alone.
        spec: Folders with further YAML.
        others: Further sources that explain the keys as well; keys that they understand otherwise are not judged.
        ahead: How many rows may wait to be taken together; more of them need more memory and less time.

    Attributes:
        faults: How many rows could not be judged because of an error in this code; training goes on.
        notes: What is to be said about the source.
        answer: Where the rows come from, if that was inferred.
        is_foreign: Whether an undescribed framework logs them: no key of its own is one of the spec's.
        rows: How many rows were judged.
        counted: How many of them stated no step, so that their number stands for it.

    Raises:
        NamesError: The source is unknown. Nothing raises afterwards.
    """

    def __init__(
        self,
        at: str | None = None,
        config: Mapping[str, Any] | None = None,
        *,
        spec: Overlays | Tables = None,
        others: Iterable[str] = (),
        ahead: int = MOST_WAITING,
    ) -> None:
        self._tables = load_tables(spec)
        self._rules = Rules(self._tables)
        self._config = dict(config or {})
        self._lock = threading.RLock()
        self._ahead = ahead
        self.faults = 0
        self.fault = ""
        self.notes: list[str] = []
        self.rows = self.counted = 0
        self.answer: SourceAnswer | None = None
        self.is_foreign = False
        self._names: SourceNames | None = None
        self._waiting: list[tuple[float | None, dict[str, Any]]] = []
        self._intake = Intake(self._meet)
        self._lost = LostNumbers(self._intake.channels, self._intake.channel, _zeroing(self._tables))
        self._by_metric: dict[str, list[Channel]] = {}
        self._version = 0
        self.axis = Axis()
        self._kinds = Kinds(self._tells)
        self._expected: dict[str, str] = {}
        self._specials = {rule.special: rule for rule in self._rules.rules if rule.special and not rule.metrics}
        self._run_findings: dict[str, Finding] = {}
        named = (name for rule in self._rules.rules for metrics in rule.curves.values() for name in metrics)
        self._used = {"timing/step", *named}
        if at not in (None, "auto"):
            self._open(str(at), list(others))

    @property
    def at(self) -> str | None:
        """The source; None while it is not known."""
        return None if self._names is None else self._names.at

    def observe(self, step: float | None, row: Mapping[str, Any]) -> list[Finding]:
        """Judge a row.

        Args:
            step: The optimizer step; None if the row states it, or rows are to be counted.
            row: Values by key, all of a step or a part of it, in any order. Texts, pictures and lists are left alone.

        Returns:
            What was found that was not known before, or is worse than was known.
        """
        with self._lock:
            try:
                return self._observe(step, row)
            except Exception as error:
                self.faults += 1
                self.fault = f"{type(error).__name__}: {error}"
                return []

    def findings(self) -> list[Finding]:
        """Return all that was found, the worst and earliest first."""
        with self._lock:
            return self._findings()

    def report(self, run: str = "") -> Report:
        """Return findings, diagnoses, and what could not be judged."""
        with self._lock:
            self._infer()
            self._intake.flush()
            return make_report(self, run)

    def state_dict(self) -> dict[str, Any]:
        """Return all that it knows as plain values, for a checkpoint."""
        with self._lock:
            self._infer()
            self._intake.flush()
            return {
                "at": self.at,
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
                    for key, channel in self.channels.items()
                    if channel is not None
                },
            }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on where ``state_dict`` was taken.

        Raises:
            NamesError: The state is of a source that is unknown.
        """
        from .series import Series

        with self._lock:
            if state["at"] is not None and self._names is None:
                self._open(state["at"], [])
            self.rows = state["rows"]
            self.axis.restore(state["axis"])
            self._kinds.restore(state["kinds"])
            self._expected = dict(state["expected"])
            self._run_findings = {rule: Finding(**fields) for rule, fields in state["run"].items()}
            for key, saved in state["channels"].items():
                channel = self._intake.channel(key)
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
            self._version += 1

    # ------------------------------------------------------------------------------------------------------------------

    def _open(self, at: str, others: list[str]) -> None:
        self._names = SourceNames(at, self._config, self._tables, others, self._judged_alike)

    def _infer(self) -> None:
        """Find the source of the rows that wait, and judge them."""
        if self._names is not None or not self._waiting:
            return
        rows = [row for _, row in self._waiting]
        keys = tuple(dict.fromkeys(key for row in rows for key in row))
        self.answer = find_source(Clues(keys, nonzero=nonzero_in(rows), settings=frozenset(self._config)), self._tables)
        self.notes.append(source_line(self.answer))
        self.is_foreign = self.answer.undescribed is not None
        self._open(self.answer.source or CANONICAL, [*self.answer.rivals])
        waiting, self._waiting = self._waiting, []
        for step, row in waiting:
            self._take(step, row)

    def _observe(self, step: float | None, row: Mapping[str, Any]) -> list[Finding]:
        if self._names is None:
            self._waiting.append((step, dict(row)))
            if len(self._waiting) < _AUTO_ROWS:
                return []
            before = set(self._findings())
            self._infer()
            return [finding for finding in self._findings() if finding not in before]
        return self._take(step, row)

    def _take(self, step: float | None, row: Mapping[str, Any]) -> list[Finding]:
        if step is None:
            step = step_in(row)
            if step is None:
                step = float(self.rows)
                self.counted += 1
        elif not math.isfinite(step):
            step = self.axis.last or 0.0
        self.rows += 1
        if self.axis.lies_back(step) and not any(self._intake.channel(key) and self._tells(key) for key in row):
            # Timers of parts of a step may be logged late; the run itself does not go back.
            place = self.axis.at
        else:
            place = self.axis.place(float(step))
        if self.is_foreign:
            row = {key: value for key, value in row.items() if bare(key) not in self._tables.metrics}
        taken = self._intake.take(row, place)
        layout = taken.layout
        missing: frozenset[str] = frozenset()
        if layout is None or not self._kinds.again(layout.kind):
            missing = self._kinds.missing(row, row.keys() - taken.empty if taken.empty else None)
            if layout is not None:
                layout.kind = self._kinds.matched
            if any(self._scheduled(key) for key in missing):
                # A broken update has a learning rate all the same. Rows without, such as the summary that transformers
                # logs at the end, are of no update.
                missing = frozenset()
        self._lost.come_back(row, step)
        new = self._judge(taken.pending, place, step) if taken.pending else []
        if taken.lost or missing or taken.empty:
            self._intake.flush()
            new += self._lost.take(row, step, taken.lost, missing, taken.empty)
        if taken.zeros:
            self._intake.flush()
            counted_out = any(
                left_out is not None and left_out.last == 1
                for channel in taken.zeros
                for left_out in [share_left_out(channel.meaning, self._by_metric)]
            )
            zeroed = None if counted_out else self._lost.zeroed(taken.zeros, step)
            new += [] if zeroed is None else [zeroed]
        if self.axis.gap is not None:
            new += self._gap(*self.axis.gap)
        return new

    def _judge(self, pending: list[Instance], place: float, step: float) -> list[Finding]:
        self._intake.flush()
        findings = []
        for instance in dict.fromkeys(pending):
            if instance.rule.tiers and instance.bind(self._version, self._by_metric) and self._applies(instance):
                said = instance.judge(place, step)
                if instance.rule.instant:
                    instance.channel.alarmed = any(item.holds for item in instance.channel.instant)
                if said is not None and not self._explained(instance):
                    findings.append(said)
        self._intake.forget()
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

    def _meet(self, key: str) -> Channel | None:
        """Find out what a key is."""
        if self._names is None:
            return None
        meaning = self._names.meaning(key)
        rules = self._rules.of(meaning.metric, meaning.mode, held_out=meaning.held_out)
        if not rules and not self._is_used(meaning):
            return None
        if len(self._by_metric.get(str(meaning.metric), ())) >= _MOST_OF_METRIC:
            return None
        channel = Channel(meaning, rules, self._ahead)
        channel.series.budget = self._budget()
        self._by_metric.setdefault(str(meaning.metric), []).append(channel)
        if meaning.held_out and meaning.metric != HELD_OUT:
            self._by_metric.setdefault(HELD_OUT, []).append(channel)
        self._version += 1
        return channel

    def _scheduled(self, key: str) -> bool:
        """Tell whether a key is the learning rate, which is known before the update."""
        return self._names is not None and self._names.meaning(key).metric == _LEARNING_RATE

    def _tells(self, key: str) -> bool:
        """Tell whether a key says what its row is about."""
        channel = self.channels.get(key)
        return channel is not None and bool(channel.instances) and not str(channel.meaning.metric).startswith(_COMMON)

    def _judged_alike(self, one: KeyMeaning, other: KeyMeaning) -> bool:
        """Tell whether the same rules, and at least one, look at two meanings."""
        mine, theirs = (self._rules.of(item.metric, item.mode, held_out=item.held_out) for item in (one, other))
        return bool(mine) and mine == theirs

    def _is_used(self, meaning: KeyMeaning) -> bool:
        return meaning.metric in self._used or meaning.held_out

    def _budget(self) -> float | None:
        for name in ("max_steps", "trainer.total_training_steps", "total_training_steps"):
            value = self._config.get(name)
            if isinstance(value, int | float) and value > 0:
                return float(value)
        return None

    def _applies(self, instance: Instance) -> bool:
        """Tell whether a rule may be judged on a key; what speaks against it is kept for the report."""
        rule, meaning = instance.rule, instance.channel.meaning
        if instance.quiet:
            return instance.quiet == "no"
        quiet = "no"
        if rule.when and self._names is not None and self._names.holds(rule.when) is False:
            quiet = f"not_applicable:only judged where {rule.when}"
        elif rule.absolute and meaning.scale is None:
            quiet = "not_applicable:its scale depends on a setting that is not known"
        elif rule.absolute and (said := defect_text(meaning)):
            quiet = f"explained_by_release:{said}"
        instance.quiet = quiet
        return quiet == "no"

    def _explained(self, instance: Instance) -> bool:
        """Tell whether what was found is what the release or its configuration gives; then it is no finding."""
        if self._names is None:
            return False
        emptied = emptied_text(instance.channel, self._by_metric) if instance.channel.meaning.emptied else None
        if emptied is not None:
            # The number may fall for another reason later.
            self._expected[instance.channel.meaning.key] = emptied
            instance.finding = None
            return True
        if not instance.channel.series.constant():
            return False
        said = constant_text(instance.channel.meaning, instance.channel.series.last, self._names.holds)
        if said is None:
            return False
        self._expected[instance.channel.meaning.key] = said
        instance.finding = None
        instance.quiet = f"explained_by_release:{said}"
        return True

    def _findings(self) -> list[Finding]:
        findings = [item.finding for item in self._instances() if item.finding is not None]
        findings += self._run_findings.values()
        return sorted(findings, key=lambda item: (_ORDER[item.level], item.onset_step, item.rule, item.key))

    def _instances(self) -> Iterable[Instance]:
        return (item for channel in self.channels.values() if channel is not None for item in channel.instances)

    # What a report asks. ----------------------------------------------------------------------------------------------

    @property
    def names(self) -> SourceNames | None:
        """What answers questions about keys."""
        return self._names

    @property
    def rules(self) -> Rules:
        """The rules and diagnoses that it judges by."""
        return self._rules

    @property
    def channels(self) -> dict[str, Channel | None]:
        """Every key that came, and its curve if any rule needs it."""
        return self._intake.channels

    @property
    def crowded(self) -> bool:
        """Whether more keys came that no rule needs than are remembered."""
        return self._intake.crowded

    @property
    def decimals(self) -> int | None:
        """With how many decimals numbers were printed of which some read as 0; None if there are none."""
        return self._intake.decimals

    @property
    def config(self) -> Mapping[str, Any]:
        """The settings of the run, as given."""
        return self._config

    @property
    def expected(self) -> list[Expected]:
        """What looks sick and is what the release gives."""
        return [Expected(key, why) for key, why in self._expected.items()]


_ORDER = {"error": 0, "warning": 1, "info": 2}


def _zeroing(tables: Tables) -> list[str]:
    """Return the trackers that store NaN as 0."""
    return [row["title"] for row in tables.trackers.values() if row.get("stores_nan_as") == 0]


def _fields(finding: Finding) -> dict[str, Any]:
    return {name: getattr(finding, name) for name in Finding.__dataclass_fields__}
