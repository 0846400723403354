"""What a key means where no source is named: its meanings, a line each, and what else may be meant."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from rlmetrics.lazy_typing import NamedTuple
from rlmetrics.names.lookup.foreign_names import brought
from rlmetrics.names.meanings.key_index import ALIAS, GROUP, KEY, SEGMENT, SHOWN, Catalogue, Logged, Lookup
from rlmetrics.names.sources.surfaces import LOGGED
from rlmetrics.names.tables.tables import Tables
from rlmetrics.names.tables.undescribed import Nearest, Recognised, told_by
from rlmetrics.wording.metric_facts import quantity
from rlmetrics.wording.signature_words import enumerated, listed, quantity_words, ranges_words
from rlmetrics.wording.terminal import columns, one_line, table, wrapped
from rlmetrics.wording.voice import later, phrase, spoken

__all__ = ["Meaning", "brought_lines", "meaning_lines", "meaning_table", "meanings", "near_lines", "undescribed_lines"]

MOST = 10
"""Lines of a list that are shown without being asked for."""
MOST_OF_SEVERAL = 8
"""Meanings that are shown where several frameworks are named, which takes more lines for each."""
MOST_OTHERS = 5
"""Further keys with the same ending that are shown beside a key's own meanings."""
MOST_FRAMEWORKS = 3
"""So many frameworks are named in a list of them; of what several log, one less is told."""

_FACETS = {
    "quantity": later("what is measured"),
    "of": later("what it is a number of"),
    "distributions": later("which policies are compared"),
    "policy": later("whose policy it is"),
    "estimator": later("the estimator"),
    "extent": later("whether one value covers a token or more"),
    "statistic": later("the statistic"),
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
            unlogged = "No described release logs `{key}`, a name of {metric}: {what}."
            text = phrase(unlogged, key=key, metric=row, what=spoken(quantity_words(row, tables)))
            return [*wrapped(text), "", f"{phrase('Next:')} rlmetrics show {row}"]
        hint = phrase("rlmetrics keys --at SOURCE lists what a release logs.")
        unlike = phrase("No described release logs `{key}`, and no key is spelled like it.", key=key)
        return wrapped(f"{unlike} {hint}")
    names = enumerated([f"`{item}`" for item in near], "or")
    lines = wrapped(phrase("No described release logs `{key}`. Did you mean {names}?", key=key, names=names))
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
        if item.is_left_open:
            lines += wrapped(f"{item.library} names `{item.name}`, and leaves open over what and how it is taken.")
            lines += wrapped(item.says)
        else:
            lines += wrapped(f"{item.library} calls `{item.name}` {item.says}")
        lines += [line for metric in item.metrics for line in _nearest(metric, tables, catalogue)]
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
                title = tables.title(item.framework)
                who = f"{title} {item.component}" if item.is_class else title
                found.setdefault(item.framework, (who, item.key))
    return list(found.values())


_ALL_IN = (later("{it} has {count} meanings, all in {where}."), later("{it} has {count} meanings, both in {where}."))
_FRAMEWORKS = later("{count} more frameworks")
_WHICH = {
    "trainer": later("Which trainer wrote your log?"),
    "release": later("Which release wrote your log?"),
    "framework": later("Which framework wrote your log?"),
}


def _head(key: str, lookup: Lookup, groups: Sequence[Meaning], tables: Tables) -> tuple[str, str]:
    """Return what is said first, and what may follow it where that leaves room."""
    first = lookup.found[0]
    titles = [tables.title(name) for name in dict.fromkeys(item.framework for item in lookup.found)]
    if len(titles) > MOST_FRAMEWORKS:
        rest = len(titles) - MOST_FRAMEWORKS + 1
        titles = [*titles[: MOST_FRAMEWORKS - 1], phrase(_FRAMEWORKS, count=rest)]
    said = f"`{key}`"
    if lookup.way == SHOWN:
        is_what = later("`{name}` is how {tracker} shows `{key}`. It")
        said = phrase(is_what, name=key, tracker=_tracker(first.surface, tables), key=first.key)
    elif lookup.way != KEY:
        said = phrase("`{name}` is a `{key}`. It", name=key, key=first.key)
    if len(groups) == 1:
        return phrase("{it} has one meaning, in {where}.", it=said, where=enumerated(titles)), ""
    who = {(item.framework, item.component) for item in lookup.found}
    what = "trainer" if len(who) > 1 and first.is_class else "release"
    what = "framework" if len(titles) > 1 else what
    many = later("{it} has {count} meanings, in {where}.") if len(titles) > 1 else _ALL_IN[len(groups) == 2]
    text = f"{phrase(many, it=said, count=len(groups), where=enumerated(titles))} {phrase(_WHICH[what])}"
    return text, f" {phrase('(--at picks one)')}"


def _tracker(surface: str, tables: Tables) -> str:
    return "the code" if surface == LOGGED else str(tables.trackers[surface].get("title", surface))


def _words(metric: str | None, tables: Tables) -> str:
    return "depends on the configuration" if metric is None else quantity_words(metric, tables)


def meaning_table(groups: Sequence[Meaning], tables: Tables, *, full: bool = False, dated: bool = True) -> list[str]:
    """Return a line for each meaning: the metric in words, who logs it, and in which releases."""
    several = len({item.framework for group in groups for item in group.found}) > 1
    most = MOST_OF_SEVERAL if several else MOST
    shown = list(islice(groups, None if full or len(groups) <= most + 1 else most))
    rows = [
        (
            _words(group.metric, tables),
            (_words if full else _short)(group.metric, tables),
            *_who_and_when(group.found, tables, titled=several, full=full, dated=dated),
        )
        for group in shown
    ]
    lines = table(rows, widest=_WIDEST_NAMES)
    left = len(groups) - len(shown)
    return [*lines, f"  {phrase('{count} more meanings: --full', count=left)}"] if left else lines


def _who_and_when(
    logged: Sequence[Logged], tables: Tables, *, titled: bool, full: bool, dated: bool
) -> tuple[str, str]:
    """Return who logs something and in which releases: beside the name where these are not those of all."""
    if not dated:
        return _who(logged, tables, titled=titled, full=full), ""
    firsts = {item.framework: _place(item) for item in reversed(logged)}
    named = [item for item in logged if firsts[item.framework] == _place(item)]
    together = _releases(logged, tables)
    if any(item.program is not None for item in logged) or (not full and _releases(named, tables) == together):
        return _who(logged, tables, titled=titled, full=full), together
    if len({_place(item) for item in logged}) < 2:
        return _who(logged, tables, titled=titled, full=full), together
    return _who(logged, tables, titled=titled, full=full, dated=True), ""


def _place(item: Logged) -> tuple[str, str]:
    return item.framework, item.component


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
        words = f"{spoken(f'{_short(groups[0].metric, tables)}{more}')}; " if several else ""
        who = _who(items, tables, titled=True, full=full)
        rows.append((key, f"{words}{who} {_releases(items, tables)}"))
    shown = rows
    if not full and len(rows) > most + 1:
        shown = [rows[at] for at in _of_each([items[0].framework for items in by_key.values()], most)]
    lines = columns(shown)
    left = len(rows) - len(shown)
    return [*lines, f"  {phrase('{count} more: --full', count=left)}"] if left else lines


def _of_each(frameworks: Sequence[str], most: int) -> list[int]:
    """Return which rows are shown of many, in their order: the first of each framework, then the foremost others."""
    first = {frameworks.index(name) for name in frameworks}
    return sorted(sorted(range(len(frameworks)), key=lambda at: at not in first)[:most])


def _who(logged: Sequence[Logged], tables: Tables, *, titled: bool, full: bool, dated: bool = False) -> str:
    """Return who logs something: the first trainer of each framework, and how many more; each with its releases."""
    by_framework: dict[str, dict[str, None]] = {}
    for item in logged:
        name = "" if item.program is not None else item.component
        by_framework.setdefault(item.framework, {}).setdefault(name)
    parts = []
    for framework, known in by_framework.items():
        names = [name for name in known if name]
        if dated:
            spans = (
                _releases([item for item in logged if _place(item) == (framework, name)], tables) for name in names
            )
            names = [f"{name} {span}" for name, span in zip(names, spans, strict=True)]
        title = tables.title(framework)
        text = (
            listed(names)
            if full or len(names) < 2
            else phrase("{name} and {count} more", name=names[0], count=len(names) - 1)
        )
        parts.append(" ".join(part for part in (title if titled or not names else "", text) if part))
    told = _foremost(parts, full=full)
    left = len(parts) - len(told)
    return ", ".join([*told, phrase(_FRAMEWORKS, count=left)] if left else told)


def _foremost(items: Sequence[str], *, full: bool) -> Sequence[str]:
    """Return what is told of several frameworks: all of it, or that of the first ones."""
    return items if full or len(items) <= MOST_FRAMEWORKS - 1 else items[: MOST_FRAMEWORKS - 1]


def _releases(logged: Sequence[Logged], tables: Tables) -> str:
    texts: dict[str, None] = {}
    for framework in _foremost([*dict.fromkeys(item.framework for item in logged)], full=False):
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
    text = later("Do not plot these together: they are different quantities.")
    if 0 < len(differ) <= _MOST_FACETS:
        text = later("Do not plot these together: they differ in {what}.")
    bounded = [
        group for group in groups if group.metric and (tables.metrics[group.metric].get("range") or [None])[0] == 0
    ]
    never = list(dict.fromkeys(group.found[0].component for group in bounded))
    told = [phrase(text, what=enumerated([*map(phrase, differ)]))]
    if 0 < len(bounded) < len(groups) <= MOST:
        told.append(phrase("Never negative: {names}.", names=enumerated(never)))
    return " ".join(told)


def _others(key: str, lookup: Lookup, catalogue: Catalogue, tables: Tables, *, full: bool) -> list[str]:
    """Return other keys with the same ending, and what a framework logs instead that has no such key."""
    # The more frameworks there are, the more is said of the key itself.
    most = max(1, MOST_OTHERS - max(0, len(tables.frameworks) - MOST_FRAMEWORKS + 1))
    lines: list[str] = []
    bare = lookup.found[0].key
    logged = catalogue.ending(bare) if lookup.way in (KEY, SHOWN) and "/" not in bare else []
    if logged:
        lines += [
            "",
            phrase("Other keys that end in /{key}:", key=bare),
            *_keyed(logged, tables, full=full, most=most),
        ]
    with_key = {item.framework for item in lookup.found}
    metric = lookup.found[0].metric
    without = 0
    for name in tables.frameworks if metric is not None and lookup.way in (KEY, SHOWN) else ():
        if name in with_key or metric is None:
            continue
        if without == MOST_FRAMEWORKS - 1 and not full:
            break
        title = tables.frameworks[name]["title"]
        measuring = catalogue.measuring(metric, name)
        same = list(dict.fromkeys(item.key for item in measuring if item.mode == lookup.found[0].mode))
        if same:
            first = lookup.found[0]
            has_none = (
                later("{framework} has no `{key}`.") if "/" in bare else later("{framework} has no plain `{key}`.")
            )
            text = later("The same quantity as {name}'s there: {keys}.")
            text = later("The same quantity there: {keys}.") if first.program is not None else text
            there = phrase(text, name=first.component, keys=enumerated(same[:3]))
            text = f"{phrase(has_none, framework=title, key=bare)} {there}"
            lines += ["", *wrapped(text)]
            without += 1
    return lines


def _under_other_names(key: str, lookup: Lookup, tables: Tables, *, full: bool) -> list[str]:
    groups = meanings(lookup.found)
    if lookup.way == ALIAS:
        metric = groups[0].metric or ""
        named = (
            later("`{key}`: {what}. It is logged as")
            if key == metric
            else later("`{key}` is another name of {metric}: {what}. It is logged as")
        )
        text = phrase(named, key=key, metric=metric, what=spoken(quantity(metric, tables)))
        return [*wrapped(text), "", *_keyed(lookup.found, tables, full=full)]
    begin = later("No described release logs `{key}` by itself. Keys that begin with {key}/:")
    end = later("No described release logs `{key}` by itself. Keys that end in /{key}:")
    text = phrase(begin if lookup.way == GROUP else end, key=key)
    return [*wrapped(text), "", *_keyed(lookup.found, tables, full=full)]


def _next(item: Logged, key: str | None = None) -> list[str]:
    component = "" if item.program is not None else f"[{item.component}]"
    spelled = item.key if key is None else key
    quoted = f"'{spelled}'" if "{" in spelled or " " in spelled else spelled
    command = f"{phrase('Next:')} rlmetrics resolve {quoted} --at '{item.framework}{component}'"
    return one_line(command, f"   {phrase('(installed or newest)')}")
