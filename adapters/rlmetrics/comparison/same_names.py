"""What two runs log under one name and is another number: each with what it was until when, and what it is since."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from rlmetrics.health.curves import RunCurves
from rlmetrics.lazy_typing import NamedTuple
from rlmetrics.names import diff
from rlmetrics.names.mapping.programs import EVERY
from rlmetrics.names.tables.tables import Tables
from rlmetrics.names.tables.user_errors import NamesError
from rlmetrics.names.upgrades.causes import SharedCause
from rlmetrics.wording.cause_words import cause_words, taken_back_words
from rlmetrics.wording.metric_facts import quantity
from rlmetrics.wording.signature_words import source_words
from rlmetrics.wording.voice import phrase, spoken

__all__ = ["OtherNumber", "SameName", "framework_of", "same_names"]


OtherNumber = tuple[str, str, Sequence[str]]
"""A name, how much weighs what sets its two numbers apart, and what that is."""


class SameName(NamedTuple):
    """A name with two meanings.

    Attributes:
        key: The name.
        severity: How much weighs what sets the two apart.
        texts: What that is, a sentence each.
        metrics: What each run measures by it.
    """

    key: str
    severity: str
    texts: tuple[str, ...]
    metrics: tuple[str | None, str | None]


def framework_of(source: str) -> str:
    """Return the framework of a source."""
    return source.partition("==")[0].partition("[")[0]


def same_names(a: RunCurves, b: RunCurves, severities: Sequence[OtherNumber], tables: Tables) -> tuple[SameName, ...]:
    """Return the names that mean two things.

    Args:
        a: The first run.
        b: The second.
        severities: Names that both log, how much weighs what sets their numbers apart, and what that is.
        tables: The spec.
    """
    if not severities:
        return ()
    causes = _causes(a.at, b.at, [key for key, *_ in severities], tables)
    found = []
    for key, severity, differs in severities:
        metrics = a.meanings[key].metric, b.meanings[key].metric
        texts = causes.get(key) or _measured(a, b, key, tables) or [spoken(what) for what in differs]
        found.append(SameName(key, severity, tuple(texts), metrics))
    return tuple(found)


def _causes(a: str, b: str, keys: Sequence[str], tables: Tables) -> dict[str, list[str]]:
    """Return what the releases between two sources changed about keys; nothing for two frameworks or trainers."""
    framework = framework_of(a)
    if a.partition("==")[0] != b.partition("==")[0] or framework not in tables.frameworks:
        return {}
    releases = tables.framework(framework).releases
    first, last = a.partition("==")[2], b.partition("==")[2]
    if first not in releases or last not in releases or first == last:
        return {}
    old, new = (a, b) if releases.index(first) < releases.index(last) else (b, a)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = diff(old, new, keys=list(keys), spec=tables, program=EVERY)
    except NamesError:
        return {}
    told: dict[str, list[str]] = {}
    for cause in result.causes:
        for key in {*cause.keys, *cause.folded} if cause.applies is not False and cause.severity != "close" else ():
            told.setdefault(key, []).append(_since(cause, releases.names, tables))
    for item in result.taken_back:
        for key in {*item.keys, *item.folded} if item.applies is not False else ():
            if key in told:
                what = spoken(taken_back_words(item, tables))
                told[key].append(phrase("in between, {releases}: {what}", releases=item.releases, what=what))
    return told


def _since(cause: SharedCause, names: Sequence[str], tables: Tables) -> str:
    """Return what changed in a release, as what it was until the one before and what it is since then."""
    release = cause.release or ""
    if cause.kind == "metric" and cause.before and cause.after and release in names:
        until = names[max(0, names.index(release) - 1)]
        then, now = (spoken(quantity(str(metric), tables)) for metric in (cause.before, cause.after))
        text = phrase(
            "{before} until {until}, {after} since {release}", before=then, until=until, after=now, release=release
        )
    else:
        text = phrase("since {release}: {what}", release=release, what=spoken("; ".join(cause_words(cause, tables))))
    if cause.earlier:
        text = f"{text}; {phrase('also so in {releases}', releases=cause.earlier)}"
    return text


def _measured(a: RunCurves, b: RunCurves, key: str, tables: Tables) -> list[str]:
    """Return what each of two runs measures by a name; nothing where that is the same."""
    if a.meanings[key].metric == b.meanings[key].metric:
        return []
    told = []
    for run in (a, b):
        metric = run.meanings[key].metric
        if metric in tables.metrics:
            what = spoken(quantity(str(metric), tables))
            told.append(phrase("in {source}: {what}", source=source_words(run.at, tables), what=what))
    return told if len(told) == 2 else []
