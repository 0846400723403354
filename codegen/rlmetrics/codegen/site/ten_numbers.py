"""The page "The ten numbers of a step": what each is called elsewhere, which function computes it, what is healthy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from markupsafe import Markup

from rlmetrics.names import keys
from rlmetrics.wording.step_numbers import TEN_NUMBERS, TenNumber

from .elsewhere_names import ELSEWHERE
from .healthy import SICK, healthy_words
from .healthy_band import healthy_of
from .html import render
from .page import Page
from .page_links import key_page, link, metric_page
from .release_steps import components_of
from .texts import code

if TYPE_CHECKING:
    from .page import Asset
    from .site import Site

__all__ = ["TEN", "ten_numbers"]

TEN = "ten"
"""The address of the page."""


_SUITES = ("grpo", "ppo")


def ten_numbers(site: Site) -> Iterator[Page | Asset]:
    """Yield the page."""
    texts = site.texts
    columns = [
        column
        for framework in site.tables.frameworks
        for program in site.spec.frameworks[framework].framework.steps
        if (column := _column(site, framework, program))
    ]
    rows = [_row(site, number, columns) for number in TEN_NUMBERS if {*number.metrics} & {*site.tables.metrics}]
    body = render("ten.html.j2", TEN, texts, rows=rows, sources=[(one.title, one.version) for one in ELSEWHERE])
    title = texts.plain("The ten numbers of a PPO or GRPO step")
    described = texts.plain("What each is called elsewhere, which function computes it, and what is healthy.")
    yield Page(TEN, title, described, body)


def _column(
    site: Site, framework: str, program: Sequence[str]
) -> tuple[Markup, Mapping[str, Sequence[str]], str] | None:
    """Return what one program is called, and its keys by metric; None if the spec has none."""
    tables = site.tables
    components = components_of(tables, framework) if framework in tables.frameworks else {}
    if not {*program} <= {*components}:
        return None
    release = components[program[0]][-1]
    by_metric: dict[str, list[str]] = {}
    for component in program:
        for key in keys(f"{framework}[{component}]=={release}", spec=tables):
            if key.metric is not None and key.mode == "train" and key.key not in by_metric.get(key.metric, ()):
                by_metric.setdefault(key.metric, []).append(key.key)
    title = str(tables.head(framework)["title"])
    named = f"{title} {program[0]}" if len(program) == 1 else title
    return Markup("{} {}").format(named, release), by_metric, framework


def _row(
    site: Site, number: TenNumber, columns: Sequence[tuple[Markup, Mapping[str, Sequence[str]], str]]
) -> dict[str, object]:
    texts = site.texts
    metrics = [metric for metric in number.metrics if metric in site.tables.metrics]
    names: list[tuple[Markup, list[Markup]]] = []
    for title, by_metric, framework in columns:
        found = [
            Markup('<a href="{}"><code>{}</code></a> {}').format(
                link(TEN, key_page(framework, key)), key, _measures(metric)
            )
            for metric in metrics
            for key in by_metric.get(metric, ())
        ]
        if found:
            names.append((title, found))
    for one in ELSEWHERE:
        told = [
            Markup('<a href="{}">{}</a> {}').format(
                f"{one.address}{name.path or one.path}#L{name.line}",
                code(name.name),
                Markup("{} ({})").format(_measures(name.metric), texts.t(name.but))
                if name.but
                else _measures(name.metric),
            )
            for name in one.names
            if name.metric in metrics
        ]
        if told:
            names.append((Markup("{} {}").format(one.title, one.version), told))
    plain = [one for family in site.functions.values() for one in family if one.variant is None]
    functions = [one for metric in metrics for one in plain if one.metric_id == metric]
    suites = [
        site.spec.suites[name].name
        for name in _SUITES
        if name in site.spec.suites
        and {item.partition("@")[0] for item in site.spec.suites[name].metrics} & {one.metric_id for one in functions}
    ]
    healthy = []
    for metric in metrics:
        judged = healthy_of(site.tables, metric)
        if judged is not None:
            words = healthy_words(judged, site.tables, texts)
            healthy.append((metric, words, link(TEN, SICK, judged.first.rule.id)))
    return {
        "title": texts.t(number.title),
        "asks": texts.t(number.asks),
        "names": names,
        "metrics": [(metric, metric_page(metric)) for metric in metrics],
        "functions": [(one.name, metric_page(one.metric_id)) for one in functions],
        "suites": suites,
        "healthy": healthy,
    }


def _measures(metric: str) -> Markup:
    return Markup('<span class="rlm-mute">{}</span>').format(metric)
