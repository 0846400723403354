"""What speaks for a source: each kind of evidence, weighed for every subject and release.

A weight is the natural logarithm of how much likelier the evidence is if the subject logged the run, than if it did
not: 2.3 stands for ten times as likely. Weights add up.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property

from rlmetrics.lazy_dataclasses import dataclass, field

from ..tables.tables import Tables
from ..tables.versions import is_development, version_key
from .index import Owner, SourceIndex, Subject
from .run_clues import Clues

__all__ = ["USUAL", "Observed", "Terms", "release_names", "tagged_trainers", "weigh"]

USUAL = "usual"
_STRUCTURED, _PLAIN, _LEAST = 3.5, 1.5, 0.5
"""What a key of several parts weighs at least, and a word or two, which users log themselves, at most and at least."""
_BY_CHANCE = 2.0
"""What it takes from a key's weight that a user would have had to choose, for a function of rewards say, the very name
that another trainer logs by itself."""
_LACKING, _UNEXPECTED = 3.5, 2.0
"""What speaks against a subject if a whole log lacks what it always logs, and for each setting that must differ from
its default where it lacks what is logged by default. Whoever selects keys, or wraps a trainer, leaves out many: so more
of them weigh no more than one."""
_FAMILY = 0.6
"""What speaks against a release of a program for each family of keys that it logs always, and that is missing: one may
be a part that was replaced, two are no accident."""
_CHOSEN = 0.1
"""What share of the keys that a release logs always may be missing before a log is taken for a choice of keys."""
_INSTALLED, _NAMED, _CLASS, _TAG = 20.0, 6.0, 12.0, 5.0
_SETTING, _NO_SETTING, _MOST_BY_SETTINGS, _MOST_BESIDE = 1.5, 3.0, 12.0, 4.0
_PRINTED, _NOT_ZERO, _MOST_BY_VALUES = 8.0, 8.0, 12.0
_BY_RANK, _LAST_RANK = 0.3, 6

Terms = dict[int, dict[int, float]]
"""For each subject, weights by the releases, as bits, to which they apply."""


@dataclass(frozen=True)
class Observed:
    """A run's keys, looked up.

    Attributes:
        index: Who logs what.
        clues: What is known of the run.
        rows: For each logged key that is known, the keys and templates of the spec that it can be.
    """

    index: SourceIndex
    clues: Clues
    rows: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, index: SourceIndex, clues: Clues) -> Observed:
        """Look keys up."""
        rows = {name: rows for name in clues.logged if (rows := index.rows_of(name))}
        return cls(index, clues, rows)

    @cached_property
    def canonical(self) -> tuple[str, ...]:
        """The keys that are names of the spec's own."""
        return tuple(name for name in self.clues.logged if self.index.is_canonical(name))

    @cached_property
    def seen(self) -> frozenset[str]:
        """All keys and templates of the spec that the run's keys can be."""
        return frozenset(row for rows in self.rows.values() for row in rows)

    @cached_property
    def involved(self) -> tuple[int, ...]:
        """The numbers of all subjects that log any of the keys."""
        found = {subject for name in self.rows for subject in self.owners(name)}
        return tuple(sorted({*found, *([self.index.canonical] if self.canonical else [])}))

    def owners(self, name: str) -> Mapping[int, tuple[Owner, ...]]:
        """Return who logs a key, by subject."""
        return self.index.logging(name) if name in self.rows else {}

    def logging_itself(self, name: str) -> frozenset[int]:
        """Return who logs a key as it stands, where others log it as one name of many that users choose."""
        literal = [row for row in self.rows[name] if "{" not in row]
        if len(literal) == len(self.rows[name]):
            return frozenset()
        return frozenset(owner.subject for row in literal for owner in self.index.owners(row))

    @cached_property
    def weights(self) -> Mapping[str, float]:
        """What each known key weighs; 0 where most trainers log it."""
        return {name: self._weight(name, len(self.owners(name))) for name in self.rows}

    def _weight(self, name: str, owners: int) -> float:
        if self.index.is_shared(owners):
            return 0.0
        rarity = math.log(self.index.trainers / owners)
        return max(rarity, _STRUCTURED) if _is_structured(name) else min(max(rarity, _LEAST), _PLAIN)

    @cached_property
    def telling(self) -> tuple[str, ...]:
        """The keys that tell anything: all but those that most trainers log."""
        return tuple(name for name in self.clues.logged if self.weights.get(name, 1.0) > 0)


def _is_structured(name: str) -> bool:
    """Tell whether a key is unlikely to be a user's own word."""
    bare = name.removeprefix("train/").removeprefix("eval/").removeprefix("eval_")
    return "/" in bare or bare.count("_") > 1


def weigh(observed: Observed) -> dict[str, Terms]:
    """Return all that speaks for and against each subject, by kind of evidence."""
    return {kind: found for kind, rule in _RULES.items() if (found := rule(observed))}


def _keys(observed: Observed) -> Terms:
    """Weigh keys that a subject logs."""
    terms: Terms = defaultdict(lambda: defaultdict(float))
    for name, weight in observed.weights.items():
        if weight:
            by_itself = observed.logging_itself(name)
            for subject, owners in observed.owners(name).items():
                releases = 0
                for owner in owners:
                    releases |= owner.releases
                chance = by_itself and subject not in by_itself
                terms[subject][releases] += max(weight - _BY_CHANCE, _LEAST) if chance else weight
    return terms


def _own(observed: Observed) -> Terms:
    """Weigh names of the spec's own, which only its adapters, suites and translations write."""
    if not observed.canonical:
        return {}
    return {observed.index.canonical: {1: _STRUCTURED * len(observed.canonical)}}


def _missing(observed: Observed) -> Terms:
    """Weigh keys that a subject logs always, or by default, and that a whole log lacks.

    Releases of one trainer are told apart by that only where one of them lacks nothing: a wrapper, or who selects keys,
    leaves some out in any release. Those of a program of several parts, which settings choose, are by whole families.
    """
    if not observed.clues.whole:
        return {}
    if observed.clues.kept is not None:
        return _lacking_of_kept(observed, observed.clues.kept)
    terms: Terms = {}
    for number in observed.involved:
        about = observed.index.subjects[number]
        lost: dict[int, float] = defaultdict(float)
        for key, releases in observed.index.certain.get(number, ()):
            lost[releases] += 0 if key in observed.seen else _LACKING
        for keys in observed.index.expected.get(number, {}).values():
            # What one setting decides is missing together.
            for releases in {releases for key, releases in keys if key not in observed.seen}:
                lost[releases] += _UNEXPECTED
        sums = sums_of(about.releases, lost)
        fewest = min(sums.values())
        if fewest >= _LACKING or about.component is None:
            sums = {about.releases: fewest}
        own = {part: -min(weight, _LACKING) for part, weight in sums.items() if weight}
        terms[number] = {**own, **_lacking_families(observed, about)} if about.component is None else own
    return terms


def _lacking_of_kept(observed: Observed, kept: Mapping[str, str]) -> Terms:
    """Weigh keys that a subject logs always, and that a form of log lacks which keeps them wherever they are logged."""
    terms: Terms = {}
    for number in observed.involved:
        lost: dict[int, float] = defaultdict(float)
        for key, releases in observed.index.certain.get(number, ()):
            if key in kept and kept[key] not in observed.clues.keys:
                lost[releases] -= _LACKING
        terms[number] = dict(lost)
    return terms


def _lacking_families(observed: Observed, program: Subject) -> dict[int, float]:
    """Weigh releases of a program of which more whole families of keys are missing than of others.

    What is logged in one place, as ``response_length_non_aborted/…``, is missing together. Nothing follows from a log
    that lacks a good part of what any release logs: someone chose what is in it.
    """
    missing: dict[int, int] = defaultdict(int)
    every: dict[int, int] = defaultdict(int)
    families: dict[str, tuple[int, int]] = {}
    for key, releases in observed.index.certain.get(program.number, ()):
        seen = key in observed.seen
        every[releases] += 1
        missing[releases] += not seen
        family = key.partition("/")[0]
        logged, found = families.get(family, (0, 0))
        families[family] = (logged | releases, found | (releases if seen else 0))
    totals, gaps = sums_of(program.releases, every), sums_of(program.releases, missing)
    if not any(gap <= _CHOSEN * totals.get(part, 0) for part, gap in gaps.items()):
        return {}
    lost: dict[int, int] = defaultdict(int)
    for logged, found in families.values():
        lost[logged & ~found] += 1
    sums = sums_of(program.releases, lost)
    fewest = min(sums.values())
    return {part: -min(_FAMILY * (count - fewest), _LACKING) for part, count in sums.items() if count > fewest + 1}


def release_names(framework: str, tables: Tables) -> tuple[str, ...]:
    """Return under which names the release of a framework is recorded: its own, its package's, as it is imported."""
    head = tables.head(framework)
    package = str(head["package"]) if head else framework
    return framework, package, str(tables.audit.get(framework, {}).get("imports") or package)


def _versions(observed: Observed) -> Terms:
    """Weigh releases that the run recorded, or that something beside it names."""
    clues, terms = observed.clues, Terms()
    tables = observed.index.tables
    names = {name: release_names(name, tables) for name in {item.framework for item in observed.index.subjects}}
    for subject in observed.index.subjects:
        for recorded, weight in ((clues.installed, _INSTALLED), (clues.named, _NAMED)):
            version = next((recorded[name] for name in names[subject.framework] if name in recorded), None)
            if version is not None:
                bits = _answering(observed.index, subject, version, recorded)
                against = subject.releases & ~bits
                if against:
                    terms.setdefault(subject.number, {}).setdefault(against, 0.0)
                    terms[subject.number][against] -= weight
    return terms


def _answering(index: SourceIndex, subject: Subject, version: str, recorded: Mapping[str, str]) -> int:
    """Return the releases that a recorded version can be, as bits: those around a development version.

    Of a release that runs on several of another framework's it is the pair with the one that was recorded as well.
    """
    releases = index.known_releases(subject)
    pairs = releases.paired(version)
    if pairs:
        base = index.tables.framework(subject.framework).base
        under = recorded.get(base[0].name) if base is not None else None
        named = [pair for pair in pairs if base is not None and base[1][pair] == under]
        return releases.bits(named or pairs)
    if version in releases:
        return 1 << releases.index(version)
    answering = releases.answering(version)
    if answering is None:
        return subject.releases
    bits = 1 << releases.index(answering)
    key = version_key(version)
    if key is not None and is_development(version):
        older = [name for name in releases.names if (other := version_key(name)) is not None and other < key]
        bits |= 1 << releases.index(older[-1]) if older else 0
    return bits


def _settings(observed: Observed) -> Terms:
    """Weigh settings that a subject's class has, and that the run recorded or lacks."""
    clues, index = observed.clues, observed.index
    terms = _having(clues.settings_of_trainer, index)
    for number, settings in index.settings.items() if clues.settings_whole else ():
        for name, releases in settings:
            if name not in clues.settings:
                terms[number][releases] -= _NO_SETTING
    return _bounded(terms, index, _MOST_BY_SETTINGS)


def _settings_beside(observed: Observed) -> Terms:
    """Weigh settings that stand in a file beside the log."""
    return _bounded(_having(observed.clues.settings_beside, observed.index), observed.index, _MOST_BESIDE)


def _having(names: Iterable[str], index: SourceIndex) -> Terms:
    """Return what settings weigh for those that have them."""
    terms: Terms = defaultdict(lambda: defaultdict(float))
    for name in names:
        owners = index.has_setting(name)
        for owner in () if index.is_shared(len(owners)) else owners:
            terms[owner.subject][owner.releases] += _SETTING
    return terms


def _bounded(terms: Terms, index: SourceIndex, most: float) -> Terms:
    """Return weights below the best by at most so much: settings may be those of another run in the same place."""
    sums = {number: sums_of(index.subjects[number].releases, own) for number, own in terms.items()}
    best = max((weight for own in sums.values() for weight in own.values()), default=0.0)
    if best <= 0:
        # Nothing speaks for a subject: those stay behind whose settings the run would have recorded.
        return {number: {part: max(weight, -most) for part, weight in own.items()} for number, own in sums.items()}
    low = {subject.number: {subject.releases: -most} for subject in index.subjects if subject.number not in sums}
    return {
        **{number: {part: max(weight - best, -most) for part, weight in own.items()} for number, own in sums.items()},
        **low,
    }


def _classes(observed: Observed) -> Terms:
    """Weigh names of classes in keys; one that is not known counts as the one with which its name ends."""
    return _called(observed.index, observed.clues.classes, _CLASS)


def _named_beside(observed: Observed) -> Terms:
    """Weigh trainers that the tags of a model card name, where another of them names their framework."""
    return _called(observed.index, tagged_trainers(observed), _TAG)


def tagged_trainers(observed: Observed) -> tuple[str, ...]:
    """Return the tags that may name a trainer: nothing where none names a framework of the index, or its base."""
    tags, tables = observed.clues.tags, observed.index.tables
    frameworks = {subject.framework for subject in observed.index.subjects} if tags else ()
    if not any({name, tables.head(name).get("base")} & {*tags} for name in frameworks):
        return ()
    return tuple(tag for tag in tags if tag not in tables.named)


def _called(index: SourceIndex, names: tuple[str, ...], weight: float) -> Terms:
    by_name: dict[str, list[Subject]] = {}
    for subject in index.subjects:
        if subject.component is not None:
            by_name.setdefault(_bare(subject.component), []).append(subject)
    meant: set[int] = set()
    for name in names:
        bare = _bare(name)
        found = by_name.get(bare)
        if found is None:
            ending = max((known for known in by_name if len(known) > 2 and bare.endswith(known)), key=len, default=None)
            found = by_name[ending] if ending is not None and "trainer" in name.lower() else []
        meant.update(subject.number for subject in found)
    if not meant:
        return {}
    return {
        subject.number: {subject.releases: 0.0 if subject.number in meant else -weight} for subject in index.subjects
    }


def _bare(name: str) -> str:
    """Return the name of a class or tag without what all have: ``reward-trainer`` and ``RewardTrainer`` are one."""
    return re.sub(r"[-_ ]|trainer$", "", name.rpartition(".")[2].lower())


def _precision(observed: Observed) -> Terms:
    """Weigh how the console rounds: one that rounds otherwise than a release does is not its."""
    if observed.clues.decimals is None:
        return {}
    terms: Terms = {}
    for subject in observed.index.subjects:
        printed = observed.index.printed(subject.framework, observed.clues.decimals)
        if printed is not None:
            against = subject.releases & ~printed
            terms[subject.number] = {against: -_PRINTED} if against else {}
    return terms


def _values(observed: Observed) -> Terms:
    """Weigh values other than 0 of what a subject logs 0 for."""
    nonzero = observed.clues.nonzero
    if not nonzero:
        return {}
    terms: Terms = defaultdict(lambda: defaultdict(float))
    for name in observed.rows.keys() & nonzero:
        for subject, owners in observed.owners(name).items():
            zero = 0
            for owner in owners:
                zero |= owner.zero
            if zero:
                terms[subject][zero] = max(terms[subject][zero] - _NOT_ZERO, -_MOST_BY_VALUES)
    return terms


def _usual(observed: Observed) -> Terms:
    """Weigh which trainer most people use, for where nothing else decides."""
    return {
        subject.number: {subject.releases: -_BY_RANK * min(subject.rank, _LAST_RANK)}
        for subject in observed.index.subjects
        if subject.rank
    }


_RULES: dict[str, Callable[[Observed], Terms]] = {
    "recorded version": _versions,
    "recorded settings": _settings,
    "settings beside it": _settings_beside,
    "class name": _classes,
    "trainer named beside it": _named_beside,
    "own output": _own,
    "keys": _keys,
    "missing keys": _missing,
    "printed precision": _precision,
    "values": _values,
    USUAL: _usual,
}


def parts_of(releases: int, by_bits: Mapping[int, float] | Mapping[int, int]) -> Iterator[int]:
    """Yield sets of releases within which all the same apply."""
    parts = [releases]
    for bits in by_bits:
        parts = [piece for part in parts for piece in (part & bits, part & ~bits) if piece]
    yield from parts


def sums_of(releases: int, terms: Mapping[int, float] | Mapping[int, int]) -> dict[int, float]:
    """Return the sums of weights, by sets of releases within which all the same apply."""
    return {part: sum(weight for bits, weight in terms.items() if bits & part) for part in parts_of(releases, terms)}
