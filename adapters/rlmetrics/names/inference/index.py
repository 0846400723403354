"""Who logs each key and has each setting, in which releases: the generated table, opened for quick look-ups.

Sets of releases are bits, bit 0 for a framework's oldest release.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache

from rlmetrics.lazy_typing import Any, NamedTuple

from ..sources.source import CANONICAL
from ..tables.tables import Tables
from ..tables.templates import Template
from ..tables.versions import Releases

__all__ = ["Owner", "SourceIndex", "Subject", "index_of"]

_SHARED, _FEW = 0.5, 6
"""Share of all subjects that have something, and how many at least, from which on it decides nothing."""
_PREFIXES = ("train/", "eval/")
"""What adapters and trackers put before the spec's own names."""


class Subject(NamedTuple):
    """What can be a source: a trainer, a program, the spec's own names.

    Attributes:
        number: Its place among all.
        framework: The framework.
        component: The component; None for a framework's default program.
        rank: Its place among the framework's, from the one that most people use on.
        releases: The described releases, as bits.
        parts: Its files, each with those that it extends.
    """

    number: int
    framework: str
    component: str | None
    rank: int
    releases: int
    parts: Mapping[str, list[str]]


class Owner(NamedTuple):
    """A subject that has a key or setting.

    Attributes:
        subject: Its number.
        releases: In which releases, as bits.
        always: In which of them every run logs it.
        expected: In which of them a run logs it unless a setting differs from its default …
        guard: … of which this is the number; what has the same number stands or falls together.
        zero: In which of them 0 stands in the place of a value.
        meanings: In which releases it means what: numbers that are the same for the same meaning.
    """

    subject: int
    releases: int
    always: int
    expected: int
    zero: int
    guard: int
    meanings: tuple[tuple[int, int], ...]


class SourceIndex:
    """The table.

    Args:
        tables: The spec.
        derived: A framework that derives from another one, whose components alone can be the source.
    """

    def __init__(self, tables: Tables, derived: str | None = None) -> None:
        self._table = tables.sources if derived is None else tables.sources_of(derived)
        self.tables = tables
        self.subjects = [
            Subject(number, framework, component, rank, int(bits, 16), parts)
            for number, (framework, component, rank, bits, parts) in enumerate(self._table["CANDIDATES"])
        ]
        self.canonical = len(self.subjects)
        self.subjects.append(Subject(self.canonical, CANONICAL, None, 0, 1, {}))
        self._readings: list[list[int]] = self._table["READINGS"]
        self._keys: Mapping[str, int] = self._table["KEYS"]
        self._shown: Mapping[str, list[str]] = self._table["SHOWN"]
        self._groups: dict[int, tuple[Owner, ...]] = {}
        self._found: dict[str, tuple[str, ...]] = {}
        self._logging: dict[tuple[str, ...], Mapping[int, tuple[Owner, ...]]] = {}

    @cached_property
    def _metrics(self) -> frozenset[str]:
        return frozenset(self.tables.sources["METRICS"])

    def spellings(self) -> Iterator[str]:
        """Yield all keys and templates, and how trackers show them."""
        yield from dict.fromkeys([*(key.rstrip(" ") for key in self._keys), *self._shown])

    def rows_of(self, name: str) -> tuple[str, ...]:
        """Return the keys and templates of the spec that a tracker may show under a name; remembered."""
        found = self._found.get(name)
        if found is None:
            found = tuple(dict.fromkeys(self._rows_of(name)))
            if len(self._found) < 1 << 16:
                self._found[name] = found
        return found

    def _rows_of(self, name: str) -> Iterator[str]:
        if name in self._keys:
            yield name
        yield from (key for key in self._shown.get(name, ()) if "{" not in key)
        for start, end, template, key in self._near(name):
            if name.startswith(start) and name.endswith(end) and template.parse(name) is not None:
                yield key

    def _near(self, name: str) -> Iterator[tuple[str, str, Template, str]]:
        """Yield the templates that begin as a name does."""
        yield from self._templates.get("", ())
        head = name[:1]
        yield from self._templates.get(head, ()) if head else ()

    @cached_property
    def _templates(self) -> Mapping[str, list[tuple[str, str, Template, str]]]:
        """Templates by their first character, with the text before the first placeholder and after the last."""
        found: dict[str, list[tuple[str, str, Template, str]]] = defaultdict(list)
        patterns: Mapping[str, Mapping[str, str]] = self._table["PATTERNS"]
        shown = [(text, key) for text, keys in self._shown.items() if "{" in text for key in keys]
        for text, key in [*((key.rstrip(" "), key) for key in patterns), *shown]:
            start, _, rest = text.partition("{")
            found[start[:1]].append((start, rest.rpartition("}")[2], Template(text, patterns[key]), key))
        return found

    def logging(self, name: str) -> Mapping[int, tuple[Owner, ...]]:
        """Return who logs what a tracker shows under a name, by subject; remembered for other logs."""
        rows = self.rows_of(name)
        found = self._logging.get(rows)
        if found is None:
            by_subject: dict[int, list[Owner]] = defaultdict(list)
            for row in rows:
                for owner in self.owners(row):
                    by_subject[owner.subject].append(owner)
            found = self._logging[rows] = {number: tuple(owners) for number, owners in by_subject.items()}
        return found

    def owners(self, key: str) -> tuple[Owner, ...]:
        """Return who logs a key or template of the spec."""
        return self._group(self._keys[key])

    def has_setting(self, name: str) -> tuple[Owner, ...]:
        """Return who has a setting."""
        number = self._table["SETTINGS"].get(name)
        return () if number is None else self._group(number)

    @cached_property
    def settings(self) -> Mapping[int, list[tuple[str, int]]]:
        """What settings each subject has, each with its releases."""
        found: dict[int, list[tuple[str, int]]] = defaultdict(list)
        for name in self._table["SETTINGS"]:
            for owner in self.has_setting(name):
                found[owner.subject].append((name, owner.releases))
        return found

    @cached_property
    def certain(self) -> Mapping[int, list[tuple[str, int]]]:
        """What each subject logs in every run, each with its releases."""
        found: dict[int, list[tuple[str, int]]] = defaultdict(list)
        for key in self._keys:
            for owner in self.owners(key):
                if owner.always:
                    found[owner.subject].append((key, owner.always))
        return found

    @cached_property
    def expected(self) -> Mapping[int, Mapping[int, list[tuple[str, int]]]]:
        """What each subject logs by default, each with its releases, by the guard that decides it."""
        found: dict[int, dict[int, list[tuple[str, int]]]] = defaultdict(lambda: defaultdict(list))
        for key in self._keys:
            for owner in self.owners(key):
                if owner.expected:
                    found[owner.subject][owner.guard].append((key, owner.expected))
        return found

    @property
    def trainers(self) -> int:
        """How many subjects there are besides the spec's own names."""
        return self.canonical

    def is_shared(self, owners: int) -> bool:
        """Tell whether so many subjects have something that it decides nothing."""
        return owners >= max(_FEW, _SHARED * self.trainers)

    def is_canonical(self, name: str) -> bool:
        """Tell whether a name is one of the spec's own, as suites, adapters and translations write it.

        A suite names the inputs behind ``@``; a metric for each of something has its name at the end.
        """
        name = name.partition("@")[0]
        name = next((name[len(prefix) :] for prefix in _PREFIXES if name.startswith(prefix)), name)
        while "/" in name:
            if name in self._metrics:
                return True
            name = name.rpartition("/")[0]
        return False

    def reading(self, meaning: int) -> int:
        """Return the number of how health reads values of a meaning: one number for many meanings."""
        return self._readings[meaning][0]

    def counted(self, meaning: int) -> int:
        """Return the number of what values of a meaning count, whatever is known to keep them constant."""
        return self._readings[meaning][1]

    def releases(self, subject: Subject, bits: int) -> list[str]:
        """Return releases of a subject, oldest first."""
        names = self.known_releases(subject).names
        return [names[place] for place in range(bits.bit_length()) if bits >> place & 1]

    def known_releases(self, subject: Subject) -> Releases:
        """Return all releases of a subject's framework."""
        if subject.framework == CANONICAL:
            return Releases({self.tables.version: ""})
        return self.tables.framework(subject.framework).releases

    def printed(self, framework: str, decimals: int) -> int | None:
        """Return the releases of a framework that print numbers with so many decimals, or all digits where it is -1.

        None if nothing is known of it.
        """
        rows = self._table["PRINTS"].get(framework)
        if rows is None:
            return None
        releases = self.tables.framework(framework).releases
        rounding = {number: 0 for _, number in rows}
        for ranges, number in rows:
            rounding[number] |= releases.bits(releases.covered(ranges))
        return rounding.get(decimals, (1 << len(releases.names)) - 1 & ~sum(rounding.values()))

    def _group(self, number: int) -> tuple[Owner, ...]:
        found = self._groups.get(number)
        if found is None:
            owners: list[Any] = self._table["OWNERS"]
            found = self._groups[number] = tuple(_owner(owners[one]) for one in self._table["GROUPS"][number])
        return found


def _owner(cells: list[Any]) -> Owner:
    missing: list[Any] = ["0", "0", "0", "0", 0, []]
    subject, *bits, guard, meanings = [*cells, *missing[len(cells) - 1 :]]
    releases, always, expected, zero = (int(each, 16) for each in bits)
    told = tuple((int(meanings[at], 16), meanings[at + 1]) for at in range(0, len(meanings), 2))
    return Owner(subject, releases, always, expected, zero, guard, told)


@lru_cache(maxsize=8)
def index_of(tables: Tables, derived: str | None = None) -> SourceIndex:
    """Return the table of a spec, or of one framework that derives from another one, opened once."""
    return SourceIndex(tables, derived)
