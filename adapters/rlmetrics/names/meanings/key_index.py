"""Who logs a key, in which releases and with which meaning, whatever the framework: for keys without a source."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache

from rlmetrics.lazy_typing import TYPE_CHECKING, Any, NamedTuple

from ..sources.source import Component
from ..sources.surfaces import LOGGED, Rules, route_surfaces, show_name, show_template
from ..tables.component_rows import ComponentTable, TableRow
from ..tables.framework_table import FrameworkTable
from ..tables.tables import Tables
from ..tables.templates import Template, placeholders_in
from ..tables.user_errors import NamesError

if TYPE_CHECKING:
    from ..settings.configuration import Config, Configuration

__all__ = [
    "ALIAS",
    "GROUP",
    "KEY",
    "SEGMENT",
    "SHOWN",
    "TEMPLATE",
    "Catalogue",
    "Logged",
    "Lookup",
    "catalogue_of",
    "misspelt",
]

KEY, SHOWN, TEMPLATE, ALIAS, SEGMENT, GROUP = "key", "shown", "template", "alias", "segment", "group"
"""How a spelling was understood: as logged, as a tracker shows it, by a template, by the name of a metric, as the last
part of a key, or as its first part."""

NEAR = 2
"""At most so many edits lie between a typo and what was meant."""


class Logged(NamedTuple):
    """A key that a component logs with one meaning.

    Attributes:
        framework: The framework.
        component: The component's name.
        key: The key or template, with the prefix of evaluation.
        mode: ``train`` or ``eval``.
        metric: What it measures by default or as configured; None where only a configuration says.
        releases: The releases in which it does, oldest first.
        surface: ``logged``, or the tracker that shows it as it was asked for.
        values: Values of placeholders.
        program: What the component is a part of, if it is no trainer of its own.
    """

    framework: str
    component: str
    key: str
    mode: str
    metric: str | None
    releases: tuple[str, ...]
    surface: str
    values: Mapping[str, str]
    program: str | None

    @property
    def is_class(self) -> bool:
        """Whether the component is a class that users know, and no part that only the spec tells from others."""
        return self.component.rpartition(".")[2][:1].isupper()

    @property
    def source(self) -> str:
        """The newest source that logs it so."""
        return f"{self.framework}[{self.component}]=={self.releases[-1]}"


class Lookup(NamedTuple):
    """What a spelling means in all frameworks.

    Attributes:
        way: How it was understood; empty if it was not.
        found: Who logs what with which meaning, in the order of components that the spec declares.
    """

    way: str
    found: tuple[Logged, ...]


class _Part(NamedTuple):
    """A component as one of its files describes it."""

    table: FrameworkTable
    component: Component
    ranges: Sequence[str]

    @property
    def own(self) -> ComponentTable:
        """What it logs."""
        return self.table.component(self.component.stem)

    @property
    def among(self) -> frozenset[str]:
        """The releases that the file describes."""
        return self.table.releases.covered(self.ranges)


class Catalogue:
    """Every key of every component.

    Args:
        tables: The spec.
        config: Values of configuration keys that differ from the releases' defaults; each component takes those that it
            knows.
    """

    def __init__(self, tables: Tables, config: Config = None) -> None:
        self._tables = tables
        self._config = config

    @cached_property
    def _parts(self) -> tuple[_Part, ...]:
        parts: list[_Part] = []
        for framework in self._tables.frameworks:
            table = self._tables.framework(framework)
            for name, stem, ranges, module in table.components:
                parts.append(_Part(table, Component(name, stem, module), ranges))
        return tuple(parts)

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """Every key and template once, those of the first components first."""
        return tuple(self._tables.catalogue["KEYS"])

    def _having(self, *keys: str) -> list[tuple[_Part, list[str]]]:
        """Return the components that have some of these keys, in order, each with those that it has."""
        holders: Mapping[str, Sequence[int]] = self._tables.catalogue["KEYS"]
        having: dict[int, list[str]] = {}
        for key in keys:
            for number in holders.get(key, ()):
                having.setdefault(number, []).append(key)
        return [(self._parts[number], having[number]) for number in sorted(having)]

    def find(self, key: str, ways: Sequence[str] = (KEY, SHOWN, TEMPLATE, ALIAS, SEGMENT, GROUP)) -> Lookup:
        """Return what a spelling means: in the first of some ways in which it can be understood."""
        looks: Mapping[str, Callable[[str], list[Logged]]] = {
            KEY: self.called,
            SHOWN: self.shown,
            TEMPLATE: self._templated,
            ALIAS: self.named,
            SEGMENT: self.ending,
            GROUP: self.beginning,
        }
        for way in ways:
            logged = tuple(looks[way](key))
            if logged:
                return Lookup(way, logged)
        return Lookup("", ())

    def called(self, key: str) -> list[Logged]:
        """Return who logs a key under exactly this name."""
        return self._logged((part, part.own.called(key), LOGGED, {}) for part, _ in self._having(key))

    def shown(self, key: str) -> list[Logged]:
        """Return whose keys a tracker shows under this name."""
        names: Sequence[str] = self._tables.catalogue["SHOWN"].get(key, ())
        return self._logged(
            (part, part.own.called(logged), tracker, {})
            for part, having in self._having(*names)
            for tracker, rules in self._surfaces(part)
            for logged in part.own.in_order(having)
            if show_template(logged, rules) == key
        )

    def ending(self, key: str) -> list[Logged]:
        """Return the keys whose last parts these are, ``objective/kl`` for ``kl``; of evaluation only if no other."""
        return self._of_training([name for name in self.keys if name.endswith(f"/{key}")])

    def beginning(self, key: str) -> list[Logged]:
        """Return the keys in a group of this name, as boards show them: ``critic/kl`` in ``critic``."""
        return self._of_training([name for name in self.keys if name.startswith(f"{key}/")])

    def _of_training(self, keys: Sequence[str]) -> list[Logged]:
        having = self._having(*keys)
        logged = self._logged((part, part.own.called(name), LOGGED, {}) for part, names in having for name in names)
        return [item for item in logged if item.mode == "train"] or logged

    def named(self, name: str) -> list[Logged]:
        """Return who logs the metric that has this name or alias."""
        meant = [name] if name in self._tables.metrics else self._tables.called(name)
        return [item for metric in meant for item in self.measuring(metric)]

    def measuring(self, metric: str, framework: str | None = None) -> list[Logged]:
        """Return who logs a metric by default, in training if anyone does."""
        stems = self._tables.logged_by(metric)
        among = [part for part in self._parts if framework in (None, part.table.name)]
        parts = [part for part in among if part.component.stem in stems.get(part.table.name, ())]
        logged = self._logged((part, part.own.measuring(metric), LOGGED, {}) for part in parts)
        meant = [item for item in logged if item.metric == metric]
        return [item for item in meant if item.mode == "train"] or meant

    def near(self, key: str, most: int = 3) -> list[str]:
        """Return the key that a name is a typo of, else the keys nearest to it, by the whole or by their last part."""
        by_name: dict[str, str] = {}
        for name in self.keys:
            if "{" not in name and not name.startswith("eval_"):
                by_name.setdefault(name, name)
                if "/" not in key:
                    by_name.setdefault(name.rpartition("/")[2], name)
        typo = misspelt(key, by_name)
        if typo is not None:
            return [by_name[typo]]
        from difflib import get_close_matches

        return list(dict.fromkeys(by_name[name] for name in get_close_matches(key, by_name, n=most, cutoff=0.6)))

    def _templated(self, key: str) -> list[Logged]:
        """Return which templates with restricted placeholders a name fills in."""

        def found() -> Iterator[tuple[_Part, list[TableRow], str, Mapping[str, str]]]:
            known: dict[tuple[str, Rules], Mapping[str, str] | None] = {}
            for part, having in self._having(*self._fitting(key)):
                ways: list[tuple[str, Rules]] = [(LOGGED, ()), *self._surfaces(part)]
                for name in part.own.in_order(having):
                    if _is_open(name, part.own):
                        continue
                    for _, rules in ways:
                        if (name, rules) not in known:
                            known[name, rules] = _Form(name, rules, part.own).values(key)
                    fits = ((tracker, known[name, rules]) for tracker, rules in ways)
                    for tracker, values in fits:
                        if values is not None:
                            yield part, part.own.called(name), tracker, values
                            break

        return self._logged(found())

    def _fitting(self, key: str) -> list[str]:
        """Return the templates that begin and end like a name in one of their forms."""
        rows: Iterable[tuple[str, str, str]] = self._tables.catalogue["FORMS"]
        return [*dict.fromkeys(name for start, end, name in rows if key.startswith(start) and key.endswith(end))]

    def _surfaces(self, part: _Part) -> list[tuple[str, Rules]]:
        routes = tuple(dict.fromkeys(str(row["route"]) for row in part.own.tracking()))
        return _surfaces(self._tables, routes)

    def _logged(self, hits: Iterable[tuple[_Part, list[TableRow], str, Mapping[str, str]]]) -> list[Logged]:
        """Return rows by meaning: one record for each component, key, mode and metric."""
        spellings: dict[tuple[str, str, str, str, str | None], dict[str, tuple[str, Mapping[str, str]]]] = {}
        for part, rows, surface, values in hits:
            for key, mode in dict.fromkeys((row.key, row.mode) for row in rows):
                of_key = [row for row in rows if (row.key, row.mode) == (key, mode)]
                for metric, releases in self._metrics(part, of_key):
                    place = (part.table.name, part.component.name, key, mode, metric)
                    known = spellings.setdefault(place, {})
                    for release in releases:
                        known.setdefault(release, (surface, values))
        result: list[Logged] = []
        for place, known in spellings.items():
            order = self._tables.framework(place[0]).releases.index
            logged = tuple(sorted(known, key=order))
            surface, values = known[logged[-1]]
            result.append(Logged(*place, logged, surface, values, self._program(*place[:2])))
        return result

    def _program(self, framework: str, component: str) -> str | None:
        """Return what a component runs in; None if it is a program of its own."""
        named = [p for p in self._parts if p.component.name == component and p.table.name == framework]
        return named[-1].own.program

    def _metrics(self, part: _Part, rows: list[TableRow]) -> Iterator[tuple[str | None, list[str]]]:
        """Yield what rows of one key and mode measure under each release's defaults."""
        together: dict[str, list[TableRow]] = {}
        for row in rows:
            for release in part.own.releases_of(row, part.among):
                together.setdefault(release, []).append(row)
        groups: dict[tuple[tuple[int, ...], ...], list[str]] = {}
        for release, of_release in together.items():
            groups.setdefault(tuple(row.place for row in of_release), []).append(release)
        for releases in groups.values():
            of_group = together[releases[0]]
            releases.sort(key=part.table.releases.index)
            if len(of_group) == 1 and not any("metric" in fact for fact in of_group[0].facts if "when" in fact):
                yield self._measured(part, of_group, releases[0]), releases
                continue
            first, last = (self._measured(part, of_group, release) for release in (releases[0], releases[-1]))
            if first == last:
                yield first, releases
                continue
            for release in releases:
                yield self._measured(part, of_group, release), [release]

    def configured(self, item: Logged) -> Config:
        """Return the given values if a component takes them: a setting of this name may have other values there."""
        parts = (
            part for part in self._parts if part.table.name == item.framework and part.component.name == item.component
        )
        part = next(part for part in parts if item.releases[-1] in part.among)
        return self._config_of(part, item.releases[-1])

    def settings(self, logged: Iterable[Logged]) -> list[Mapping[str, Any]]:
        """Return the configuration keys of components that log something."""
        places = {(item.framework, item.component) for item in logged}
        parts = [part for part in self._parts if (part.table.name, part.component.name) in places]
        return [{**part.table.config, **part.own.config} for part in parts]

    def releases(self, logged: Iterable[Logged]) -> list[tuple[FrameworkTable, str]]:
        """Return the releases in which something is logged, with their frameworks."""
        each = dict.fromkeys((item.framework, release) for item in logged for release in item.releases)
        return [(self._tables.framework(framework), release) for framework, release in each]

    def _config_of(self, part: _Part, release: str) -> Config:
        from ..settings.configuration import Configuration

        try:
            Configuration(part.table, part.own, release, self._config)
        except NamesError:
            return None
        return self._config

    def _measured(self, part: _Part, rows: list[TableRow], release: str) -> str | None:
        """Return what rows of one key measure in a release, by default or as configured."""
        given = self._config_of(part, release) if self._config else None
        if len(rows) > 1:
            from .component import ComponentView

            view = ComponentView(self._tables, part.table, part.component, release, given)
            entry = view.entry_alone(rows[0].key, rows[0].mode)
            return None if entry is None else entry.metric
        config: Configuration | None = None
        metric: str | None = None
        for piece in (rows[0].record, *rows[0].facts):
            if "metric" not in piece:
                continue
            if "when" in piece:
                from ..settings.configuration import Configuration

                config = config or Configuration(part.table, part.own, release, given)
                if not config.holds(piece["when"]):
                    continue
            metric = piece["metric"]
        return metric


def catalogue_of(tables: Tables, config: Config = None) -> Catalogue:
    """Return the catalogue of a spec, made once for the releases' defaults."""
    return Catalogue(tables, config) if config else _by_default(tables)


@lru_cache(maxsize=2)
def _by_default(tables: Tables) -> Catalogue:
    return Catalogue(tables)


@lru_cache(maxsize=32)
def _surfaces(tables: Tables, routes: tuple[str, ...]) -> list[tuple[str, Rules]]:
    return route_surfaces(tables, routes)


def _is_open(name: str, own: ComponentTable) -> bool:
    return any(own.placeholders[item].get("open") for item in placeholders_in(name))


class _Form:
    """A template as a tracker shows it."""

    def __init__(self, name: str, rules: Rules, own: ComponentTable) -> None:
        patterns = {item: str(own.placeholders[item]["pattern"]) for item in placeholders_in(name)}
        shown = show_template(name, rules) if rules else name
        self._rules = rules
        self._logged = Template(name, patterns)
        self._form = Template(shown, patterns) if shown and not (rules and shown == name) else None

    def values(self, key: str) -> Mapping[str, str] | None:
        """Return with which values the template is shown as a key."""
        values = None if self._form is None else self._form.parse(key)
        if values is None or (self._rules and show_name(self._logged.format(values), self._rules) != key):
            return None
        return values


def misspelt(key: str, known: Iterable[str]) -> str | None:
    """Return the known key that a name is a typo of: the nearest one, at most two edits away.

    Of a short name at most half may be edited: ``f1`` is no typo of ``lr``.
    """
    most = min(NEAR, len(key) // 2)
    letters = set(key)
    # A letter that is not there is a mistake of its own: most names are not compared any further.
    likely = [name for name in known if len(letters.difference(name)) <= most]
    nearest = min(((_edits(key, name, most), name) for name in likely), default=(most + 1, ""))
    return nearest[1] if 0 < nearest[0] <= most else None


def _edits(first: str, second: str, most: int) -> int:
    """Return how many letters must be changed, added, dropped or swapped; ``most + 1`` for any larger number."""
    if abs(len(first) - len(second)) > most:
        return most + 1
    before: list[int] = []
    above = list(range(len(second) + 1))
    for row, letter in enumerate(first, 1):
        line = [row]
        for column, other in enumerate(second, 1):
            cost = min(above[column] + 1, line[-1] + 1, above[column - 1] + (letter != other))
            if row > 1 and column > 1 and letter == second[column - 2] and first[row - 2] == other:
                cost = min(cost, before[column - 2] + 1)
            line.append(cost)
        before, above = above, line
        if min(line) > most:
            return most + 1
    return min(above[-1], most + 1)
