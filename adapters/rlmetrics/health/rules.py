"""Rules and diagnoses, as the tables hold them, ready to be judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache
from typing import Any

from rlmetrics.lazy_dataclasses import dataclass
from rlmetrics.names.tables.tables import Tables

from .conditions import Condition, parse_condition, parse_number
from .report_records import LEVELS
from .series import Series

__all__ = ["DiagnosisRule", "Rule", "Rules", "rules_of", "source_text"]


@dataclass(frozen=True)
class Rule:
    """A rule.

    Attributes:
        id: Its name.
        cause: One of the causes of the interface.
        metrics: Where it looks at, in order of preference.
        mode: ``train`` or ``eval``; ``held_out`` for scores on data that is not trained on.
        curves: Further curves by the name that conditions have for them: metrics in order of preference.
        required: Which of them must be logged.
        conditions: Conditions as they are written, by level, the worst first.
        when: A guard over the configuration.
        steps: For how many optimizer steps a condition must hold.
        warm_up: Optimizer steps at the beginning that are not judged.
        points: How many points are needed.
        shows: What computes the number that a finding shows; None for the last value.
        absolute: Whether it compares with a number of its own, so that unknown scales and defects matter.
        remark: Title and message at level info, where its condition holds for less than the others say.
    """

    id: str
    title: str
    cause: str
    metrics: tuple[str, ...]
    mode: str
    curves: Mapping[str, tuple[str, ...]]
    required: tuple[str, ...]
    conditions: tuple[tuple[str, str], ...]
    when: str | None
    steps: int
    warm_up: int
    points: int
    absolute: bool
    special: str | None
    shows: Callable[[Series], float] | None
    message: str
    remark: tuple[str, str] | None
    advice: str
    basis: str
    source: str

    def said_at(self, level: str) -> tuple[str, str]:
        """Return title and message of a finding of a level."""
        return self.remark if level == "info" and self.remark is not None else (self.title, self.message)

    @cached_property
    def tiers(self) -> tuple[tuple[str, Condition], ...]:
        """Conditions by level, the worst first; read when a curve of the rule comes, which most rules lack in a run."""
        return tuple((level, parse_condition(text)) for level, text in self.conditions)

    @cached_property
    def instant(self) -> bool:
        """Whether one value can decide, so that every one must be looked at."""
        return self.steps <= 1 and all(condition.instant for _, condition in self.tiers)

    @cached_property
    def chosen(self) -> bool:
        """Whether it is an error by how far a curve is from its own past, for which some threshold must be chosen."""
        return any(level == "error" and not _OF_THE_PAST.isdisjoint(each.functions) for level, each in self.tiers)

    @cached_property
    def lasting(self) -> bool:
        """Whether it looks at the beginning of a run only, for what stays."""
        return any("elapsed" in condition.functions for _, condition in self.tiers)


_OF_THE_PAST = frozenset({"high", "first", "elapsed"})
"""Functions of conditions that look back at what a curve was."""


@dataclass(frozen=True)
class DiagnosisRule:
    """What joins findings.

    Attributes:
        id: Its name.
        cause: One of the causes of the interface.
        title: In a few words.
        all_of: Rules that must all have found something.
        any_of: Rules of which one must.
        none_of: Rules that must not.
        explains: Further rules whose findings follow from it.
        rank: Its place upstream: a smaller one causes those with a larger one.
        message: In a sentence or two.
        checks: What to check, in order.
        confidence: How far to trust it.
    """

    id: str
    cause: str
    title: str
    all_of: tuple[str, ...]
    any_of: tuple[str, ...]
    none_of: tuple[str, ...]
    explains: tuple[str, ...]
    rank: int
    message: str
    checks: tuple[str, ...]
    confidence: float
    level: str | None
    silent: bool


class Rules:
    """All rules and diagnoses of a spec.

    Args:
        tables: The spec.
    """

    def __init__(self, tables: Tables) -> None:
        self.rules = [_rule(row) for row in tables.health["JUDGED"]]
        self.diagnoses = [_diagnosis(row) for row in tables.health["DIAGNOSES"]]
        self.causes: Mapping[str, int] = tables.health["CAUSES"]
        self.by_id = {rule.id: rule for rule in self.rules}
        self.by_metric: dict[str, list[Rule]] = {}
        for rule in self.rules:
            for metric in rule.metrics:
                self.by_metric.setdefault(metric, []).append(rule)

    @cached_property
    def beside(self) -> frozenset[str]:
        """The metrics that are looked at beside others, and the one that tells what a step costs."""
        curves = (metrics for rule in self.rules for metrics in rule.curves.values())
        return frozenset({"timing/step"}.union(*curves))

    def of(self, metric: str | None, mode: str, *, held_out: bool) -> list[Rule]:
        """Return the rules that look at a metric in a mode."""
        rules = [rule for rule in self.by_metric.get(metric or "", ()) if rule.mode == mode and rule.mode != "held_out"]
        return rules + ([rule for rule in self.rules if rule.mode == "held_out"] if held_out else [])


@lru_cache(maxsize=4)
def rules_of(tables: Tables) -> Rules:
    """Return the rules and diagnoses of a spec, read once for all runs."""
    return Rules(tables)


def _rule(row: Mapping[str, Any]) -> Rule:
    curves = {name: tuple(metrics) for name, metrics in row.get("with", {}).items()}
    optional = set(row.get("optional", ()))
    return Rule(
        id=row["id"],
        title=row["title"],
        cause=row["cause"],
        metrics=tuple(row.get("metrics", ())),
        mode=row.get("mode", "train"),
        curves=curves,
        required=tuple(name for name in curves if name not in optional),
        conditions=tuple((level, row[level]) for level in reversed(LEVELS) if level in row),
        when=row.get("when"),
        steps=row.get("steps", 1),
        warm_up=row.get("warm_up", 0),
        points=row.get("points", 1),
        absolute=row.get("absolute", False),
        special=row.get("special"),
        shows=parse_number(row["shows"]) if "shows" in row else None,
        message=row["message"],
        remark=(row["remark"][0], row["remark"][1]) if "remark" in row else None,
        advice=row["advice"],
        basis=row["basis"],
        source=source_text(row.get("sources", ())),
    )


def _diagnosis(row: Mapping[str, Any]) -> DiagnosisRule:
    return DiagnosisRule(
        id=row["id"],
        cause=row["cause"],
        title=row["title"],
        all_of=tuple(row.get("all_of", ())),
        any_of=tuple(row.get("any_of", ())),
        none_of=tuple(row.get("none_of", ())),
        explains=tuple(row.get("explains", ())),
        rank=row["rank"],
        message=row["message"],
        checks=tuple(row["checks"]),
        confidence=row["confidence"],
        level=row.get("level"),
        silent=row.get("silent", False),
    )


def source_text(sources: Any) -> str:
    """Return sources in one line."""
    parts = []
    for source in sources:
        place = (
            f" {source['path']}{':' + str(source['line']) if source.get('line') else ''}" if source.get("path") else ""
        )
        release = f" ({source['release']})" if source.get("release") else ""
        parts.append(f"{source['title']}{release}{place}" + (f" <{source['url']}>" if source.get("url") else ""))
    return "; ".join(parts)
