"""What a logged key is, as far as judging needs to know. All that health asks of `rlmetrics.names` is asked here."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from rlmetrics.lazy_dataclasses import dataclass, replace
from rlmetrics.names import load_tables, map_names, open_view, show
from rlmetrics.names.lookup.resolving import defects_of, logged_as, measured_as
from rlmetrics.names.mapping.mapping import NameMap
from rlmetrics.names.meanings.protocol import Match, View
from rlmetrics.names.meanings.recorded_settings import around_of, keys_of
from rlmetrics.names.settings.configuration import UNKNOWN, find_key, fitting, holds
from rlmetrics.names.tables.key_records import Entry
from rlmetrics.names.tables.tables import Overlays, Tables
from rlmetrics.names.tables.user_errors import NamesError
from rlmetrics.names.upgrades.changed_defaults import default_of

__all__ = ["Counterparts", "KeyMeaning", "SourceNames", "known_settings", "other_spellings"]

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
_WORD = re.compile(r"\w+")


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


class SourceNames:
    """Answers what keys of a source are.

    Args:
        at: The source.
        config: Settings of the run; those that the source does not know are left alone.
        spec: Folders with further YAML.
        others: Further sources that explain the keys as well. A key that they understand otherwise has no meaning.
        alike: Tells whether two meanings are judged by the same rules, so that it does not matter which is right.

    Raises:
        NamesError: The source is unknown.
    """

    def __init__(
        self,
        at: str,
        config: Mapping[str, Any] | None = None,
        spec: Overlays | Tables = None,
        others: Sequence[str] = (),
        alike: Callable[[KeyMeaning, KeyMeaning], bool] | None = None,
    ) -> None:
        self._alike = alike
        self.tables = load_tables(spec)
        self._config = dict(config or {})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._view = open_view(at, config=known_settings(at, config, self.tables), spec=self.tables)
            self._others = [
                open_view(other, config=known_settings(other, config, self.tables), spec=self.tables)
                for other in others
            ]
        self.at = str(self._view.source)
        self.disputed: set[str] = set()

    def meaning(self, key: str) -> KeyMeaning:
        """Return what a key is."""
        meaning = own = self._meaning(key, self._view)
        others = [self._meaning(key, other) for other in self._others] if own.metric is not None else []
        for theirs in others:
            if not _agree(meaning, theirs) and not self._judged_alike(meaning, theirs):
                self.disputed.add(key)
                return _disputed(own, others)
            meaning = _joined(meaning, theirs)
        return meaning

    def _judged_alike(self, one: KeyMeaning, other: KeyMeaning) -> bool:
        """Tell whether the same rules judge two meanings on the same scale."""
        return self._alike is not None and _alike_on_axis(one, other) and self._alike(one, other)

    def _meaning(self, key: str, view: View) -> KeyMeaning:
        match = _best(logged_as(view, key) or measured_as(key, self.tables))
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
            tuple(item.what for item in defects_of(entry.signature, self.tables) if item.grade == "incomparable"),
            self.metric(str(entry.metric)).get("unit"),
            self._expected(entry),
            self._emptied(entry),
            bool(entry.signature.unstated),
        )

    def _expected(self, entry: Entry) -> tuple[float | str, ...]:
        """Return the values that are as they should be, by what the key or one of its traits says of them."""
        rows = [(reading.value, reading.level) for reading in entry.reads]
        for name in entry.signature.traits:
            rows += [(row["value"], row["level"]) for row in self.tables.traits[name].get("reads", ())]
        return tuple(value for value, level in rows if level == "expected")

    def _emptied(self, entry: Entry) -> Emptied | None:
        """Return what may leave nothing to count, where that is logged as 0."""
        for name, (_, trait, shares) in self.tables.signatures["WITHOUT"].items():
            if shares and {_EMPTY, trait} <= set(entry.signature.traits):
                return Emptied(tuple(shares))
            for other in entry.alternatives if shares else ():
                if {_EMPTY, name} <= set(_WORD.findall(other.what)) and self._may_hold(other.when or ""):
                    return Emptied(tuple(shares), other.when or "")
        return None

    def _may_hold(self, guard: str) -> bool:
        """Tell whether a guard is not refuted by a setting that was given; defaults refute nothing."""
        try:
            return holds(guard, self.given) is not False
        except NamesError:
            return False

    def metric(self, name: str) -> Mapping[str, Any]:
        """Return what the spec says about a metric."""
        row: Mapping[str, Any] = self.tables.metrics.get(name, {})
        return row

    @cached_property
    def conditions(self) -> dict[str, str]:
        """Under which condition the source logs each metric; empty text if always."""
        conditions: dict[str, str] = {}
        for entry in self._view.entries():
            if entry.metric is not None and entry.mode == "train":
                said = "" if entry.logged and not entry.condition else entry.condition or ""
                if entry.metric not in conditions or not said:
                    conditions[entry.metric] = said
        return conditions

    @cached_property
    def given(self) -> dict[str, Any]:
        """The settings of the run without defaults."""
        keys = keys_of(self._view)
        around = around_of(self._view)
        names = {find_key(name, keys, around) for name in self._config}
        return {name: value for name, value in self.settings.items() if name in names}

    @cached_property
    def settings(self) -> dict[str, Any]:
        """The settings of the run, the release's defaults among them."""
        settings: dict[str, Any] = {}
        for component in reversed(list(getattr(self._view, "components", {}).values())):
            settings.update(component.config.values)
        return settings

    def default(self, name: str) -> Any:
        """Return the release's default of a setting; None if that is not known."""
        parts = getattr(self._view, "components", {}).values()
        return next((value for part in parts if (value := default_of(part, name)) is not None), None)

    def holds(self, guard: str) -> bool | None:
        """Return whether a guard over the configuration holds; None if that depends on something unknown."""
        try:
            return holds(guard, self.settings)
        except NamesError:
            return None


def _best(matches: list[Match]) -> Match | None:
    """Return the match that names a metric and is logged; or the next best."""
    known = [match for match in matches if match.entry.metric is not None]
    return next((match for match in known if match.entry.logged), next(iter(known or matches), None))


def known_settings(at: str, config: Mapping[str, Any] | None, tables: Tables) -> dict[str, Any] | None:
    """Return the settings that a source knows and understands."""
    if not config:
        return None
    view = open_view(at, spec=tables)
    keys, around = keys_of(view), around_of(view)
    known: dict[str, Any] = {}
    for given, value in config.items():
        name = find_key(given, keys, around)
        if name is not None and (value is UNKNOWN or fitting(name, value, keys[name])):
            known[given] = value
    return known


def _agree(one: KeyMeaning, other: KeyMeaning) -> bool:
    """Tell whether two releases mean the same by a key, whatever one of them is known to get wrong about it."""
    same = (one.metric, one.mode) == (other.metric, other.mode)
    known = one.scale is not None and other.scale is not None
    return same and (not known or (one.scale, one.offset) == (other.scale, other.offset))


def _alike_on_axis(one: KeyMeaning, other: KeyMeaning) -> bool:
    """Tell whether two meanings are metrics of one mode and on one scale."""
    return other.metric is not None and (one.mode, one.scale, one.offset) == (other.mode, other.scale, other.offset)


def _disputed(own: KeyMeaning, others: Sequence[KeyMeaning]) -> KeyMeaning:
    """Return what is certain about a key whose sources do not agree on its meaning."""
    if not all(_alike_on_axis(own, other) for other in others):
        return KeyMeaning(own.key, None, disputed=True)
    rivals = tuple(dict.fromkeys(str(item.metric) for item in (own, *others)))
    return KeyMeaning(own.key, None, own.mode, scale=own.scale, offset=own.offset, disputed=True, rivals=rivals)


def _joined(one: KeyMeaning, other: KeyMeaning) -> KeyMeaning:
    """Return what is certain about a key if either of two releases logged it."""
    return replace(
        one,
        scale=None if other.scale is None else one.scale,
        constant_when=tuple(dict.fromkeys((*one.constant_when, *other.constant_when))),
        defects=tuple(dict.fromkeys((*one.defects, *other.defects))),
        expected=tuple(value for value in one.expected if value in other.expected),
        emptied=one.emptied or other.emptied,
    )


class Counterparts:
    """How the keys of one source relate to those of another.

    Args:
        a: The first source.
        b: The second.
        spec: Folders with further YAML.
        settings: The configurations of the two runs, by which differences are judged.
    """

    def __init__(
        self,
        a: str,
        b: str,
        spec: Overlays | Tables = None,
        settings: tuple[Mapping[str, Any], Mapping[str, Any]] = ({}, {}),
    ) -> None:
        self._judge: NameMap | None = None
        tables = load_tables(spec)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            known = [known_settings(at, own, tables) or {} for at, own in zip((a, b), settings, strict=True)]
            views = [open_view(at, config=own, spec=tables) for at, own in zip((a, b), known, strict=True)]
            if a == b:
                self._map = None if known[0] == known[1] else NameMap(*views)
            else:
                self._map = map_names(a, b, spec=spec)
                self._judge = NameMap(*views) if any(known) else None

    def target(self, a: str) -> str | None:
        """Return what a key of the first source is called in the second; None where nothing is the same."""
        return a if self._map is None else self._map.translate(a).target

    def severity(self, a: str, relation: str, differs_by: list[dict[str, Any]]) -> str:
        """Return how much weighs what sets a key of the first run apart, and say which differences apply."""
        if self._map is None:
            return "same"
        before = self._map.translate(a)
        translation = before if self._judge is None else self._judge.translate(a)
        if (
            translation.row is None
            or before.row is None
            or translation.target is None
            or translation.target != before.target
        ):
            translation = before
        applies = {one.what: one.applies for one in translation.row.differs_by} if translation.row else {}
        for difference in differs_by:
            difference["applies"] = applies.get(difference["what"], None if translation is before else False)
        if translation.row is None or translation.target is None:
            return "look-alike" if relation == "related" else "none"
        return translation.row.severity

    def relation(self, a: str, b: str) -> tuple[str, list[dict[str, Any]], Callable[[float], float] | None]:
        """Return the relation of two keys, how they differ, and what converts the first to the second's terms."""
        if self._map is None:
            return "exact", [], None
        translation = self._map.translate(a)
        if translation.row is None or translation.target is None:
            note = translation.note or "no counterpart is known"
            return "related", [{"what": note, "grade": "incomparable", "vanishes_when": None}], None
        row = translation.row
        differs = [
            {"what": item.what, "grade": item.grade, "vanishes_when": item.vanishes_when} for item in row.differs_by
        ]
        if _bare(translation.target) != _bare(b) and row.relation in ("exact", "affine"):
            return "approximate", differs, row.transform
        return row.relation, differs, row.transform


def other_spellings(metric: str | None, at: str | None, key: str, most: int = 4) -> list[str]:
    """Return how other releases of the same framework spell a metric, and since when a key has its name."""
    if metric is None or at is None or metric == HELD_OUT or "==" not in at:
        return []
    framework = at.partition("==")[0]
    try:
        (shown,) = show(metric)
    except (NamesError, ValueError):
        return []
    spellings: dict[str, list[str]] = {}
    for item in shown.spellings:
        if f"{item.framework}[{item.component}]" == framework or item.framework == framework:
            spellings.setdefault(item.key, []).extend(item.releases)
    said = [f"{name} in {releases[0]} to {releases[-1]}" for name, releases in spellings.items()]
    return said[:most]


def _bare(key: str) -> str:
    return key.removeprefix("train/")
