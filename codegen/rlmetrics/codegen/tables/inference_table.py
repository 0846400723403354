"""The table by which the source of a log is found: who logs each key and has each setting, in which releases.

Sets of releases are bits in hexadecimal digits, bit 0 for a framework's oldest release. What many keys share, which is
most, is written once and named by its number.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from rlmetrics.names.settings.configuration import Configuration
from rlmetrics.names.sources.surfaces import route_surfaces, show_template
from rlmetrics.names.tables.component_rows import ComponentTable, TableRow
from rlmetrics.names.tables.logged_keys import is_always_logged, logging_guards
from rlmetrics.names.tables.tables import Tables
from rlmetrics.names.tables.templates import placeholders_in

from .data import Table

if TYPE_CHECKING:
    from ..spec import Spec

__all__ = ["sources_tables"]

_SAYS_NOTHING = {"at", "notes", "documented", "reads", "foreign", "name", "reproduced_by", "logged_by"}
"""Parts of a statement that change nothing of what a key means."""
_COUNTED = {"metric", "scale", "offset", "when"}
"""Parts of a statement that say what a value counts …"""
_READ = {*_COUNTED, "constant_when"}
"""… and these with what health needs to know to judge it."""
_DECIDES = ("when", "scale", "offset")
_WORD = re.compile(r"[A-Za-z_][\w.]*")
_LOSS = "loss"
_ZERO = "placeholder_zero"
"""The trait of a key under which 0 is logged in place of a number."""
_OF_EVERY_TRAINER = "TrainingArguments"
_DATACLASSES = ("Config", "Arguments")
"""Endings of the names of classes whose fields trackers record."""


def sources_tables(spec: Spec, tables: Mapping[str, Table]) -> dict[str, Table]:
    """Return candidates, and for each key, template and setting which of them have it, in which releases.

    A framework that derives from another one has a table of its own, which is opened where something tells a run of it:
    its trainers log what those of the other do.

    Args:
        spec: The spec.
        tables: All other tables, as JSON has them.
    """
    known = Tables(lambda name: tables[name].data)
    result = {"sources": _table(spec, tables, known, [*spec.independent], own=False)}
    for name in spec.frameworks:
        if name not in spec.independent:
            result[f"sources/{name}"] = _table(spec, tables, known, [name], own=True)
    return result


def _table(spec: Spec, tables: Mapping[str, Table], known: Tables, names: Sequence[str], *, own: bool) -> Table:
    index = _Index()
    for name in names:
        of_all = (
            frozenset(tables[f"settings/{name}"].data["NAMES"].get("", ()))
            if f"settings/{name}" in tables
            else frozenset()
        )
        _Framework(known, name, spec.frameworks[name].framework.foremost, of_all, index).add()
    data = index.data(spec, names)
    return Table("spec/frameworks", {field: value for field, value in data.items() if not own or field != "METRICS"})


class _Owner(NamedTuple):
    """A candidate that has something: in which releases, always or as a stand-in, and what it means in them."""

    candidate: int
    releases: int
    always: int = 0
    expected: int = 0
    guard: int = 0
    zero: int = 0
    meanings: tuple[tuple[int, int], ...] = ()


class _Told(NamedTuple):
    """What a statement says, in a text that is the same for the same, and the names that may be of settings."""

    text: str
    words: frozenset[str]


_Owners = dict[int, list[_Owner]]
"""Owners by candidate."""


class _Index:
    """Everything, with whatever occurs often written once."""

    def __init__(self) -> None:
        self.candidates: list[list[Any]] = []
        self.keys: dict[str, _Owners] = defaultdict(lambda: defaultdict(list))
        self.patterns: dict[str, dict[str, str]] = {}
        self.shown: dict[str, set[str]] = defaultdict(set)
        self.settings: dict[str, _Owners] = defaultdict(lambda: defaultdict(list))
        self._meanings: dict[str, int] = {}
        self._readings: list[list[int]] = []
        self._texts: dict[str, int] = {}
        self._guards: dict[str, int] = {}
        self._owners: dict[_Owner, int] = {}
        self._groups: dict[tuple[int, ...], int] = {}

    def meaning(self, said: str, read: str, counted: str) -> int:
        """Return the number of a meaning: all that is said, what health reads of it, and what it counts."""
        if said not in self._meanings:
            self._meanings[said] = len(self._meanings)
            texts = (read, counted)
            self._readings.append([self._texts.setdefault(text, len(self._texts)) for text in texts])
        return self._meanings[said]

    def guard(self, text: str) -> int:
        """Return the number of what decides whether something is logged, from 1 on."""
        return self._guards.setdefault(text, len(self._guards) + 1)

    def data(self, spec: Spec, names: Sequence[str]) -> dict[str, Any]:
        """Return the table."""
        keys = {name: self._group(owners) for name, owners in sorted(self.keys.items())}
        settings = {name: self._group(owners) for name, owners in sorted(self.settings.items())}
        return {
            "CANDIDATES": self.candidates,
            "PRINTS": {
                name: [[_ranges(item.releases), item.decimals] for item in framework.framework.prints]
                for name, framework in spec.frameworks.items()
                if framework.framework.prints and name in names
            },
            "METRICS": sorted(spec.family_of),
            "READINGS": self._readings,
            "OWNERS": [_written(owner) for owner in self._owners],
            "GROUPS": [list(group) for group in self._groups],
            "KEYS": keys,
            "SHOWN": {name: sorted(of) for name, of in sorted(self.shown.items())},
            "PATTERNS": dict(sorted(self.patterns.items())),
            "SETTINGS": settings,
        }

    def _group(self, owners: Mapping[int, list[_Owner]]) -> int:
        joined = [_joined(items) for _, items in sorted(owners.items())]
        numbers = tuple(self._owners.setdefault(owner, len(self._owners)) for owner in joined)
        return self._groups.setdefault(numbers, len(self._groups))


class _Framework:
    """Puts what one framework logs into the index."""

    def __init__(self, tables: Tables, name: str, ranked: list[str], of_all: frozenset[str], index: _Index) -> None:
        self._tables, self._index, self._of_all = tables, index, of_all
        self._table = tables.framework(name)
        self._rank = {component: place for place, component in enumerate(ranked)}
        self._configurations: dict[tuple[int, str], Configuration] = {}
        self._settings: dict[int, Mapping[str, Any]] = {}
        self._said: dict[tuple[int, tuple[str, ...], str], str] = {}
        self._pieces: dict[int, tuple[_Told, _Told, _Told]] = {}
        self._candidates: dict[str, int] = {}
        self._beside: list[tuple[str, int]] = []

    def add(self) -> None:
        """Add every component: as a candidate, as a part of one, or beside all."""
        for name, stem, ranges, _ in self._table.components:
            program = self._program(name, stem)
            described = self._table.releases.bits(self._table.releases.covered(ranges))
            if program == name and not _trains(self._table.component(stem), self._tables):
                self._beside.append((stem, described))
                continue
            candidate = self._candidate(program, described, stem)
            self._add(stem, described, [candidate])
        for stem, described in self._beside:
            self._add(stem, described, sorted(self._candidates.values()))

    def _candidate(self, program: str, described: int, stem: str) -> int:
        """Return the number of a candidate, with one more part of it."""
        if program not in self._candidates:
            default = bool(self._table.programs.get(program, {}).get("default"))
            rank = 0 if default else self._rank.get(program, len(self._rank))
            self._candidates[program] = len(self._index.candidates)
            self._index.candidates.append([self._table.name, None if default else program, rank, "0", {}])
        cells = self._index.candidates[self._candidates[program]]
        cells[3] = _hexadecimal(int(cells[3], 16) | described)
        cells[4].setdefault(stem, list(self._table.component(stem).extends))
        return self._candidates[program]

    def _program(self, name: str, stem: str) -> str:
        """Return the program that a component runs in; its own name if it is one itself."""
        program = self._table.component(stem).program or name
        return str(self._table.programs.get(program, {}).get("of", program))

    def _add(self, stem: str, described: int, candidates: Iterable[int]) -> None:
        component = self._table.component(stem)
        routes = list(dict.fromkeys(item["route"] for item in component.tracking()))
        ways = [rules for _, rules in route_surfaces(self._tables, routes)]
        among = self._table.releases.of_bits(described)
        for item in component.rows:
            releases = self._table.releases.bits(component.releases_of(item, among))
            patterns = _closed(item.key, component)
            if not releases or patterns is None:
                continue
            key = self._named(item.key, patterns)
            for shown in {show_template(item.key, rules) for rules in ways} - {"", item.key}:
                self._index.shown[shown].add(key)
            owner = self._owner(releases, component, item)
            for candidate in candidates:
                self._index.keys[key][candidate].append(owner._replace(candidate=candidate))
        self._add_settings(stem, component, described, candidates)

    def _named(self, key: str, patterns: dict[str, str]) -> str:
        """Return a key under which a template stands alone, where other components have other patterns for it."""
        while patterns and self._index.patterns.setdefault(key, patterns) != patterns:
            key += " "
        return key

    def _owner(self, releases: int, component: ComponentTable, item: TableRow) -> _Owner:
        """Return what a row says of whoever logs it."""
        guards, always = logging_guards(item, self._tables), 0
        expected = guard = 0
        if guards == ():
            always = releases
        elif guards is not None:
            expected = self._by_default(component, guards, releases)
            guard = self._index.guard(" and ".join(sorted(guards))) if expected else 0
        always_said = [piece for piece in (item.record, *item.facts) if "when" not in piece]
        zero = releases if any(_ZERO in piece.get("traits", ()) for piece in always_said) else 0
        return _Owner(-1, releases, always, expected, guard, zero, tuple(self._meanings(releases, component, item)))

    def _by_default(self, component: ComponentTable, guards: Sequence[str], releases: int) -> int:
        """Return in which releases something is logged unless a setting differs from its default."""
        bits = 0
        for release in self._table.releases.of_bits(releases):
            asked = id(component), release
            if asked not in self._configurations:
                self._configurations[asked] = Configuration(self._table, component, release)
            if all(self._configurations[asked].holds(guard) for guard in guards):
                bits |= self._table.releases.bits([release])
        return bits

    def _meanings(self, releases: int, component: ComponentTable, item: TableRow) -> Iterator[tuple[int, int]]:
        """Yield sets of releases in which a row means the same: what it says, and the defaults that decide it."""
        told = [self._told(piece) for piece in (item.record, *item.facts)]
        settings = self._settings_of(component).keys()
        texts, used = [], []
        for said in zip(*told, strict=True):
            texts.append(repr([item.mode, *sorted(text for text, _ in said if text)]))
            used.append(tuple(sorted(settings & frozenset().union(*(words for _, words in said)))))
        split: dict[tuple[str, ...], int] = defaultdict(int)
        for release in self._table.releases.of_bits(releases):
            defaults = tuple([self._defaults(component, words, release) for words in used])
            split[defaults] |= 1 << self._table.releases.index(release)
        means = [(bits, tuple(map(str.__add__, texts, defaults))) for defaults, bits in split.items()]
        for bits, said in sorted(means):
            yield bits, self._index.meaning(*said)

    def _told(self, piece: Mapping[str, Any]) -> tuple[_Told, _Told, _Told]:
        """Return all that a piece says, what health reads of it, and what it counts; worked out once for all rows."""
        known = self._pieces.get(id(piece))
        if known is None:
            guards = piece.get("logged_when", ())
            every = _Told(_text({name: piece[name] for name in piece.keys() - _SAYS_NOTHING}), _words(piece, *guards))
            read, counted = (
                _Told(_text({name: piece[name] for name in piece.keys() & parts}), _words(piece))
                if piece.keys() & (parts - {"when"})
                else _Told("", frozenset())
                for parts in (_READ, _COUNTED)
            )
            known = self._pieces[id(piece)] = every, read, counted
        return known

    def _settings_of(self, component: ComponentTable) -> Mapping[str, Any]:
        """Return the settings that a component knows."""
        if id(component) not in self._settings:
            self._settings[id(component)] = {**self._table.config, **component.config}
        return self._settings[id(component)]

    def _defaults(self, component: ComponentTable, words: tuple[str, ...], release: str) -> str:
        """Return the defaults of settings in one release."""
        asked = id(component), words, release
        if asked not in self._said:
            settings, covers = self._settings_of(component), self._table.releases.covers
            self._said[asked] = repr(
                sorted(
                    (word, repr(value))
                    for word in words
                    for ranges, value, *_ in settings[word].get("defaults", ())
                    if not ranges or covers(ranges, release)
                )
            )
        return self._said[asked]

    def _add_settings(self, stem: str, component: ComponentTable, described: int, candidates: Iterable[int]) -> None:
        """Add what the class that configures a component has of its own, or a framework's whole configuration."""
        found: dict[str, int] = defaultdict(int)
        defaults = [
            (name, ranges, symbol)
            for name, rows in self._table.defaults(stem).get("settings", {}).items()
            for ranges, _, symbol in rows
        ]
        for name, key in {**self._table.config, **component.config}.items():
            defaults += [(name, ranges, symbol) for ranges, _, symbol in key.get("defaults", ())]
        for name, ranges, symbol in defaults:
            if symbol and (not symbol[0].isupper() or symbol.endswith(_DATACLASSES)) and symbol != _OF_EVERY_TRAINER:
                covered = self._table.releases.covered(ranges) if ranges else self._table.releases.names
                found[name] |= self._table.releases.bits(covered) & described
        for name, releases in found.items():
            for candidate in candidates if releases and name not in self._of_all else ():
                self._index.settings[name][candidate].append(_Owner(candidate, releases))


def _text(piece: Mapping[str, Any]) -> str:
    """Return what a statement says in a text that is the same for the same; empty for nothing."""
    return repr(sorted(piece.items())) if piece else ""


def _words(piece: Mapping[str, Any], *guards: str) -> frozenset[str]:
    """Return the names in all expressions that decide something in a statement."""
    texts = (*(str(piece[name]) for name in _DECIDES if name in piece), *guards)
    return frozenset(word for text in texts for word in _WORD.findall(text))


def _trains(component: ComponentTable, tables: Tables) -> bool:
    """Tell whether a component runs a training: it logs a loss, or something in every run, as no callback does."""
    logged = (metric for item in component.rows for metric in item.metrics)
    return any(_LOSS in metric for metric in logged) or any(is_always_logged(item, tables) for item in component.rows)


def _closed(key: str, component: ComponentTable) -> dict[str, str] | None:
    """Return the patterns of a template's placeholders; None if one of them may be anything."""
    rows = {name: component.placeholders[name] for name in placeholders_in(key)}
    if any(item.get("open") for item in rows.values()):
        return None
    return {name: item["pattern"] for name, item in rows.items()}


def _joined(owners: list[_Owner]) -> _Owner:
    """Return what several rows of one candidate say of one name."""
    releases = always = expected = zero = 0
    meanings: dict[int, int] = defaultdict(int)
    for owner in owners:
        releases |= owner.releases
        always |= owner.always
        expected |= owner.expected
        zero |= owner.zero
        for bits, meaning in owner.meanings:
            meanings[meaning] |= bits
    guard = max(owner.guard for owner in owners)
    told = sorted((bits, meaning) for meaning, bits in meanings.items())
    return _Owner(owners[0].candidate, releases, always, expected & ~always, guard, zero, tuple(told))


def _written(owner: _Owner) -> list[Any]:
    bits = [_hexadecimal(bits) for bits in (owner.releases, owner.always, owner.expected, owner.zero)]
    told = [cell for bits, meaning in owner.meanings for cell in (_hexadecimal(bits), meaning)]
    cells: list[Any] = [owner.candidate, *bits, owner.guard, told]
    while cells and cells[-1] in ("0", 0, []):
        cells.pop()
    return cells


def _hexadecimal(bits: int) -> str:
    return f"{bits:x}"


def _ranges(ranges: Any) -> list[str]:
    return [ranges] if isinstance(ranges, str) else list(ranges)
