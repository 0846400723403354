"""What a logged key is, as far as judging needs to know: found out once for all runs of a source."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from rlmetrics.lazy_dataclasses import dataclass
from rlmetrics.lazy_typing import NamedTuple
from rlmetrics.names.lookup.resolving import defects_of, logged_as, measured_as
from rlmetrics.names.meanings.protocol import Match, View
from rlmetrics.names.meanings.view import FrameworkView
from rlmetrics.names.settings.configuration import holds
from rlmetrics.names.settings.guard_expressions import And, Expression, Or
from rlmetrics.names.settings.guards import parse
from rlmetrics.names.settings.simplification import simplified, truth
from rlmetrics.names.tables.key_records import Entry
from rlmetrics.names.tables.user_errors import NamesError
from rlmetrics.wording.condition_words import GuardWords
from rlmetrics.wording.metric_facts import range_of

__all__ = ["HELD_OUT", "KeyMeaning", "KeyMeanings", "LoggedAs", "usual_meanings"]

HELD_OUT = "held_out"
"""In place of a metric: a score of a user's own on data that is not trained on."""

_EVALUATED = re.compile(r"(?:^|[/_.])(?:eval|val|valid|validation|test|held_?out|gold)(?:[/_.-]|$)", re.IGNORECASE)
_EVALUATIONS = {
    *("reward/score/mean", "reward/total/mean", "preference/reward/accuracy", "preference/reward/margin"),
    *("unpaired/reward/margin", "reward_model/accuracy"),
}
"""Metrics that are a score on held-out data where they are logged in evaluation."""
_SCORE = re.compile(r"acc|score|reward|pass|solve|correct|win|exact|f1|success", re.IGNORECASE)
_NO_SCORE = re.compile(r"loss|std|time|length|runtime|per_second|chosen|rejected|margin|logp|logit|_min|_max|/min|/max")
_OPEN = {"group/user_metric"}
_EMPTY = "zero_when_empty"
_SCALE = "scale "
"""How an alternative begins that is another factor."""
_WORD = re.compile(r"\w+")
_MOST_SOURCES, _MOST_KEYS = 64, 4096
"""How many sources, and keys of each, are remembered: many runs of a few trainers, under names of users' choice."""


@dataclass(frozen=True, slots=True)
class Emptied:
    """What may be left out of what a number counts, so that nothing is left, which is logged as 0.

    Attributes:
        shares: Metrics that say how large a share that is.
        when: The guard under which it is left out; empty if it is for sure.
    """

    shares: tuple[str, ...]
    when: str = ""


@dataclass(frozen=True, slots=True)
class KeyMeaning:
    """A key.

    Attributes:
        key: As logged.
        metric: Canonical name; None if it has none, ``held_out`` for a score on held-out data of a user's own.
        mode: ``train`` or ``eval``.
        component: What logs it.
        template: The key with its placeholders.
        placeholders: Their values.
        scale: logged = scale * metric + offset; None where that depends on an unknown setting.
        offset: See ``scale``.
        constant_when: When the value does not change.
        defects: Known faults of grade incomparable in how it is computed.
        unit: Unit of the metric.
        expected: Values that the spec expects of it as it is computed: numbers, or ``null``.
        emptied: Where a part with nothing to count is a 0 in it: what may be left out of the counting.
        unreviewed: Whether nobody has stated all of how it is computed.
        disputed: Whether sources that may have logged it give it other meanings, so that it has none.
        rivals: These meanings, where all are metrics on one scale; what holds for each of them holds for the key.
        span: Between which numbers the metric lies, as it is computed here; None where nothing says it.
        rescaled: Under which settings, that were not given, it is logged with another factor, and with which.
    """

    key: str
    metric: str | None
    mode: str = "train"
    component: str = ""
    template: str = ""
    placeholders: Mapping[str, str] = ()  # type: ignore[assignment]
    scale: float | None = 1.0
    offset: float = 0.0
    constant_when: tuple[str, ...] = ()
    defects: tuple[str, ...] = ()
    unit: str | None = None
    expected: tuple[float | str, ...] = ()
    emptied: Emptied | None = None
    unreviewed: bool = False
    disputed: bool = False
    rivals: tuple[str, ...] = ()
    span: tuple[float | None, float | None] | None = None
    rescaled: tuple[tuple[str, str], ...] = ()

    @property
    def held_out(self) -> bool:
        """Whether it is a score on data that is not trained on."""
        if self.metric is None:
            return False
        return (
            self.metric == HELD_OUT
            or self.metric in ("validation/mean", "generation_evaluation/score")
            or (self.mode == "eval" and self.metric in _EVALUATIONS)
        )


class LoggedAs(NamedTuple):
    """How a source logs a metric: under which key, and under which condition; empty text if always."""

    key: str
    condition: str


class KeyMeanings:
    """What the keys of a source that is open are; each is found out once.

    Args:
        view: The source.
        given: Returns the settings of the run without defaults.
    """

    def __init__(self, view: View, given: Callable[[], Mapping[str, Any]] = dict[str, Any]) -> None:
        self._view, self._tables, self._given = view, view.tables, given
        self._known: dict[str, KeyMeaning] = {}
        self._logged: dict[frozenset[str], Mapping[str, LoggedAs]] = {}

    @property
    def source(self) -> str:
        """The source."""
        return str(self._view.source)

    def of(self, key: str) -> KeyMeaning:
        """Return what a key is."""
        known = self._known.get(key)
        if known is None:
            if len(self._known) >= _MOST_KEYS:
                self._known.clear()
            known = self._known[key] = self._meaning(key)
        return known

    def _meaning(self, key: str) -> KeyMeaning:
        match = _best(logged_as(self._view, key) or measured_as(key, self._tables))
        if match is None or match.entry.metric is None or match.entry.metric in _OPEN:
            mine = _EVALUATED.search(key) and _SCORE.search(key) and not _NO_SCORE.search(key)
            return KeyMeaning(key, HELD_OUT, "eval") if mine else KeyMeaning(key, None)
        entry = match.entry
        scale, offset = entry.signature.scale, entry.signature.offset
        known = isinstance(scale, float | int) and isinstance(offset, float | int) and scale != 0
        return KeyMeaning(
            key,
            entry.metric,
            entry.mode,
            entry.component,
            entry.key,
            match.values,
            float(scale) if known else None,
            float(offset) if known else 0.0,
            entry.constant_when,
            tuple(item.what for item in defects_of(entry.signature, self._tables) if item.grade == "incomparable"),
            self._tables.metrics.get(str(entry.metric), {}).get("unit"),
            self._expected(entry),
            self._emptied(entry),
            bool(entry.signature.unstated),
            span=self._span(entry),
            rescaled=tuple(self._rescaled(entry)),
        )

    def _rescaled(self, entry: Entry) -> Iterator[tuple[str, str]]:
        """Yield under which settings, of which nothing is known, a key has another factor, and that factor."""
        guards: dict[str, list[Expression]] = {}
        for other in entry.alternatives:
            if other.what.startswith(_SCALE) and other.when and self._is_open(other.when):
                guard = self._in_release(parse(other.when), entry.component)
                factor = other.what.removeprefix(_SCALE).partition(";")[0]
                guards.setdefault(factor, []).extend(guard)
        for factor, each in guards.items():
            if each:
                whole = each[0] if len(each) == 1 else Or(each[0].column, tuple(each))
                yield GuardWords().of(simplified(whole)), factor

    def _in_release(self, guard: Expression, component: str) -> Iterator[Expression]:
        """Yield what a guard asks of settings that the release has; nothing if it asks for others."""
        part = getattr(self._view, "components", {}).get(component)
        asked = guard.operands if isinstance(guard, And) else (guard,)
        kept: list[Expression] = []
        for one in asked:
            names = one.names()
            if part is None or not names or any(part.config.has(name) for name in names & part.config.keys.keys()):
                kept.append(one)
            elif truth(one, dict.fromkeys(names)) is not True:
                return
        if kept:
            yield kept[0] if len(kept) == 1 else And(guard.column, tuple(kept))

    def _is_open(self, guard: str) -> bool:
        """Tell whether the settings that were given decide nothing about a guard."""
        try:
            return holds(guard, self._given()) is None
        except NamesError:
            return True

    def _span(self, entry: Entry) -> tuple[float | None, float | None] | None:
        """Return the range of a metric, unless the release is known to compute it otherwise."""
        if any(item.grade != "minor" for item in defects_of(entry.signature, self._tables)):
            return None
        return range_of(str(entry.metric), entry.signature.reproduced_by, self._tables)

    def _expected(self, entry: Entry) -> tuple[float | str, ...]:
        """Return the values that are as they should be, by what the key or one of its traits says of them."""
        rows = [(reading.value, reading.level) for reading in entry.reads]
        for name in entry.signature.traits:
            rows += [(row["value"], row["level"]) for row in self._tables.traits[name].get("reads", ())]
        return tuple(value for value, level in rows if level == "expected")

    def _emptied(self, entry: Entry) -> Emptied | None:
        """Return what may leave nothing to count, where that is logged as 0."""
        for name, (_, trait, shares) in self._tables.signatures["WITHOUT"].items():
            if shares and {_EMPTY, trait} <= set(entry.signature.traits):
                return Emptied(tuple(shares))
            for other in entry.alternatives if shares else ():
                if {_EMPTY, name} <= set(_WORD.findall(other.what)) and self._may_hold(other.when or ""):
                    return Emptied(tuple(shares), other.when or "")
        return None

    def _may_hold(self, guard: str) -> bool:
        """Tell whether a guard is not refuted by a setting that was given; defaults refute nothing."""
        try:
            return holds(guard, self._given()) is not False
        except NamesError:
            return False

    def logged(self, programs: frozenset[str]) -> Mapping[str, LoggedAs]:
        """Return what some programs of the source log in training, or all of them if none is named: by metric."""
        if programs not in self._logged:
            found: dict[str, LoggedAs] = {}
            view = self._view
            for entry in view.entries():
                if entry.metric is None or entry.mode != "train":
                    continue
                if programs and isinstance(view, FrameworkView) and view.program(str(entry.component)) not in programs:
                    continue
                said = "" if entry.logged and not entry.condition else entry.condition or ""
                if entry.metric not in found or not said:
                    found[entry.metric] = LoggedAs(entry.key, said)
            self._logged[programs] = found
        return self._logged[programs]


@lru_cache(maxsize=_MOST_SOURCES)
def usual_meanings(view: View) -> KeyMeanings:
    """Return what the keys of a source are under its defaults, which all runs of it share."""
    return KeyMeanings(view)


def _best(matches: list[Match]) -> Match | None:
    """Return the match that names a metric and is logged; or the next best."""
    known = [match for match in matches if match.entry.metric is not None]
    return next((match for match in known if match.entry.logged), next(iter(known or matches), None))
