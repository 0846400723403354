"""What one component logs in one release under a configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cached_property

from rlmetrics.lazy_dataclasses import replace
from rlmetrics.lazy_typing import Any, NamedTuple

from ..differences.severity import Circumstances, unmet
from ..settings.configuration import Config, Configuration, configuration_of
from ..settings.guards import Value, names_in
from ..settings.implied_settings import guards_in
from ..settings.key_condition import either_condition
from ..sources.source import Component
from ..sources.surfaces import LOGGED, Rules, route_surfaces, show_name, show_template
from ..tables.component_rows import Bound, TableRow, expressions_of, guards_of
from ..tables.framework_table import FrameworkTable
from ..tables.key_records import Alternative, Entry, Evidence, Reading
from ..tables.tables import Tables
from ..tables.templates import LITERAL, OPEN, Template, placeholders_in
from .entries import Entries
from .protocol import KeyPlace

__all__ = ["ComponentView", "KeyHit", "answering"]


class KeyHit(NamedTuple):
    """A key found in a component.

    Attributes:
        rank: How specific the match is, the smallest is best: class of the key, then whether a tracker renamed it or,
            for open templates, minus the length of their own text.
        entry: What the key is.
        surface: ``logged``, or the tracker that shows the name like this.
        values: Values of the placeholders.
    """

    rank: tuple[int, int]
    entry: Entry
    surface: str
    values: Mapping[str, str]


class _Shown(NamedTuple):
    """The keys that a tracker changes, as it shows them."""

    tracker: str
    rules: Rules
    literals: Mapping[str, tuple[str, str]]
    templates: Sequence[tuple[Template, tuple[str, str]]]


class _Spelling(NamedTuple):
    """A template as a tracker shows it, and the key and mode that it is of."""

    surface: str
    rules: Rules
    template: Template
    record: tuple[str, str]


_FEW = 3
"""Letters by which most templates that a key does not fit are told."""
_MOST_STARTS = 1000
"""How many beginnings of keys are remembered."""


class ComponentView:
    """One component in one release.

    Args:
        tables: The spec.
        table: The framework.
        component: The component, described for the release.
        release: A known release.
        config: Values of configuration keys that differ from the defaults.
        label: The component's name in answers.
    """

    def __init__(
        self,
        tables: Tables,
        table: FrameworkTable,
        component: Component,
        release: str,
        config: Config = None,
        label: str | None = None,
    ) -> None:
        self.label = label or component.name
        self.component = component.name
        self.release = release
        self.tables = tables
        self.table = table
        self.stem = component.stem
        self._own = table.component(component.stem)
        self._entries = Entries(self.label, tables, self._own)
        self.given = config
        """Values that differ from the defaults."""
        self._tried: dict[tuple[str, str], ComponentView] = {}
        self._templates: dict[str, Template] = {}
        self._started: dict[str, list[_Spelling]] = {}

    @cached_property
    def program(self) -> str:
        """What the component runs in; by default it is a program of its own."""
        return self._own.program or self.label

    @cached_property
    def config(self) -> Configuration:
        """Configuration keys and their values."""
        return configuration_of(self.table, self._own, self.release, self.given)

    @cached_property
    def _set(self) -> Mapping[str, Value]:
        """The settings whose values are not the defaults."""
        values, defaults = self.config.values, self.config.defaults
        return {name: value for name, value in values.items() if name not in defaults or value != defaults[name]}

    def trying(self, name: str, value: Value) -> ComponentView:
        """Return the component with another value of one setting; kept, for most keys ask for the same few."""
        asked = name, repr(value)
        if asked not in self._tried:
            component = Component(self.label, self.stem, "")
            changed = {**self._set, name: value}
            self._tried[asked] = ComponentView(self.tables, self.table, component, self.release, changed, self.label)
        return self._tried[asked]

    @cached_property
    def circumstances(self) -> Circumstances:
        """What decides whether differences from other numbers show."""
        return Circumstances(self.table.name, self._own.single(self.release), self.config, self.tables.levels)

    @cached_property
    def _by_key(self) -> dict[tuple[str, str], list[TableRow]]:
        rows: dict[tuple[str, str], list[TableRow]] = {}
        for row in self._own.at(self.release):
            rows.setdefault((row.key, row.mode), []).append(row)
        return rows

    @cached_property
    def _literals(self) -> dict[str, tuple[str, str]]:
        return {key: (key, mode) for key, mode in reversed(self._by_key) if "{" not in key}

    @cached_property
    def _templated(self) -> list[tuple[str, str]]:
        return [(key, mode) for key, mode in self._by_key if "{" in key]

    @cached_property
    def _shown(self) -> list[_Shown]:
        """What each way in which a tracker changes names makes of the keys."""
        result = []
        for tracker, rules in route_surfaces(self.tables, self.routes):
            literals: dict[str, tuple[str, str]] = {}
            templates: list[tuple[Template, tuple[str, str]]] = []
            for key, mode in self._by_key:
                shown = show_template(key, rules)
                if not shown or shown == key:
                    continue
                if "{" in key:
                    template = self.template(key)
                    changed = Template(shown, template.patterns, is_open=template.rank == OPEN)
                    templates.append((changed, (key, mode)))
                else:
                    literals.setdefault(shown, (key, mode))
            result.append(_Shown(tracker, rules, literals, templates))
        return result

    @cached_property
    def tracking(self) -> tuple[Mapping[str, Any], ...]:
        """How this release hands its numbers to trackers."""
        return tuple(self._own.tracking(self.release))

    @property
    def routes(self) -> tuple[str, ...]:
        """The routes to trackers, the usual one first."""
        return tuple(dict.fromkeys(row["route"] for row in self.tracking))

    @property
    def keys(self) -> list[str]:
        """Every key and template, as logged."""
        return list(dict.fromkeys(key for key, _ in self._by_key))

    @property
    def unlogged(self) -> list[Mapping[str, Any]]:
        """Keys that a guide lists although this release never logs them."""
        return self._own.unlogged(self.release)

    def reports(self, entry: Entry) -> list[Mapping[str, Any]]:
        """Return what the framework's authors were told about a number, in this release or any other."""
        prefix = self._own.eval_prefix if entry.mode == "eval" else ""
        key = entry.key.removeprefix(prefix)
        return [row for row in self._own.reports if key in row["keys"]]

    def entries(self) -> list[Entry]:
        """Return everything that is logged, one entry for each key and mode."""
        return [self._one([self._entry(row) for row in rows]) for rows in self._by_key.values()]

    def places(self) -> list[KeyPlace]:
        """Return where each entry stands, which need not be made for that."""
        return self._places

    @cached_property
    def _places(self) -> list[KeyPlace]:
        return [
            KeyPlace(self.label, key, mode, tuple({metric: None for row in rows for metric in row.metrics}))
            for (key, mode), rows in self._by_key.items()
        ]

    @cached_property
    def _measured(self) -> dict[tuple[str, str], list[tuple[str, str]]]:
        """The keys that under some configuration measure a metric in a mode, each with its mode."""
        places: dict[tuple[str, str], list[tuple[str, str]]] = {}
        for _, key, mode, metrics in self._places:
            for metric in metrics:
                places.setdefault((metric, mode), []).append((key, mode))
        return places

    def measuring(self, metric: str, mode: str) -> list[Entry]:
        """Return what measures a metric in a mode; no other entry is made for that."""
        return [self.entry(*place) for place in self._measured.get((metric, mode), ()) if self.metric(*place) == metric]

    def measures(self, word: str) -> bool:
        """Tell whether something is logged whose metric has a word in its name."""
        possible = [place for place in self._places if any(word in metric for metric in place.metrics)]
        # What no entry has to be made for mostly settles it.
        possible.sort(key=lambda place: len(self._by_key[place.key, place.mode]))
        return any(word in (self.metric(place.key, place.mode) or "") for place in possible)

    def metric(self, key: str, mode: str) -> str | None:
        """Return what a key measures; no entry is made for that where one place writes it."""
        rows = self._by_key[key, mode]
        if len(rows) > 1:
            return self.entry(key, mode).metric
        metric: str | None = self._entries.said(rows[0], self.config).get("metric")
        return metric

    def entry(self, key: str, mode: str) -> Entry:
        """Return what is logged under a key of this component.

        Where several places write the key, the configuration picks one; the others are its alternatives.
        """
        return self._one([self._entry(row) for row in self._by_key[key, mode]])

    def entry_alone(self, key: str, mode: str) -> Entry | None:
        """Return the same without reading what else this component logs; None if it does not log the key."""
        covers = self.table.releases.covers
        entries = [
            self._entry(row) for row in self._own.called(key) if row.mode == mode and covers(row.ranges, self.release)
        ]
        return self._one(entries) if entries else None

    def _one(self, entries: Sequence[Entry]) -> Entry:
        if len(entries) == 1:
            return entries[0]
        chosen = answering(entries, self.config)
        others = tuple(
            alternative
            for entry in entries
            if entry is not chosen
            for alternative in (Alternative(entry.variant, entry.condition, entry.metric), *entry.alternatives)
        )
        defaults = [entry.logged_by_default for entry in entries]
        return chosen._replace(
            logged_by_default=True if True in defaults else None if None in defaults else False,
            alternatives=(*chosen.alternatives, *others),
            either=either_of(entries),
        )

    def records(self, key: str, mode: str) -> list[Entry]:
        """Return what each place that writes a key of this component logs there, in the order of the spec."""
        return [self._entry(row) for row in self._by_key[key, mode]]

    def find(self, key: str) -> KeyHit | None:
        """Return what a key is in its most specific reading; names of every tracker are recognised."""
        if "{" in key:
            # A template as answers spell it stands for itself.
            named = next(((name, mode) for name, mode in self._templated if name == key), None)
            if named is not None:
                return KeyHit((LITERAL, 0), self.entry(*named), LOGGED, {})
        if key in self._literals:
            return KeyHit((LITERAL, 0), self.entry(*self._literals[key]), LOGGED, {})
        for shown in self._shown:
            if key in shown.literals:
                return KeyHit((LITERAL, 1), self.entry(*shown.literals[key]), shown.tracker, {})
        hits = []
        for surface, rules, template, record in self._beginning(key[:_FEW]):
            values = template.parse(key)
            # train/eval_x fits train/{any}, but eval_x would have been shown as eval/x.
            if values is not None and show_name(self.template(record[0]).format(values), rules) == key:
                # Of two that match anything, the one with more text of its own says more: train/{name}, not {name}.
                second = -template.literal_length if template.rank == OPEN else int(surface != LOGGED)
                hits.append(KeyHit((template.rank, second), self.entry(*record), surface, values))
        best = min(hits, key=lambda hit: (hit.rank, not hit.entry.logged), default=None)
        return best if best is None or best.rank[0] < OPEN else self._evaluated(key) or best

    def _evaluated(self, key: str) -> KeyHit | None:
        """Return which key of evaluation a name is as the code spells it, before a logger puts its prefix in front.

        Without it a name that users choose freely would take it in.
        """
        prefix = self._own.eval_prefix
        if not prefix.endswith("/") or key.startswith(prefix):
            return None
        hit = self.find(f"{prefix}{key}")
        return hit if hit is not None and hit.rank[0] < OPEN and hit.entry.mode == "eval" else None

    def _beginning(self, start: str) -> list[_Spelling]:
        """Return the templates, as each tracker shows them, that a key which begins so may fit."""
        if start not in self._started:
            if len(self._started) >= _MOST_STARTS:
                self._started.clear()
            self._started[start] = [each for each in self._spellings if each.template.may_begin(start)]
        return self._started[start]

    @cached_property
    def _spellings(self) -> list[_Spelling]:
        """Every template, as it is logged and as each tracker shows it."""
        logged = [_Spelling(LOGGED, (), self.template(name), (name, mode)) for name, mode in self._templated]
        return logged + [
            _Spelling(shown.tracker, shown.rules, template, record)
            for shown in self._shown
            for template, record in shown.templates
        ]

    def template(self, key: str) -> Template:
        """Return the template of a key of this component."""
        if key not in self._templates:
            rows = {name: self._own.placeholders[name] for name in placeholders_in(key)}
            patterns = {name: row["pattern"] for name, row in rows.items()}
            self._templates[key] = Template(key, patterns, is_open=any(row.get("open") for row in rows.values()))
        return self._templates[key]

    def said(self, entry: Entry) -> Mapping[str, Any]:
        """Return everything that the spec says of an entry of this component under its configuration."""
        rows = self._by_key[entry.key, entry.mode]
        chosen = rows[0] if len(rows) == 1 else next(row for row in rows if self._entry(row)[:4] == entry[:4])
        return self._entries.said(chosen, self.config)

    def bound(self, name: str, said: Mapping[str, Any]) -> list[Bound]:
        """Return what a parameter is taken from where that much is said of an entry, in the order of looking."""
        return self._own.bound(name, said, self.release)

    def documented(self, key: str, mode: str) -> list[tuple[str, str | None, str, str | None, str | None]]:
        """Return what guides say about a key: the claim, what the code does instead, the guide, path and heading."""
        documented = []
        for row in self._by_key[key, mode]:
            every = tuple(range(len(row.facts)))
            documented += self._own.documented(self._own.combined(row, every))
        return list(dict.fromkeys(documented))

    def guards(self, key: str, mode: str) -> list[str]:
        """Return the guards that decide whether and how a key is logged."""
        return list(dict.fromkeys(guard for row in self._by_key[key, mode] for guard in guards_of(row)))

    def expressions(self, key: str, mode: str) -> list[str]:
        """Return the expressions of settings that decide anything about a key."""
        return [text for row in self._by_key[key, mode] for text in expressions_of(row)]

    def reads_otherwise(self, key: str, mode: str) -> list[tuple[str, Reading]]:
        """Return what certain values would mean in other configurations, each with the guard that asks for it."""
        readings = []
        for row in self._by_key[key, mode]:
            for fact in row.facts:
                if "reads" in fact and "when" in fact and not self.config.holds(fact["when"]):
                    told = [reading for reading in self._own.reads(fact) if not reading.beside]
                    readings += [(str(fact["when"]), reading) for reading in told]
        return readings

    def guards_of_trait(self, trait: str, key: str, mode: str) -> list[str]:
        """Return the guards under which numbers of a key have a trait, of facts that hold."""
        facts = [fact for row in self._by_key[key, mode] for fact in row.facts if trait in fact.get("traits", ())]
        return [str(fact["when"]) for fact in facts if "when" in fact and self.config.holds(fact["when"])]

    def evidence(self, entry: Entry) -> tuple[Evidence, ...]:
        """Return where the source of this release shows an entry, what the program does not run last."""
        found = self.table.evidence(self.stem, entry.at, self.release)
        idle = self._idle_code
        if not idle:
            return found
        marked = [replace(place, program=_of_program(place.path, idle)) for place in found]
        return tuple(sorted(marked, key=lambda place: place.program is not None))

    @cached_property
    def _idle_code(self) -> Mapping[str, Sequence[str]]:
        """The code of programs that do not run with these settings, by program, but for what one that runs shares."""
        programs = self.table.programs
        covers = self.table.releases.covers
        has = {
            name: row
            for name, row in programs.items()
            if row.get("code") and ("releases" not in row or covers(row["releases"], self.release))
        }
        values = self.config.values
        runs = {
            name
            for name, row in programs.items()
            if row.get("settings") and all(values.get(key) == value for key, value in row["settings"].items())
        } or {name for name, row in programs.items() if row.get("default")}
        shared = {code for name in runs & has.keys() for code in has[name]["code"]}
        idle = {name: [code for code in row["code"] if code not in shared] for name, row in has.items()}
        return {name: code for name, code in idle.items() if code and name not in runs}

    def _entry(self, row: TableRow) -> Entry:
        return self._entries.make(row, self.config)


def _of_program(path: str, code: Mapping[str, Sequence[str]]) -> str | None:
    """Return the first program whose code a module is."""
    return next((name for name, paths in code.items() if any(fnmatchcase(path, each) for each in paths)), None)


def either_of(entries: Sequence[Entry]) -> str | None:
    """Return when any of the places that write a key logs it."""
    logging = [entry for entry in entries if not entry.never] or entries
    return either_condition([entry.condition for entry in logging])


def answering(entries: Sequence[Entry], config: Configuration) -> Entry:
    """Return which of the places that write a key answers for it: the one that is logged, else the nearest to it.

    That is one of whose condition the known settings refute the fewest parts, then of which the fewest do not hold.
    What is never logged comes last.
    """

    def missing(entry: Entry) -> tuple[bool, int, int]:
        parts = [part for guard in guards_in(entry.condition) for part in unmet(guard, config)]
        return entry.never, sum(not config.known.isdisjoint(names_in(part)) for part in parts), len(parts)

    return next((entry for entry in entries if entry.logged), None) or min(entries, key=missing)
