"""Tells causes from what follows from them, so that a single mistake is shown once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..findings import Location, Related, SpecFinding

__all__ = ["order"]

_SHOWN = 2
"""Further places of one and the same fault that are shown with the first."""

_WORDS = frozenset(
    {
        "dead-fact", "facts-disagree", "formula", "guard-never", "guard-value", "missing-default", "missing-metric",
        "population-domain", "release-hole", "unproven-fact", "unused-input", "writers-overlap",
    }
)  # fmt: skip
_BRINGS: dict[str, frozenset[str]] = {
    "broken-reference": _WORDS,
    "unknown-setting": _WORDS,
    "guard-syntax": _WORDS,
    "guard-cycle": _WORDS,
    "guard-never": frozenset({"dead-fact"}),
    "formula": frozenset(
        {"atom", "formula-kind", "missing-population", "population-domain", "unused-input", "unused-let"}
    ),
    "unknown-release": frozenset({"dead-fact", "not-described", "release-hole", "writers-overlap"}),
    "template-syntax": frozenset({"ambiguous-template", "open-template", "round-trip"}),
    "placeholder-pattern": frozenset({"ambiguous-template", "loose-placeholder", "placeholder-example", "round-trip"}),
}
"""What a check brings with it: other checks that find faults in the same entry because of what it found."""

_SUGGESTED = re.compile(r"[`']([^`']+)[`']")


_NO_METRIC = re.compile(r"there is no metric `([^`]+)`")


def order(findings: Iterable[tuple[SpecFinding, object]]) -> list[SpecFinding]:
    """Mark what follows from other findings.

    A fault follows from another where both are in one entry of a file and the other keeps the entry from being
    understood, such as a misspelt setting in a guard; where the same is wrong in the same words at several places; and
    where a name counts as unused because its only use is misspelt.

    Args:
        findings: Each with what identifies its entry, such as a file and a path; None if it is in no entry.

    Returns:
        The findings in the order of their places; the first of equal ones names the places of the others.
    """
    rows = sorted(dict(findings).items(), key=lambda row: _key(row[0]))
    brought: dict[object, set[str]] = {}
    for finding, entry in rows:
        if entry is not None:
            brought.setdefault(entry, set()).update(_BRINGS.get(finding.id, ()))
    suggested = {
        name
        for finding, _ in rows
        if finding.fix.startswith("did you mean")
        for name in _SUGGESTED.findall(finding.fix)
    }
    ordered: list[SpecFinding] = []
    first: dict[tuple[str, str], int] = {}
    places: dict[tuple[str, str], list[Location]] = {}
    for finding, entry in rows:
        words = (finding.id, finding.message)
        follows = finding.id in brought.get(entry, ()) or _is_unused(finding, suggested)
        if not follows and words in first:
            places.setdefault(words, []).append(finding.location)
            follows = True
        elif not follows:
            first[words] = len(ordered)
        ordered.append(replace(finding, follows=True) if follows else finding)
    for words, others in places.items():
        ordered[first[words]] = _with_places(ordered[first[words]], others)
    return ordered


def _key(finding: SpecFinding) -> tuple[Location, str, str, str]:
    return (finding.location, finding.id, finding.message, finding.fix)


def _is_unused(finding: SpecFinding, suggested: set[str]) -> bool:
    return finding.id == "unused-name" and not suggested.isdisjoint(_SUGGESTED.findall(finding.message))


def _with_places(finding: SpecFinding, places: Sequence[Location]) -> SpecFinding:
    shown = tuple(Related(place, "here too") for place in places[:_SHOWN])
    left = len(places) - len(shown)
    notes = (f"and at {left} more {'place' if left == 1 else 'places'}",) if left else ()
    fix = finding.fix
    if fix.startswith("did you mean") and not finding.notes:
        # What stands at several places may be right, and the one place that defines it wrong.
        fix += " Or is that one misspelt?"
    metric = _NO_METRIC.search(finding.message)
    if metric:
        new = _SUGGESTED.findall(finding.fix)
        renamed = f"rlmetrics rename {metric[1]} {new[0] if new else 'NEW'}"
        fix += f" If the metric has a new name, give it the old one back and run `{renamed}`, which writes every place."
    return replace(finding, fix=fix, related=(*finding.related, *shown), notes=(*finding.notes, *notes))
