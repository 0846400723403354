"""Each piece of evidence in a sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from rlmetrics.lazy_dataclasses import dataclass
from rlmetrics.lazy_typing import Any

from .candidates import Ranked
from .source_evidence import USUAL, Observed, release_names, tagged_trainers

__all__ = ["SourceEvidence", "explained", "listed"]

_MOST = 4
_EXCLUDING = {
    "recorded version",
    "recorded settings",
    "settings beside it",
    "class name",
    "trainer named beside it",
} | {
    "printed precision",
    "values",
}
"""Kinds that speak against all but some: what these weigh more is what speaks for them."""


@dataclass(frozen=True, slots=True)
class SourceEvidence:
    """A piece of evidence.

    Attributes:
        kind: Such as ``keys`` or ``recorded version``.
        says: A sentence.
        weight: The natural logarithm of how much likelier it is if the answer is right; negative if it speaks against.
    """

    kind: str
    says: str
    weight: float

    def as_json(self) -> dict[str, Any]:
        """Return it in the shape of the interface."""
        return {"kind": self.kind, "says": self.says, "weight": round(self.weight, 2)}


def explained(observed: Observed, ranked: Sequence[Ranked]) -> Iterator[SourceEvidence]:
    """Yield what speaks for the first candidate, and against it."""
    first = ranked[0]
    for kind, sentence in _SENTENCES.items():
        says = sentence(observed, ranked)
        if says is not None:
            weight = first.by_kind.get(kind, 0.0)
            if kind in _EXCLUDING:
                weight -= first.against.get(kind, 0.0)
            if kind == USUAL:
                weight = first.weight - first.by_evidence - (ranked[1].weight - ranked[1].by_evidence)
            yield SourceEvidence(kind, says, weight)


def _version(observed: Observed, ranked: Sequence[Ranked]) -> str | None:
    clues, framework = observed.clues, ranked[0].subject.framework
    for name in release_names(framework, observed.index.tables):
        if version := clues.installed.get(name) or clues.named.get(name):
            return f"{clues.where.get(name, 'the run')} records {framework} {version}"
    return None


def _settings(observed: Observed, ranked: Sequence[Ranked]) -> str | None:
    return _own_settings(observed, ranked, observed.clues.settings_of_trainer)


def _settings_beside(observed: Observed, ranked: Sequence[Ranked]) -> str | None:
    return _own_settings(observed, ranked, observed.clues.settings_beside)


def _own_settings(observed: Observed, ranked: Sequence[Ranked], recorded: frozenset[str]) -> str | None:
    own = {name for name, _ in observed.index.settings.get(ranked[0].subject.number, ())} & recorded
    where = observed.clues.where.get("settings", "the run")
    return f"{_count(own, 'setting')} that {where} records: {listed(own)}" if own else None


def _class(observed: Observed, ranked: Sequence[Ranked]) -> str | None:
    names = observed.clues.classes
    return f"keys name the class {listed(names)}" if names else None


def _beside(observed: Observed, ranked: Sequence[Ranked]) -> str | None:
    names = tagged_trainers(observed)
    return f"{observed.clues.where.get('tags', 'a file beside it')} names {listed(names)}" if names else None


def _own(observed: Observed, ranked: Sequence[Ranked]) -> str | None:
    said = []
    if observed.canonical:
        said.append(f"{_count(observed.canonical, 'name')} of the spec's own: {listed(observed.canonical)}")
    said += [f"{number} set aside by a translation from {was}" for was, number in observed.clues.set_aside.items()]
    return "; ".join(said) or None


def _keys(observed: Observed, ranked: Sequence[Ranked]) -> str | None:
    number = ranked[0].subject.number
    known = [name for name in observed.telling if number in observed.owners(name)]
    ordered = sorted(known, key=lambda name: -observed.weights[name])
    if not known:
        return None
    return f"{len(known)} of {_count(observed.telling, 'telling key')} are its own: {listed(ordered)}"


def _missing(observed: Observed, ranked: Sequence[Ranked]) -> str | None:
    first = ranked[0]
    newest = 1 << first.best.bit_length() - 1
    certain = [key for key, bits in observed.index.certain.get(first.subject.number, ()) if bits & newest]
    lacking = [key for key in certain if key not in observed.seen]
    if not observed.clues.whole or not certain:
        return None
    it = "it"
    if first.best != newest:
        # Releases differ in what they log always; the sentence is about the one that is named.
        it = observed.index.releases(first.subject, newest)[0]
    every = f"that {it} logs in every run"
    if lacking:
        return f"{len(lacking)} of {_count(certain, 'key')} {every} are missing: {listed(lacking)}"
    usual = observed.index.expected.get(first.subject.number, {}).values()
    unset = [key for keys in usual for key, bits in keys if bits & newest and key not in observed.seen]
    said = f"all {_count(certain, 'key')} {every} are there" if len(certain) > 1 else f"the 1 key {every} is there"
    if not unset:
        return said
    are = "1 is" if len(unset) == 1 else f"{len(unset)} are"
    return f"{said}; of those that it logs by default {are} missing: {listed(unset)}"


def _precision(observed: Observed, ranked: Sequence[Ranked]) -> str | None:
    decimals = observed.clues.decimals
    if decimals is None:
        return None
    return (
        "numbers are printed with all digits" if decimals < 0 else f"all numbers are printed with {decimals} decimals"
    )


def _values(observed: Observed, ranked: Sequence[Ranked]) -> str | None:
    number = ranked[0].subject.number
    zero = [
        name
        for name in observed.clues.nonzero or ()
        for subject, owners in observed.owners(name).items()
        if subject != number and any(owner.zero for owner in owners)
    ]
    said = [f"{listed(set(zero))} is not 0, as another trainer would log it"] if zero else []
    if ranked[0].negative:
        said.append(f"{listed(set(ranked[0].negative))} is below 0, as another trainer never logs it")
    return "; ".join(said) or None


def _usual(observed: Observed, ranked: Sequence[Ranked]) -> str | None:
    if len(ranked) < 2:
        return None
    first, second = (one.subject.component or one.subject.framework for one in ranked[:2])
    return f"{first} is more usual than {second}"


_SENTENCES: Mapping[str, Callable[[Observed, Sequence[Ranked]], str | None]] = {
    "recorded version": _version,
    "recorded settings": _settings,
    "settings beside it": _settings_beside,
    "class name": _class,
    "trainer named beside it": _beside,
    "own output": _own,
    "keys": _keys,
    "missing keys": _missing,
    "printed precision": _precision,
    "values": _values,
    USUAL: _usual,
}
"""What is said of each kind of evidence, in the order in which they are told."""


def listed(names: Sequence[str] | set[str], most: int = _MOST) -> str:
    """Return names in a sentence."""
    ordered = sorted(names) if isinstance(names, set | frozenset) else [*names]
    more = f" and {len(ordered) - most} more" if len(ordered) > most else ""
    return ", ".join(ordered[:most]) + more


def _count(things: Sequence[str] | set[str], what: str) -> str:
    return f"{len(things)} {what}" if len(things) == 1 else f"{len(things)} {what}s"
