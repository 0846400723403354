"""Which framework, component and release logged some keys."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .config import Config, Configuration
from .errors import FallbackWarning, NamesError
from .logged_keys import LoggedKeys, logged_keys_of
from .source import Component, Source
from .tables import FrameworkTable, Overlays, Tables, load_tables
from .view import FrameworkView

__all__ = ["AmbiguousError", "Candidate", "candidates", "decided", "explaining", "infer_source"]

MAX_LISTED = 6

_DATACLASSES = ("Config", "Arguments")
"""Endings of the names of classes whose fields configure a trainer."""

_OF_TRANSFORMERS = "TrainingArguments"
"""The class whose fields depend on the installed transformers, not on the framework's release."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A source that explains some of the keys.

    Attributes:
        framework: The framework.
        component: The component, or None for all of a release together.
        release: The release.
        explained: The keys that it logs.
        always: How many keys of its own it logs in every run, whatever the configuration.
        absent: Those of them that are not among the keys.
    """

    framework: str
    component: str | None
    release: str
    explained: frozenset[str]
    always: int = 0
    absent: frozenset[str] = frozenset()

    @property
    def is_complete(self) -> bool:
        """Whether all is there that it logs in every run."""
        return self.always > 0 and not self.absent

    def __str__(self) -> str:
        component = f"[{self.component}]" if self.component else ""
        return f"{self.framework}{component}=={self.release}"


class AmbiguousError(NamesError):
    """Several sources explain the keys equally well and differently.

    Attributes:
        candidates: All of them.
        distinct: One of each group that means the same by all of the keys.
    """

    def __init__(
        self, message: str, candidates: tuple[Candidate, ...], distinct: tuple[Candidate, ...] | None = None
    ) -> None:
        super().__init__(message)
        self.candidates = candidates
        self.distinct = candidates if distinct is None else distinct

    def __reduce__(
        self,
    ) -> tuple[type[AmbiguousError], tuple[str, tuple[Candidate, ...], tuple[Candidate, ...]]]:
        """Return how another process makes the same error."""
        return AmbiguousError, (str(self), self.candidates, self.distinct)


def infer_source(
    keys: Iterable[str],
    *,
    releases: Mapping[str, str] | None = None,
    settings: Collection[str] = (),
    whole: bool = False,
    config: Config = None,
    spec: Overlays | Tables = None,
) -> str:
    """Return the source that explains the most keys.

    Of classes that explain them equally well, the one that the others extend is taken. Releases of one component that
    explain equally many keys and give them the same meaning count as one: the newest is returned, with a
    `FallbackWarning` if there are several.

    Args:
        keys: Logged keys, in whatever way a tracker shows them.
        releases: What the metadata of a run says about installed frameworks, such as ``{"trl": "0.18.2"}``. Other
            releases of these frameworks are not considered, unless none of the keys fits.
        settings: Names of all fields of the dataclass that configured the trainer, if the run recorded them. A release
            of which a field is missing is ruled out.
        whole: Whether these are all keys that a run logged. What a release logs in every run and is missing then rules
            it out, if everything is there for another release.
        config: Values of configuration keys that differ from the releases' defaults.
        spec: Folders with further YAML.

    Returns:
        A source such as ``trl[GRPOTrainer]==1.16.0``.

    Raises:
        NamesError: No source explains any key.
        AmbiguousError: Several explain them equally well and differently.
    """
    names = list(dict.fromkeys(keys))
    best = explaining(names, releases=releases, settings=settings, whole=whole, spec=spec)
    return decided(best, of=len(names), config=config, spec=spec)


def explaining(
    keys: Iterable[str],
    *,
    releases: Mapping[str, str] | None = None,
    settings: Collection[str] = (),
    whole: bool = False,
    spec: Overlays | Tables = None,
) -> list[Candidate]:
    """Return all sources between which nothing decides but what the keys mean, as for ``infer_source``.

    Raises:
        NamesError: No source explains any key.
    """
    tables = load_tables(spec)
    explain = candidates(keys, tables)
    installed = releases or {}
    explain = [item for item in explain if installed.get(item.framework, item.release) == item.release] or explain
    if not explain:
        msg = "no described release logs any of the keys; name the source, such as trl[GRPOTrainer]==1.16.0"
        raise NamesError(msg)
    most = len(explain[0].explained)
    best = [item for item in explain if len(item.explained) == most]
    best = [item for item in best if item.component is not None] or best
    if whole:
        best = _with_all_present(best, explain)
    return _not_extended(_with_fields(best, set(settings), tables), tables)


def decided(best: Sequence[Candidate], *, of: int, config: Config = None, spec: Overlays | Tables = None) -> str:
    """Return the newest of some sources if they mean the same by the keys; ``of`` how many keys, for messages.

    Raises:
        AmbiguousError: They do not.
    """
    alike = _alike(best, load_tables(spec), config)
    if len(alike) > 1:
        shown = MAX_LISTED if len({item.component for item in best}) > 1 else len(alike)
        listed = ", ".join(_range(group) for group in alike[:shown])
        more = f" and {len(alike) - shown} more" if len(alike) > shown else ""
        msg = f"ambiguous: of {of} keys these explain the most: {listed}{more}; name the source"
        raise AmbiguousError(msg, tuple(best), tuple(group[0] for group in alike))
    chosen = best[0]
    if len(best) > 1:
        message = f"{best[-1].release} to {chosen.release} explain the keys alike; taken to be {chosen}"
        warnings.warn(message, FallbackWarning, stacklevel=3)
    return str(chosen)


def candidates(keys: Iterable[str], tables: Tables) -> list[Candidate]:
    """Return every source that explains some key, those that explain the most first and newer releases first.

    Besides single components, all components of a release together are candidates where they explain more. Templates
    whose placeholders match anything explain nothing.
    """
    names = list(dict.fromkeys(keys))
    ranked: list[tuple[tuple[int, int, int], Candidate]] = []
    for index, framework in enumerate(tables.frameworks):
        table = tables.framework(framework)
        by_release: dict[str, list[Candidate]] = {}
        for name, stem, ranges, _ in table.components:
            described = table.releases.expand(ranges)
            matches = _Matches(logged_keys_of(tables, framework, stem, tuple(described)), names)
            for release in described if matches.found else ():
                explained = matches.in_release(release)
                if explained:
                    always, absent = matches.always[release], frozenset(matches.absent.get(release, ()))
                    item = Candidate(framework, name, release, explained, always, absent)
                    by_release.setdefault(release, []).append(item)
        for release, items in by_release.items():
            together = frozenset[str]().union(*(item.explained for item in items))
            if all(len(item.explained) < len(together) for item in items):
                items.append(Candidate(framework, None, release, together))
            age = -table.releases.index(release)
            ranked += [((-len(item.explained), index, age), item) for item in items]
    return [item for _, item in sorted(ranked, key=lambda pair: pair[0])]


class _Matches:
    """What a component logs that keys can belong to, in each of its releases."""

    def __init__(self, logged: LoggedKeys, names: list[str]) -> None:
        self.found: dict[str, set[str]] = {}
        self.always = logged.always
        self.absent: dict[str, set[str]] = {}
        hit: set[int] = set()
        for name in names:
            for one in logged.that_show(name):
                self.found.setdefault(name, set()).update(one.releases)
                hit.add(id(one))
        for one in logged.certain if self.found else ():
            if id(one) not in hit:
                for release in one.releases:
                    self.absent.setdefault(release, set()).add(one.key)

    def in_release(self, release: str) -> frozenset[str]:
        """Return the keys that are logged in a release."""
        return frozenset(key for key, releases in self.found.items() if release in releases)


def _with_all_present(best: list[Candidate], every: list[Candidate]) -> list[Candidate]:
    """Leave out where something is missing that is always logged, if elsewhere all is present."""
    single = [item for item in best if item.is_complete]
    if single or best[0].component is not None:
        return single or best
    complete = {(item.framework, item.component) for item in every if item.is_complete}
    ruled_out = {
        (item.framework, item.release)
        for item in every
        if (item.framework, item.component) in complete and item.always and not item.is_complete
    }
    return [item for item in best if (item.framework, item.release) not in ruled_out] or best


def _with_fields(best: list[Candidate], settings: set[str], tables: Tables) -> list[Candidate]:
    """Leave out releases of a class whose configuration has a field that is missing."""
    return [item for item in best if not settings or _fields(item, tables) <= settings] or best


def _fields(item: Candidate, tables: Tables) -> set[str]:
    """Return what the spec knows of the fields of the dataclass that configures a candidate; others may exist."""
    if item.component is None:
        return set()
    table = tables.framework(item.framework)
    stem = _stem(item, table)
    configuration = Configuration(table, table.component(stem), item.release)
    symbols = {name: configuration.symbol(name) for name in configuration.defaults}
    return {
        name
        for name, symbol in symbols.items()
        if symbol and symbol.endswith(_DATACLASSES) and symbol != _OF_TRANSFORMERS
    }


def _not_extended(best: list[Candidate], tables: Tables) -> list[Candidate]:
    """Leave out classes that extend another one of the same release."""
    stems = {item: _stem(item, tables.framework(item.framework)) for item in best if item.component is not None}
    present = {(item.framework, item.release, stem) for item, stem in stems.items()}
    extended = {
        item
        for item, stem in stems.items()
        for base in tables.framework(item.framework).component(stem).extends
        if (item.framework, item.release, base) in present
    }
    return [item for item in best if item not in extended]


def _alike(best: Sequence[Candidate], tables: Tables, config: Config) -> list[list[Candidate]]:
    """Group releases of one component, newest first, that follow each other and mean the same by the keys."""
    by_name: dict[tuple[str, str | None], list[Candidate]] = {}
    for item in best:
        by_name.setdefault((item.framework, item.component), []).append(item)
    if len(by_name) > 1:
        return list(by_name.values())
    table = tables.framework(best[0].framework)
    split: list[tuple[dict[str, tuple[str | None, Any]], list[Candidate]]] = []
    for item in best:
        view = FrameworkView(tables, _source(item, table), config)
        entries = {key: view.find(key)[0].entry for key in item.explained}
        meaning = {key: (entry.metric, entry.signature) for key, entry in entries.items()}
        if split and split[-1][0] == meaning:
            split[-1][1].append(item)
        else:
            split.append((meaning, [item]))
    return [items for _, items in split]


def _stem(item: Candidate, table: FrameworkTable) -> str:
    """Return the file that describes a candidate's component."""
    return next(
        stem
        for name, stem, ranges, _ in table.components
        if name == item.component and table.releases.covers(ranges, item.release)
    )


def _range(group: list[Candidate]) -> str:
    """Return the releases of one component in words."""
    newest, oldest = group[0], group[-1]
    component = f"[{newest.component}]" if newest.component else ""
    releases = newest.release if newest is oldest else f"{oldest.release} to {newest.release}"
    return f"{newest.framework}{component}=={releases} ({len(newest.explained)})"


def _source(item: Candidate, table: FrameworkTable) -> Source:
    components = tuple(
        Component(name, stem, module)
        for name, stem, ranges, module in table.components
        if item.component in (None, name) and table.releases.covers(ranges, item.release)
    )
    return Source(item.framework, item.release, components, item.component)
