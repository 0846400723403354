"""What stands folded at the end of a page: how to read it, which number it is, what else is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

from rlmetrics.names.meanings.key_cadence import cadence_of
from rlmetrics.names.tables.tables import Tables
from rlmetrics.names.upgrades.history import History
from rlmetrics.wording.cadence_words import axis_text, cadence_text
from rlmetrics.wording.change_words import change_row, changes
from rlmetrics.wording.metric_facts import sentence
from rlmetrics.wording.setting_words import settings_that_change

from ..generate.functions import ComputeFunction
from ..model import ClaimSource, Metric
from .healthy import rules_list
from .lives import Life
from .site import Site
from .texts import code

__all__ = ["Details", "Folded"]

_MOST = 9
_MOST_NOTES = 1400
"""So many characters of notes or guides are told."""
_MOST_SETTINGS = 8
_MOST_TEXT = 4000
"""So much HTML tells settings, before the rest is left to the command line."""


class Folded(NamedTuple):
    """A folded section.

    Attributes:
        title: Its heading.
        body: Paragraphs, items of a list, or rows of a table, as HTML.
    """

    title: Markup
    body: Markup


class Details:
    """Writes the folded sections of a page.

    Args:
        site: What pages are made from.
        page: The address of the page.
        metric: The metric that the page is about.
    """

    def __init__(self, site: Site, page: str, metric: str) -> None:
        self._site = site
        self._tables: Tables = site.tables
        self._texts = site.texts
        self._page = page
        self._id = metric

    def listed(self, metric: Metric, lives: Sequence[Life], functions: Sequence[ComputeFunction]) -> list[Folded]:
        """Return the sections of a metric that have something to say."""
        t = self._texts.t
        found = [
            (t("How to read it"), self.reading(metric)),
            (t("What certain values mean"), self._values(metric)),
            (t("Exactly which number this is"), self._identity(metric)),
            (t("How it may be split and merged"), self._merging(metric, functions)),
            (t("What the guides say"), self.guides(lives)),
            (t("What changed"), self.changed(lives)),
            (t("Notes on releases"), self.notes(lives)),
            (t("Which rules judge it"), rules_list(self._site, self._page, self._id)),
            (t("References"), self._references(metric.references)),
        ]
        return [Folded(title, body) for title, body in found if body]

    def reading(self, metric: Metric) -> Markup:
        """Return how the curve of a metric is read."""
        texts = [paragraph(self._texts.say(metric.description))]
        if metric.crucial is not None:
            why = self._texts.say(sentence(metric.crucial.why))
            texts.append(paragraph(self._texts.t("Among the first to look at: {why}", why=why)))
        return Markup("").join(texts)

    def _values(self, metric: Metric) -> Markup:
        say, t = self._texts.say, self._texts.t
        items = []
        for one in metric.reads:
            value = f"{one.value:g}" if isinstance(one.value, int | float) else str(one.value)
            parts = [say(sentence(text.replace("{value}", value))) for text in (one.says, one.why) if text]
            if one.worry:
                parts.append(t("A bad sign if {what}", what=say(sentence(one.worry.replace("{value}", value)))))
            items.append(Markup("<b>{}</b>: {}").format(value, Markup(" ").join(parts)))
        return bullets(items)

    def _identity(self, metric: Metric) -> Markup:
        t, say = self._texts.t, self._texts.say
        identity = metric.identity
        rows: list[tuple[Markup, Markup]] = [(t("quantity"), say(_plain(identity.quantity)))]
        for name, value in (
            (t("of"), identity.of),
            (t("counted if"), identity.predicate),
            (t("estimator"), identity.estimator),
            (t("between"), " ‖ ".join(identity.distributions or ())),
            (t("policy"), identity.policy),
            (t("one value covers"), identity.extent),
            (t("statistic"), identity.statistic),
        ):
            if value:
                rows.append((name, say(_plain(value))))
        population = self._site.spec.signatures.populations.get(metric.population or "")
        if population is not None:
            rows.append((t("taken over"), say(sentence(population.brief))))
        if metric.rev > 1:
            rows.append((t("revision"), Markup(str(metric.rev))))
        return table(rows)

    def _merging(self, metric: Metric, functions: Sequence[ComputeFunction]) -> Markup:
        t = self._texts.t
        texts: list[Markup] = []
        if functions:
            what = {
                "token": t("anywhere"),
                "sequence": t("between responses"),
                "group": t("between groups"),
                "batch": t("between updates"),
            }
            texts.append(
                t(
                    "Data may be split {where}: states of parts merge exactly, means of unequal parts do not.",
                    where=what[functions[0].atom],
                )
            )
        if metric.aggregation:
            told = [f"{level.replace('_', '-')}: {operation}" for level, operation in metric.aggregation.items()]
            texts.append(t("Put together by {what}.", what="; ".join(told)))
        if metric.empty is not None:
            texts.append(
                t("Over nothing it is {value}.", value={"nan": "NaN", "omit": t("left out"), 0: "0"}[metric.empty])
            )
        if metric.nan == "skip":
            texts.append(t("NaN values are left out."))
        return Markup("").join(map(paragraph, texts))

    def guides(self, lives: Sequence[Life]) -> Markup:
        """Return what the frameworks' own guides say about keys, and what the code does instead."""
        t, say = self._texts.t, self._texts.say
        items: dict[Markup, None] = {}
        for life in lives:
            for says, contradicted, title, first, last in life.guides():
                text = say(sentence(says))
                if contradicted:
                    text = t("{says} In fact: {code}", says=text, code=say(sentence(contradicted)))
                span = first if first == last else f"{first} – {last}"
                items.setdefault(
                    t(
                        "{key}: {what} ({guide}, {releases})",
                        key=code(life.key),
                        what=text,
                        guide=title,
                        releases=span,
                    )
                )
        return self._capped([*items])

    def changed(self, lives: Sequence[Life]) -> Markup:
        """Return what became of a key in the foremost trainer of each framework."""
        found = []
        for framework in dict.fromkeys(life.framework for life in lives):
            mine = [life for life in lives if life.framework == framework]
            newest = max(life.pieces[-1].last for life in mine)
            life = next(item for item in mine if item.pieces[-1].last == newest)
            rows = self.changes_of(life)
            if rows:
                found.append(Markup("<p><b>{}</b> {}</p>{}").format(life.component, code(life.key), table(rows)))
        return Markup("").join(found)

    def changes_of(self, life: Life) -> list[tuple[Markup, Markup]]:
        """Return in which releases a key of a trainer changed, and how."""
        history = history_of(self._tables, life.framework, life.component)
        newest = self._tables.framework(life.framework).releases.names[life.pieces[-1].last]
        told = changes(history, self._tables, life.key, life.mode, newest)
        return [(Markup.escape(release), self._texts.say(text)) for release, text in (change_row(one) for one in told)]

    def settings(self, lives: Sequence[Life]) -> Markup:
        """Return what other values of single settings change about a key in the newest release of each trainer."""
        say = self._texts.say
        found: dict[Markup, list[str]] = {}
        for life in lives:
            rows = []
            for one in settings_that_change(life.view(), life.key, life.mode)[:_MOST_SETTINGS]:
                effects = Markup("; ").join(say(cause.text) for cause in one.effects)
                rows.append((Markup("<br>").join(map(code, one.labels[:3])), effects))
            if rows:
                release = self._tables.framework(life.framework).releases.names[life.pieces[-1].last]
                found.setdefault(table(rows), []).append(f"{life.component} {release}")
        told = Markup("")
        for rows_, who in found.items():
            shown = Markup("<p><b>{}</b></p>{}").format(", ".join(who), rows_)
            if len(told) + len(shown) > _MOST_TEXT and told:
                left = self._texts.t("More trainers: rlmetrics resolve KEY --at SOURCE")
                return told + paragraph(left)
            told += shown
        return told and paragraph(self._texts.t("Defaults stand in brackets.")) + told

    def cadence(self, life: Life) -> Markup:
        """Return how often a key gets a new value in the newest release of a trainer, and on which axis."""
        cadence = cadence_of(life.view(), life.pieces[-1].entry)
        if cadence is None:
            return Markup("")
        t, say = self._texts.t, self._texts.say
        rhythm, axis = cadence_text(cadence), axis_text(cadence, full=True)
        rows = [(t("cadence"), say(rhythm))] if rhythm else []
        rows += [(t("axis"), say(axis))] if axis else []
        release = self._tables.framework(life.framework).releases.names[life.pieces[-1].last]
        return Markup("<p><b>{} {}</b></p>{}").format(life.component, release, table(rows))

    def notes(self, lives: Sequence[Life]) -> Markup:
        """Return what else the spec notes of keys, each note once with its releases."""
        found: dict[str, dict[tuple[str, str], list[tuple[int, int]]]] = {}
        for life in lives:
            for piece in life.pieces:
                for note in piece.entry.notes:
                    places = found.setdefault(note, {})
                    places.setdefault((life.framework, life.component), []).append(piece[:2])
        items = []
        for note, where in sorted(found.items(), key=lambda item: " installed" in item[0]):
            (framework, component), pieces = next(iter(where.items()))
            names = self._tables.framework(framework).releases.names
            first, last = names[pieces[0][0]], names[pieces[-1][1]]
            more = f" + {len(where) - 1}" if len(where) > 1 else ""
            span = first if first == last else f"{first} – {last}"
            items.append(
                Markup('<span class="rlm-mute">{}{} {}:</span> {}').format(
                    component, more, span, self._texts.say(sentence(note))
                )
            )
        return self._capped(items)

    def _capped(self, items: Sequence[Markup]) -> Markup:
        """Return as many texts as a folded section has room for."""
        shown: list[Markup] = []
        for item in items:
            if len(shown) == _MOST or (shown and sum(map(len, shown)) + len(item) > _MOST_NOTES):
                break
            shown.append(item)
        left = len(items) - len(shown)
        if left:
            shown.append(self._texts.t("And {count} more: rlmetrics resolve KEY --at SOURCE --full", count=left))
        return bullets(shown)

    def _references(self, sources: Sequence[ClaimSource]) -> Markup:
        return bullets([self._source(one) for one in sources])

    def _source(self, source: ClaimSource) -> Markup:
        title = Markup.escape(source.title)
        if source.url:
            title = Markup('<a href="{}">{}</a>').format(source.url, source.title)
        place = "" if source.path is None else f" {source.path}{f':{source.line}' if source.line else ''}"
        return title + Markup.escape(f"{f' ({source.release})' if source.release else ''}{place}")


_HISTORIES: dict[tuple[int, str, str], History] = {}


def history_of(tables: Tables, framework: str, component: str) -> History:
    """Return a trainer through its releases; shared by all pages."""
    place = (id(tables), framework, component)
    if place not in _HISTORIES:
        _HISTORIES[place] = History(tables, framework, component)
    return _HISTORIES[place]


def _plain(value: str) -> str:
    return value.replace("_", " ")


def paragraph(text: Markup) -> Markup:
    """Return a text as a paragraph."""
    return Markup("<p>{}</p>").format(text)


def bullets(items: Sequence[Markup]) -> Markup:
    """Return texts as a list; nothing without any."""
    if not items:
        return Markup("")
    return Markup("<ul>{}</ul>").format(Markup("").join(Markup("<li>{}</li>").format(item) for item in items))


def table(rows: Sequence[tuple[Markup, Markup]]) -> Markup:
    """Return rows of two cells as a table; nothing without any."""
    if not rows:
        return Markup("")
    cells = (Markup("<tr><th>{}</th><td>{}</td></tr>").format(*row) for row in rows)
    return Markup("<table>{}</table>").format(Markup("").join(cells))
