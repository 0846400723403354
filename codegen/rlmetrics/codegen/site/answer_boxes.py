"""Answers that several kinds of pages give: what a key is called in another framework, what it is taken for."""

from __future__ import annotations

from collections.abc import Iterable

from markupsafe import Markup

from rlmetrics.answers.unlike import friends_of, look_alikes
from rlmetrics.names import resolve
from rlmetrics.names.tables.key_records import MapRow
from rlmetrics.names.tables.tables import Tables
from rlmetrics.wording.metric_facts import converted, sentence
from rlmetrics.wording.sides import sided, sides_of

from .lives import lives_of
from .meaning_letters import MeaningWords
from .page_links import key_page, link
from .severity_marks import severity_mark
from .site import Site

Box = dict[str, object]
"""What a template shows of an answer."""

__all__ = ["Box", "alike_boxes", "between_box", "key_link"]

_MOST_REASONS = 3
_MOST_RELATED = 3
_MOST_ALIKE = 6


def key_link(page: str, framework: str, key: str, template: str | None = None) -> Markup:
    """Return a key with a link from a page to its own, which is that of its template, where that is another."""
    return Markup('<a href="{}"><code>{}</code></a>').format(link(page, key_page(framework, template or key)), key)


def _template(key: str, framework: str, source: str, site: Site) -> str:
    """Return the key that has a page, where a row fills in some of its placeholders."""
    if (framework, key) in lives_of(site.tables).by_key:
        return key
    return resolve([key], source, spec=site.tables)[0].template or key


def between_box(found: tuple[str, str, MapRow], framework: str, other: str, page: str, site: Site) -> Box:
    """Return what a key is in another framework, as the command line's map says it.

    Args:
        found: The two sources, and the row of the map.
        framework: The framework of the key.
        other: The other one.
        page: The page on which it is told.
        site: What pages are made from.
    """
    source, target, row = found
    texts, tables = site.texts, site.tables
    t = texts.t
    sides = sides_of(source, target, tables)
    lines: list[Markup] = []
    if row.to is not None:
        weighing = [item for item in row.differs_by if item.grade != "minor" and item.applies is not False]
        lines += [texts.say(sentence(sided(item.what, sides))) for item in weighing[:_MOST_REASONS]]
        minor = len(row.differs_by) - len(weighing)
        if not weighing and minor:
            lines.append(t("Only smaller differences, or none under the defaults."))
        if row.transform is not None:
            lines.append(t("Its value is {what}.", what=converted(texts.plain("this one"), row.transform)))
    related = [
        t("{key}: {why}", key=key_link(page, other, item.to), why=texts.say(item.short or item.why))
        for item in row.related[:_MOST_RELATED]
    ]
    return {
        "severity": severity_mark(row.severity, texts),
        "name": row.severity,
        "from": key_link(page, framework, row.from_),
        "source": source,
        "target": target,
        "to": None if row.to is None else key_link(page, other, row.to, _template(row.to, other, target, site)),
        "title": tables.frameworks[other]["title"],
        "who": row.to_component if not tables.framework(other).programs else None,
        "lines": lines,
        "nothing": row.severity == "none" and not row.differs_by and _is_nowhere(row, target, other, tables),
        "note": None if row.note is None else texts.say(sentence(row.note)),
        "related": related,
    }


def _is_nowhere(row: MapRow, target: str, other: str, tables: Tables) -> bool:
    """Tell whether no program of the target's release logs anything of a kind: a map looks at one of them."""
    said = f"{target} logs nothing of this kind"
    newest = len(tables.framework(other).releases.names) - 1
    lives = lives_of(tables).by_metric.get(row.metric or "", ())
    somewhere = any(life.framework == other and life.pieces[-1].last == newest for life in lives)
    return row.note == said or (str(row.note).endswith(f" of {said}") and not somewhere)


def alike_boxes(site: Site, page: str, words: MeaningWords, metrics: Iterable[str]) -> list[Box]:
    """Return what metrics must not be taken for, and what that is called in the newest releases.

    Args:
        site: What pages are made from.
        page: The page on which it is told.
        words: The words of the page.
        metrics: The metrics.
    """
    texts, tables = site.texts, site.tables
    newest = {name: tables.framework(name).releases.names[-1] for name in tables.frameworks}
    found: list[Box] = []
    for friend, why in [item for metric in metrics for item in friends_of(metric, tables).items()]:
        called = [
            texts.t("{key} in {framework}", key=key_link(page, name, key), framework=tables.frameworks[name]["title"])
            for name, release in newest.items()
            for key in look_alikes(tables, name, release, friend)[:1]
        ]
        found.append({"metric": words.metric(friend), "why": texts.say(why), "called": Markup(", ").join(called)})
    return found[:_MOST_ALIKE]
