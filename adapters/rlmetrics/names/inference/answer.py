"""What is said about the source of a run: the likeliest candidate, the others that are left, and the evidence."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import lru_cache
from itertools import islice

from rlmetrics.lazy_dataclasses import dataclass, replace
from rlmetrics.lazy_typing import Any

from ..sources.source import CANONICAL, parse_source
from ..tables.loading import load_tables
from ..tables.tables import Overlays, Tables
from ..tables.undescribed import Recognised, recognised
from .alike_frameworks import alike, alike_evidence
from .candidates import LEFT, TWICE, Ranked, rank
from .evidence_sentences import SourceEvidence, explained
from .flat_names import FlatNames, clues_spelled
from .impossible_values import possible
from .index import SourceIndex, Subject, index_of
from .mixed_logs import SecondSource, second_source
from .run_clues import Clues
from .shared_prefix import clues_below, shared_prefixes
from .source_evidence import Observed

__all__ = ["Candidate", "NamesRead", "SourceAnswer", "completed", "find_source", "given", "names_read"]

_PLAIN = frozenset({"loss", "learning_rate"})
_EPOCH = "epoch"
"""What every trainer of transformers logs, and little else under these names together."""
_MOST_RIVALS = 6
"""How many readings that differ are compared with the likeliest."""
_HALF = 0.5
"""Which share of the keys that one candidate explains another must explain to be one; users log keys of their own."""
_FEWEST_TELLING = 2
"""How many keys that nothing described logs must speak for an undescribed framework."""
_CERTAIN = 10.0
"""From which weight of its keys on a source is known, however many keys of a user's own stand beside them."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """What may have logged a run.

    Attributes:
        framework: The framework.
        component: The component; None for a framework's default program.
        releases: Those that are left, oldest first.
        weight: How likely it is beside the others: all weights add up to 1.
        alike: Whether all keys of the run read the same in it and in the likeliest candidate.
        explained: How many keys of the run it logs.
    """

    framework: str
    component: str | None
    releases: tuple[str, ...]
    weight: float
    alike: bool
    explained: int

    @property
    def name(self) -> str:
        """Framework and component, as a source names them."""
        return f"{self.framework}[{self.component}]" if self.component else self.framework

    def __str__(self) -> str:
        return self.name if self.framework == CANONICAL else f"{self.name}=={self.releases[-1]}"

    @property
    def span(self) -> str:
        """The candidate with all of its releases."""
        newest = str(self)
        return f"{self.name}=={self.releases[0]}..{self.releases[-1]}" if len(self.releases) > 1 else newest

    def as_json(self) -> dict[str, Any]:
        """Return the candidate in the shape of the interface."""
        return {"source": self.span, "weight": round(self.weight, 3), "alike": self.alike}


@dataclass(frozen=True)
class SourceAnswer:
    """Where a run comes from.

    Attributes:
        source: The likeliest source, its newest release that is left; None where nothing is known.
        candidates: All that are left, the likeliest first.
        rivals: Sources of which none weighs less than half of the likeliest, and that read some key otherwise, one for
            each way to read them: what they read otherwise is not certain.
        meanings: Sources, the likeliest first, of which one is the true one as far as it makes a difference to what
            keys mean.
        evidence: What speaks for it.
        known: How many telling keys it explains.
        telling: How many keys tell anything; those that every trainer logs do not.
        logged: How many keys there are, without those that say when.
        recognised: The undescribed framework that the keys speak for: it logged the run where there is no source, else
            it runs the source's trainers.
        is_plain: Whether the keys are those that every trainer of transformers logs.
        is_given: Whether somebody named the source.
        second: What logged further keys that the source does not log: the log holds two runs, or two programs' keys.
        chosen: Which release was taken, and how, where a named source leaves it open.
        prefix: What stands before every key of the run and is no part of its name, such as ``qwen7b/``.
        spelling: What the run's names stand for, if a store replaced their slashes; None where they are keys.
        respelled: A few of these names, each with the key that it stands for.
        alike: Frameworks that run the source's trainer, where no key tells whether one of them did.
    """

    source: str | None
    candidates: tuple[Candidate, ...] = ()
    rivals: tuple[str, ...] = ()
    meanings: tuple[str, ...] = ()
    evidence: tuple[SourceEvidence, ...] = ()
    known: int = 0
    telling: int = 0
    logged: int = 0
    recognised: Recognised | None = None
    is_plain: bool = False
    is_given: bool = False
    second: SecondSource | None = None
    chosen: str | None = None
    prefix: str = ""
    spelling: FlatNames | None = None
    respelled: tuple[tuple[str, str], ...] = ()
    alike: tuple[str, ...] = ()

    @property
    def is_known(self) -> bool:
        """Whether there is a source."""
        return self.source is not None

    @property
    def undescribed(self) -> str | None:
        """The framework that logged the run, where the spec does not describe it."""
        return self.recognised.name if self.recognised is not None and not self.is_known else None

    @property
    def wrapper(self) -> Recognised | None:
        """The framework that ran the source's trainer, where that is known."""
        return self.recognised if self.is_known else None

    @property
    def span(self) -> str | None:
        """The likeliest source with all releases that are left, such as ``trl[GRPOTrainer]==0.26.0..1.16.0``."""
        return self.candidates[0].span if self.candidates else self.source

    @property
    def left(self) -> frozenset[str]:
        """Every source that is left: each release of each candidate."""
        return frozenset(f"{one.name}=={release}" for one in self.candidates for release in one.releases)

    @property
    def is_single(self) -> bool:
        """Whether one release of one component is left."""
        return len(self.candidates) == 1 and len(self.candidates[0].releases) == 1

    def as_json(self) -> dict[str, Any]:
        """Return the answer in the shape of the interface."""
        return {
            "answer": self.span,
            "candidates": [one.as_json() for one in self.candidates],
            "evidence": [one.as_json() for one in self.evidence],
            **({"undescribed": self.undescribed} if self.undescribed else {}),
            **({"wrapper": self.wrapper.name} if self.wrapper else {}),
            **({"prefix": self.prefix} if self.prefix else {}),
            **({"respelled": dict(self.respelled)} if self.respelled else {}),
            **({"second": {"source": self.second.name, "keys": [*self.second.keys]}} if self.second else {}),
        }


def given(source: str, chosen: str | None = None) -> SourceAnswer:
    """Return the answer for a source that somebody named, and how its release was chosen where that was left open."""
    named = (SourceEvidence("given", f"named as {source}", 0.0),)
    return SourceAnswer(source, evidence=named, is_given=True, chosen=chosen)


def completed(source: str, clues: Clues, tables: Tables) -> SourceAnswer:
    """Return the answer for a source that somebody named: the component that its name leaves open is the run's.

    Args:
        source: What was named.
        clues: What is known of the run.
        tables: The spec.
    """
    meant = parse_source(source, tables)
    read = names_read(clues, tables, meant.framework)
    clues = read.clues_of(clues)
    if meant.component or not meant.components:
        return _read_as(given(source, meant.choice), read)
    among = {f"{meant.framework}[{part.name}]=={meant.release}" for part in meant.components}
    found = find_source(clues, tables, among=among)
    single = len(found.candidates) == 1 and found.source in among
    return _read_as(given(str(found.source) if single else source, meant.choice), read)


@dataclass(frozen=True, slots=True)
class NamesRead:
    """How the names of a run whose source somebody named are read as keys.

    Attributes:
        prefix: As for ``SourceAnswer``.
        spelling: As for ``SourceAnswer``.
        respelled: As for ``SourceAnswer``.
    """

    prefix: str = ""
    spelling: FlatNames | None = None
    respelled: tuple[tuple[str, str], ...] = ()

    def clues_of(self, clues: Clues) -> Clues:
        """Return what is known of the run with its names as keys."""
        return clues_below(clues, self.prefix) if self.spelling is None else clues.renamed(self.spelling)


def names_read(clues: Clues, spec: Overlays | Tables = None, framework: str = "") -> NamesRead:
    """Return how the names of a run are read as keys; mostly as they stand.

    Args:
        clues: What is known of the run.
        spec: Folders with further YAML, or tables.
        framework: What logged the run.
    """
    tables = load_tables(spec)
    spelled = clues_spelled(clues, tables, framework)
    if spelled is not None and find_source(clues, tables).spelling is not None:
        return NamesRead("", spelled[0], _pairs(clues, spelled[1]))
    if not any(shared_prefixes(clues.logged)) or Observed.of(index_of(tables), clues).rows:
        return NamesRead()
    return NamesRead(find_source(clues, tables).prefix)


def _read_as(answer: SourceAnswer, read: NamesRead) -> SourceAnswer:
    return replace(answer, prefix=read.prefix, spelling=read.spelling, respelled=read.respelled)


def _pairs(clues: Clues, spelled: Clues) -> tuple[tuple[str, str], ...]:
    """Return the names of a run that stand for keys of another name, each with its key."""
    return tuple((name, key) for name, key in zip(clues.keys, spelled.keys, strict=True) if name != key)


def find_source(clues: Clues, spec: Overlays | Tables = None, *, among: Collection[str] = frozenset()) -> SourceAnswer:
    """Return where a run comes from, as far as that is known.

    Args:
        clues: What is known of the run.
        spec: Folders with further YAML, or tables.
        among: The only sources that it can be; any, if there are none.
    """
    return _answered(clues, load_tables(spec), frozenset(among))


@lru_cache(maxsize=256)
def _answered(clues: Clues, tables: Tables, among: frozenset[str]) -> SourceAnswer:
    """Return where a run comes from, found once for all runs of which the same is known."""
    answer = _found(clues, tables, among)
    spelled = clues_spelled(clues, tables) if answer.recognised is None else None
    if spelled is not None:
        meant = _found(spelled[1], tables, among)
        if meant.is_known and meant.known > answer.known:
            return replace(meant, spelling=spelled[0], respelled=_pairs(clues, spelled[1]))
    if answer.is_known or answer.recognised is not None:
        return answer
    for prefix in shared_prefixes(clues.logged):
        below = _found(clues_below(clues, prefix), tables, among)
        if below.is_known:
            return replace(below, prefix=prefix)
    return answer


def _found(clues: Clues, tables: Tables, among: Collection[str]) -> SourceAnswer:
    """Return where a run comes from whose keys have nothing before their names."""
    marks = {*(name.partition(".")[0] for name in clues.settings | clues.settings_beside), *clues.tags}
    other = recognised(clues.keys, tables, marks)
    if other is not None and other.is_own_log:
        clues = replace(clues, kept=other.kept)
        if other.trainer is not None:
            return SourceAnswer(None, telling=len(clues.logged), logged=len(clues.logged), recognised=other)
    for derived in _derived(clues, other, tables, among) if tables.derived else ():
        its = other if other is not None and other.described == derived else None
        written = frozenset[str]() if its is None else frozenset(its.known)
        is_own_log = its is not None and its.is_own_log
        answer = _answer(index_of(tables, derived), clues, among, None, written, is_own_log=is_own_log)
        if answer.is_known:
            return _with_second(answer, clues, tables)
    answer = _answer(index_of(tables), clues, among, None if other is not None and other.described else other)
    for first in answer.candidates[:1]:
        subjects = index_of(tables).subjects
        trainer = next(one for one in subjects if (one.framework, one.component) == (first.framework, first.component))
        named = alike(trainer, first.explained, clues, tables)
        answer = replace(answer, evidence=(*answer.evidence, *alike_evidence(named)), alike=named)
    return _with_second(answer, clues, tables)


def _with_second(answer: SourceAnswer, clues: Clues, tables: Tables) -> SourceAnswer:
    """Return an answer with what logged keys that its source does not log."""
    if answer.source is None or answer.is_plain or answer.source == CANONICAL:
        return answer
    framework = answer.candidates[0].framework
    base = str(tables.head(framework).get("base") or framework)
    return replace(answer, second=second_source(Observed.of(index_of(tables), clues), base))


def _derived(clues: Clues, other: Recognised | None, tables: Tables, among: Collection[str]) -> Iterator[str]:
    """Yield the derived frameworks whose trainers may have logged a run: by its log, or by what was installed.

    Those come first to which the only sources that it can be belong.
    """
    asked = {source.partition("==")[0].partition("[")[0] for source in among}
    by_log = [] if other is None or other.described is None else [other.described]
    installed = (name for name, row in tables.derived.items() if {name, str(row["package"])} & clues.installed.keys())
    yield from dict.fromkeys([*(name for name in tables.derived if name in asked), *by_log, *installed])


def _answer(
    index: SourceIndex,
    clues: Clues,
    among: Collection[str],
    other: Recognised | None,
    marks: frozenset[str] = frozenset(),
    *,
    is_own_log: bool = False,
) -> SourceAnswer:
    """Return where a run comes from among what an index holds.

    Args:
        index: Who logs what.
        clues: What is known of the run.
        among: The only sources that it can be; any, if there are none.
        other: An undescribed framework that speaks for itself.
        marks: What the framework of the index itself logs.
        is_own_log: Whether the log has the framework's own form, in which nobody else writes.
    """
    observed = Observed.of(index, clues)
    # What a framework itself writes into every log speaks for it, and against no trainer of it.
    telling = sum(name in observed.rows or name not in marks for name in observed.telling)
    logged = len(clues.logged)
    ranked = _explaining(observed, _among(rank(observed), index, among), share=1.0 if is_own_log else _HALF)
    ranked = possible(observed, ranked, lambda one: _named(index, one.subject, one.best))
    likely = other if other is not None and _is_likely(other, logged) else None
    if not ranked:
        return SourceAnswer(None, telling=telling, logged=logged, recognised=likely)
    first = ranked[0]
    known = _explained(observed, first)
    telling_known = sum(observed.weights.get(name, 1.0) > 0 for name in known)
    by_keys = max(first.by_kind.get("keys", 0.0), first.by_kind.get("own output", 0.0))
    shared = {name.removeprefix("train/") for name in observed.rows}
    plain = bool(shared) and not telling_known and (not telling or (shared >= _PLAIN and _EPOCH in observed.clues.keys))
    is_known = plain or 2 * telling_known >= telling or by_keys >= _CERTAIN
    if not is_known or (other is not None and _is_its_own(other, first.subject, telling_known)):
        return SourceAnswer(None, known=len(known), telling=telling, logged=logged, recognised=likely)
    return SourceAnswer(
        _named(index, first.subject, first.best),
        tuple(_candidates(observed, ranked)),
        tuple(islice(_rivals(observed, ranked), _MOST_RIVALS)),
        tuple(_meanings(observed, ranked)),
        tuple(explained(observed, ranked)),
        telling_known,
        telling,
        logged,
        other if other is not None and other.built_on == first.subject.framework else None,
        is_plain=plain,
    )


def _among(ranked: list[Ranked], index: SourceIndex, sources: Collection[str]) -> list[Ranked]:
    """Return candidates with those of their releases that are among some sources; all, if none is."""
    kept = []
    for one in ranked if sources else ():
        each = (1 << place for place in range(one.rivals.bit_length()) if one.rivals >> place & 1)
        bits = sum(bit for bit in each if _named(index, one.subject, bit) in sources)
        if bits:
            kept.append(replace(one, best=one.best & bits or bits, rivals=bits))
    return kept or ranked


def _explaining(observed: Observed, ranked: list[Ranked], share: float) -> list[Ranked]:
    """Leave out candidates that explain less than a share of the keys that another one explains."""
    counts = [len(_explained(observed, one)) for one in ranked]
    return [one for one, count in zip(ranked, counts, strict=True) if count >= share * max(counts)]


def _is_its_own(other: Recognised, subject: Subject, known: int) -> bool:
    """Tell whether an undescribed framework logged a run, and not the trainer that knows so many telling keys.

    What runs a described trainer logs that trainer's keys, unless the log has a form of its own that keeps few of them.
    """
    if other.is_own_log:
        return True
    if other.built_on == subject.framework:
        return False
    return len(other.telling) >= _FEWEST_TELLING and 2 * len(other.known) >= known


def _is_likely(other: Recognised, logged: int) -> bool:
    """Tell whether what speaks for an undescribed framework is enough to name it: one key of many may be a user's."""
    return other.is_own_log or len(other.telling) >= _FEWEST_TELLING or 2 * len(other.known) > logged


def _explained(observed: Observed, one: Ranked) -> list[str]:
    """Return the keys of a run that a candidate logs in its newest release."""
    if one.subject.framework == CANONICAL:
        return [*observed.canonical]
    newest = _newest(one.best)
    return [
        name
        for name in observed.rows
        if any(owner.releases & newest for owner in observed.owners(name).get(one.subject.number, ()))
    ]


def _candidates(observed: Observed, ranked: Sequence[Ranked]) -> Iterator[Candidate]:
    """Yield the candidates; releases that weigh nearly as much as the best are left, too."""
    first = ranked[0]
    counted = observed.index.counted
    shares = [math.exp(one.weight - first.weight) for one in ranked]
    own = _read(observed, first.subject, _newest(first.best), counted)
    for one, share in zip(ranked, shares, strict=True):
        releases = tuple(observed.index.releases(one.subject, one.rivals))
        alike = _read(observed, one.subject, _newest(one.best), counted) == own
        count = len(_explained(observed, one))
        yield Candidate(one.subject.framework, one.subject.component, releases, share / sum(shares), alike, count)


def _read(observed: Observed, subject: Subject, bit: int, number: Callable[[int], int]) -> dict[str, frozenset[int]]:
    """Return how a release reads the keys of a run."""
    found = {}
    for name in observed.rows:
        read = frozenset(
            number(meaning)
            for owner in observed.owners(name).get(subject.number, ())
            for bits, meaning in owner.meanings
            if bits & bit
        )
        if read:
            found[name] = read
    return found


def _rivals(observed: Observed, ranked: Sequence[Ranked]) -> Iterator[str]:
    """Yield a source for each way to read the keys that weighs at least half of the likeliest."""
    first, reading = ranked[0], observed.index.reading
    seen = [_read(observed, first.subject, _newest(first.best), reading)]
    for one in ranked:
        for part in _parts(observed, one, reading) if one.weight > first.weight - TWICE else ():
            read = _read(observed, one.subject, _newest(part & one.best or part), reading)
            if read not in seen:
                seen.append(read)
                yield _named(observed.index, one.subject, part & one.best or part)


def _meanings(observed: Observed, ranked: Sequence[Ranked]) -> Iterator[str]:
    """Yield a source for each meaning that the keys may have in any likely candidate, the likeliest first."""
    for one in ranked:
        if one.weight < ranked[0].weight - LEFT:
            continue
        parts = list(_parts(observed, one, lambda meaning: meaning))
        for part in sorted(parts, key=lambda bits: (not bits & one.best, -bits.bit_length())):
            yield _named(observed.index, one.subject, part & one.best or part)


def _parts(observed: Observed, one: Ranked, number: Callable[[int], int]) -> list[int]:
    """Return sets of a candidate's releases within which all keys of a run mean the same, newest first."""
    parts = [one.rivals]
    for name in observed.rows:
        by_meaning: dict[int, int] = {}
        for owner in observed.owners(name).get(one.subject.number, ()):
            for bits, meaning in owner.meanings:
                by_meaning[number(meaning)] = by_meaning.get(number(meaning), 0) | bits
        for bits in by_meaning.values():
            if any(part & bits and part & ~bits for part in parts):
                parts = [piece for part in parts for piece in (part & bits, part & ~bits) if piece]
    return sorted(parts, key=lambda part: -part.bit_length())


def _newest(bits: int) -> int:
    """Return the newest of some releases, as a bit."""
    return 1 << bits.bit_length() - 1


def _named(index: SourceIndex, subject: Subject, bits: int) -> str:
    """Return the newest of some releases as a source."""
    if subject.framework == CANONICAL:
        return CANONICAL
    component = f"[{subject.component}]" if subject.component else ""
    return f"{subject.framework}{component}=={index.releases(subject, bits)[-1]}"
