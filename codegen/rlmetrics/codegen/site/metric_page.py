"""The page of a metric: what it is, what is healthy, what each release calls it, what it must not be taken for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from markupsafe import Markup

from rlmetrics.answers.unlike import friends_of, spelled
from rlmetrics.wording.metric_facts import range_words, sentence

from ..generate.functions import ComputeFunction
from ..model import Metric, Parameter
from .answer_boxes import Box, between_box, key_link
from .between import between_of
from .details import Details
from .example import example_of
from .healthy import healthy_box, picture_figures, sketch_figure
from .html import fitting, render
from .lives import Life, LifePiece, Lives, lives_of
from .meaning_letters import MeaningWords, PageMeanings
from .page import Asset, Page
from .page_links import key_page, link, metric_page
from .severity_marks import severity_mark
from .site import Site
from .strip import RELEASES, SCRIPT, Strip, release_data
from .strip_rows import TrainerRow, rows_of_metric, spans
from .texts import Texts

__all__ = ["INDEX", "family_page", "make"]

INDEX = "m"
"""The page of all metrics."""

_MOST_OTHERS = 4
"""So many trainers that log something else under the same key are shown in the strip; more are counted."""
_MOST_ALIKE = 6
_MOST_MATH = 2500
"""So much MathML shows variants; longer ones stand as the spec writes them."""


class _Spelled(NamedTuple):
    """What one framework's newest name of a metric is."""

    life: Life
    piece: LifePiece
    row: TrainerRow
    others: int


def make(site: Site) -> Iterator[Page | Asset]:
    """Yield the page of every metric, and their index."""
    lives = lives_of(site.tables)
    yield release_data(site.tables)
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
        self._tables = site.tables
        self._texts: Texts = site.texts
        self._id = metric_id
        self._metric = metric
        self._functions = functions
        self._path = metric_page(metric_id)
        self._words = MeaningWords(site.texts, site.tables, self._path, metric_id)
        self._lives = lives
        self._logged = lives.by_metric.get(metric_id, [])
        self._rows = {name: self._rows_of(name) for name in site.tables.frameworks}
        pieces = [item for rows in self._rows.values() for row in rows for item in row.items]
        self._meanings = PageMeanings(pieces, metric_id)

    def page(self) -> Page:
        texts, spec = self._texts, self._site.spec
        family = spec.family_of[self._id]
        brief = sentence(self._metric.brief)
        plain = next((function for function in self._functions if function.variant is None), None)
        pictures = picture_figures(self._site, self._id)
        values: dict[str, object] = {
            "id": self._id,
            "index": INDEX,
            "family": family_page(family),
            "family_title": texts.say(spec.families[family].title),
            "brief": texts.say(brief),
            "formula": None if plain is None or plain.compiled is None else _math(plain),
            "measured": None if self._metric.measured is None else texts.say(sentence(self._metric.measured)),
            "facts": self._facts(),
            "aliases": self._names(),
            "figure": sketch_figure(self._site, self._id),
            "healthy": healthy_box(self._site, self._path, self._id),
            "pictures": pictures,
            "boxes": [self._box(name) for name in self._tables.frameworks],
            "strips": [self._strip(name) for name in self._tables.frameworks],
            "alike": self._alike(),
            "compute": self._compute(plain),
            "details": Details(self._site, self._path, self._id).listed(self._metric, self._logged, self._functions),
            "scripts": (RELEASES, SCRIPT),
        }
        body = fitting("metric.html.j2", self._path, texts, values)
        described = texts.plain(brief) if texts.language == "en" else str(texts.say(brief).striptags())
        return Page(self._path, self._id, described, body)

    def _rows_of(self, framework: str) -> list[TrainerRow]:
        lives = [life for life in self._logged if life.framework == framework]
        training = {life.component for life in lives if life.mode == "train"}
        shown = [life for life in lives if life.mode == "train" or life.component not in training]
        if not shown:
            return []
        keys = {(life.key, life.mode) for life in shown}
        own = {(life.component, life.key, life.mode) for life in shown}
        others = [
            life
            for key in dict.fromkeys(life.key for life in shown)
            for life in self._lives.by_key[framework, key]
            if (life.key, life.mode) in keys and (life.component, life.key, life.mode) not in own
        ]
        components = {life.component for life in shown}
        strangers = {life.component for life in others} - components
        if len(strangers) > _MOST_OTHERS:
            others = [life for life in others if life.component in components]
        return rows_of_metric(shown, self._id, others)

    # First screen

    def _facts(self) -> list[Markup]:
        t, metric = self._texts.t, self._metric
        words = range_words(self._id, self._tables)
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
        for rows in self._rows.values():
            for row in rows:
                for life, piece in row.items:
                    if piece.entry.metric == self._id and len(found) < 8:
                        found[life.key] = found.get(life.key) or link(self._path, key_page(life.framework, life.key))
        return list(found.items())

    def _spelled(self, framework: str) -> _Spelled | None:
        """Return the newest name of the foremost trainer that still logs it, or of the last one that did."""
        found = [
            (row, life, piece)
            for row in self._rows[framework]
            for life, piece in row.items
            if piece.entry.metric == self._id
        ]
        if not found:
            return None
        newest = max(piece.last for _, _, piece in found)
        row, life, piece = next(item for item in found if item[2].last == newest)
        names = {name for other, _, _ in found for name in other.names}
        return _Spelled(life, piece, row, len(names) - len(row.names))

    def _box(self, framework: str) -> Box:
        t, texts = self._texts.t, self._texts
        title = str(self._tables.frameworks[framework]["title"])
        spelled_ = self._spelled(framework)
        if spelled_ is None:
            return {
                "title": t("In {framework}", framework=title),
                "big": t("not logged"),
                "lines": self._nearest(framework),
            }
        life, piece, row, others = spelled_
        table = self._tables.framework(framework)
        same = [item for other, item in row.items if other is life and item.entry.metric == self._id]
        who = ", ".join(row.names[:2]) + (" …" if len(row.names) > 2 else "")
        told = t("{who} {releases}", who=who, releases=spans([item[:2] for item in same], table))
        if others:
            told += t(", and {count} more trainers", count=others) if others > 1 else t(", and 1 more trainer")
        how = self._words.exactly(piece)
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
        return {"title": t("In {framework}", framework=title), "big": self._key(life), "lines": lines}

    def _key(self, life: Life) -> Markup:
        return key_link(self._path, life.framework, life.key)

    def _nearest(self, framework: str) -> list[Markup]:
        """Return which key comes nearest in a framework that does not log it, and why it is none."""
        t, texts = self._texts.t, self._texts
        newest = self._tables.framework(framework).releases.names[-1]
        for friend, why in friends_of(self._id, self._tables).items():
            keys = spelled(self._tables, framework, newest, friend, "train")
            if keys:
                key = key_link(self._path, framework, keys[0])
                return [
                    t("Nearest: {key}, another metric.", key=key),
                    Markup("{} {}").format(severity_mark("look-alike", texts), texts.say(why)),
                ]
        return []

    # Below

    def _strip(self, framework: str) -> Box:
        title = str(self._tables.frameworks[framework]["title"])
        rows = self._rows[framework]
        if not rows:
            return {"title": title, "framework": framework, "html": None, "between": [*self._between(framework)]}
        strip = Strip(self._tables.framework(framework), self._tables, rows, self._meanings, self._words, self._texts)
        return {
            "title": title,
            "framework": framework,
            "html": strip.html(self._path),
            "evaluation": self._evaluation(framework),
            "more": self._more(framework),
            "between": [*self._between(framework)],
        }

    def _evaluation(self, framework: str) -> list[Markup]:
        shown = {id(life) for row in self._rows[framework] for life, _ in row.items}
        rest = [life for life in self._logged if life.framework == framework and id(life) not in shown]
        return [self._key(life) for life in {life.key: life for life in rest}.values()]

    def _more(self, framework: str) -> list[Markup]:
        """Return the keys under which trainers that are not shown log another metric."""
        shown = {life.component for row in self._rows[framework] for life, _ in row.items}
        keys = {
            life.key: life
            for row in self._rows[framework]
            for life, piece in row.items
            if piece.entry.metric == self._id
        }
        found = []
        for key, life in keys.items():
            if any(other.component not in shown for other in self._lives.by_key[framework, key]):
                found.append(self._key(life))
        return found

    def _between(self, framework: str) -> Iterator[Box]:
        """Yield what the newest names of the other frameworks are in this one."""
        for other in self._tables.frameworks:
            spelled_ = None if other == framework else self._spelled(other)
            row = None if spelled_ is None else between_of(self._tables).row(spelled_.life, framework)
            if row is not None:
                yield between_box(row, other, framework, self._path, self._site)

    def _alike(self) -> list[Box]:
        found: list[Box] = []
        for friend, why in friends_of(self._id, self._tables).items():
            keys = [
                (name, key)
                for name in self._tables.frameworks
                for key in spelled(
                    self._tables, name, self._tables.framework(name).releases.names[-1], friend, "train"
                )[:1]
            ]
            called = [
                self._texts.t(
                    "{key} in {framework}",
                    key=key_link(self._path, name, key),
                    framework=self._tables.frameworks[name]["title"],
                )
                for name, key in keys
            ]
            found.append(
                {"metric": self._words.metric(friend), "why": self._texts.say(why), "called": Markup(", ").join(called)}
            )
        return found[:_MOST_ALIKE]

    def _compute(self, plain: ComputeFunction | None) -> Box | None:
        function = plain or next(iter(self._functions), None)
        if function is None:
            return None
        variants = [one for one in self._functions if one is not function]
        long = sum(len(_math(one)) for one in variants if one.compiled) > _MOST_MATH
        return {
            "code": example_of(function),
            "inputs": [(name, self._texts.say(word.brief)) for name, word in function.inputs.items()],
            "parameters": [(_parameter(*one), self._texts.say(one[1].brief)) for one in function.parameters.items()],
            "variants": [self._variant(one, in_words=long) for one in variants],
        }

    def _variant(self, function: ComputeFunction, *, in_words: bool) -> Box:
        parameters = [_parameter(*one) for one in function.parameters.items()]
        formula = Markup("")
        if function.compiled is not None:
            text = Markup("<code>{}</code>").format(function.formula)
            formula = text if in_words else _math(function)
        return {
            "call": f"{function.name}({', '.join([*function.inputs, *(['*', *parameters] if parameters else [])])})",
            "brief": self._texts.say(sentence(function.brief)),
            "formula": formula,
        }


def _parameter(name: str, parameter: Parameter) -> str:
    return name if parameter.default is None else f"{name}={parameter.default!r}"


def _math(function: ComputeFunction) -> Markup:
    assert function.compiled is not None
    return Markup(function.compiled.mathml.replace(' xmlns="http://www.w3.org/1998/Math/MathML"', ""))
