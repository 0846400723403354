"""The page of a logged key: which number it is in which trainer and release, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from rlmetrics.wording.metric_facts import quantity

from .answer_boxes import Box, alike_boxes, between_box, key_link
from .between import between_of
from .details import Details, Folded
from .healthy import headline, picture_figures
from .html import fitting, render
from .key_boxes import MOST_TOLD, absent_boxes, other_box, plot_box, which_box
from .key_facts import KeyFacts
from .lives import Life, LifePiece, lives_of
from .page import Page
from .page_links import key_page, link
from .severity_marks import severity_mark
from .site import Site
from .strip import RELEASES, SCRIPT, Strip

__all__ = ["index_page", "make", "page_of"]

_MOST_WHO = 3
_MOST_METRICS = 4
_MOST_ROWS = 9
_CROWDED = 30
"""Of a key that more trainers log, what is folded is told of the foremost one."""


def index_page(framework: str) -> str:
    """Return the page of all keys of a framework."""
    return f"k/{framework}"


def make(site: Site) -> Iterator[Page]:
    """Yield the page of every key, and an index for each framework."""
    lives = lives_of(site.tables)
    for (framework, key), own in lives.by_key.items():
        yield page_of(KeyFacts(site, framework, key, own))
    for framework in site.tables.frameworks:
        yield _index(site, framework, [(key, own) for (name, key), own in lives.by_key.items() if name == framework])


def _index(site: Site, framework: str, keys: Sequence[tuple[str, Sequence[Life]]]) -> Page:
    path, texts, tables = index_page(framework), site.texts, site.tables
    title = str(tables.frameworks[framework]["title"])
    groups: dict[str, list[tuple[str, str]]] = {}
    for key, own in sorted(keys, key=lambda item: (item[1][0].mode != "train", item[0].lower())):
        group = key.partition("/")[0] if "/" in key else texts.plain("without a prefix")
        group = texts.plain("in evaluation") if own[0].mode == "eval" else group
        groups.setdefault(group, []).append((key, link(path, key_page(framework, key))))
    heading = texts.plain("Keys of {framework}", framework=title)
    description = texts.plain("Every key that a release of {framework} logs.", framework=title)
    listed = [(f"g{at}", group, rows) for at, (group, rows) in enumerate(groups.items())]
    body = render("keys.html.j2", path, texts, heading=heading, groups=listed, count=len(keys))
    return Page(path, heading, description, body)


def page_of(facts: KeyFacts) -> Page:
    """Return the page of a key."""
    texts = facts.texts
    title = texts.plain("{key} in {framework}", key=facts.key, framework=facts.title)
    details = Details(facts.site, facts.path, facts.principal or "")
    strip = Strip(facts.table, facts.tables, facts.rows, facts.meanings, facts.words, texts)
    others = [name for name in facts.tables.frameworks if name != facts.framework]
    counterparts = [box for name in others for box in _between(facts, name)]
    between = [box for box in counterparts if not box["nothing"]]
    nowhere = [Markup.escape(str(box["title"])) for box in counterparts if box["nothing"]]
    most = MOST_TOLD if len(facts.rows) > _CROWDED else _MOST_ROWS
    values: dict[str, object] = {
        "key": facts.key,
        "framework": facts.framework,
        "title": facts.title,
        "index": index_page(facts.framework),
        "lead": _lead(facts),
        "shown": facts.foremost.shown(),
        "pictures": [] if facts.principal is None else picture_figures(facts.site, facts.principal)[:1],
        "boxes": [
            which_box(facts),
            plot_box(facts),
            *(other_box(box, texts) for box in between),
            *absent_boxes(nowhere, texts),
        ],
        "strip": strip.html(facts.path),
        "table": list(_table_rows(facts))[:most],
        "more_rows": len(facts.grouped) - most,
        "metrics": [_metric(facts, metric) for metric in facts.metrics[:_MOST_METRICS]],
        "more_metrics": len(facts.metrics) - _MOST_METRICS,
        "between": between,
        "nowhere": texts.listed(nowhere),
        "several": len(nowhere) > 1,
        "nothing": severity_mark("none", texts),
        "alike": alike_boxes(facts.site, facts.path, facts.words, facts.metrics[:2]),
        "details": _details(facts, details),
        "scripts": (RELEASES, SCRIPT),
    }
    return Page(facts.path, title, _described(facts), fitting("key.html.j2", facts.path, texts, values))


def _described(facts: KeyFacts) -> str:
    metric = facts.principal
    what = quantity(metric, facts.tables) if metric is not None else facts.key
    return facts.texts.plain(
        "What {key} means in each trainer and release of {framework}: {what}.",
        key=facts.key,
        framework=facts.title,
        what=what,
    )


def _lead(facts: KeyFacts) -> list[Markup]:
    t = facts.texts.t
    lines = []
    if facts.principal is not None and (len(facts.metrics) == 1 or facts.meanings.metric is not None):
        lines.append(facts.brief(facts.principal))
    elif facts.metrics:
        lines.append(
            t(
                "The name alone does not say what it is: {count} metrics are logged under it.",
                count=len(facts.metrics),
            )
        )
    else:
        lines.append(t("What it measures depends on the configuration."))
    if facts.lives[0].mode == "eval":
        lines.append(t("Logged in evaluation."))
    lines += _renamed(facts)
    count = len(facts.grouped)
    if count > 1 and (facts.meanings.metric is not None or len(facts.metrics) < count):
        lines.append(t("One name, {count} meanings.", count=count))
    return lines


def _renamed(facts: KeyFacts) -> list[Markup]:
    """Return how it is called today, and in which trainers alone where others go on with this name."""
    index, t = facts.table.releases.index, facts.texts.t
    renamed = {life.component: found for life in facts.lives if (found := life.renamed()) is not None}
    if len({name for _, name in renamed.values()}) != 1:
        return []
    release, name = min(renamed.values(), key=lambda one: index(one[0]))
    told = {"framework": facts.title, "release": release, "key": key_link(facts.path, facts.framework, name)}
    if not any(life.pieces[-1].last >= index(release) for life in facts.lives if life.component not in renamed):
        return [t("Since {framework} {release} it is called {key}.", **told)]
    who = ", ".join(list(renamed)[:MOST_TOLD])
    if len(renamed) > MOST_TOLD:
        who = facts.texts.plain("{name} and {count} more", name=who, count=len(renamed) - MOST_TOLD)
    return [t("In {trainers} it is called {key} since {framework} {release}.", trainers=who, **told)]


def _between(facts: KeyFacts, other: str) -> Iterator[Box]:
    row = between_of(facts.tables).row(facts.foremost, other)
    if row is not None:
        yield between_box(row, facts.framework, other, facts.path, facts.site)


def _table_rows(facts: KeyFacts) -> Iterator[dict[str, object]]:
    for letter, piece, rows in facts.grouped:
        who = [(", ".join(row.names), facts.spans_of(row, letter)) for row in rows[:_MOST_WHO]]
        yield {
            "letter": letter,
            "who": who,
            "more": len(rows) - len(who),
            "severity": severity_mark(piece.severity, facts.texts),
            "words": facts.words.of(piece),
            "todo": _todo(facts, piece),
        }


def _todo(facts: KeyFacts, piece: LifePiece) -> Markup:
    t, say = facts.texts.t, facts.texts.say
    if facts.meanings.metric is not None and piece.entry.metric not in (facts.meanings.metric, None):
        return t("Treat it as another metric.")
    repairs = list(dict.fromkeys(reason.correction for reason in piece.weighing if reason.correction))
    if repairs:
        return t("To repair it: {how}.", how=Markup("; ").join(say(text) for text in repairs[:2]))
    vanish = [reason.vanishes for reason in piece.weighing]
    if vanish and all(vanish):
        return t("Nothing, if {what}.", what=Markup("; ").join(say(str(text)) for text in dict.fromkeys(vanish)))
    if piece.weighing:
        return t("Compare it only with runs of the same letter.")
    return t("Nothing.")


def _metric(facts: KeyFacts, metric: str) -> Box:
    return {
        "name": facts.words.metric(metric),
        "brief": facts.brief(metric),
        "healthy": headline(facts.site, metric, facts.axis_of(metric)),
    }


def _details(facts: KeyFacts, details: Details) -> list[Folded]:
    t = facts.texts.t
    found = []
    if facts.principal is not None:
        reading = details.reading(facts.site.spec.metrics[facts.principal])
        found.append((t("How to read it"), facts.of_metric(facts.principal, reading)))
    found += [
        (
            t("Settings that change it"),
            details.settings(facts.lives[:1] if len(facts.rows) > _CROWDED else facts.lives),
        ),
        (t("How often it is logged"), details.cadence(facts.foremost)),
        (t("What the guides say"), details.guides(facts.lives)),
        (t("What changed"), details.changed([facts.foremost])),
        (t("Notes on releases"), details.notes(facts.lives)),
    ]
    return [Folded(title, body) for title, body in found if body]
