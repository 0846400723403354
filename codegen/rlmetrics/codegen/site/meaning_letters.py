"""The meanings on one page: letters with colours for what differs, and the words for each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from markupsafe import Markup

from rlmetrics.names.tables.tables import Tables
from rlmetrics.wording.metric_facts import quantity

from .lives import Life, LifePiece
from .page_links import link, metric_page
from .reasons import told_in_short
from .texts import Texts

__all__ = ["OTHER", "Letter", "MeaningWords", "PageMeanings", "key_of"]

OTHER = "≠"
"""The label of what is another metric than the page's."""

_MOST = 8
"""So many letters have colours of their own; more meanings are told as special cases of the nearest."""
_MOST_PARTS = 2

Key = tuple[str | None, frozenset[tuple[str, str, str]], tuple[float | str, float | str]]
"""What makes two meanings one: the metric, what weighs, and the factor."""


def key_of(piece: LifePiece) -> Key:
    """Return what makes a meaning."""
    return piece.entry.metric, frozenset(reason.about for reason in piece.weighing), piece.factor


class Letter(NamedTuple):
    """How a meaning is drawn.

    Attributes:
        name: ``A``, ``B`` …, or ``≠`` for another metric.
        colour: The number of its colour; -1 for what is hatched.
        special: Whether it is a special case of what the letter stands for.
    """

    name: str
    colour: int
    special: bool = False

    @property
    def label(self) -> str:
        """What stands in the strip."""
        return f"{self.name}*" if self.special else self.name

    @property
    def style(self) -> str:
        """The end of the class that colours it."""
        return "x" if self.colour < 0 else "abcdefgh"[self.colour]


class PageMeanings:
    """The letters of a page, by first appearance.

    Args:
        pieces: Everything on the page, in the order of its rows.
        metric: The metric that the page is about; others are hatched. None if it is about a key.
    """

    def __init__(self, pieces: Iterable[tuple[Life, LifePiece]], metric: str | None = None) -> None:
        self._spans: dict[Key, int] = {}
        self._example: dict[Key, LifePiece] = {}
        for _, piece in pieces:
            key = key_of(piece)
            self._spans[key] = self._spans.get(key, 0) + piece.last - piece.first + 1
            self._example.setdefault(key, piece)
        self.metric = metric if metric is not None else self._principal()
        self._base = self._grouped()
        names: dict[Key, str] = {}
        self._letters: dict[Key, Letter] = {}
        others = [key for key in dict.fromkeys(map(self._base.__getitem__, self._spans)) if self._is_other(key)]
        metrics = list(dict.fromkeys(key[0] for key in others))
        for key in self._spans:
            base = self._base[key]
            if self._is_other(base):
                name = OTHER if metric is not None or len(metrics) == 1 else f"{OTHER}{metrics.index(base[0]) + 1}"
                self._letters[key] = Letter(name, -1)
                continue
            at = len(names)
            name = names.setdefault(base, _name(at))
            self._letters[key] = Letter(name, list(names).index(base) % _MOST, special=key != base)

    def _principal(self) -> str | None:
        """Return the metric that most of a key's releases mean; None if none has more than the others together."""
        by_metric: dict[str | None, int] = {}
        for key, releases in self._spans.items():
            by_metric[key[0]] = by_metric.get(key[0], 0) + releases
        best = max(by_metric, key=by_metric.__getitem__, default=None)
        total = sum(by_metric.values())
        return best if best is not None and 2 * by_metric[best] > total and len(by_metric) <= 4 else None

    def _is_other(self, key: Key) -> bool:
        return self.metric is not None and key[0] != self.metric

    def _grouped(self) -> dict[Key, Key]:
        """Return for each meaning the one that gives it its letter: itself, or one of which it is a special case."""
        base = {key: key for key in self._spans}
        while True:
            letters = [key for key in dict.fromkeys(base.values()) if not self._is_other(key)]
            lone = [key for key in letters if any(other != key and other[0] == key[0] for other in letters)]
            if len(letters) <= _MOST or not lone:
                break
            least = min(lone, key=self._spans.__getitem__)
            rest = [other for other in letters if other != least and other[0] == least[0]]
            nearest = min(rest, key=lambda other: self._distance(other, least))
            base = {key: nearest if to == least else to for key, to in base.items()}
        return base

    def _distance(self, key: Key, other: Key) -> tuple[bool, int, int]:
        """Return how far two meanings of a metric are: what departs from the definition is no special case of it."""
        return bool(key[1]) != bool(other[1]), len(key[1] ^ other[1]), -self._spans[key]

    def letter(self, piece: LifePiece) -> Letter:
        """Return how a piece is drawn."""
        return self._letters[key_of(piece)]

    def listed(self, pieces: Iterable[LifePiece] | None = None) -> list[tuple[Letter, LifePiece, list[LifePiece]]]:
        """Return each letter with an example of what it stands for, and examples of its special cases.

        Args:
            pieces: What is looked at; everything, if left out.
        """
        found: dict[str, tuple[Letter, LifePiece, list[LifePiece]]] = {}
        keys = self._example if pieces is None else dict.fromkeys(map(key_of, pieces))
        for key in keys:
            piece = self._example[key]
            letter = self._letters[key]
            base = self._example[self._base[key]]
            entry = found.setdefault(letter.name, (letter._replace(special=False), base, []))
            if letter.special or (letter.name == OTHER and piece.entry.metric != base.entry.metric):
                entry[2].append(piece)
        return list(found.values())


def _name(at: int) -> str:
    """Return ``A`` to ``Z``, then ``AA`` and so on."""
    return chr(65 + at) if at < 26 else _name(at // 26 - 1) + _name(at % 26)


class MeaningWords:
    """Meanings in words, for one page in one language.

    Args:
        texts: The language.
        tables: The spec.
        page: The address of the page.
        metric: The metric that needs no naming there.
    """

    def __init__(self, texts: Texts, tables: Tables, page: str, metric: str | None) -> None:
        self._texts = texts
        self._tables = tables
        self._page = page
        self._metric = metric

    def metric(self, metric: str) -> Markup:
        """Return a metric's name with a link to its page."""
        return Markup('<a href="{}"><code>{}</code></a>').format(link(self._page, metric_page(metric)), metric)

    def parts(self, piece: LifePiece) -> list[Markup]:
        """Return what sets a piece apart from the definition, what weighs most first."""
        found = [self._texts.say(text) for text in told_in_short(piece.entry, piece.weighing, self._tables)]
        scale, offset = piece.factor
        if (scale, offset) != (1.0, 0.0):
            found.append(self._factor(scale, offset))
        return found

    def _factor(self, scale: float | str, offset: float | str) -> Markup:
        factor, shift = (f"{value:g}" if not isinstance(value, str) else value for value in (scale, offset))
        if scale == -1:
            turned = self._texts.t("{value} − the definition", value=shift)
            return turned if offset else self._texts.t("the definition with the opposite sign")
        if offset == 0:
            return self._texts.t("the definition × {factor}", factor=factor)
        return self._texts.t("the definition × {factor} + {shift}", factor=factor, shift=shift)

    def exactly(self, piece: LifePiece, *, most: int = _MOST_PARTS, linked: bool = True) -> Markup:
        """Return the same, with small differences from the definition said to be there."""
        if piece.severity == "close" and piece.entry.metric == self._metric and not self.parts(piece):
            return self._texts.t("as defined above, but for small differences")
        return self.of(piece, most=most, linked=linked)

    def of(self, piece: LifePiece, *, most: int = _MOST_PARTS, linked: bool = True) -> Markup:
        """Return a meaning in a few words.

        Args:
            piece: What has it.
            most: So many traits are told.
            linked: Whether a metric's name leads to its page.
        """
        t = self._texts.t
        metric = piece.entry.metric
        if metric is None:
            return t("depends on the configuration")
        parts = self.parts(piece)
        told = Markup("; ").join(parts[:most])
        if len(parts) > most > 0:
            told += t("; {count} more", count=len(parts) - most)
        if metric == self._metric:
            return told or t("as defined above")
        name = self._texts.say(quantity(metric, self._tables))
        if linked:
            name = t("{what} ({metric})", what=name, metric=self.metric(metric))
        return t("{what}: {how}", what=name, how=told) if told else name

    def beyond(self, piece: LifePiece, base: LifePiece) -> Markup:
        """Return what a special case has that the letter's meaning has not, or lacks."""
        if piece.entry.metric != base.entry.metric:
            return self.of(piece)
        own = frozenset(reason.about for reason in base.weighing)
        more = tuple(reason for reason in piece.weighing if reason.about not in own)
        found = [self._texts.say(text) for text in told_in_short(piece.entry, more, self._tables)]
        if found:
            return Markup("; ").join(found[:_MOST_PARTS])
        has = frozenset(reason.about for reason in piece.weighing)
        less = [self._texts.say(reason.brief) for reason in base.weighing if reason.about not in has]
        return self._texts.t("without: {what}", what=Markup("; ").join(less[:_MOST_PARTS]))
