"""Why keys changed, each cause told once with every key that it changed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping

from rlmetrics.lazy_dataclasses import dataclass
from rlmetrics.lazy_typing import Any

from ..differences.entry_contrast import GRADES, Cause
from ..differences.verdict import Sides, Verdict, verdict_on
from ..tables.key_records import Entry
from ..tables.part_counts import said_plainly
from ..tables.sentence_case import lowered
from ..tables.tables import Tables
from ..tables.versions import Releases
from .changes import Net, Undone

__all__ = [
    "CAUSE_WEIGHTS",
    "Causes",
    "Effect",
    "SharedCause",
    "TakenBack",
    "effect_of",
    "in_words",
    "shown",
    "taken_over",
]

CAUSE_WEIGHTS = ("look-alike", "biased", "same", "close")
"""Severities of causes, the weightiest first; ``same`` is a change by a known factor."""

_SEVERITY = {"minor": "close", "biased": "biased", "incomparable": "look-alike"}
_OPPOSITE = {"higher": "lower", "lower": "higher", "noisier": "smoother", "smoother": "noisier"}
_PARTS = re.compile(r"(?:\w+\s)?(?:completions|episodes|pairs|prompts|responses|samples|tokens)\b")
"""What numbers are taken over; of others, such as a reward and its penalties, that cannot be said."""
_FACETS = ("quantity", "of", "predicate", "estimator", "distributions", "policy", "extent", "statistic")


@dataclass(frozen=True, slots=True)
class Effect:
    """What a changed default changes.

    Attributes:
        kind: As in `SharedCause`.
        name: As in `SharedCause`.
        before: What held before.
        after: What holds since.
        what: In words.
        keys: The keys of which it holds.
    """

    kind: str
    name: str
    before: Any
    after: Any
    what: str
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SharedCause:
    """One thing that a release changed, with every key that it changed.

    Attributes:
        release: The first release from which on it holds; None between sources without common releases.
        kind: ``setting`` for a new default, else what changed: metric, kind, logged, population, snapshot, span, lag,
            scale, offset, formula, reduction or trait.
        name: The setting, the trait or the levels of a reduction; empty for the others.
        before: What held before.
        after: What holds since.
        what: In words that stand alone.
        severity: How much it weighs, ``close``, ``biased`` or ``look-alike``; ``same`` for a known factor.
        grade: ``minor``, ``biased`` or ``incomparable``.
        applies: Whether it shows with the given or default settings; None where nothing can tell.
        vanishes_when: When it cannot show, in words.
        only_if: The guard under which it shows, for one that does not by default.
        effect: What a curve does: ``higher``, ``lower``, ``noisier``, ``smoother`` or ``unit``.
        keys: Training keys.
        folded: Keys of evaluation.
        components: Which components log them.
        effects: For a new default, what it changes about which keys.
        earlier: Releases in which it already held before it came to stay.
        where: Each component with the keys that changed there, those of evaluation included.
    """

    release: str | None
    kind: str
    name: str
    before: Any
    after: Any
    what: str
    severity: str
    grade: str
    applies: bool | None
    vanishes_when: str | None
    only_if: str | None
    effect: str | None
    keys: tuple[str, ...]
    folded: tuple[str, ...]
    components: tuple[str, ...]
    effects: tuple[Effect, ...] = ()
    earlier: str | None = None
    where: tuple[tuple[str, tuple[str, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class TakenBack:
    """A change that a later release took back.

    Attributes:
        releases: In which it held, such as ``0.27.0..0.29.1``.
        again: The release that has the old meaning again; None where what follows is a third one.
        kind: As in `SharedCause`.
        name: As in `SharedCause`.
        before: What holds before and after.
        after: What held in them.
        what: In words.
        severity: How much it weighed.
        applies: Whether it showed with the given or default settings; None where nothing can tell.
        keys: Training keys.
        folded: Keys of evaluation.
        components: Which components log them.
    """

    releases: str
    again: str | None
    kind: str
    name: str
    before: Any
    after: Any
    what: str
    severity: str
    applies: bool | None
    keys: tuple[str, ...]
    folded: tuple[str, ...]
    components: tuple[str, ...]


class Causes:
    """Collects the causes of many keys.

    Args:
        tables: The spec.
        releases: The releases of the framework; None between two frameworks.
        given: Whether settings were given, so that not the defaults alone decide what is logged.
    """

    def __init__(self, tables: Tables, releases: Releases | None, *, given: bool = False) -> None:
        self._tables = tables
        self._given = given
        self._releases = releases
        self._found: dict[tuple[Any, ...], list[tuple[Entry, Cause]]] = {}
        self._judged: dict[tuple[Any, ...], dict[Verdict, None]] = {}
        self._earlier: dict[tuple[Any, ...], dict[str, None]] = {}
        self._undone: dict[tuple[Any, ...], list[tuple[Entry, Cause]]] = {}

    def add(self, entry: Entry, net: Net, sides: Sides, *, shows: bool = True) -> None:
        """Take in what changed about a key.

        Args:
            entry: The key in the last release.
            net: What changed.
            sides: What decides in the old release and in the new one whether differences show.
            shows: Whether anything can show; not if the key is the same constant in both.
        """
        places: dict[tuple[str, str], tuple[Any, ...]] = {}
        for change in net.changes:
            for cause in change.causes:
                place = (change.release, *self._identity(cause))
                self._found.setdefault(place, []).append((entry, cause))
                # That a constant is no longer there shows.
                seen = shows or cause.kind == "logged"
                judged = verdict_on(cause, sides, entry.mode, self._tables) if seen else Verdict(applies=False)
                if entry.mode == "train" or place not in self._judged:
                    self._judged.setdefault(place, {})[judged] = None
                places[cause.kind, cause.name] = place
        for undone in net.undone:
            self._take_back(entry, undone, places)

    def _take_back(self, entry: Entry, undone: Undone, places: Mapping[tuple[str, str], tuple[Any, ...]]) -> None:
        cause = undone.cause
        lasting = places.get((cause.kind, cause.name))
        if lasting is not None and self._found[lasting][-1][1].after == cause.after:
            self._earlier.setdefault(lasting, {}).update(dict.fromkeys(undone.releases))
        else:
            identity = (undone.releases, undone.back, *self._identity(cause))
            self._undone.setdefault(identity, []).append((entry, cause))
            judged = verdict_on(cause, undone.sides, entry.mode, self._tables)
            self._judged.setdefault(identity, {})[judged] = None

    def shared(self) -> tuple[SharedCause, ...]:
        """Return every cause once: the weightiest first, then the oldest."""
        shared = [self._shared(place, items) for place, items in self._found.items()]
        return tuple(sorted(shared, key=self._order))

    def _order(self, cause: SharedCause) -> tuple[Any, ...]:
        place = -1 if cause.release is None or self._releases is None else self._releases.index(cause.release)
        return cause.applies is False, CAUSE_WEIGHTS.index(cause.severity), place, -len(cause.keys)

    def taken_back(self) -> tuple[TakenBack, ...]:
        """Return what changed and was taken back, the oldest first."""
        taken_back: list[TakenBack] = []
        for place, items in self._undone.items():
            releases, back = place[:2]
            keys, folded, components = _keys(items)
            cause = items[0][1]
            assert self._releases is not None
            last = self._releases.index(releases[-1]) + 1
            names = self._releases.names
            spans, again = self._releases.spans(releases), names[last] if back and last < len(names) else None
            held = cause.kind, cause.name, cause.before, cause.after, self._words(cause)
            applies = _together(self._judged[place]).applies
            taken_back.append(
                TakenBack(spans, again, *held, severity_of_cause(cause), applies, keys, folded, components)
            )
        return tuple(taken_back)

    def _shared(self, place: tuple[Any, ...], items: list[tuple[Entry, Cause]]) -> SharedCause:
        keys, folded, components = _keys(items)
        cause = items[0][1]
        worst = max((item for _, item in items), key=lambda item: GRADES.index(item.grade))
        earlier = self._earlier.get(place)
        judged = _together(self._judged[place])
        return SharedCause(
            release=place[0],
            kind=cause.kind,
            name=cause.name,
            before=cause.before,
            after=cause.after,
            what=self._words(cause),
            severity=severity_of_cause(worst),
            grade=worst.grade,
            applies=judged.applies,
            vanishes_when=cause.vanishes_when,
            only_if=judged.only_if,
            effect=effect_of(cause, self._tables),
            keys=keys,
            folded=folded,
            components=components,
            effects=tuple(self._effects(items)) if cause.kind == "setting" else (),
            earlier=self._releases.spans(list(earlier)) if earlier and self._releases is not None else None,
            where=tuple(_where(items)),
        )

    def _effects(self, items: list[tuple[Entry, Cause]]) -> Iterator[Effect]:
        effects: dict[tuple[Any, ...], tuple[Cause, list[str]]] = {}
        for entry, cause in items:
            if entry.mode == "train":
                for effect in cause.effects:
                    effects.setdefault(self._identity(effect), (effect, []))[1].append(entry.key)
        for effect, keys in effects.values():
            what = self._words(effect)
            yield Effect(effect.kind, effect.name, effect.before, effect.after, what, tuple(dict.fromkeys(keys)))

    def _words(self, cause: Cause) -> str:
        return in_words(cause, self._tables, given=self._given)

    def _identity(self, cause: Cause) -> tuple[Any, ...]:
        """Return what makes two causes one.

        Of new metrics that is what they are taken over, where nothing else is different about them; what is said of
        several keys is true of each.
        """
        if cause.kind == "metric":
            over = taken_over(cause.before, cause.after, self._tables)
            return cause.kind, *(_facets(cause, self._tables) if over else (cause.before, cause.after))
        if cause.kind == "span":
            return cause.kind, cause.before, cause.after
        return cause.kind, cause.name, repr(cause.before), repr(cause.after)


def _together(judged: Iterable[Verdict]) -> Verdict:
    """Return whether a cause shows for any key."""
    items = [*judged]
    answers = {item.applies for item in items}
    if answers != {False}:
        return Verdict(True if True in answers else None)
    return items[0]


def _keys(items: list[tuple[Entry, Cause]]) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    training = dict.fromkeys(entry.key for entry, _ in items if entry.mode == "train")
    others = dict.fromkeys(entry.key for entry, _ in items if entry.mode != "train")
    return tuple(training), tuple(others), tuple(dict.fromkeys(entry.component for entry, _ in items))


def _where(items: list[tuple[Entry, Cause]]) -> Iterator[tuple[str, tuple[str, ...]]]:
    where: dict[str, dict[str, None]] = {}
    for entry, _ in items:
        where.setdefault(entry.component, {})[entry.key] = None
    yield from ((component, tuple(keys)) for component, keys in where.items())


def severity_of_cause(cause: Cause) -> str:
    """Return how much a cause weighs: ``close``, ``biased`` or ``look-alike``; ``same`` for a known factor."""
    if cause.kind in ("scale", "offset") and cause.grade != "incomparable":
        return "same"
    if cause.kind == "setting":
        return max(
            (severity_of_cause(item) for item in cause.effects), key=("close", "same", "biased", "look-alike").index
        )
    return _SEVERITY[cause.grade]


def effect_of(cause: Cause, tables: Tables) -> str | None:
    """Return what a curve does because of a cause, None where that is not certain."""
    if cause.kind in ("scale", "offset"):
        return "unit"
    if cause.kind == "trait":
        effect: str | None = tables.traits[cause.name].get("effect")
        return effect if cause.after else _OPPOSITE.get(effect or "")
    return None


def in_words(cause: Cause, tables: Tables, *, compared: bool = True, given: bool = False) -> str:
    """Return a cause as a statement about the new numbers.

    Args:
        cause: What changed.
        tables: The spec.
        compared: Whether what held before is told, too.
        given: Whether settings were given, so that not the defaults alone decide what is logged.
    """
    if cause.kind == "setting":
        return f"default of {cause.name} {shown(cause.before)} -> {shown(cause.after)}"
    if cause.kind == "trait":
        trait = tables.traits[cause.name]
        if cause.after:
            return str(trait["what"])
        return str(trait.get("otherwise") or f"no longer: {trait['what']}")
    if cause.kind == "reduction":
        return "; ".join(_reduction(item, tables) for item in cause.effects or (cause,))
    if cause.kind == "metric":
        return _metric(cause, tables)
    if cause.kind == "logged":
        return (_LOGGED_AS_GIVEN if given else _LOGGED)[cause.after]
    now, then = _plainly(cause, tables)
    return f"{now}, was {then}" if compared and then is not None else now


_LOGGED_AS_GIVEN = {
    True: "logged with these settings",
    False: "not logged with these settings",
    None: "logged in some cases only",
}
_LOGGED = {True: "logged by default", False: "not logged by default", None: "logged in some cases only"}


def _reduction(cause: Cause, tables: Tables) -> str:
    operations = tables.signatures["OPERATIONS"]
    return f"{tables.levels[cause.name].brief}: {operations[cause.after]}, was {operations[cause.before]}"


def taken_over(before: str | None, after: str | None, tables: Tables) -> tuple[str, str] | None:
    """Return what two metrics are taken over that only differ in that; None for others."""
    first, second = (tables.metrics.get(name or "", {}).get("identity", {}) for name in (before, after))
    differ = {name for name in {*first, *second} if first.get(name) != second.get(name)}
    then, now = str(first.get("of")), str(second.get("of"))
    parts = _PARTS.match(then) and _PARTS.match(now)
    return (then, now) if parts and {"of"} <= differ <= {"of", "extent"} else None


def _metric(cause: Cause, tables: Tables) -> str:
    over = taken_over(cause.before, cause.after, tables)
    if over is not None:
        return f"over {over[1]}, was over {over[0]}"
    names = (cause.after, cause.before)
    after, before = (tables.metrics.get(name or "", {}).get("brief", name or "nothing").rstrip(".") for name in names)
    return f"measures {lowered(after)}; was {lowered(before)}"


def _facets(cause: Cause, tables: Tables) -> tuple[Any, ...]:
    first, second = (tables.metrics.get(name or "", {}).get("identity", {}) for name in (cause.before, cause.after))
    return tuple(
        (facet, repr(first.get(facet)), repr(second.get(facet)))
        for facet in _FACETS
        if first.get(facet) != second.get(facet)
    )


def _plainly(cause: Cause, tables: Tables) -> tuple[str, str | None]:
    """Return what holds since, as a statement, and what held before; None where that is part of the statement."""
    before, after = cause.before, cause.after
    if cause.kind == "population":
        known: Mapping[str, Any] = tables.signatures["WORDS"]["populations"]
        now, then = (known.get(name, str(name).replace("_", " ")) for name in (after, before))
        return f"over {now}", then
    if cause.kind == "snapshot":
        words: Mapping[str, str] = tables.signatures["WORDS"]["snapshots"]
        return f"computed by {words.get(after, after)}", words.get(before, before)
    if cause.kind == "span":
        return f"measures {_span(after)}", _span(before)
    if cause.kind == "lag":
        return f"the value {_lag(after)}", _lag(before)
    if cause.kind in ("scale", "offset"):
        return _factor(cause)
    if cause.kind == "kind":
        return f"is a {after}", f"a {before}"
    return f"computed by {_formula(after)}", _formula(before)


def _factor(cause: Cause) -> tuple[str, str | None]:
    if cause.kind == "offset":
        return f"shifted by {shown(cause.after)}", shown(cause.before)
    if isinstance(cause.before, float) and isinstance(cause.after, float) and cause.before:
        factor = cause.after / cause.before
        return "has the other sign" if factor == -1 else f"{factor:g} x the number before", None
    if cause.after == 1:
        return f"no longer multiplied by {_expression(cause.before)}", None
    return f"multiplied by {_expression(cause.after)}", None if cause.before == 1 else f"by {_expression(cause.before)}"


def _expression(value: Any) -> str:
    return said_plainly(shown(value))


def _formula(variant: str | None) -> str:
    return "the plain formula" if variant is None else f"the variant {variant.replace('_', ' ')}"


def _span(span: str | None) -> str:
    return "what its definition says" if span is None else lowered(span.rstrip("."))


def _lag(lag: int) -> str:
    if abs(lag) <= 1:
        return {0: "of its own step", 1: "of the next step", -1: "of the step before"}[lag]
    return f"of {abs(lag)} steps {'before' if lag < 0 else 'later'}"


def shown(value: Any) -> str:
    """Return a setting's value as configuration files write it."""
    return json.dumps(value) if value is None or isinstance(value, bool) else str(value)
