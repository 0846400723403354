"""What one component logs in one release under a configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from .config import Config, Configuration
from .emissions import make_entry
from .inheritance import AppliedRow, applied_rows
from .records import Alternative, Entry
from .source import Component
from .surfaces import LOGGED, Rules, route_surfaces, show_name, show_template
from .tables import FrameworkTable, Tables
from .templates import LITERAL, OPEN, Template, placeholders_in

__all__ = ["ComponentView", "Hit"]


class Hit(NamedTuple):
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
        self.release = release
        self._tables = tables
        self._table = table
        self._chain = table.chain(component.stem)
        self._given = config
        self._templates: dict[str, Template] = {}
        self._profiles: dict[tuple[str, str], Mapping[str, Any]] = {}

    @cached_property
    def program(self) -> str:
        """What the component runs in; by default it is a program of its own."""
        return str(self._table.file(self._chain[0]).get("program") or self.label)

    @cached_property
    def config(self) -> Configuration:
        """Configuration keys and their values."""
        return Configuration(self._table, self._chain, self.release, self._given)

    @cached_property
    def _records(self) -> list[AppliedRow]:
        return list(applied_rows(self._table, self._chain[0], (self.release,)))

    @cached_property
    def _by_key(self) -> dict[tuple[str, str], list[int]]:
        found: dict[tuple[str, str], list[int]] = {}
        for index, record in enumerate(self._records):
            found.setdefault((record.key, record.mode), []).append(index)
        return found

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
        for tracker, rules in route_surfaces(self._tables, self.routes):
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
        for stem in self._chain:
            rows = [
                row
                for row in self._table.file(stem).get("tracking", ())
                if "releases" not in row or self._table.releases.covers(row["releases"], self.release)
            ]
            if rows:
                return tuple(rows)
        return ()

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
        return [
            row
            for stem in self._chain
            for row in self._table.file(stem).get("unlogged", ())
            if self._table.releases.covers(row["releases"], self.release)
        ]

    def entries(self) -> list[Entry]:
        """Return everything that is logged, one entry for each key and mode."""
        # Most keys have one emission.
        return [
            self._entry(self._records[found[0]]) if len(found) == 1 else self.entry(*place)
            for place, found in self._by_key.items()
        ]

    def entry(self, key: str, mode: str) -> Entry:
        """Return what is logged under a key of this component.

        Where several emissions share the key, the configuration picks one; the others are its alternatives.
        """
        return self._one([self._entry(self._records[index]) for index in self._by_key[key, mode]])

    def entry_alone(self, key: str, mode: str) -> Entry | None:
        """Return the same without reading what else this component logs; None if it does not log the key."""
        found = applied_rows(self._table, self._chain[0], (self.release,), (key, mode))
        entries = [self._entry(record) for record in found]
        return self._one(entries) if entries else None

    @staticmethod
    def _one(found: Sequence[Entry]) -> Entry:
        if len(found) == 1:
            return found[0]
        chosen = next((entry for entry in found if entry.logged), found[0])
        others = tuple(
            alternative
            for entry in found
            if entry is not chosen
            for alternative in (Alternative(entry.variant, entry.condition, entry.metric), *entry.alternatives)
        )
        return chosen._replace(alternatives=(*chosen.alternatives, *others))

    def find(self, key: str) -> Hit | None:
        """Return what a key is in its most specific reading; names of every tracker are recognised."""
        if key in self._literals:
            return Hit((LITERAL, 0), self.entry(*self._literals[key]), LOGGED, {})
        for shown in self._shown:
            if key in shown.literals:
                return Hit((LITERAL, 1), self.entry(*shown.literals[key]), shown.tracker, {})
        hits = self._match(key, LOGGED, (), [(self.template(name), (name, mode)) for name, mode in self._templated])
        for shown in self._shown:
            hits += self._match(key, shown.tracker, shown.rules, shown.templates)
        return min(hits, key=lambda hit: (hit.rank, not hit.entry.logged), default=None)

    def _match(
        self, key: str, surface: str, rules: Rules, templates: Sequence[tuple[Template, tuple[str, str]]]
    ) -> list[Hit]:
        hits = []
        for template, record in templates:
            values = template.parse(key)
            # train/eval_x fits train/{any}, but eval_x would have been shown as eval/x.
            if values is not None and show_name(self.template(record[0]).format(values), rules) == key:
                # Of two that match anything, the one with more text of its own says more: train/{name}, not {name}.
                second = -template.literal_length if template.rank == OPEN else int(surface != LOGGED)
                hits.append(Hit((template.rank, second), self.entry(*record), surface, values))
        return hits

    def template(self, key: str) -> Template:
        """Return the template of a key of this component."""
        if key not in self._templates:
            patterns: dict[str, str] = {}
            is_open = False
            for name in placeholders_in(key):
                row = self._placeholder(key, name)
                patterns[name] = row["pattern"]
                is_open = is_open or row.get("open", False)
            self._templates[key] = Template(key, patterns, is_open=is_open)
        return self._templates[key]

    def documented(self, key: str, mode: str) -> list[Mapping[str, Any]]:
        """Return what the framework's guide says about a key where it adds to the code or differs from it."""
        return [
            row
            for index in self._by_key[key, mode]
            for row in self._records[index].row.get("documented", ())
            if "releases" not in row or self._table.releases.covers(row["releases"], self.release)
        ]

    def guards(self, key: str, mode: str) -> list[str]:
        """Return the guards that decide whether and how a key is logged."""
        rows = [self._records[index].row for index in self._by_key[key, mode]]
        variants = [variant["when"] for row in rows for variant in row.get("variants", ())]
        return [*(row["when"] for row in rows if "when" in row), *variants]

    def _placeholder(self, key: str, name: str) -> Mapping[str, Any]:
        stem = next(record.stem for record in self._records if record.key == key)
        for scope in [*self._table.chain(stem), *self._chain]:
            found: Mapping[str, Any] | None = self._table.file(scope).get("placeholders", {}).get(name)
            if found is not None:
                return found
        fallback: Mapping[str, Any] = self._table.placeholders[name]
        return fallback

    def _profile(self, stem: str, name: str) -> Mapping[str, Any]:
        if (stem, name) not in self._profiles:
            scopes = [*self._table.chain(stem), *self._chain]
            tables = (self._table.file(scope).get("profiles", {}) for scope in scopes)
            self._profiles[stem, name] = next(profiles[name] for profiles in tables if name in profiles)
        return self._profiles[stem, name]

    @cached_property
    def _made(self) -> dict[tuple[int, str, str], Entry]:
        """Entries by record, key and mode; the table keeps them for all releases with the same configuration."""
        values = repr(self.config.values), repr(self.config.defaults)
        found: dict[tuple[int, str, str], Entry] = self._table.made.setdefault((self.label, *self._chain, *values), {})
        return found

    def _entry(self, record: AppliedRow) -> Entry:
        # The rows are the table's own, which keeps them.
        place = id(record.row), record.key, record.mode
        entry = self._made.get(place)
        if entry is None:
            entry = self._made[place] = self._make(record)
        return entry

    def _make(self, record: AppliedRow) -> Entry:
        def profile(name: str) -> Mapping[str, Any]:
            return self._profile(record.stem, name)

        return make_entry(record, self.label, self._tables, self._table, self.config, profile)
