"""What is healthy for a metric, for its page: in a box, and rule by rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from rlmetrics.names.tables.key_records import Evidence, Transform

from .healthy_band import Healthy, healthy_of
from .html import render
from .page_links import link
from .pictures.drawing import number
from .pictures.which import pictures_of
from .texts import later

if TYPE_CHECKING:
    from rlmetrics.names.tables.tables import Tables

    from .site import Site
    from .texts import Texts

__all__ = [
    "SICK",
    "Cited",
    "basis_words",
    "cite",
    "headline",
    "healthy_box",
    "healthy_words",
    "picture_figures",
    "rules_list",
    "sources_of",
]

SICK = "sick"
"""The page on which every rule stands with what it can mean."""

_BASES = {
    "observed": later("observed in runs"),
    "documented": later("documented"),
    "folklore": later("folklore, a rule of thumb"),
}
_WORDS = {
    "falls": later("rising, or level at the top"),
    "rises": later("level"),
    "level": later("rising"),
    "meets": later("apart from the others"),
    "constant": later("moving"),
    "swings": later("calmer with time"),
    "spikes": later("without jumps"),
    "non_finite": later("a finite number"),
    "beside": later("judged beside other curves"),
}


@dataclass(frozen=True)
class Cited:
    """Where a rule comes from.

    Attributes:
        title: What it is.
        address: Where it can be read; empty if nowhere.
    """

    title: str
    address: str


def healthy_box(site: Site, page: str, metric: str) -> dict[str, object]:
    """Return what is healthy, when a rule speaks and what it advises, and on what that rests: title, headline, lines.

    Args:
        site: What pages are made from.
        page: The address of the page that shows it.
        metric: The canonical name.
    """
    texts = site.texts
    healthy = healthy_of(site.tables, metric)
    if healthy is None:
        lines = [texts.t("Compare it with runs of the same setup.")]
        return {"title": texts.t("Healthy"), "big": texts.t("no rule judges it"), "lines": lines}
    rule = healthy.first.rule
    wrong = Markup('<a href="{}">{}</a>').format(link(page, SICK, rule.id), texts.say(rule.title))
    advice = texts.say(rule.advice)
    if rule.steps > 1:
        said = texts.t("{what}, for {count} steps: {advice}", what=wrong, count=rule.steps, advice=advice)
    else:
        said = texts.t("{what}: {advice}", what=wrong, advice=advice)
    basis = texts.t("Basis: {basis}.", basis=Markup("<b>{}</b>").format(basis_words(rule.basis, texts)))
    cited = Markup("; ").join(cite(source) for source in sources_of(site.tables, rule.id)[:1])
    return {
        "title": texts.t("Healthy"),
        "big": healthy_words(healthy, site.tables, texts),
        "lines": [said, Markup('<span class="rlm-mute">{} {}</span>').format(basis, cited)],
    }


def headline(site: Site, metric: str, axis: Transform | None) -> Markup | None:
    """Return what is healthy for a key in a few words; None where no rule judges its metric.

    Args:
        site: What pages are made from.
        metric: The canonical name.
        axis: What the key makes of it; None where that differs between releases, or nobody knows.
    """
    healthy = healthy_of(site.tables, metric)
    if healthy is None:
        return None
    words = healthy_words(healthy, site.tables, site.texts)
    if axis is not None and axis.is_plain:
        return words
    bounded = (healthy.low, healthy.high) != (None, None) and not healthy.relative
    if axis is None or not bounded:
        return site.texts.t("{what}, of the metric itself", what=words)
    low, high = axis.span(healthy.low, healthy.high)
    return _between({name: number(end) for name, end in (("low", low), ("high", high)) if end is not None}, site.texts)


def picture_figures(site: Site, metric: str) -> list[Markup]:
    """Return the pictures that explain a metric, each with what to see in it, the most telling first."""
    texts = site.texts
    return [
        Markup("{}<figcaption>{}</figcaption>").format(Markup(picture.svg), Markup(" ").join(picture.caption))
        for picture in pictures_of(site.tables, metric, texts.plain, texts.t)
    ]


def cite(source: Cited) -> Markup:
    """Return where something comes from, linked where it has an address."""
    if not source.address:
        return escape(source.title)
    return Markup('<a href="{}">{}</a>').format(source.address, source.title)


def rules_list(site: Site, page: str, metric: str) -> Markup:
    """Return all rules that judge a metric, each with its basis and a link to what it can mean; nothing without any."""
    healthy = healthy_of(site.tables, metric)
    if healthy is None:
        return Markup("")
    rules = {one.rule.id: one.rule for one in healthy.all}
    texts = site.texts
    rows = [
        (rule, basis_words(rule.basis, texts), [cite(source) for source in sources_of(site.tables, rule.id)])
        for rule in rules.values()
    ]
    return render("rules_of_metric.html.j2", page, texts, sick=SICK, rows=rows)


def healthy_words(healthy: Healthy, tables: Tables, texts: Texts) -> Markup:
    """Return what is healthy in a few words, such as ``below 0.1 nat``."""
    low, high, sign = healthy.low, healthy.high, healthy.first.sign
    if low is None and high is None:
        if sign.level == "info" and sign.kind not in ("falls", "level"):
            return texts.t("no fixed range")  # a remark alone does not say what is healthy
        if sign.kind == "sticks":
            return texts.t("not exactly {value} for long", value=number(sign.bound))
        return texts.t(_WORDS.get(sign.kind, _WORDS["beside"]))
    ends = {name: number(end) for name, end in (("low", low), ("high", high)) if end is not None}
    if healthy.relative:
        if low is not None and low > 1:
            return texts.t("less than {low} times as far below 0 as at its start", **ends)
        if high is None:
            return texts.t("above {low} × its start", **ends)
        if low is None:
            return texts.t("below {high} × its start", **ends)
        return texts.t("between {low} and {high} × its start", **ends)
    unit = str(tables.metrics[healthy.metric].get("unit", "1"))
    return _between({name: text if unit in ("1", "None") else f"{text} {unit}" for name, text in ends.items()}, texts)


def _between(ends: Mapping[str, str], texts: Texts) -> Markup:
    """Return between which ends, ``low`` and ``high``, values are healthy."""
    if "high" not in ends:
        return texts.t("above {low}", **ends)
    return texts.t("between {low} and {high}", **ends) if "low" in ends else texts.t("below {high}", **ends)


def basis_words(basis: str, texts: Texts) -> Markup:
    """Return what a bound rests on, in words."""
    return texts.t(_BASES[basis])


def sources_of(tables: Tables, rule: str) -> Sequence[Cited]:
    """Return where a rule comes from, with addresses."""
    row: Mapping[str, Any] = next((row for row in tables.health["JUDGED"] if row["id"] == rule), {})
    return [Cited(str(source["title"]), _address(tables, source)) for source in row.get("sources", ())]


def _address(tables: Tables, source: Mapping[str, Any]) -> str:
    if "path" not in source:
        return str(source.get("url", ""))
    having = [name for name in tables.frameworks if source["release"] in tables.framework(name).releases.names]
    if len(having) != 1:
        return ""
    place = Evidence(source["release"], source["path"], source.get("line", 1), "")
    return tables.framework(having[0]).address(place) or ""
