"""From evidence to candidates: which sources are left, and how much likelier the first is than the next."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from rlmetrics.lazy_dataclasses import dataclass

from .index import Subject
from .source_evidence import USUAL, Observed, Terms, sums_of, weigh

__all__ = ["LEFT", "TWICE", "Ranked", "rank"]

TWICE = 0.69
"""The logarithm of two: a candidate that weighs half of another one does not count against it."""
LEFT = 3.0
"""How much less than the first by evidence a candidate may weigh, to be told at all: a twentieth."""
_ALIKE = 0.05


@dataclass(frozen=True, eq=False)
class Ranked:
    """A subject and the releases that are left of it.

    Attributes:
        subject: The subject.
        best: Its releases that weigh the most, as bits.
        rivals: Those that weigh more than half of that.
        left: Those that are not ruled out.
        weight: What its best releases weigh.
        by_evidence: The same without what is usual.
        by_kind: The weight of each kind of evidence in its newest release among the best.
        against: The least weight of each kind in any subject and release.
        negative: Keys with a value below 0 that it may log, and that another candidate logs what is never negative by.
    """

    subject: Subject
    best: int
    rivals: int
    left: int
    weight: float
    by_evidence: float
    by_kind: Mapping[str, float]
    against: Mapping[str, float]
    negative: frozenset[str] = frozenset()

    @property
    def for_it(self) -> float:
        """The weight of all evidence but for what is missing, and for what is usual."""
        return self.by_evidence - self.by_kind.get("missing keys", 0.0)


def rank(observed: Observed) -> list[Ranked]:
    """Return what can be the source, the likeliest first."""
    kinds = weigh(observed)
    against = {
        kind: min((weight for own in terms.values() for weight in own.values()), default=0.0)
        for kind, terms in kinds.items()
    }
    ranked = [_ranked(observed.index.subjects[number], kinds, against) for number in observed.involved]
    every = _not_extended([one for one in ranked if one is not None])
    first = max((one.by_evidence for one in every), default=0.0)
    near = [one for one in every if one.by_evidence > first - LEFT]
    return sorted(near, key=lambda one: (-one.weight, one.subject.number))


def _ranked(subject: Subject, kinds: Mapping[str, Terms], against: Mapping[str, float]) -> Ranked | None:
    joined: dict[int, float] = defaultdict(float)
    for kind, terms in kinds.items():
        if kind != USUAL:
            for bits, weight in terms.get(subject.number, {}).items():
                joined[bits] += weight
    sums = sums_of(subject.releases, joined)
    if not sums:
        return None
    most = max(sums.values())
    best = _union(part for part, weight in sums.items() if weight > most - _ALIKE)
    newest = 1 << best.bit_length() - 1
    by_kind = {
        kind: sum(weight for bits, weight in terms.get(subject.number, {}).items() if bits & newest)
        for kind, terms in kinds.items()
    }
    usual = sum(kinds.get(USUAL, {}).get(subject.number, {}).values())
    return Ranked(
        subject,
        best,
        _union(part for part, weight in sums.items() if weight > most - TWICE),
        _union(part for part, weight in sums.items() if weight > most - LEFT),
        most + usual,
        most,
        by_kind,
        against,
    )


def _not_extended(every: list[Ranked]) -> list[Ranked]:
    """Leave out classes that extend another one, unless something speaks for them: that less is missing does not."""
    bases = {(one.subject.framework, stem): one for one in every for stem in one.subject.parts}
    kept = []
    for one in every:
        stems = {stem for stems in one.subject.parts.values() for stem in stems}
        extended = {base for stem in stems if (base := bases.get((one.subject.framework, stem))) not in (None, one)}
        if all(base is not None and base.for_it + TWICE < one.for_it for base in extended):
            kept.append(one)
    return kept


def _union(parts: Iterable[int]) -> int:
    bits = 0
    for part in parts:
        bits |= part
    return bits
