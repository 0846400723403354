"""The training keys of a move, by severity: what becomes of each, and why, keys of which the same is said together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from markupsafe import Markup

from rlmetrics.names import MapRow
from rlmetrics.wording.metric_facts import converted

from .cause_boxes import PageCauses
from .lists import Lists
from .moves import Move, place_of
from .site import Site
from .texts import code

__all__ = ["FOLDED", "HEADINGS", "ORDER", "MovedLine", "MovedRows", "SeverityGroup"]

ORDER = ("look-alike", "biased", "unreviewed", "close", "same", "none")
"""The worst first; what has no counterpart cannot be confused with anything."""

FOLDED = 24
"""A group with more lines than these is folded, and so many names are told in short."""

HEADINGS = {
    "look-alike": "Looks like it, is another metric: never in one plot",
    "biased": "Comparable only with care: start a new panel",
    "unreviewed": "Unreviewed: compare the code before use",
    "close": "Nearly the same",
    "same": "The same",
    "none": "No counterpart",
}
"""What each severity says to readers of a page."""

_NAMED = 4
_LINKED = 150
"""On a page with more keys than these, they do not lead to their pages."""


class MovedLine(NamedTuple):
    """A line of a table: keys of the source, what becomes of them, and why.

    Attributes:
        keys: The keys.
        to: Their counterpart, or what looks like one.
        against: Whether it only looks like one.
        cites: The numbers of the causes.
        more: What else there is to know.
    """

    keys: Markup
    to: Markup
    against: bool
    cites: tuple[int, ...]
    more: tuple[Markup, ...]


class SeverityGroup(NamedTuple):
    """The keys of one severity.

    Attributes:
        severity: Which.
        heading: What it says to readers.
        total: How many keys.
        lines: Those of which something is to be said.
        kept: The others: keys that keep their names, or that have no counterpart.
        folded: Whether the group is closed at first.
    """

    severity: str
    heading: str
    total: int
    lines: list[MovedLine]
    kept: list[str]
    folded: bool


class MovedRows:
    """The training keys of a move.

    Args:
        site: What pages are made from.
        move: The move.
        target: The framework of the target.
    """

    def __init__(self, site: Site, move: Move, target: str) -> None:
        self._site = site
        self._move = move
        self._texts = site.texts
        self.all = [row for row in move.rows if row.mode == "train"]
        self.counts = {name: sum(row.severity == name for row in self.all) for name in ORDER}
        linked = len(self.all) <= _LINKED
        self.lists = Lists(move.path, move.framework, site, linked=linked)
        self._target = Lists(move.path, target, site, linked=linked)
        changed = () if move.found is None else move.found.changed
        self._same_name = {item.key: item for item in changed if item.mode == "train"}

    def of(self, *severities: str) -> list[MapRow]:
        """Return the rows of some severities, those that matter most first and timers last."""
        metrics = self._site.tables.metrics
        bookkeeping = self._site.tables.signatures["BOOKKEEPING"]

        def place(row: MapRow) -> tuple[bool, bool]:
            metric = metrics.get(row.metric or "", {})
            return metric.get("identity", {}).get("quantity") in bookkeeping, not metric.get("crucial")

        return sorted((row for row in self.all if row.severity in severities), key=place)

    def is_trap(self, row: MapRow) -> bool:
        """Tell whether the name stays and the number does not."""
        if row.severity == "biased":
            return row.from_ == row.to
        return row.severity == "look-alike" and any(item.to == row.from_ for item in row.related)

    def few(self, keys: Sequence[str]) -> Markup:
        """Return some keys for a sentence, and how many more there are."""
        return self.lists.few(keys, _NAMED)

    def groups(self, causes: PageCauses | None) -> Iterator[SeverityGroup]:
        """Yield the keys by severity, the worst first.

        Args:
            causes: Why keys changed; None between two frameworks.
        """
        for severity in ORDER:
            rows = self.of(severity)
            if not rows:
                continue
            plain = [severity == "none" or (severity == "same" and row.to == row.from_) for row in rows]
            told = [row for row, is_plain in zip(rows, plain, strict=True) if not is_plain]
            kept = [row.from_ for row, is_plain in zip(rows, plain, strict=True) if is_plain]
            lines = list(self._lines(told, causes))
            folded = len(lines) > FOLDED or severity in ("same", "none")
            yield SeverityGroup(severity, HEADINGS[severity], len(rows), lines, kept, folded)

    def _lines(self, rows: Sequence[MapRow], causes: PageCauses | None) -> Iterator[MovedLine]:
        found: dict[MovedLine, list[str]] = {}
        for row in rows:
            against = row.severity == "look-alike" and bool(row.related) and not self.is_trap(row)
            said = MovedLine(Markup(""), self._other(row), against, self._cites(row, causes), self._more(row))
            found.setdefault(said, []).append(row.from_)
        yield from (line._replace(keys=self.lists.keys(keys)) for line, keys in found.items())

    def _cites(self, row: MapRow, causes: PageCauses | None) -> tuple[int, ...]:
        if causes is None:
            return tuple(number + 1 for number in self._move.cites.get(place_of(row), ()))
        if row.to is not None:
            return causes.of(str(row.to_component), row.to) if row.differs_by else ()
        kept = self._same_name.get(row.from_)
        return () if kept is None else causes.of(kept.component, kept.key)

    def _other(self, row: MapRow) -> Markup:
        if row.to is not None:
            return self._texts.t("same name") if row.to == row.from_ else self._target.key(row.to)
        if self.is_trap(row):
            return self._texts.t("same name")
        return self._target.key(row.related[0].to) if row.related else Markup("")

    def _more(self, row: MapRow) -> tuple[Markup, ...]:
        t, said = self._texts.t, []
        if row.to is None and row.related:
            like = next((item for item in row.related if item.to == row.from_), row.related[0])
            said.append(self._texts.say(like.short or like.why))
        if row.transform is not None:
            said.append(Markup("{}").format(converted("x", row.transform)))
        words = self._move.needs.get(place_of(row))
        if words is not None:
            said += [t("Needs {setting}.", setting=code(words.unmet))] if words.unmet else []
            said += [t("Logged only {parts}.", parts=self._texts.say(text)) for text in words.said]
        return tuple(said)
