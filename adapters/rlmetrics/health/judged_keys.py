"""What the keys of a run are, whatever may have logged it, and how they relate to those of another run."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from rlmetrics.lazy_dataclasses import replace
from rlmetrics.names import load_tables, map_names, open_view, show
from rlmetrics.names.inference.candidate_words import candidate_words
from rlmetrics.names.mapping.mapping import KeyTranslation, NameMap
from rlmetrics.names.meanings.protocol import View
from rlmetrics.names.meanings.recorded_settings import around_of, keys_of
from rlmetrics.names.meanings.view import FrameworkView
from rlmetrics.names.settings.configuration import UNKNOWN, find_key, fitting, holds
from rlmetrics.names.tables.tables import Overlays, Tables
from rlmetrics.names.tables.user_errors import NamesError
from rlmetrics.names.upgrades.changed_defaults import default_of
from rlmetrics.wording.voice import later

from .key_meanings import HELD_OUT, KeyMeaning, KeyMeanings, LoggedAs, usual_meanings

__all__ = ["Counterparts", "SourceNames", "known_settings", "other_spellings"]

_ONLY_IN = later("if {sources} logged it: {what}")


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
            self._view = self._opened(at)
            views = [self._opened(other) for other in others]
        self._own, *self._others = (self._meanings(view) for view in (self._view, *views))
        self.at = str(self._view.source)
        self.disputed: set[str] = set()
        self._programs: set[str] = set()

    def meaning(self, key: str) -> KeyMeaning:
        """Return what a key is."""
        meaning = own = self._own.of(key)
        # What rlmetrics logs itself, such as `exact/kl`, is of no component of the source.
        if isinstance(self._view, FrameworkView) and own.component in self._view.components:
            self._programs.add(self._view.program(own.component))
        others = [other.of(key) for other in self._others] if own.metric is not None else []
        for theirs in others:
            if not _agree(meaning, theirs) and not self._judged_alike(meaning, theirs):
                self.disputed.add(key)
                return _disputed(own, others)
            meaning = _joined(meaning, theirs)
        if all(item.defects == own.defects for item in others):
            return meaning
        sources = [names.source for names in (self._own, *self._others)]
        return replace(meaning, defects=_of_some([own.defects, *(item.defects for item in others)], sources))

    def _opened(self, at: str) -> View:
        return open_view(at, config=known_settings(at, self._config, self.tables), spec=self.tables)

    def _meanings(self, view: View) -> KeyMeanings:
        """Return what the keys of a source are with the settings of the run."""
        if self._config and self.given:
            return KeyMeanings(view, lambda: self.given)
        return usual_meanings(view)

    def _judged_alike(self, one: KeyMeaning, other: KeyMeaning) -> bool:
        """Tell whether the same rules judge two meanings on the same scale."""
        return self._alike is not None and _alike_on_axis(one, other) and self._alike(one, other)

    def metric(self, name: str) -> Mapping[str, Any]:
        """Return what the spec says about a metric."""
        row: Mapping[str, Any] = self.tables.metrics.get(name, {})
        return row

    @property
    def logged(self) -> Mapping[str, LoggedAs]:
        """What the programs of the source log in training of which a key has come, or all of them: by metric."""
        return self._own.logged(frozenset(self._programs))

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
    known = KeyMeaning(own.key, None, template=own.template, placeholders=own.placeholders, disputed=True)
    if not all(_alike_on_axis(own, other) for other in others):
        return known
    rivals = tuple(dict.fromkeys(str(item.metric) for item in (own, *others)))
    return replace(known, mode=own.mode, scale=own.scale, offset=own.offset, rivals=rivals)


def _doubtful(meaning: KeyMeaning) -> tuple[object, ...]:
    """Return what releases that agree on a key's metric may still say otherwise."""
    return meaning.scale, meaning.constant_when, meaning.defects, meaning.expected, meaning.emptied, meaning.span


def _joined(one: KeyMeaning, other: KeyMeaning) -> KeyMeaning:
    """Return what is certain about a key if either of two releases logged it; mostly they say the same."""
    if _doubtful(one) == _doubtful(other):
        return one
    return replace(
        one,
        scale=None if other.scale is None else one.scale,
        constant_when=tuple(dict.fromkeys((*one.constant_when, *other.constant_when))),
        defects=tuple(dict.fromkeys((*one.defects, *other.defects))),
        expected=tuple(value for value in one.expected if value in other.expected),
        emptied=one.emptied or other.emptied,
        span=one.span if one.span == other.span else None,
    )


def _of_some(defects: Sequence[tuple[str, ...]], sources: Sequence[str]) -> tuple[str, ...]:
    """Return the faults that several sources have, each with the sources that have it unless all do."""
    said = []
    for fault in dict.fromkeys(item for faults in defects for item in faults):
        having = [source for source, faults in zip(sources, defects, strict=True) if fault in faults]
        some = _ONLY_IN.format(sources=candidate_words(having, sources), what=fault)
        said.append(fault if len(having) == len(sources) else some)
    return tuple(said)


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
            self._views = views
            if a == b:
                self._map = None if known[0] == known[1] else NameMap(*views)
            else:
                self._map = map_names(a, b, spec=spec)
                self._judge = NameMap(*views) if any(known) else None

    @cached_property
    def _whole(self) -> NameMap:
        """All that both sources log: a map looks at one program of each, and a run may be another one."""
        return NameMap(*self._views)

    def _translated(self, a: str) -> KeyTranslation:
        found = self._map.translate(a) if self._map is not None else self._whole.translate(a)
        return self._whole.translate(a) if found.row is None else found

    def target(self, a: str) -> str | None:
        """Return what a key of the first source is called in the second; None where nothing is the same."""
        return a if self._map is None else self._translated(a).target

    def severity(self, a: str, relation: str, differs_by: list[dict[str, Any]]) -> str:
        """Return how much weighs what sets a key of the first run apart, and say which differences apply."""
        if self._map is None:
            return "same"
        before = self._translated(a)
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
        translation = self._translated(a)
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
