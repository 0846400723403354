"""Translation tables: for each key of one source its best name in another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from rlmetrics.lazy_dataclasses import replace
from rlmetrics.lazy_typing import NamedTuple

from ..differences.relations import Relation
from ..differences.severity import severity, severity_of
from ..meanings.named_variables import entry_of
from ..meanings.protocol import Match, View
from ..meanings.view import open_views
from ..settings.configuration import Config
from ..sources.source import last_release, nearest
from ..sources.surfaces import LOGGED
from ..tables.key_records import Difference, Entry, LookAlike, MapRow
from ..tables.tables import Overlays, Tables
from ..tables.templates import placeholders_in
from ..tables.user_errors import NamesError
from .counterparts import OtherCounterparts
from .lookalikes import LookAlikes, in_short
from .programs import other_programs
from .ranking import Ranking

__all__ = ["KeyTranslation", "NameMap", "map_names"]

MAX_RELATED = 5
"""How many look-alikes a row lists, the likeliest first."""


class KeyTranslation(NamedTuple):
    """What becomes of one key of a log.

    Attributes:
        key: As given.
        row: Its line in the translation table; None if the source does not know the key.
        target: The name in the target, with placeholders filled in and as the surface shows it; None if the key does
            not translate.
        surface: How the key is shown: ``logged``, or a tracker.
        metric: Canonical name of what it measures.
        note: Why there is no target, or what else there is to know.
    """

    key: str
    row: MapRow | None
    target: str | None
    surface: str
    metric: str | None
    note: str | None


class _Choice(NamedTuple):
    """The target of an entry."""

    row: MapRow
    target: Entry | None
    values: Mapping[str, str]


class NameMap:
    """Every translation from one source to another.

    Args:
        from_: The source whose names are at hand.
        to: The source whose names are wanted.
        bind: Values of placeholders of the target that the source does not give.
        surface: How names are shown on output; by default as the input shows them.

    Raises:
        NamesError: A bound name is no placeholder of the target, or its value does not fit.
    """

    def __init__(
        self, from_: View, to: View, *, bind: Mapping[str, str] | None = None, surface: str | None = None
    ) -> None:
        self.from_view = from_
        self.to_view = to
        self._bind = dict(bind or {})
        self._surface = surface
        self._tables = from_.tables
        self._choices: dict[tuple[str, str, str], _Choice] = {}
        self._ended: dict[str, str | None] = {}
        self._ranking = Ranking(from_, to)
        self._look_alikes = LookAlikes(to)
        self._other_counterparts = OtherCounterparts(to)
        self._check_bind()

    @cached_property
    def rows(self) -> tuple[MapRow, ...]:
        """One row for each key of the source, with its best target."""
        rows = tuple(self._choose(entry).row for entry in self.from_view.entries())
        fallbacks = (*self.from_view.source.fallbacks, *self.to_view.source.fallbacks)
        return tuple(replace(row, fallbacks=fallbacks) for row in rows) if fallbacks else rows

    def __repr__(self) -> str:
        return f"NameMap({self.from_view.source} -> {self.to_view.source})"

    def _repr_html_(self) -> str:
        from rlmetrics.names.tables.record_display import table_html

        rows = [(row.from_, row.relation, row.to, [item.what for item in row.differs_by]) for row in self.rows]
        return table_html(
            f"{self.from_view.source} -> {self.to_view.source}", ("from", "relation", "to", "differs by"), rows
        )

    def row_of(self, entry: Entry) -> MapRow:
        """Return the line of one entry of the source."""
        return self._choose(entry).row

    def target_of(self, row: MapRow) -> Entry | None:
        """Return the entry of the target that a row names, None without one."""
        choice = self._choices.get((row.from_component, row.from_, row.mode))
        return None if choice is None else choice.target

    def translate(self, key: str) -> KeyTranslation:
        """Translate one key of a log, in whatever way a tracker shows it."""
        matches = self.from_view.find(key)
        if not matches:
            return KeyTranslation(key, None, None, LOGGED, None, f"{self.from_view.source} does not log it")
        translations = [self._translate(key, match) for match in matches]
        if self.from_view.source.is_canonical:
            # Frameworks call the same placeholder differently; what the target has is meant.
            translations = [item for item in translations if item.target is not None] or translations[:1]
        first = translations[0]
        if any((item.target, item.metric) != (first.target, first.metric) for item in translations[1:]):
            names = ", ".join(dict.fromkeys(match.entry.component for match in matches))
            note = f"several components log it with different meanings ({names}); name one in the source"
            return KeyTranslation(key, first.row, None, first.surface, None, note)
        return first

    def _check_bind(self) -> None:
        known: dict[str, None] = {}
        fits: dict[str, bool] = {}
        for entry in self.to_view.entries() if self._bind else ():
            template = self.to_view.template(entry)
            known.update(dict.fromkeys(template.names))
            for name in template.names:
                if name in self._bind:
                    fits[name] = fits.get(name, False) or template.fits(name, self._bind[name])
        for name, value in self._bind.items():
            if name not in known:
                msg = f"{self.to_view.source} has no placeholder {name!r}; {nearest(name, known, 'placeholders')}"
                raise NamesError(msg)
            if not fits[name]:
                msg = f"{value!r} cannot be a {{{name}}} of {self.to_view.source}"
                raise NamesError(msg)

    def _translate(self, key: str, match: Match) -> KeyTranslation:
        choice = self._of_variable(self._choose(match.entry), match)
        row, metric = choice.row, match.entry.metric
        if choice.target is None or row.to is None:
            return KeyTranslation(key, row, None, match.surface, metric, row.note)
        template = self.to_view.template(choice.target)
        values = {**choice.values, **{name: match.values[name] for name in template.names if name in match.values}}
        # A template that is asked for as answers spell it is carried as one.
        unbound = [name for name in template.names if name not in values and f"{{{name}}}" not in key]
        if unbound:
            return KeyTranslation(key, row, None, match.surface, metric, row.note)
        try:
            name = template.format(values)
        except NamesError as error:
            return KeyTranslation(key, row, None, match.surface, metric, str(error))
        shown = self.to_view.show(choice.target, name, self._surface or match.surface)
        other = self._other_meaning(shown, choice.target) if template.names else None
        if other is not None:
            note = f"{shown} means something else there: {other.metric}"
            return KeyTranslation(key, row, None, match.surface, metric, note)
        return KeyTranslation(key, row, shown, match.surface, metric, row.note)

    def _of_variable(self, choice: _Choice, match: Match) -> _Choice:
        """Return what a key translates to without what sets other variables apart than the one that it names."""
        if choice.target is None:
            return choice
        entry = entry_of(match.entry, match.values, self._tables)
        target = entry_of(choice.target, match.values, self._tables)
        if entry is match.entry and target is choice.target:
            return choice
        return self._with_target(entry, self._ranking.relate(entry, target), target)

    def _other_meaning(self, name: str, target: Entry) -> Entry | None:
        """Return what a filled-in name means in the target where a more specific key has it."""
        readings = [match.entry for match in self.to_view.find(name)]
        if self.to_view.source.is_canonical:
            readings = [entry for entry in readings if entry.metric != target.metric]
        return None if target in readings or not readings else readings[0]

    def _choose(self, entry: Entry) -> _Choice:
        asked = (entry.component, entry.key, entry.mode)
        if asked not in self._choices:
            found = [self._find(reading) for reading in self.from_view.readings(entry)]
            self._choices[asked] = next((choice for choice in found if choice.target is not None), found[0])
        return self._choices[asked]

    def _find(self, entry: Entry) -> _Choice:
        if entry.metric is None:
            note = "what it measures depends on the configuration: " + "; ".join(
                f"{item.metric} if {item.when}" for item in entry.alternatives
            )
            return _Choice(MapRow(entry.key, entry.component, None, None, "none", note=note, mode=entry.mode), None, {})
        if self.to_view.source.ended is not None:
            return self._nearest_of_others(entry, self._candidates(entry))
        return self._best(entry) or self._without_target(entry, self._candidates(entry))

    def _candidates(self, entry: Entry) -> list[Entry]:
        return [] if entry.metric is None else self.to_view.candidates(entry.metric, entry.mode)

    def _best(self, entry: Entry) -> _Choice | None:
        """Return what an entry translates to, or between which targets that is ambiguous; None for no target."""
        candidates = self._candidates(entry)
        if self.to_view.source.ended is not None:
            return None
        good = self._ranking.nearest(entry, candidates)
        if not good or self._ranking.spelling_is_taken(entry, candidates, good[0][1]):
            return None
        if len(good) > 1:
            nearest_ = self._ranking.score(entry, *good[0])
            good = [item for item in good if self._ranking.score(entry, *item) == nearest_]
        if len({target.key for _, target in good}) > 1:
            return self._ambiguous(entry, good)
        return self._with_target(entry, *good[0])

    def _with_target(self, entry: Entry, relation: Relation, target: Entry) -> _Choice:
        shown, values, unbound = self._named(entry, target) if "{" in target.key else (target.key, {}, ())
        notes = [_bind_note(unbound)] if unbound else []
        gone = self._gone(entry.component) if target.component != entry.component else None
        notes += [] if gone is None else [gone]
        if target.logged is not True and target.condition is not None:
            notes.append(f"logged only: {target.condition}")
            instead = self._look_alikes.instead(entry)
            notes += [] if instead is None else [instead]
        if entry.constant_when or target.constant_when:
            notes += _constants(entry.constant_when, target.constant_when)
        notes += _corrections(relation.differs_by, target)
        if self._surface is not None:
            shown = self.to_view.show(target, shown, self._surface)
        row = MapRow(
            entry.key,
            entry.component,
            shown,
            target.component,
            relation.kind,
            relation.differs_by,
            relation.transform,
            "; ".join(notes) or None,
            metric=entry.metric,
            mode=entry.mode,
            unbound=unbound,
            severity=severity_of(relation),
        )
        return _Choice(row, target, values)

    def _named(self, entry: Entry, target: Entry) -> tuple[str, dict[str, str], tuple[str, ...]]:
        """Return a target's key with what is bound filled in, what that is, and what neither source gives."""
        template = self.to_view.template(target)
        carried = placeholders_in(entry.key)
        wanted = [name for name in template.names if name not in carried]
        values = {
            name: value
            for name, value in {**target.bind, **self._bind}.items()
            if name in wanted and template.fits(name, value)
        }
        return template.format(values), values, tuple(name for name in wanted if name not in values)

    def _ambiguous(self, entry: Entry, best: list[tuple[Relation, Entry]]) -> _Choice:
        names = dict.fromkeys((target.key, target.component) for _, target in best)
        related = tuple(LookAlike(key, component, "the same metric, equally good") for key, component in names)
        note = f"ambiguous: {', '.join(key for key, _ in names)} are equally good"
        row = MapRow(
            entry.key,
            entry.component,
            None,
            None,
            "related",
            note=note,
            related=related,
            metric=entry.metric,
            mode=entry.mode,
            severity="look-alike",
        )
        return _Choice(row, None, {})

    def _nearest_of_others(self, entry: Entry, candidates: list[Entry]) -> _Choice:
        """Return a row for a target that no longer has the component: what its other components log is only related."""
        choice = self._without_target(entry, candidates)
        good = self._ranking.nearest(entry, candidates)
        nearest_ = dict.fromkeys(
            LookAlike(target.key, target.component, f"the same metric in another trainer ({relation.kind})")
            for relation, target in good
        )
        related = (*nearest_, *choice.row.related)[:MAX_RELATED]
        relation = "related" if related else "none"
        row = replace(choice.row, relation=relation, related=related, severity=severity(relation, ()))
        return choice._replace(row=row)

    def _gone(self, component: str) -> str | None:
        """Return that the target no longer has a component of the source, and what the last release with it is."""
        if component not in self._ended:
            self._ended[component] = self._end(component)
        return self._ended[component]

    def _end(self, component: str) -> str | None:
        here, there = self.from_view.source, self.to_view.source
        asked_for = there.component is not None and there.ended is None
        if here.framework != there.framework or not here.is_release or asked_for:
            return None
        last = there.ended or last_release(self._tables.framework(there.framework), component, there.release)
        gone = f"{there.framework} {there.release} has no {there.component if there.ended else component}"
        return None if last is None else f"{gone}; the last release that has it is {last}"

    def _without_target(self, entry: Entry, candidates: list[Entry]) -> _Choice:
        """Return a row that explains which keys of the target look like the translation and are not."""
        choices: list[tuple[tuple[object, ...], str, LookAlike | tuple[Entry, str]]] = []
        best: Relation | None = None
        scored = [(self._ranking.relate(entry, target), target) for target in candidates]
        incomparable = [item for item in scored if not item[0].translates]
        for relation, target in sorted(incomparable, key=lambda item: item[0].rank):
            best = best or relation
            why = "; ".join(item.what for item in relation.differs_by if item.grade == "incomparable")
            like = LookAlike(target.key, target.component, f"the same metric, but {why}", in_short(why, entry.key))
            choices.append(((0,), target.key, like))
        choices += [((-1,), item.to, item) for item in self._other_counterparts.look_alikes(entry)]
        choices += [(score, target.key, (target, why)) for score, target, why in self._look_alikes.of(entry)]
        choices.sort(key=lambda item: item[0])
        likeliest = {key: item for _, key, item in reversed(choices)}
        shown = list(dict.fromkeys(key for _, key, _ in choices))[:MAX_RELATED]
        # Only what is shown is put into words.
        related = tuple(
            item if isinstance(item, LookAlike) else self._look_alikes.told(entry, *item)
            for item in map(likeliest.__getitem__, shown)
        )
        differs_by = best.differs_by if best is not None else ()
        corrections = _corrections(differs_by, None)
        gone = self._gone(entry.component)
        notes = [*([] if gone is None else [gone]), *corrections, *self._other_counterparts.notes(entry)]
        kind = "related" if related else "none"
        if not related and not notes:
            # A whole release is looked at as one of its programs; another one may log it.
            meant = other_programs(self.to_view)
            there = str(self.to_view.source) if meant is None else f"{meant[0]} of {self.to_view.source}"
            notes = [f"{there} logs nothing of this kind"]
        note = "; ".join(dict.fromkeys(notes)) or None
        row = MapRow(
            entry.key,
            entry.component,
            None,
            None,
            kind,
            differs_by,
            best.transform if best is not None else None,
            note,
            related,
            entry.metric,
            entry.mode,
            severity=severity(kind, ()),
        )
        return _Choice(row, None, {})


def map_names(
    from_: str,
    to: str,
    *,
    config: Config = None,
    bind: Mapping[str, str] | None = None,
    surface: str | None = None,
    spec: Overlays | Tables = None,
    program: str | None = None,
) -> NameMap:
    """Return the translation table between two sources.

    Args:
        from_: Such as ``trl[PPOTrainer]==0.7.10``, or ``canonical``.
        to: Such as ``verl==0.9.1``, or ``canonical``.
        config: Values of configuration keys that differ from the releases' defaults.
        bind: Values of placeholders of the target that the source does not give.
        surface: How names are shown on output: ``logged``, or a tracker; by default as the input shows them.
        spec: Folders with further YAML.
        program: Which program of either is meant, such as ``sft`` of verl; ``all`` for everything. By default that of
            the other side, else the framework's default, see `rlmetrics.names.mapping.programs`.

    Raises:
        NamesError: A source, a configuration key, a placeholder, the surface or the program is unknown.
    """
    from .programs import paired

    first, second = open_views([from_, to], config=config, surface=surface, spec=spec, target=True)
    first, second = paired(first, second, program, config)
    return NameMap(first, second, bind=bind, surface=surface)


def _constants(source: tuple[str, ...], target: tuple[str, ...]) -> list[str]:
    both = [text for text in source if text in target]
    return [
        *(f"both are constant: {text}" for text in both),
        *(f"the source is constant: {text}" for text in source if text not in both),
        *(f"the target is constant: {text}" for text in target if text not in both),
    ]


def _corrections(differs_by: Sequence[Difference], target: Entry | None) -> list[str]:
    """Return how to undo what sets two numbers apart, where it shows; what is undone in the target, with its name."""
    there = () if target is None or target.signature is None else target.signature.traits
    told = [item for item in differs_by if item.correction and item.applies is not False]
    return [
        f"in {target.key}: {item.correction}"
        if target is not None and item.about.removeprefix("trait:") in there
        else str(item.correction)
        for item in told
    ]


def _bind_note(unbound: tuple[str, ...]) -> str:
    return "needs a value: " + " ".join(f"--bind {name}=…" for name in unbound)
