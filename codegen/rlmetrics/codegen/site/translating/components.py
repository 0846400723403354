"""What each component logs in each release, by the defaults of that release and of the programs that it runs in."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from rlmetrics.names.differences.severity import Circumstances
from rlmetrics.names.mapping.counterparts import needed
from rlmetrics.names.mapping.programs import paired
from rlmetrics.names.meanings.canonical import CanonicalView
from rlmetrics.names.meanings.view import FrameworkView
from rlmetrics.names.sources.source import CANONICAL, Component, Source
from rlmetrics.names.tables.templates import OPEN

if TYPE_CHECKING:
    from rlmetrics.names.meanings.component import ComponentView
    from rlmetrics.names.tables.framework_table import FrameworkTable
    from rlmetrics.names.tables.key_records import Entry
    from rlmetrics.names.tables.tables import Tables

    from .meaning_numbers import NumberedMeanings, Place

__all__ = ["Gathered", "canonical_names", "components_of"]

_LOGGED = (False, True, None)
_MODES = ("train", "eval")
_LOSS = "loss"
"""What tells trainers from what runs beside them, see `rlmetrics.names.mapping.programs`."""

Row = list[Any]


class Gathered:
    """What one file of data says: a component in all its releases, or the canonical names.

    Attributes:
        metrics: The metrics that its keys ever mean.
        meanings: The meanings that its keys have, for each metric and mode.
        entries: What is logged, each once, however many releases log it.
        views: What is logged by which releases, under which program's settings.
        patterns: Placeholders with their patterns, for each file of the spec that describes the component.
        spelled: The metrics that each key means.

    Args:
        meanings: Where meanings are numbered.
    """

    def __init__(self, meanings: NumberedMeanings) -> None:
        self.metrics: dict[str, int] = {}
        self.meanings: dict[Place, dict[int, None]] = {}
        self.entries: list[Row] = []
        self.views: list[Row] = []
        self.patterns: dict[str, dict[str, Row]] = {}
        self.spelled: dict[str, dict[str, None]] = {}
        self._meanings = meanings
        self._places: dict[str, int] = {}

    def add(self, view: ComponentView, program: str, release: int) -> None:
        """Take down a component as a release logs it; a release that logs what the one before does extends its range.

        Args:
            view: The component.
            program: The program whose settings are in place; empty for the defaults.
            release: The place of the release.
        """
        numbers = [self.place(entry, view.circumstances) for entry in view.entries()]
        patterns = self.patterns.setdefault(view.stem, {})
        for key in view.keys:
            template = view.template(key)
            for name in template.names:
                patterns.setdefault(name, [template.patterns[name], int(template.rank == OPEN)])
        stem = list(self.patterns).index(view.stem)
        said = [view.label, stem, int(view.measures(_LOSS)), view.routes, numbers]
        last = next((row for row in reversed(self.views) if row[0] == program), None)
        if last is not None and last[2] == release - 1 and last[3:] == said:
            last[2] = release
        else:
            self.views.append([program, release, release, *said])

    def place(self, entry: Entry, side: Circumstances | None, patterns: Mapping[str, str] | None = None) -> int:
        """Return the number of an entry, which is taken down if it is new."""
        row = self._row(entry, side, patterns)
        spelled = json.dumps(row)
        if spelled not in self._places:
            self._places[spelled] = len(self.entries)
            self.entries.append(row)
        return self._places[spelled]

    def _row(self, entry: Entry, side: Circumstances | None, patterns: Mapping[str, str] | None) -> Row:
        mode, logged = _MODES.index(entry.mode), _LOGGED.index(entry.logged)
        metric = meaning = -1
        signature = self._meanings.signature(entry)
        if entry.metric is not None:
            metric = self.metrics.setdefault(entry.metric, len(self.metrics))
            self.spelled.setdefault(entry.key, {}).setdefault(entry.metric)
            meaning = self._meanings.number(entry, side)
            self.meanings.setdefault((entry.metric, entry.mode), {}).setdefault(meaning)
        row: Row = [entry.key, mode, logged, metric, meaning, signature]
        rest = dict(_rest(entry, side))
        if patterns:
            rest["patterns"] = patterns
        return [*row, rest] if rest else row


def _rest(entry: Entry, side: Circumstances | None) -> Iterator[tuple[str, Any]]:
    """Yield what only few entries have."""
    if entry.condition is not None and entry.logged is not True:
        yield "condition", entry.condition
    if entry.constant_when:
        yield "constant", entry.constant_when
    if entry.bind:
        yield "bind", entry.bind
    if entry.preferred:
        yield "preferred", True
    if entry.route is not None:
        yield "route", entry.route
    if entry.metric is None:
        yield "either", [[item.metric, item.when] for item in entry.alternatives]
    others = [item for item in entry.alternatives if item.when is not None and item.metric not in (entry.metric, None)]
    if others:
        yield "others", [[item.metric, item.when, needed(str(item.when), side)] for item in others]


def components_of(tables: Tables, name: str, meanings: NumberedMeanings) -> dict[str, Gathered]:
    """Return all components of a framework by their names."""
    table = tables.framework(name)
    found: dict[str, Gathered] = {}
    for place, release in enumerate(table.releases.names):
        for program, view in _views(tables, table, release):
            for label, component in view.components.items():
                found.setdefault(component.component, Gathered(meanings)).add(component, program, place)
                assert label == component.component, f"{name} {release} has two components {component.component}"
    return found


def _views(tables: Tables, table: FrameworkTable, release: str) -> Iterator[tuple[str, FrameworkView]]:
    """Yield a release by its defaults, then by the settings of each program that makes some."""
    components = tuple(
        Component(name, stem, module)
        for name, stem, ranges, module in table.components
        if table.releases.covers(ranges, release)
    )
    if not components:
        return
    whole = FrameworkView(tables, Source(table.name, release, components))
    yield "", whole
    names = CanonicalView(tables, Source(CANONICAL, tables.version))
    for program, row in table.programs.items():
        if "settings" in row and ("releases" not in row or table.releases.covers(row["releases"], release)):
            view, _ = paired(whole, names, program, None)
            assert isinstance(view, FrameworkView)
            yield program, view


def canonical_names(tables: Tables, meanings: NumberedMeanings) -> Gathered:
    """Return the canonical names, those of training before those of evaluation."""
    found = Gathered(meanings)
    view = CanonicalView(tables, Source(CANONICAL, tables.version))
    for mode in _MODES:
        entries = [entry for metric in tables.metrics for entry in view.candidates(metric, mode)]
        numbers = [found.place(entry, None, view.template(entry).patterns or None) for entry in entries]
        found.views.append(["", 0, 0, CANONICAL, 0, 0, (), numbers])
    return found
