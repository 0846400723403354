"""What a component logs, by the names that trackers show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from .rows import ComponentTable, TableRow
from .surfaces import route_surfaces, show_template
from .tables import FrameworkTable, Tables
from .templates import Template, placeholders_in

__all__ = ["LoggedKey", "LoggedKeys", "is_always_logged", "logged_keys_of"]


class LoggedKey(NamedTuple):
    """A key or template, and the releases in which it is logged."""

    key: str
    releases: tuple[str, ...]


class LoggedKeys:
    """What a component logs in some releases, by the names that trackers show, whichever keys are asked for.

    Attributes:
        certain: What every run logs.
        always: How many keys these are in each release.
    """

    def __init__(self, tables: Tables, table: FrameworkTable, stem: str, releases: Sequence[str]) -> None:
        self._literal: dict[str, list[LoggedKey]] = {}
        self._templates: list[tuple[Template, LoggedKey]] = []
        self.certain: list[LoggedKey] = []
        component, among = table.component(stem), frozenset(releases)
        routes = list(dict.fromkeys(row["route"] for row in component.tracking()))
        ways = [rules for _, rules in route_surfaces(tables, routes)]
        for row in component.rows:
            one = LoggedKey(row.key, tuple(component.releases_of(row, among)))
            shown = {row.key, *(show_template(row.key, rules) for rules in ways)} - {""}
            if "{" in row.key:
                self._templates += [(template, one) for template in _closed(shown, component)]
            else:
                for text in shown:
                    self._literal.setdefault(text, []).append(one)
            if is_always_logged(row, tables):
                self.certain.append(one)
        self.always = Counter(release for one in self.certain for release in one.releases)

    def that_show(self, name: str) -> Iterator[LoggedKey]:
        """Yield what a tracker may show under a name."""
        yield from self._literal.get(name, ())
        yield from (one for template, one in self._templates if template.parse(name) is not None)


def _closed(shown: set[str], component: ComponentTable) -> Iterator[Template]:
    for text in shown:
        rows = {name: component.placeholders[name] for name in placeholders_in(text)}
        if not any(row.get("open") for row in rows.values()):
            yield Template(text, {name: row["pattern"] for name, row in rows.items()})


@lru_cache(maxsize=512)
def logged_keys_of(tables: Tables, framework: str, stem: str, releases: tuple[str, ...]) -> LoggedKeys:
    """Return what a component logs; read once for all files and runs of which the source is asked."""
    return LoggedKeys(tables, tables.framework(framework), stem, releases)


def is_always_logged(row: TableRow, tables: Tables) -> bool:
    """Tell whether every run logs a number under a key, as far as that can be told.

    What is shared by many classes is left out: it comes with a run's end, or from elsewhere.
    """
    if row.fragment is not None or row.mode != "train":
        return False
    pieces = (row.record, *row.facts)
    if any(piece.keys() & {"logged_when", "condition", "fails", "route"} for piece in pieces):
        return False
    for piece in pieces:
        if "metric" in piece or "kind" in piece:
            kind = piece.get("kind") or tables.metrics.get(piece.get("metric") or "", {}).get("kind", "scalar")
            if kind != "scalar":
                return False
    return True
