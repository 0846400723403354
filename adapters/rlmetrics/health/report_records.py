"""What judging a run gives: frozen records whose fields are those of the JSON output."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rlmetrics.lazy_dataclasses import dataclass, field
from rlmetrics.names.inference import SourceAnswer
from rlmetrics.names.inference.wording import source_line
from rlmetrics.names.tables.key_records import Transform

__all__ = ["LEVELS", "Beyond", "Curve", "Diagnosis", "Expected", "Finding", "NotJudged", "Report", "counted", "worst"]

LEVELS = ("info", "warning", "error")
"""From a remark to what is certainly wrong."""
_FEWEST = 2
"""Rules of which judging one alone says nothing about a run."""


def worst(levels: Sequence[str]) -> str | None:
    """Return the highest level; None of nothing."""
    return max(levels, key=LEVELS.index, default=None)


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule found on one curve.

    Attributes:
        rule: The rule.
        level: ``info``, ``warning`` or ``error``: the highest that it reached.
        cause: One of the causes of the interface.
        metric: Canonical name; None for a key that the spec does not know.
        key: As logged.
        onset_step: Where it began: where the curve left its level.
        first_step: When the rule had seen enough to say it; ``seen_step`` in JSON as well.
        last_step: When it held last.
        value: The value at ``first_step``; None if it was no number.
        message: What is wrong.
        advice: What to try.
        basis: ``documented``, ``observed`` or ``folklore``.
        source: Where the rule comes from.
    """

    rule: str
    level: str
    cause: str
    metric: str | None
    key: str
    onset_step: float
    first_step: float
    last_step: float
    value: float | None
    message: str
    advice: str
    basis: str
    source: str


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What explains some findings.

    Attributes:
        id: The diagnosis, or the rule where a finding stands alone.
        cause: One of the causes of the interface.
        level: The highest level of the findings that made it.
        title: In a few words.
        onset_step: Since when.
        explains: The rules whose findings it explains, its own first.
        message: In a sentence or two.
        checks: What to check or try, in order.
        confidence: From 0 to 1, a weight that diagnoses have beside each other; no probability was measured.
        why: In words, on what it rests.
    """

    id: str
    cause: str
    level: str
    title: str
    onset_step: float
    explains: tuple[str, ...]
    message: str
    checks: tuple[str, ...]
    confidence: float
    why: str = ""


@dataclass(frozen=True, slots=True)
class NotJudged:
    """A rule that could not be judged.

    Attributes:
        rule: The rule.
        state: ``not_ready``, ``not_logged``, ``not_applicable`` or ``explained_by_release``.
        why: In words.
        how: What would let it be judged; None if nothing would.
        points: How many points it needs, if there are fewer; 0 otherwise.
    """

    rule: str
    state: str
    why: str
    how: str | None = None
    points: int = 0


@dataclass(frozen=True, slots=True)
class Expected:
    """A value that looks sick and is what the release or its configuration gives."""

    key: str
    why: str


@dataclass(frozen=True, slots=True)
class Beyond:
    """Values beyond the bound of a rule, in too few rows for it to call that a finding.

    Attributes:
        rule: The rule; empty where a setting is far from the release's default.
        level: What the rule would find if they lasted.
        key: As logged.
        what: What that would be, in words.
        value: The farthest of them, as logged.
        steps: Where they are.
        of: How many points the curve has.
    """

    rule: str
    level: str
    key: str
    what: str
    value: float
    steps: tuple[float, ...]
    of: int


@dataclass(frozen=True, slots=True)
class Curve:
    """A curve as a report draws it: its course in at most 128 stretches.

    Attributes:
        key: The key.
        metric: What it measures.
        unit: The unit of the metric; None where the key shows another number.
        steps: Where the values are.
        values: As logged.
        axis: What the key makes of the metric, on which rules judge; None where nobody knows.
    """

    key: str
    metric: str | None
    unit: str | None
    steps: tuple[float, ...]
    values: tuple[float, ...]
    axis: Transform | None = Transform()


@dataclass(frozen=True, slots=True)
class Report:
    """What was found in one run.

    Attributes:
        run: Where it is recorded.
        at: The source that logged it.
        rows: How many logged rows were judged.
        findings: What rules found, worst first.
        diagnoses: What explains that, the answer first.
        not_judged: Rules that could not be judged, and why.
        passed: Rules that were judged and found nothing.
        expected: What looks sick and is not.
        notes: What was left out or taken to be so.
        steps: First and last step.
        cost: What was spent without a signal, by unit.
        curves: The curves of the findings, for drawing.
        keys: How many keys some rule looks at.
        answer: How the source is known; None where rows came without a log.
        framework: The title of the framework that logged it.
        unreviewed: Keys that rules look at and of which nobody has stated all of how they are computed.
        by_row: Whether no row tells a step, so that its number stands for it.
        beyond: What lies beyond a bound in too few rows to be a finding.
        impossible: Keys with a value that what they are said to measure can't have, and why.
        mixed: Why nothing is judged of rows that are of several runs; empty where they are of one.
    """

    run: str
    at: str | None
    rows: int
    findings: tuple[Finding, ...]
    diagnoses: tuple[Diagnosis, ...]
    not_judged: tuple[NotJudged, ...]
    passed: tuple[str, ...] = ()
    expected: tuple[Expected, ...] = ()
    notes: tuple[str, ...] = ()
    steps: tuple[float, float] = (0, 0)
    cost: Mapping[str, float] = field(default_factory=dict)
    curves: tuple[Curve, ...] = ()
    keys: int = 0
    answer: SourceAnswer | None = None
    framework: str | None = None
    unreviewed: tuple[str, ...] = ()
    by_row: bool = False
    beyond: tuple[Beyond, ...] = ()
    impossible: tuple[Expected, ...] = ()
    mixed: str = ""

    @property
    def inferred_from(self) -> int:
        """From how many keys the source was inferred; 0 where it was given."""
        return 0 if self.answer is None or self.answer.is_given else self.answer.logged

    @property
    def source(self) -> str:
        """The source in words, and how it is known."""
        if self.answer is None or self.answer.is_given:
            return self.at or "unknown source"
        return source_line(self.answer)

    @property
    def undescribed(self) -> str | None:
        """The framework that logged it, where the spec does not describe it."""
        return None if self.answer is None else self.answer.undescribed

    @property
    def judged(self) -> int:
        """How many rules were judged, but for the one that any row satisfies."""
        return len({*self.passed, *(finding.rule for finding in self.findings)} - {"log-gap"})

    @property
    def verdict(self) -> str:
        """``error``, ``warning``, ``nothing_found``, or ``not_judged`` where hardly a rule could be judged."""
        if self.level in ("error", "warning"):
            return str(self.level)
        return "nothing_found" if self.judged >= _FEWEST else "not_judged"

    @property
    def level(self) -> str | None:
        """The highest level of its findings; None without any."""
        return worst([finding.level for finding in self.findings])

    def as_json(self) -> dict[str, Any]:
        """Return the report in the shape that ``rlmetrics check --json`` prints."""
        return {
            "run": self.run,
            "at": self.at,
            "inferred_from": self.inferred_from,
            "verdict": self.verdict,
            **({"undescribed": self.undescribed} if self.undescribed else {}),
            "source": self.answer.as_json() if self.answer is not None else None,
            "rows": self.rows,
            "findings": [{**plain(item), "seen_step": whole(item.first_step)} for item in self.findings],
            "diagnoses": [plain(item) for item in self.diagnoses],
            "not_judged": [plain(item) for item in self.not_judged],
            "passed": list(self.passed),
            "expected": [plain(item) for item in self.expected],
            "beyond": [{**plain(item), "steps": [whole(step) for step in item.steps]} for item in self.beyond],
            "impossible": [plain(item) for item in self.impossible],
            "unreviewed": list(self.unreviewed),
            "notes": list(self.notes),
            "steps": [whole(step) for step in self.steps],
            "cost": dict(self.cost),
        }


def whole(number: float) -> float | int:
    """Return a whole number as an integer."""
    return int(number) if number == int(number) else number


def counted(number: int, what: str) -> str:
    """Return a number of things in words."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def plain(record: Any) -> dict[str, Any]:
    """Return a record as a dictionary, whole steps as integers."""
    values = {name: getattr(record, name) for name in record.__dataclass_fields__}
    return {
        name: whole(value) if name.endswith("_step") else list(value) if isinstance(value, tuple) else value
        for name, value in values.items()
    }
