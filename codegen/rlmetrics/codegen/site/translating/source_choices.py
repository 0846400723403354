"""What can be chosen as a source or a target, and what the keys of each are, to tell where some keys come from."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rlmetrics.names.sources.surfaces import preferred_trackers, rules_of
from rlmetrics.names.tables.logged_keys import is_always_logged
from rlmetrics.names.tables.templates import placeholders_in

if TYPE_CHECKING:
    from rlmetrics.names.tables.framework_table import FrameworkTable
    from rlmetrics.names.tables.tables import Tables

__all__ = ["detection", "frameworks", "telling", "trackers"]

Row = list[Any]


def trackers(tables: Tables) -> list[Row]:
    """Return every tracker with its rules by route, in the order in which they are tried."""
    found: list[Row] = []
    for name in preferred_trackers(tables):
        routes = tables.trackers[name].get("routes", {})
        rules = {
            route: [
                [_of_javascript(rule), to.replace("\\", "$"), stop] for rule, to, stop in rules_of(tables, name, route)
            ]
            for route in routes
        }
        found.append([name, {route: said for route, said in rules.items() if said}])
    return found


def _of_javascript(pattern: str) -> str:
    """Return a regular expression of Python for JavaScript, where a word has letters of all scripts only if told so."""
    return pattern.replace(r"\w", r"\p{L}\p{N}_")


def frameworks(tables: Tables) -> dict[str, Any]:
    """Return each framework with its releases, programs and components, in the order of the spec."""
    return {name: _framework(tables.framework(name), tables.title(name)) for name in tables.named}


def _framework(table: FrameworkTable, title: str) -> dict[str, Any]:
    programs = [
        {
            "name": name,
            "brief": row.get("brief", ""),
            "default": bool(row.get("default")),
            "of": row.get("of"),
            "settings": "settings" in row,
            "releases": _runs(table, row["releases"]) if "releases" in row else None,
        }
        for name, row in table.programs.items()
    ]
    components = [
        [name, table.component(stem).program, _runs(table, ranges)] for name, stem, ranges, _ in table.components
    ]
    releases = list(table.releases.names)
    found = {
        "title": title,
        "releases": releases,
        "programs": programs,
        "tasks": table.tasks,
        "components": components,
    }
    return found if table.base is None else {**found, "base": table.base[0].name}


def detection(tables: Tables, names: Iterable[str]) -> dict[str, Any]:
    """Return what every component of some frameworks logs under which keys, by which a source is recognised.

    Args:
        tables: The spec.
        names: The frameworks.

    Returns:
        ``keys`` and ``runs`` are tables that rows refer to by number. A row of ``components`` has the framework, the
        place of the component in it, its file and those that it extends, its routes, and for each of its rows key, runs
        of releases, and whether every run logs it. Each has its patterns of placeholders, None for those that match
        anything.
    """
    keys: dict[str, int] = {}
    runs: dict[str, int] = {}
    spans: list[Row] = []
    components: list[Row] = []
    for framework in names:
        table = tables.framework(framework)
        for place, (_, stem, ranges, _) in enumerate(table.components):
            own, among = table.component(stem), frozenset(table.releases.expand(ranges))
            patterns: dict[str, str | None] = {}
            rows: list[int] = []
            for row in own.rows:
                described = own.releases_of(row, among)
                if not described:
                    continue
                span = _of_places(table, described)
                if str(span) not in runs:
                    runs[str(span)] = len(spans)
                    spans.append(span)
                always = int(is_always_logged(row, tables))
                rows += (keys.setdefault(row.key, len(keys)), runs[str(span)] * 2 + always)
                for name in placeholders_in(row.key):
                    said = own.placeholders[name]
                    patterns[name] = None if said.get("open") else said["pattern"]
            routes = list(dict.fromkeys(str(said["route"]) for said in own.tracking()))
            components.append([framework, place, stem, list(own.extends), routes, patterns, rows])
    return {"keys": list(keys), "runs": spans, "components": components}


def telling(tables: Tables) -> dict[str, list[list[str]]]:
    """Return by which keys the frameworks are told that derive from another one."""
    return {name: _telling(row) for name, row in tables.derived.items()}


def _telling(row: Mapping[str, Any]) -> list[list[str]]:
    """Return sets of keys, as regular expressions, each of which tells a framework that derives from another one."""
    known_by = row.get("known_by", {})
    alone = [[key] for key in (*known_by.get("keys", ()), *known_by.get("own_log", ()))]
    return [[_matching(key) for key in keys] for keys in (*alone, *known_by.get("together", ()))]


def _matching(key: str) -> str:
    """Return a regular expression for a key or template, as a tracker may show it."""
    parts = re.split(r"\{\w+\}", key.removeprefix("train/").removeprefix("eval/"))
    return f"^(?:train/|eval/)?{'.+'.join(map(re.escape, parts))}$"


def _runs(table: FrameworkTable, ranges: Sequence[str]) -> Row:
    return _of_places(table, table.releases.expand(ranges))


def _of_places(table: FrameworkTable, releases: Collection[str]) -> Row:
    """Return the places of releases as runs: first and last place of each in a row."""
    found: Row = []
    for place in sorted(map(table.releases.index, releases)):
        if found and place == found[-1] + 1:
            found[-1] = place
        else:
            found += (place, place)
    return found
