"""The page "My run is sick": from what one sees to what it can be, and what to check then."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from rlmetrics.health.rules import DiagnosisRule, Rule, Rules

from .healthy import SICK
from .html import render
from .page import Page
from .page_links import metric_page
from .symptoms import GROUPS, SYMPTOMS, Symptom
from .value_page import VALUES

if TYPE_CHECKING:
    from rlmetrics.names.tables.tables import Tables

    from .page import Asset
    from .site import Site

__all__ = ["SymptomSection", "sections", "sick"]

_KEYS = 4
"""So many keys of each framework are told with a symptom."""
_OTHERS = 5
"""So many diagnoses are told that can be behind it, those that lie furthest upstream."""


@dataclass(frozen=True)
class SymptomSection:
    """A symptom with all that is said of it.

    Attributes:
        symptom: The symptom.
        seen: The rules that look for it, by what they look at first; that is empty for a user's own scores.
        own: The diagnoses that are told here.
        others: Further diagnoses that can be behind it: those that its rules make, then what lies upstream.
        keys: By framework, what the newest releases that log these call them.
    """

    symptom: Symptom
    seen: Mapping[str, Sequence[Rule]]
    own: Sequence[DiagnosisRule]
    others: Sequence[DiagnosisRule]
    keys: Mapping[str, Sequence[str]]


def sick(site: Site) -> Iterator[Page | Asset]:
    """Yield the page."""
    found = sections(site.tables)
    body = render(
        "sick.html.j2",
        SICK,
        site.texts,
        groups={group: own for group in GROUPS if (own := [one for one in found if one.symptom.group == group])},
        titles={name: str(row["title"]) for name, row in site.tables.frameworks.items()},
        of_metric=metric_page,
        explained={rule for section in found for one in section.own for rule in (*_makers(one), *one.explains)},
        values=VALUES,
    )
    plain = site.texts.plain
    description = plain("From what a curve shows to what it can mean, and what to check then.")
    yield Page(SICK, plain("My run is sick"), description, body)


def sections(tables: Tables) -> list[SymptomSection]:
    """Return every symptom that a rule looks for; each rule and each diagnosis is told in one of them."""
    rules = Rules(tables)
    by_id = {rule.id: rule for rule in rules.rules}
    groups = _grouped(rules.rules)
    homes: dict[str, list[DiagnosisRule]] = {}
    for one in sorted(rules.diagnoses, key=lambda one: one.rank):
        homes.setdefault(_home(one, groups), []).append(one)
    found = []
    for symptom in (one for one in SYMPTOMS if groups[one.id]):
        own = homes.get(symptom.id, [])
        seen: dict[str, list[Rule]] = {}
        for rule in groups[symptom.id]:
            seen.setdefault(_leading(tables, by_id[rule]), []).append(by_id[rule])
        others = list(_behind(rules.diagnoses, groups[symptom.id], own))[:_OTHERS]
        found.append(SymptomSection(symptom, seen, own, others, _keys(tables, seen)))
    return found


def _grouped(rules: Sequence[Rule]) -> Mapping[str, Sequence[str]]:
    """Return the rules of each symptom; one that no symptom names goes to the first with a rule of the same cause."""
    causes = {rule.id: rule.cause for rule in rules}
    found = {symptom.id: [rule for rule in symptom.rules if rule in causes] for symptom in SYMPTOMS}
    named = {rule for symptom in SYMPTOMS for rule in symptom.rules}
    for rule in rules:
        if rule.id not in named:
            alike = (one.id for one in SYMPTOMS if any(causes.get(other) == rule.cause for other in one.rules))
            found[next(alike, SYMPTOMS[-1].id)].append(rule.id)
    return found


def _makers(diagnosis: DiagnosisRule) -> tuple[str, ...]:
    """Return the rules whose findings make a diagnosis."""
    return (*diagnosis.all_of, *diagnosis.any_of)


def _home(diagnosis: DiagnosisRule, groups: Mapping[str, Sequence[str]]) -> str:
    """Return the symptom that most of the rules of a diagnosis look for, and of several that of its first rule."""
    rules = _makers(diagnosis)
    return max(groups, key=lambda one: (sum(rule in groups[one] for rule in rules), rules[0] in groups[one]))


def _behind(
    diagnoses: Sequence[DiagnosisRule], rules: Sequence[str], own: Sequence[DiagnosisRule]
) -> Iterator[DiagnosisRule]:
    """Yield the diagnoses told elsewhere that some rules make, then those that explain them, upstream first."""
    for one in sorted(diagnoses, key=lambda one: (not _shares(_makers(one), rules), one.rank)):
        if one not in own and _shares((*_makers(one), *one.explains), rules):
            yield one


def _shares(some: Iterable[str], others: Sequence[str]) -> bool:
    return any(one in others for one in some)


def _leading(tables: Tables, rule: Rule) -> str:
    """Return what a rule looks at first: of its metrics the first that most frameworks log; empty if it has none."""
    return max(rule.metrics, key=lambda metric: len(tables.logged_by(metric)), default="")


def _keys(tables: Tables, metrics: Iterable[str]) -> Mapping[str, Sequence[str]]:
    """Return what every framework calls some metrics."""
    found: dict[str, dict[str, None]] = {framework: {} for framework in tables.frameworks}
    for metric in filter(None, metrics):
        for framework, keys in found.items():
            key = _newest_key(tables, framework, metric)
            if key is not None:
                keys[key] = None
    return {framework: list(keys)[:_KEYS] for framework, keys in found.items()}


@lru_cache(maxsize=1024)
def _newest_key(tables: Tables, framework: str, metric: str) -> str | None:
    """Return what the foremost component of the last release that logs a metric in training calls it."""
    table = tables.framework(framework)
    stems = tables.logged_by(metric).get(framework, ())
    best: tuple[int, str] | None = None
    for _, stem, ranges, _ in table.components:
        if stem not in stems:
            continue
        component = table.component(stem)
        for row in component.measuring(metric):
            if row.mode == "train" and row.metrics[:1] == (metric,):
                covered = table.releases.covered(row.ranges) & table.releases.covered(ranges)
                last = max(map(table.releases.index, covered), default=-1)
                if last >= 0 and (best is None or last > best[0]):
                    best = last, component.bare(row)
    return best[1] if best is not None else None
