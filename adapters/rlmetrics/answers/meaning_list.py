"""What a key means where no source is named: its meanings, a line each, and what else may be meant."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from rlmetrics.names.lookup.foreign_names import brought
from rlmetrics.names.meanings.key_index import ALIAS, GROUP, KEY, SEGMENT, SHOWN, Catalogue, Logged, Lookup
from rlmetrics.names.sources.surfaces import LOGGED
from rlmetrics.names.tables.tables import Tables
from rlmetrics.names.tables.undescribed import Nearest, Recognised, told_by
from rlmetrics.wording.metric_facts import quantity
from rlmetrics.wording.signature_words import listed, quantity_words, ranges_words
from rlmetrics.wording.terminal import columns, one_line, table, wrapped

__all__ = ["Meaning", "brought_lines", "meaning_lines", "meaning_table", "meanings", "near_lines", "undescribed_lines"]

MOST = 10
"""Lines of a list that are shown without being asked for."""
MOST_OTHERS = 5
"""Further keys with the same ending that are shown beside a key's own meanings."""

_FACETS = {
    "quantity": "what is measured",
    "of": "what it is a number of",
    "distributions": "which policies are compared",
    "policy": "whose policy it is",
    "estimator": "the estimator",
    "extent": "whether one value covers a token or more",
    "statistic": "the statistic",
}
"""Facets of a metric, as what two meanings of a key may differ in."""
_MOST_FACETS = 4
_WIDEST_NAMES = 26


class Meaning(NamedTuple):
    """One meaning of a key.

    Attributes:
        metric: Canonical name; None where only a configuration says.
        found: Who logs it so, the components that the spec puts first at the front.
    """

    metric: str | None
    found: tuple[Logged, ...]


def meanings(lookups: Iterable[Logged], *, apart: bool = False) -> list[Meaning]:
    """Return what was found by what it means; ``apart`` keeps different keys apart."""
    groups: dict[tuple[str | None, str], list[Logged]] = {}
    for item in lookups:
        groups.setdefault((item.metric, item.key if apart else ""), []).append(item)
    return [Meaning(metric, tuple(items)) for (metric, _), items in groups.items()]


def meaning_lines(key: str, lookup: Lookup, catalogue: Catalogue, tables: Tables, *, full: bool = False) -> list[str]:
    """Return the meanings of a key, a line each, for whoever asked without a source.

    Args:
        key: As asked for.
        lookup: What was found; something.
        catalogue: The spec's keys.
        tables: The spec.
        full: Whether lists are shown whole.
    """
    groups = meanings(lookup.found)
    if lookup.way in (ALIAS, SEGMENT, GROUP):
        return [*_under_other_names(key, lookup, tables, full=full), "", *_next(lookup.found[0])]
    lines = [*wrapped(*_head(key, lookup, groups, tables)), ""]
    lines += meaning_table(groups, tables, full=full)
    if len(groups) > 1:
        lines += ["", *wrapped(_apart(groups, tables))]
    lines += _others(key, lookup, catalogue, tables, full=full)
    return [*lines, "", *_next(lookup.found[0], key)]


def near_lines(key: str, near: Sequence[str], catalogue: Catalogue, tables: Tables) -> list[str]:
    """Return what the keys nearest to an unknown one mean."""
    if not near:
        row = next((name for name, item in tables.metrics.items() if key in (name, *item.get("aliases", ()))), None)
        if row is not None:
            text = f"No described release logs `{key}`, a name of {row}: {quantity_words(row, tables)}."
            return [*wrapped(text), "", f"Next: rlmetrics show {row}"]
        hint = "rlmetrics keys --at SOURCE lists what a release logs."
        return wrapped(f"No described release logs `{key}`, and no key is spelled like it. {hint}")
    lines = [
        *wrapped(f"No described release logs `{key}`. Did you mean {listed([f'`{item}`' for item in near], 'or')}?")
    ]
    logged = [item for name in near for item in catalogue.called(name)]
    return [*lines, "", *_keyed(logged, tables, full=False), "", *_next(logged[0])]


def brought_lines(key: str, tables: Tables, catalogue: Catalogue) -> list[str]:
    """Return what a name is in other libraries, and which keys come nearest to it."""
    lines: list[str] = []
    for found in told_by(key, tables):
        lines += wrapped(f"`{key}` looks like {found.name}, which is not described.")
        lines += [line for near in found.nearest for line in _near_lines(near, tables, catalogue)]
    names = [] if lines else brought(key, tables)
    for item in names:
        lines += wrapped(f"{item.library} calls `{item.name}` {item.says}")
        lines += _nearest(item.metric, tables, catalogue)
    return lines


def undescribed_lines(
    found: Recognised, keys: Sequence[str], tables: Tables, catalogue: Catalogue, *, full: bool = False
) -> list[str]:
    """Return what is nearest to the keys of a log of an undescribed framework."""
    lines = wrapped(f"This looks like {found.name}, which is not described: nothing is said of it by another's names.")
    near = found.nearest if full else found.nearest[:MOST]
    for item in near:
        lines += ["", item.key, *_near_lines(item, tables, catalogue)]
    without = [key for key in keys if key not in {item.key for item in found.nearest}]
    left = len(found.nearest) - len(near)
    lines += ["", *wrapped(f"Nothing is known to be near to {listed(without)}.")] if without else []
    return [*lines, f"{left} more: --full"] if left else lines


def _near_lines(near: Nearest, tables: Tables, catalogue: Catalogue) -> list[str]:
    said = wrapped(f"There it is {near.note}") if near.note else []
    return [*said, *_nearest(near.metric, tables, catalogue)]


def _nearest(metric: str, tables: Tables, catalogue: Catalogue) -> list[str]:
    """Return a metric that comes nearest, and who logs it under which key."""
    keys = [f"`{name}` ({who})" for who, name in _logging(metric, tables, catalogue)]
    nearest = listed(keys) if keys else "no described release logs it"
    return wrapped(f"nearest: {metric}, {nearest}", indent=2, hanging=4)


def _logging(metric: str, tables: Tables, catalogue: Catalogue) -> list[tuple[str, str]]:
    """Return who logs a metric under which key, one of each framework."""
    found: dict[str, tuple[str, str]] = {}
    for name in catalogue.keys:
        for item in catalogue.called(name) if metric in tables.meant_by(name) else ():
            if item.metric == metric and item.mode == "train":
                title = str(tables.frameworks[item.framework]["title"])
                who = f"{title} {item.component}" if item.is_class else title
                found.setdefault(item.framework, (who, item.key))
    return list(found.values())


def _head(key: str, lookup: Lookup, groups: Sequence[Meaning], tables: Tables) -> tuple[str, str]:
    """Return what is said first, and what may follow it where that leaves room."""
    first = lookup.found[0]
    said = f"`{key}`"
    if lookup.way == SHOWN:
        said += f" is how {_tracker(first.surface, tables)} shows `{first.key}`. It"
    elif lookup.way != KEY:
        said += f" is a `{first.key}`. It"
    titles = [str(tables.frameworks[name]["title"]) for name in dict.fromkeys(item.framework for item in lookup.found)]
    if len(groups) == 1:
        return f"{said} has one meaning, in {listed(titles)}.", ""
    who = {(item.framework, item.component) for item in lookup.found}
    what = "trainer" if len(who) > 1 and "trl" in {name for name, _ in who} else "release"
    what = "framework" if len(titles) > 1 else what
    where = f"{'both' if len(groups) == 2 else 'all'} in {titles[0]}" if len(titles) == 1 else f"in {listed(titles)}"
    return f"{said} has {len(groups)} meanings, {where}. Which {what} wrote your log?", " (--at picks one)"


def _tracker(surface: str, tables: Tables) -> str:
    return "the code" if surface == LOGGED else str(tables.trackers[surface].get("title", surface))


def _words(metric: str | None, tables: Tables) -> str:
    return "depends on the configuration" if metric is None else quantity_words(metric, tables)


def meaning_table(groups: Sequence[Meaning], tables: Tables, *, full: bool = False, dated: bool = True) -> list[str]:
    """Return a line for each meaning: the metric in words, who logs it, and in which releases."""
    shown = list(islice(groups, None if full or len(groups) <= MOST + 1 else MOST))
    several = len({item.framework for group in groups for item in group.found}) > 1
    rows = [
        (
            _words(group.metric, tables),
            (_words if full else _short)(group.metric, tables),
            _who(group.found, tables, titled=several, full=full),
            _releases(group.found, tables) if dated else "",
        )
        for group in shown
    ]
    lines = table(rows, widest=_WIDEST_NAMES)
    left = len(groups) - len(shown)
    return [*lines, f"  {left} more meanings: --full"] if left else lines


def _short(metric: str | None, tables: Tables) -> str:
    """Return a metric in words, of a brief its first clause: what follows says more about it."""
    text = _words(metric, tables)
    if metric is None or text != str(tables.metrics[metric]["brief"]).rstrip("."):
        return text
    head = re.split(r"[,:] ", text, maxsplit=1)[0]
    return head if " " in head else text


def _keyed(logged: Sequence[Logged], tables: Tables, *, full: bool, most: int = MOST) -> list[str]:
    """Return a line for each key: its first meaning, who logs it and in which releases."""
    by_key: dict[str, list[Logged]] = {}
    for item in logged:
        by_key.setdefault(item.key, []).append(item)
    several = len({item.metric for item in logged}) > 1
    rows: list[tuple[str, str]] = []
    for key, items in by_key.items():
        groups = meanings(items)
        more = (
            f" (and {len(groups) - 1} more {'meanings' if len(groups) > 2 else 'meaning'})" if len(groups) > 1 else ""
        )
        words = f"{_short(groups[0].metric, tables)}{more}; " if several else ""
        who = _who(items, tables, titled=True, full=full)
        rows.append((key, f"{words}{who} {_releases(items, tables)}"))
    shown = rows if full or len(rows) <= most + 1 else rows[:most]
    lines = columns(shown)
    left = len(rows) - len(shown)
    return [*lines, f"  {left} more: --full"] if left else lines


def _who(logged: Sequence[Logged], tables: Tables, *, titled: bool, full: bool) -> str:
    """Return who logs something: the first trainer of each framework, and how many more."""
    by_framework: dict[str, dict[str, None]] = {}
    for item in logged:
        name = "" if item.program is not None else item.component
        by_framework.setdefault(item.framework, {}).setdefault(name)
    parts = []
    for framework, known in by_framework.items():
        names = [name for name in known if name]
        title = str(tables.frameworks[framework]["title"])
        text = listed(names) if full or len(names) < 2 else f"{names[0]} and {len(names) - 1} more"
        parts.append(" ".join(part for part in (title if titled or not names else "", text) if part))
    return ", ".join(parts)


def _releases(logged: Sequence[Logged], tables: Tables) -> str:
    texts: dict[str, None] = {}
    for framework in dict.fromkeys(item.framework for item in logged):
        names = tables.framework(framework).releases.names
        meant = {release for item in logged if item.framework == framework for release in item.releases}
        texts[ranges_words(meant, names)] = None
    return "; ".join(texts)


def _apart(groups: Sequence[Meaning], tables: Tables) -> str:
    """Return in what the meanings of a key differ, as far as their facets tell."""
    rows = [tables.metrics[group.metric] for group in groups if group.metric is not None]
    identities: list[Mapping[str, object]] = [row.get("identity", {}) for row in rows]
    usual = {"extent": "token", "statistic": "mean"}
    differ = [
        words
        for facet, words in _FACETS.items()
        if len({str(identity.get(facet, usual.get(facet))) for identity in identities}) > 1
    ]
    told = (
        f": they differ in {listed(differ)}" if 0 < len(differ) <= _MOST_FACETS else ": they are different quantities"
    )
    bounded = [
        group for group in groups if group.metric and (tables.metrics[group.metric].get("range") or [None])[0] == 0
    ]
    never = list(dict.fromkeys(group.found[0].component for group in bounded))
    signs = f" Never negative: {listed(never)}." if 0 < len(bounded) < len(groups) <= MOST else ""
    return f"Do not plot these together{told}.{signs}"


def _others(key: str, lookup: Lookup, catalogue: Catalogue, tables: Tables, *, full: bool) -> list[str]:
    """Return other keys with the same ending, and what a framework logs instead that has no such key."""
    lines: list[str] = []
    bare = lookup.found[0].key
    logged = catalogue.ending(bare) if lookup.way in (KEY, SHOWN) and "/" not in bare else []
    if logged:
        lines += ["", f"Other keys that end in /{bare}:", *_keyed(logged, tables, full=full, most=MOST_OTHERS)]
    with_key = {item.framework for item in lookup.found}
    metric = lookup.found[0].metric
    for name in tables.frameworks if metric is not None and lookup.way in (KEY, SHOWN) else ():
        if name in with_key or metric is None:
            continue
        title = tables.frameworks[name]["title"]
        measuring = catalogue.measuring(metric, name)
        same = list(dict.fromkeys(item.key for item in measuring if item.mode == lookup.found[0].mode))
        if same:
            first = lookup.found[0]
            of = "" if first.program is not None else f" as {first.component}'s"
            plain = "" if "/" in bare else "plain "
            text = f"{title} has no {plain}`{bare}`. The same quantity{of} there: {listed(same[:3])}."
            lines += ["", *wrapped(text)]
    return lines


def _under_other_names(key: str, lookup: Lookup, tables: Tables, *, full: bool) -> list[str]:
    groups = meanings(lookup.found)
    if lookup.way == ALIAS:
        metric = groups[0].metric or ""
        named = "" if key == metric else f" is another name of {metric}"
        text = f"`{key}`{named}: {quantity(metric, tables)}. It is logged as"
        return [*wrapped(text), "", *_keyed(lookup.found, tables, full=full)]
    where = f"begin with {key}/" if lookup.way == GROUP else f"end in /{key}"
    text = f"No described release logs `{key}` by itself. Keys that {where}:"
    return [*wrapped(text), "", *_keyed(lookup.found, tables, full=full)]


def _next(item: Logged, key: str | None = None) -> list[str]:
    component = "" if item.program is not None else f"[{item.component}]"
    spelled = item.key if key is None else key
    quoted = f"'{spelled}'" if "{" in spelled or " " in spelled else spelled
    command = f"Next: rlmetrics resolve {quoted} --at '{item.framework}{component}'"
    return one_line(command, "   (installed or newest)")
