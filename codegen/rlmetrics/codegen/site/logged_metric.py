"""A metric in one framework, for its page: its name there, the strip of its trainers, what others map to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from markupsafe import Markup

from rlmetrics.answers.unlike import friends_of, look_alikes

from .answer_boxes import Box, between_box, key_link
from .between import between_of
from .lives import Life, LifePiece, Lives
from .meaning_letters import MeaningWords, PageMeanings
from .severity_marks import severity_mark
from .site import Site
from .strip import Strip
from .strip_rows import TrainerRow, rows_of_metric, spans

__all__ = ["FrameworkSpelling", "LoggedMetric"]

_MOST_OTHERS = 4
"""So many trainers that log something else under the same key are shown in the strip; more are counted."""


_MOST_ROWS = 12
"""So many keys that one trainer logs of a metric at a time are drawn; those of catch-all metrics are named below."""


class FrameworkSpelling(NamedTuple):
    """What one framework's newest name of a metric is."""

    life: Life
    piece: LifePiece
    row: TrainerRow
    others: int


class LoggedMetric:
    """A metric in a framework.

    Args:
        site: What pages are made from.
        lives: All keys of all trainers.
        metric: The metric.
        framework: The framework.
        path: The address of the page.

    Attributes:
        title: The framework as it is written.
        rows: The trainers that log the metric, those that log something else under its keys among them.
    """

    def __init__(self, site: Site, lives: Lives, metric: str, framework: str, path: str) -> None:
        self._site = site
        self._texts = site.texts
        self._tables = site.tables
        self._table = site.tables.framework(framework)
        self._lives = lives
        self._logged = [life for life in lives.by_metric.get(metric, ()) if life.framework == framework]
        self._id = metric
        self._path = path
        self.framework = framework
        self.title = str(site.tables.frameworks[framework]["title"])
        self.rows = self._shown()

    def _shown(self) -> list[TrainerRow]:
        lives = self._logged
        training = {life.component for life in lives if life.mode == "train"}
        shown = [life for life in lives if life.mode == "train" or life.component not in training]
        if not shown:
            return []
        keys = {(life.key, life.mode) for life in shown}
        own = {(life.component, life.key, life.mode) for life in shown}
        others = [
            life
            for key in dict.fromkeys(life.key for life in shown)
            for life in self._lives.by_key[self.framework, key]
            if (life.key, life.mode) in keys and (life.component, life.key, life.mode) not in own
        ]
        components = {life.component for life in shown}
        strangers = {life.component for life in others} - components
        if len(strangers) > _MOST_OTHERS:
            others = [life for life in others if life.component in components]
        return rows_of_metric(shown, self._id, others)

    @property
    def own(self) -> list[tuple[TrainerRow, Life, LifePiece]]:
        """What of its rows is the metric itself."""
        return [(row, *item) for row in self.rows for item in row.items if item[1].entry.metric == self._id]

    def spelling(self) -> FrameworkSpelling | None:
        """Return the newest name of the foremost trainer that still logs it, or of the last one that did."""
        found = self.own
        if not found:
            return None
        newest = max(piece.last for _, _, piece in found)
        row, life, piece = next(item for item in found if item[2].last == newest)
        names = {name for other, _, _ in found for name in other.names}
        return FrameworkSpelling(life, piece, row, len(names) - len(row.names))

    def box(self, words: MeaningWords) -> Box:
        """Return what it is called, in which trainers and releases, and how that number is computed."""
        t, texts, table = self._texts.t, self._texts, self._table
        spelling = self.spelling()
        if spelling is None:
            return {
                "title": t("In {framework}", framework=self.title),
                "big": t("not logged"),
                "lines": self._nearest(),
            }
        life, piece, row, others = spelling
        same = [item for other, item in row.items if other is life and item.entry.metric == self._id]
        who = ", ".join(row.names[:2]) + (" …" if len(row.names) > 2 else "")
        told = t("{who} {releases}", who=who, releases=spans([item[:2] for item in same], table))
        if others:
            told += t(", and {count} more trainers", count=others) if others > 1 else t(", and 1 more trainer")
        how = words.exactly(piece)
        lines = [told, Markup("{} {}").format(severity_mark(piece.severity, texts), how)]
        newest = table.releases.names[-1]
        if table.releases.index(newest) > piece.last:
            lines.insert(1, t("{release}, the newest release, does not log it.", release=newest))
        before = [
            other
            for other, item in row.items
            if other is not life and item.last < same[0].first and item.entry.metric == self._id
        ]
        if before:
            lines.append(t("Before: {key}.", key=self._key(before[-1])))
        return {"title": t("In {framework}", framework=self.title), "big": self._key(life), "lines": lines}

    def _key(self, life: Life) -> Markup:
        return key_link(self._path, life.framework, life.key)

    def _nearest(self) -> list[Markup]:
        """Return which key comes nearest in a framework without it, and why it is none."""
        t, texts = self._texts.t, self._texts
        newest = self._table.releases.names[-1]
        for friend, why in friends_of(self._id, self._tables).items():
            keys = look_alikes(self._tables, self.framework, newest, friend)
            if keys:
                key = key_link(self._path, self.framework, keys[0])
                return [
                    t("Nearest: {key}, another metric.", key=key),
                    Markup("{} {}").format(severity_mark("look-alike", texts), texts.say(why)),
                ]
        return []

    def strip(self, others: Iterator[LoggedMetric], meanings: PageMeanings, words: MeaningWords) -> Box:
        """Return its trainers through their releases, and what the names of other frameworks are in this one."""
        found: Box = {"title": self.title, "framework": self.framework, "html": None}
        if self.rows:
            rows, further = self._parted()
            drawn = Strip(self._table, self._tables, rows, meanings, words, self._texts, keyed=True)
            found["html"] = drawn.html(self._path)
            found["further"] = further
            found["evaluation"] = self._evaluation()
            found["more"] = self._more()
        return {**found, "between": [*self._between(others)]}

    def _parted(self) -> tuple[list[TrainerRow], list[Markup]]:
        """Return the rows that are drawn, and the keys of those that are not, for one of their trainers at least."""
        drawn: list[TrainerRow] = []
        left: list[Life] = []
        met: Counter[tuple[str, ...]] = Counter()
        for row in self.rows:
            met[row.names] += 1
            if met[row.names] <= _MOST_ROWS:
                drawn.append(row)
            else:
                left += [life for life, _ in row.items]
        known = {(name, life.key) for row in drawn for life, _ in row.items for name in row.names}
        unknown = [life for life in left if (life.component, life.key) not in known]
        return drawn, [self._key(life) for life in {life.key: life for life in unknown}.values()]

    def _evaluation(self) -> list[Markup]:
        shown = {id(life) for row in self.rows for life, _ in row.items}
        rest = [life for life in self._logged if id(life) not in shown]
        return [self._key(life) for life in {life.key: life for life in rest}.values()]

    def _more(self) -> list[Markup]:
        """Return the keys under which trainers that are not shown log another metric."""
        shown = {life.component for row in self.rows for life, _ in row.items}
        keys = {life.key: life for _, life, _ in self.own}
        return [
            self._key(life)
            for key, life in keys.items()
            if any(other.component not in shown for other in self._lives.by_key[self.framework, key])
        ]

    def _between(self, others: Iterator[LoggedMetric]) -> Iterator[Box]:
        """Yield what the newest names of other frameworks are in this one."""
        for other in others:
            spelling = other.spelling()
            row = None if spelling is None else between_of(self._tables).row(spelling.life, self.framework)
            if row is not None:
                box = between_box(row, other.framework, self.framework, self._path, self._site)
                if not box["nothing"]:  # that no release logs it is said above
                    yield box
