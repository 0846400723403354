"""Which framework, component and release logged some keys."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .config import Config
from .errors import FallbackWarning, NamesError
from .inheritance import applied_rows
from .source import Component, Source
from .surfaces import route_surfaces, show_template
from .tables import FrameworkTable, Overlays, Tables, load_tables
from .templates import Template, placeholders_in
from .view import FrameworkView

__all__ = ["Candidate", "candidates", "infer_source"]

MAX_LISTED = 6


@dataclass(frozen=True, slots=True)
class Candidate:
    """A source that explains some of the keys.

    Attributes:
        framework: The framework.
        component: The component, or None for all of a release together.
        release: The release.
        explained: The keys that it logs.
    """

    framework: str
    component: str | None
    release: str
    explained: frozenset[str]

    def __str__(self) -> str:
        component = f"[{self.component}]" if self.component else ""
        return f"{self.framework}{component}=={self.release}"


def infer_source(
    keys: Iterable[str],
    *,
    releases: Mapping[str, str] | None = None,
    config: Config = None,
    spec: Overlays | Tables = None,
) -> str:
    """Return the source that explains the most keys.

    Releases of one component that explain equally many keys and give them the same meaning count as one: the newest is
    returned, with a `FallbackWarning` if there are several.

    Args:
        keys: Logged keys, in whatever way a tracker shows them.
        releases: What the metadata of a run says about installed frameworks, such as ``{"trl": "0.18.2"}``. Other
            releases of these frameworks are not considered, unless none of the keys fits.
        config: Values of configuration keys that differ from the releases' defaults.
        spec: Folders with further YAML.

    Returns:
        A source such as ``trl[GRPOTrainer]==1.16.0``.

    Raises:
        NamesError: No source explains any key, or several explain them equally well and differently.
    """
    tables = load_tables(spec)
    names = list(dict.fromkeys(keys))
    found = candidates(names, tables)
    installed = releases or {}
    found = [item for item in found if installed.get(item.framework, item.release) == item.release] or found
    if not found:
        msg = "no described release logs any of the keys; name the source, such as --from 'trl[GRPOTrainer]==1.16.0'"
        raise NamesError(msg)
    most = len(found[0].explained)
    best = [item for item in found if len(item.explained) == most]
    single = [item for item in best if item.component is not None]
    best = single or best
    if len({(item.framework, item.component) for item in best}) > 1 or not _agree(best, tables, config):
        listed = ", ".join(f"{item} ({len(item.explained)})" for item in found[:MAX_LISTED])
        more = f" and {len(found) - MAX_LISTED} more" if len(found) > MAX_LISTED else ""
        msg = f"ambiguous: of {len(names)} keys these explain the most: {listed}{more}; name the source"
        raise NamesError(msg)
    chosen = best[0]
    if len(best) > 1:
        message = f"{best[-1].release} to {chosen.release} explain the keys alike; taken to be {chosen}"
        warnings.warn(message, FallbackWarning, stacklevel=2)
    return str(chosen)


def candidates(keys: Iterable[str], tables: Tables) -> list[Candidate]:
    """Return every source that explains some key, those that explain the most first and newer releases first.

    Besides single components, all components of a release together are candidates where they explain more. Templates
    whose placeholders match anything explain nothing.
    """
    names = list(dict.fromkeys(keys))
    found: list[tuple[tuple[int, int, int], Candidate]] = []
    for place, framework in enumerate(tables.frameworks):
        table = tables.framework(framework)
        by_release: dict[str, list[Candidate]] = {}
        for name, stem, ranges, _ in table.components:
            described = table.releases.expand(ranges)
            matches = _Matches(tables, table, stem, names, described)
            for release in described if matches.found else ():
                explained = matches.in_release(release)
                if explained:
                    by_release.setdefault(release, []).append(Candidate(framework, name, release, explained))
        for release, items in by_release.items():
            together = frozenset[str]().union(*(item.explained for item in items))
            if all(len(item.explained) < len(together) for item in items):
                items.append(Candidate(framework, None, release, together))
            age = -table.releases.index(release)
            found += [((-len(item.explained), place, age), item) for item in items]
    return [item for _, item in sorted(found, key=lambda pair: pair[0])]


class _Matches:
    """The emissions of a component that keys can belong to, in each of its releases."""

    def __init__(self, tables: Tables, table: FrameworkTable, stem: str, names: list[str], releases: list[str]) -> None:
        self._table = table
        self._wanted = names
        self.found: dict[str, set[str]] = {}
        chain = table.chain(stem)
        ways = [rules for _, rules in route_surfaces(tables, self._routes(chain))]
        wanted = set(names)
        for applied in applied_rows(table, stem, releases):
            shown = {applied.key, *(show_template(applied.key, rules) for rules in ways)} - {""}
            for hit in self._parse(shown, chain) if "{" in applied.key else wanted & shown:
                self.found.setdefault(hit, set()).update(applied.releases)

    def in_release(self, release: str) -> frozenset[str]:
        """Return the keys that are logged in a release."""
        return frozenset(key for key, releases in self.found.items() if release in releases)

    def _routes(self, chain: list[str]) -> list[str]:
        rows = (row for part in chain for row in self._table.file(part).get("tracking", ()))
        return list(dict.fromkeys(row["route"] for row in rows))

    def _parse(self, shown: set[str], chain: list[str]) -> set[str]:
        placeholders = dict(self._table.placeholders)
        for part in reversed(chain):
            placeholders.update(self._table.file(part).get("placeholders", ()))
        hits: set[str] = set()
        for text in shown:
            rows = {name: placeholders[name] for name in placeholders_in(text)}
            if not any(row.get("open") for row in rows.values()):
                template = Template(text, {name: row["pattern"] for name, row in rows.items()})
                hits.update(key for key in self._wanted if template.parse(key) is not None)
        return hits


def _agree(best: list[Candidate], tables: Tables, config: Config) -> bool:
    """Whether releases of one component mean the same by the keys that they explain."""
    if len(best) == 1:
        return True
    table = tables.framework(best[0].framework)
    meanings = []
    for item in best:
        view = FrameworkView(tables, _source(item, table), config)
        found = {key: view.find(key)[0].entry for key in item.explained}
        meanings.append({key: (entry.metric, entry.signature) for key, entry in found.items()})
    return all(meaning == meanings[0] for meaning in meanings[1:])


def _source(item: Candidate, table: FrameworkTable) -> Source:
    components = tuple(
        Component(name, stem, module)
        for name, stem, ranges, module in table.components
        if item.component in (None, name) and table.releases.covers(ranges, item.release)
    )
    return Source(item.framework, item.release, components, item.component)
