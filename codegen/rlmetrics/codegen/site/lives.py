"""What every trainer logs, release after release, resolved once for all pages: each key with what it means where.

A piece is a run of releases in which a key of a trainer is one and the same thing under the releases' own defaults.
What sets it apart from the metric's definition is judged as a translation to the canonical names judges it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import NamedTuple

from rlmetrics.names.differences.relations import relate
from rlmetrics.names.differences.severity import severity_of
from rlmetrics.names.meanings.canonical import CanonicalView
from rlmetrics.names.meanings.component import ComponentView
from rlmetrics.names.meanings.key_course import ComponentCourse
from rlmetrics.names.sources.source import CANONICAL, Component, Source
from rlmetrics.names.sources.surfaces import route_surfaces, show_template
from rlmetrics.names.tables.framework_table import FrameworkTable, beside, statements
from rlmetrics.names.tables.key_records import Entry, Evidence
from rlmetrics.names.tables.tables import Tables
from rlmetrics.names.upgrades.changes import course_of
from rlmetrics.names.upgrades.key_lineage import followed
from rlmetrics.wording.condition_words import condition_words

from .reasons import Reason, Reasons

__all__ = ["Life", "LifePiece", "Lives", "lives_of"]

Regime = int
"""The number of a component's settings: releases with the same defaults share it."""


class LifePiece(NamedTuple):
    """Releases, one after the other, in which a key of a trainer is one and the same thing.

    Attributes:
        first: The place of the first release among all of the framework.
        last: The place of the last one.
        entry: What the key is.
        severity: How much sets it apart from the metric's definition, as a translation to canonical names tells it.
        reasons: What sets it apart.
        factor: Scale and offset: logged = scale * metric + offset.
        guards: The settings with which it is logged, in words.
        texts: When it is logged, in words of the spec.
    """

    first: int
    last: int
    entry: Entry
    severity: str
    reasons: tuple[Reason, ...]
    factor: tuple[float | str, float | str]
    guards: tuple[str, ...]
    texts: tuple[str, ...]

    @property
    def weighing(self) -> tuple[Reason, ...]:
        """What moves the curve under the defaults, as far as is known."""
        return tuple([reason for reason in self.reasons if reason.weighs])


class Life:
    """A key of a trainer through the releases.

    Args:
        course: The trainer.
        key: The key or template as it is logged.
        mode: ``train`` or ``eval``.
        bare: The key without the prefix of evaluation.
        pieces: What it is, oldest first.
        anchors: For each release, given its place, the spec's names of the lines that show the key.
    """

    def __init__(
        self,
        course: ComponentCourse,
        key: str,
        mode: str,
        bare: str,
        pieces: tuple[LifePiece, ...],
        anchors: Mapping[int, tuple[str, ...]],
    ) -> None:
        self._course = course
        self._anchors = anchors
        self._lines: dict[int, Evidence | None] = {}
        self.framework = course.table.name
        self.component = course.component
        self.key = key
        self.mode = mode
        self.bare = bare
        self.pieces = pieces

    @property
    def existence(self) -> tuple[int, int]:
        """The places of the first and of the last release that have the trainer."""
        order = self._course.table.releases.index
        return order(self._course.releases[0]), order(self._course.releases[-1])

    def view(self) -> ComponentView:
        """Return the trainer in the newest release that logs the key."""
        release = self._course.table.releases.names[self.pieces[-1].last]
        part = self._course.part(release)
        assert part is not None
        return _view(self._course.tables, self._course.table, Component(self.component, part.stem, ""), release)

    def shown(self) -> list[str]:
        """Return what trackers make of the key, where they change it."""
        view = self.view()
        ways = (show_template(self.key, rules) for _, rules in route_surfaces(self._course.tables, view.routes))
        return [name for name in dict.fromkeys(ways) if name and name != self.key]

    def renamed(self) -> tuple[str, str] | None:
        """Return the first release that logs the same under another name, and that name; None if no later one does."""
        last = self._course.table.releases.names[self.pieces[-1].last]
        names = followed(self._course, self.key, self.mode, last)
        later = [*self._course.releases[self._course.releases.index(last) + 1 :]] if names else []
        return next(((release, name) for release in later if (name := names[release]) not in (None, self.key)), None)

    def line(self, place: int) -> Evidence | None:
        """Return where the source of a release shows the key, given the release's place; None where nothing says so."""
        if place not in self._lines:
            self._lines[place] = self._found(place)
        return self._lines[place]

    def _found(self, place: int) -> Evidence | None:
        release = self._course.table.releases.names[place]
        part = self._course.part(release)
        assert part is not None
        # What is called like the key shows its value.
        words = _words(self.key)
        anchors = sorted(self._anchors[place], key=lambda anchor: -_fitting(anchor, words))
        lines = (_lines(self._course.table, part.stem, anchor).get(place) for anchor in anchors)
        return next((line for line in lines if line is not None), None)

    def address(self, place: int) -> str | None:
        """Return where the framework's repository shows that line at the release's tag."""
        line = self.line(place)
        return None if line is None else self._course.table.address(line)

    def at(self, place: int) -> LifePiece | None:
        """Return what the key is in a release, given the release's place."""
        return next((piece for piece in self.pieces if piece.first <= place <= piece.last), None)

    def guides(self) -> list[tuple[str, str | None, str, str, str]]:
        """Return what guides say: the claim, what the code does instead, the guide, first and last release."""
        found: dict[tuple[str, str | None, str], list[int]] = {}
        for piece in self.pieces:
            release = self._course.table.releases.names[piece.last]
            part = self._course.part(release)
            assert part is not None
            for row in self._course.rows(self.key, self.mode, release):
                every = tuple(range(len(row.facts)))
                for says, code, title, _, _ in part.component.documented(part.component.combined(row, every)):
                    found.setdefault((says, code, title), []).extend((piece.first, piece.last))
        names = self._course.table.releases.names
        return [(*said, names[min(where)], names[max(where)]) for said, where in found.items()]


@lru_cache(maxsize=512)
def _view(tables: Tables, table: FrameworkTable, component: Component, release: str) -> ComponentView:
    return ComponentView(tables, table, component, release)


@lru_cache(maxsize=32768)
def _fitting(anchor: str, words: tuple[str, ...]) -> int:
    name = anchor.rpartition(":")[2].lower()
    return sum(word in name for word in words)


@lru_cache(maxsize=32768)
def _lines(table: FrameworkTable, stem: str, anchor: str) -> dict[int, Evidence]:
    """Return where an anchor of a file stands, by the place of the release; found once for all keys that it shows."""
    other, colon, name = anchor.rpartition(":")
    proofs = table.proofs(other if colon else stem)
    covered, order = table.releases.covered, table.releases.index
    found: dict[int, Evidence] = {}
    for path, symbol, offsets, ranges, _ in statements(proofs, name, table.releases):
        among = covered(ranges)
        for line, where in proofs["lines"][path][symbol] if offsets else ():
            for release in covered(where) & among:
                found.setdefault(order(release), Evidence(release, path, line + offsets[0], symbol, name))
    for at, release in enumerate(table.releases.names) if name in proofs.get("others", {}) else ():
        for place in beside(proofs, name, partial(table.releases.covers, release=release)):
            found.setdefault(at, place)
    return found


@lru_cache(maxsize=4096)
def _words(key: str) -> tuple[str, ...]:
    last = key.rpartition("/")[2].lower()
    return tuple(word for word in "".join(c if c.isalpha() else " " for c in last).split() if len(word) > 1)


class Lives:
    """Everything that is logged, in the order of the spec's components.

    Args:
        tables: The spec.
    """

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.all = tuple(life for name in tables.frameworks for life in _Framework(tables, name).lives())
        self.by_key: dict[tuple[str, str], list[Life]] = {}
        self.by_metric: dict[str, list[Life]] = {}
        for life in self.all:
            self.by_key.setdefault((life.framework, life.key), []).append(life)
            for metric in dict.fromkeys(piece.entry.metric for piece in life.pieces):
                if metric is not None:
                    self.by_metric.setdefault(metric, []).append(life)


@lru_cache(maxsize=2)
def lives_of(tables: Tables) -> Lives:
    """Return everything that is logged; the pages of all languages share it."""
    return Lives(tables)


class _Framework:
    def __init__(self, tables: Tables, name: str) -> None:
        self._tables = tables
        self._table: FrameworkTable = tables.framework(name)
        canonical = CanonicalView(tables, Source(CANONICAL, tables.version))
        self._canonical = canonical
        self._reasons = Reasons(tables)

    def lives(self) -> Iterator[Life]:
        for name in dict.fromkeys(row[0] for row in self._table.components):
            course = course_of(self._tables, self._table.name, name)
            yield from _Component(course, self._canonical, self._reasons).lives()


def _alike(one: LifePiece, other: LifePiece) -> bool:
    """Tell whether pages say the same of two pieces."""
    if one.entry is not other.entry and _of_the_number(one.entry) != _of_the_number(other.entry):
        return False
    return one[3:] == other[3:]


def _of_the_number(entry: Entry) -> tuple[object, ...]:
    signature = entry.signature
    return entry.metric, entry.kind, entry.logged, entry.logged_when, entry.constant_when, signature


class _Component:
    """Makes the lives of one component's keys."""

    def __init__(self, course: ComponentCourse, canonical: CanonicalView, reasons: Reasons) -> None:
        self._course = course
        self._canonical = canonical
        self._reasons = reasons
        self._known: dict[tuple[int, Regime], LifePiece] = {}
        self._compared_as: dict[tuple[object, ...], tuple[Entry, str, tuple[Reason, ...]]] = {}
        self._when: dict[tuple[str, Regime], tuple[tuple[str, ...], tuple[str, ...]]] = {}
        regimes: dict[tuple[object, ...], Regime] = {}
        self._regimes: dict[str, Regime] = {}
        for release in course.releases:
            part = course.part(release)
            assert part is not None
            single = tuple(sorted(part.component.single(release).items()))
            values = tuple([(name, repr(value)) for name, value in part.configuration().values.items()])
            self._regimes[release] = regimes.setdefault((part.stem, single, values), len(regimes))

    def lives(self) -> Iterator[Life]:
        places: dict[tuple[str, str], str] = {}
        for release in self._course.releases:
            part = self._course.part(release)
            assert part is not None
            for row in part.component.at(release):
                places.setdefault((row.key, row.mode), part.component.bare(row))
        for (key, mode), bare in places.items():
            runs = [(run.releases, run.entry) for run in self._course.runs((key,), mode) if run.entry is not None]
            order = self._course.table.releases.index
            anchors = {order(release): entry.at for releases, entry in runs for release in releases}
            yield Life(self._course, key, mode, bare, tuple(self._pieces(runs)), anchors)

    def _pieces(self, runs: Sequence[tuple[tuple[str, ...], Entry]]) -> Iterator[LifePiece]:
        order = self._course.table.releases.index
        last: LifePiece | None = None
        for releases, entry in runs:
            for release in releases:
                piece = self._piece(entry, release, order(release))
                if last is not None and last.last + 1 == piece.first and _alike(last, piece):
                    last = last._replace(last=piece.first)
                    continue
                if last is not None:
                    yield last
                last = piece
        if last is not None:
            yield last

    def _piece(self, entry: Entry, release: str, place: int) -> LifePiece:
        known = (id(entry), self._regimes[release])
        found = self._known.get(known)
        if found is None:
            same = (id(entry.signature), entry.kind, entry.metric, entry.mode, self._regimes[release])
            if same not in self._compared_as:
                self._compared_as[same] = (entry, *self._compared(entry, release))
            _, severity, reasons = self._compared_as[same]
            guards, texts = self._logged(entry, release)
            factor = (entry.signature.scale, entry.signature.offset)
            found = self._known[known] = LifePiece(place, place, entry, severity, reasons, factor, guards, texts)
        return found._replace(first=place, last=place)

    def _compared(self, entry: Entry, release: str) -> tuple[str, tuple[Reason, ...]]:
        targets = self._canonical.candidates(entry.metric or "", entry.mode)
        if not targets:
            return "none", ()
        side = self._course.circumstances(release)
        relation = relate(entry, targets[0], self._course.tables, circumstances=(side, None))
        return severity_of(relation), self._reasons.of(targets[0], entry, side)

    def _logged(self, entry: Entry, release: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        if entry.logged_when is None:
            return (), ()
        place = (entry.logged_when, self._regimes[release])
        if place not in self._when:
            part = self._course.part(release)
            assert part is not None
            words = condition_words(entry.logged_when, part.configuration())
            self._when[place] = (words.settings,) if words.settings else (), words.said
        return self._when[place]
