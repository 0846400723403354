"""From findings to answers: diagnoses that explain them, the cause upstream first, its symptoms folded under it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rlmetrics.wording.voice import later

from .report_records import LEVELS, Diagnosis, Finding, worst
from .rules import DiagnosisRule, Rules

__all__ = ["diagnose"]

_SLACK = 0.1
"""A symptom may be seen before its cause by this share of the run: what is watched more closely is seen earlier."""
_LATER = 0.25
"""What begins later than the first by this share of the run is no cause of it, however far upstream."""


def diagnose(findings: Sequence[Finding], rules: Rules, steps: tuple[float, float]) -> list[Diagnosis]:
    """Return what explains some findings, the answer first.

    A diagnosis is made where its rules found something. They are ordered by level, by their place upstream and by
    onset; what begins long after the first comes after it. One whose own rules are all explained by one before it is
    folded under that. Findings of level warning or error that nothing explains stand for themselves.
    """
    by_rule: dict[str, list[Finding]] = {}
    for finding in findings:
        by_rule.setdefault(finding.rule, []).append(finding)
    made = [item for rule in rules.diagnoses if (item := _made(rule, by_rule, rules))]
    length = steps[1] - steps[0]
    begun = {level: [item.onset_step for item, _ in made if item.level == level] for level in LEVELS}
    made.sort(
        key=lambda item: (
            -LEVELS.index(item[0].level),
            item[0].onset_step > min(begun[item[0].level]) + _LATER * length,
            item[1].rank,
            item[0].onset_step,
        )
    )
    slack = _SLACK * length
    diagnoses: list[Diagnosis] = []
    explained: dict[str, _Reach] = {}
    of_cause: dict[str, set[str]] = {}
    for diagnosis, rule in made:
        own = [name for name in (*rule.all_of, *rule.any_of) if _strong(by_rule.get(name, ()))]
        own = own or [name for name in (*rule.all_of, *rule.any_of) if name in by_rule]
        if all(name in explained and explained[name].covers(_onset(_worst(by_rule[name])), slack) for name in own):
            continue
        # Of one cause the worst that is seen of it stands for what led to it.
        if of_cause.get(rule.cause, set()).issuperset(own):
            continue
        diagnoses.append(diagnosis)
        of_cause.setdefault(rule.cause, set()).update(diagnosis.explains)
        reach = _reach(diagnosis, rule, by_rule, rules)
        for name in diagnosis.explains:
            explained.setdefault(name, reach)
    for name, items in by_rule.items():
        level = worst([item.level for item in items])
        if name not in explained and level not in (None, "info"):
            diagnoses.append(_alone(items))
            explained[name] = _Reach(_onset(items), math.inf)
    return sorted(diagnoses, key=lambda item: -LEVELS.index(item.level))


class _Reach(NamedTuple):
    """From when to when a cause can explain what begins."""

    begin: float
    end: float

    def covers(self, onset: float, slack: float) -> bool:
        """Tell whether what began then may follow from it."""
        return self.begin - slack <= onset <= self.end + slack


def _reach(diagnosis: Diagnosis, rule: DiagnosisRule, by_rule: Mapping[str, list[Finding]], rules: Rules) -> _Reach:
    """Return from when to when a diagnosis explains others: what is over explains nothing that begins long after it.

    What breaks at once, or for certain, is never over.
    """
    own = [name for name in (*rule.all_of, *rule.any_of) if name in by_rule]
    if diagnosis.level == "error" or any(rules.by_id[name].lasting for name in own):
        return _Reach(diagnosis.onset_step, math.inf)
    return _Reach(diagnosis.onset_step, max(item.last_step for name in own for item in by_rule[name]))


def _worst(items: Sequence[Finding]) -> list[Finding]:
    """Return the findings of the highest level."""
    level = worst([item.level for item in items])
    return [item for item in items if item.level == level]


def _onset(items: Sequence[Finding]) -> float:
    return min(item.onset_step for item in items)


def _made(
    rule: DiagnosisRule, by_rule: Mapping[str, list[Finding]], rules: Rules
) -> tuple[Diagnosis, DiagnosisRule] | None:
    if not all(name in by_rule for name in rule.all_of) or any(_strong(by_rule.get(name, ())) for name in rule.none_of):
        return None
    some = [name for name in rule.any_of if name in by_rule]
    if rule.any_of and not some:
        return None
    own = [*rule.all_of, *some]
    items = [finding for name in own for finding in by_rule[name]]
    level = worst([item.level for item in items]) or "info"
    worth = [item for item in items if item.level == level]
    onset = _onset(worth)
    folded = [name for name in rule.explains if name in by_rule and name not in own]
    own.sort(key=lambda name: (-max(LEVELS.index(item.level) for item in by_rule[name]), _onset(by_rule[name])))
    several = len({item.key for item in items if item.level != "info"}) > 1
    chosen = all(item.rule in rules.by_id and rules.by_id[item.rule].chosen for item in worth)
    confidence, why = _confidence(rule.confidence, worth, several=several, folded=len(folded), chosen=chosen)
    title, message, checks = rule.title, rule.message, rule.checks
    measured = rules.by_id.get(worth[0].rule)
    alone = len({item.rule for item in worth}) == 1
    if measured is not None and measured.tiers and (level == "info" or (alone and _is_of_several(rule, rules))):
        # A remark, and one of several kinds of signs, tell what was measured and not what it may come from.
        title, message = measured.said_at(level)
        checks = (measured.advice, *rule.checks)
    diagnosis = Diagnosis(
        rule.id,
        rule.cause,
        level,
        title,
        onset,
        (*own, *folded),
        message,
        tuple(dict.fromkeys(checks)),
        confidence,
        why,
    )
    return diagnosis, rule


def _is_of_several(rule: DiagnosisRule, rules: Rules) -> bool:
    """Tell whether any one sign of several kinds, such as a divergence or an entropy, makes a diagnosis."""
    kinds = {metric.partition("/")[0] for name in rule.any_of for metric in rules.by_id[name].metrics}
    return len(kinds) > 1 and len(rule.any_of) > 1 and not rule.all_of


def _strong(items: Sequence[Finding]) -> bool:
    return any(item.level != "info" for item in items)


def _confidence(
    base: float, items: Sequence[Finding], *, several: bool, folded: int, chosen: bool
) -> tuple[float, str]:
    bases = {item.basis for item in items}
    level = items[0].level
    value = base if level != "info" else base * 0.6
    if several or folded:
        value += (1 - value) * 0.3
    if bases == {"folklore"}:
        value *= 0.85
    said = {
        "error": later("by a threshold that was chosen and measured") if chosen else later("no threshold was chosen"),
        "warning": later("a bound that a source names")
        if bases == {"documented"}
        else later("a bound that was measured"),
        "info": later("one weak sign"),
    }[level]
    if bases == {"folklore"} and level == "warning":
        said = later("a bound of folklore, confirmed by a second curve")
    if several or folded:
        agreed = later("several curves agree") if several else later("symptoms that it explains are there too")
        said += f"; {agreed}"
    return round(min(value, 0.99), 2), said


def _alone(items: Sequence[Finding]) -> Diagnosis:
    first = min(items, key=lambda item: (-LEVELS.index(item.level), item.onset_step))
    return Diagnosis(
        first.rule,
        first.cause,
        first.level,
        first.message.split(". ")[0].rstrip("."),
        first.onset_step,
        (first.rule,),
        first.message,
        (first.advice,),
        0.6 if first.level == "warning" else 0.9,
        "one rule alone",
    )
