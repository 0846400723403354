"""The page of a metric: what it is, what is healthy, what each release calls it, what it must not be taken for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from rlmetrics.wording.metric_facts import range_words, sentence

from ..generate.functions import ComputeFunction
from ..model import Metric
from .answer_boxes import alike_boxes
from .compute_box import compute_box, plain_function, written_formula
from .details import Details
from .healthy import healthy_box, picture_figures
from .html import fitting, render
from .lives import Lives, lives_of
from .logged_metric import LoggedMetric
from .meaning_letters import MeaningWords, PageMeanings
from .page import Asset, Page
from .page_links import key_page, link, metric_page
from .site import Site
from .strip import RELEASES, SCRIPT, release_data
from .texts import Texts

__all__ = ["INDEX", "family_page", "make"]

INDEX = "m"
"""The page of all metrics."""


def make(site: Site) -> Iterator[Page | Asset]:
    """Yield the page of every metric, and their index."""
    lives = lives_of(site.tables)
    yield release_data(site.tables, site.texts)
    functions: dict[str, list[ComputeFunction]] = {}
    for found in site.functions.values():
        for function in found:
            functions.setdefault(function.metric_id, []).append(function)
    for metric_id, metric in site.spec.metrics.items():
        yield _Metric(site, lives, metric_id, metric, functions.get(metric_id, ())).page()
    yield from _index(site)


def family_page(family: str) -> str:
    """Return the page of a family of metrics."""
    return f"{INDEX}/{family}"


def _index(site: Site) -> Iterator[Page]:
    """Yield the page of all metrics by name, and one for each family that says what they are."""
    texts, families = site.texts, site.spec.families
    listed = [
        {
            "address": link(INDEX, family_page(name)),
            "title": texts.say(family.title),
            "name": name,
            "metrics": [(metric, link(INDEX, metric_page(metric))) for metric in family.metrics],
        }
        for name, family in families.items()
    ]
    title, count = texts.plain("Metrics"), len(site.spec.metrics)
    description = texts.plain("Every metric that the spec knows, by family.")
    yield Page(INDEX, title, description, render("metrics.html.j2", INDEX, texts, families=listed, count=count))
    lives = lives_of(site.tables)
    for name, family in families.items():
        path = family_page(name)
        rows = [
            (metric_id, link(path, metric_page(metric_id)), texts.say(metric.brief), _loggers(site, lives, metric_id))
            for metric_id, metric in family.metrics.items()
        ]
        about = texts.say(family.description)
        body = render("family.html.j2", path, texts, index=INDEX, title=texts.say(family.title), about=about, rows=rows)
        yield Page(path, texts.plain(family.title), texts.plain(sentence(family.description)), body)


def _loggers(site: Site, lives: Lives, metric: str) -> str:
    names = dict.fromkeys(life.framework for life in lives.by_metric.get(metric, ()))
    return ", ".join(str(site.tables.frameworks[name]["title"]) for name in names)


class _Metric:
    """Makes one page."""

    def __init__(
        self, site: Site, lives: Lives, metric_id: str, metric: Metric, functions: Sequence[ComputeFunction]
    ) -> None:
        self._site = site
        self._texts: Texts = site.texts
        self._id = metric_id
        self._metric = metric
        self._functions = functions
        self._path = metric_page(metric_id)
        self._words = MeaningWords(site.texts, site.tables, self._path, metric_id)
        self._logged = lives.by_metric.get(metric_id, [])
        self._parts = [LoggedMetric(site, lives, metric_id, name, self._path) for name in site.tables.frameworks]
        pieces = [item for part in self._parts for row in part.rows for item in row.items]
        self._meanings = PageMeanings(pieces, metric_id)

    def page(self) -> Page:
        texts, spec = self._texts, self._site.spec
        family = spec.family_of[self._id]
        brief = sentence(self._metric.brief)
        plain = plain_function(self._functions)
        pictures = picture_figures(self._site, self._id)
        values: dict[str, object] = {
            "id": self._id,
            "index": INDEX,
            "family": family_page(family),
            "family_title": texts.say(spec.families[family].title),
            "brief": texts.say(brief),
            "formula": None if plain is None or plain.compiled is None else written_formula(plain),
            "measured": None if self._metric.measured is None else texts.say(sentence(self._metric.measured)),
            "facts": self._facts(),
            "aliases": self._names(),
            "healthy": healthy_box(self._site, self._path, self._id),
            "pictures": pictures,
            "boxes": [part.box(self._words) for part in self._parts],
            "strips": [part.strip(self._others(part), self._meanings, self._words) for part in self._parts],
            "alike": alike_boxes(self._site, self._path, self._words, [self._id]),
            "compute": compute_box(self._functions, texts),
            "details": Details(self._site, self._path, self._id).listed(self._metric, self._logged, self._functions),
            "scripts": (RELEASES, SCRIPT),
        }
        body = fitting("metric.html.j2", self._path, texts, values)
        described = texts.plain(brief) if texts.language == "en" else str(texts.say(brief).striptags())
        return Page(self._path, self._id, described, body)

    def _others(self, part: LoggedMetric) -> Iterator[LoggedMetric]:
        return (other for other in self._parts if other is not part)

    def _facts(self) -> list[Markup]:
        t, metric = self._texts.t, self._metric
        words = range_words(self._id, self._site.tables)
        facts = [self._texts.say(words)] if words else []
        if metric.unit == "1":
            facts.insert(0, t("a pure number"))
        directions = {
            "higher": t("higher is better"),
            "lower": t("lower is better"),
            "target": t("close to a target is better"),
        }
        facts += [directions[metric.direction]] if metric.direction in directions else []
        identity = metric.identity
        facts += [t("estimator {name}", name=identity.estimator)] if identity.estimator else []
        return facts

    def _names(self) -> list[tuple[str, str | None]]:
        """Return what people call it: aliases, then keys with links to their pages."""
        found: dict[str, str | None] = dict.fromkeys(self._metric.aliases)
        for part in self._parts:
            for _, life, _ in part.own:
                if len(found) < 8:
                    found[life.key] = found.get(life.key) or link(self._path, key_page(life.framework, life.key))
        return list(found.items())
