"""The answer about one key, whichever way it is asked for: with a source or without, logged there or not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rlmetrics.lazy_typing import NamedTuple
from rlmetrics.names.lookup.anywhere import resolved_at
from rlmetrics.names.lookup.key_spelling import Meant, meant
from rlmetrics.names.lookup.lookup_records import Resolution
from rlmetrics.names.lookup.resolving import is_users_own, left_open, unlogged
from rlmetrics.names.meanings.exact_names import canonical_of
from rlmetrics.names.meanings.key_index import (
    ALIAS,
    GROUP,
    KEY,
    SEGMENT,
    SHOWN,
    TEMPLATE,
    Logged,
    Lookup,
    catalogue_of,
)
from rlmetrics.names.meanings.protocol import View
from rlmetrics.names.meanings.view import FrameworkView
from rlmetrics.names.settings.configuration import Config
from rlmetrics.names.sources.source import Source
from rlmetrics.names.tables.sentence_case import lowered
from rlmetrics.names.tables.tables import Tables
from rlmetrics.wording.signature_words import listed, quantity_words, source_words
from rlmetrics.wording.terminal import columns, labelled, wrapped
from rlmetrics.wording.voice import later, phrase

from .meaning_list import brought_lines, meaning_lines, meaning_table, meanings, near_lines

__all__ = ["Answer", "answer_anywhere", "answer_at", "is_common", "other_name"]

MOST_NAMES = 3
MOST_KEYS = 12


class Answer(NamedTuple):
    """What is said about a key.

    Attributes:
        lines: The text.
        links: Addresses of places in the source that the text names.
    """

    lines: list[str]
    links: Mapping[str, str] = {}


def answer_anywhere(key: str, lookup: Lookup, tables: Tables, *, config: Config = None, full: bool = False) -> Answer:
    """Answer without a source: with a key's meanings, or with the only one that it has."""
    if (own := canonical_of(key, tables)) is not None:
        return _measured(key, *own, full=full)
    elsewhere = brought_lines(key, tables, catalogue_of(tables))
    if elsewhere and not lookup.found:
        from .searched import searched_lines

        return Answer([*elsewhere, *_apart(searched_lines(key, tables))])
    answer = _anywhere(key, lookup, tables, config=config, full=full)
    common = is_common(lookup)
    if common and "/" not in key:
        return answer  # a name that is common here is meant as it is here
    blocks = [block for block in ((answer.lines, elsewhere) if common else (elsewhere, answer.lines)) if block]
    return answer._replace(lines=[line for block in blocks for line in ("", *block)][1:])


def _apart(lines: list[str]) -> list[str]:
    return ["", *lines] if lines else []


def is_common(lookup: Lookup) -> bool:
    """Tell whether several components log a key by this very name."""
    return lookup.way in (KEY, SHOWN, TEMPLATE) and len({item.component for item in lookup.found}) > 1


def _anywhere(key: str, lookup: Lookup, tables: Tables, *, config: Config, full: bool) -> Answer:
    """Answer with the meanings of a key, or with the keys that are spelled like it."""
    catalogue = catalogue_of(tables)
    if not lookup.found:
        near = catalogue.near(key)
        lines = near_lines(key, near, catalogue, tables)
        if not near or " " in key:
            from .searched import searched_lines

            lines += _apart(searched_lines(key, tables))
        return Answer(lines)
    groups = meanings(lookup.found)
    if len(groups) > 1 or groups[0].metric is None or lookup.way in (ALIAS, SEGMENT, GROUP):
        return Answer(meaning_lines(key, lookup, catalogue, tables, full=full))
    resolution, view = resolved_at(key, lookup.way, lookup.found[0], config=config, tables=tables)
    lines = [*_resolved(view, resolution, full=full), *_shown_for(view, lookup.found, tables, full=full)]
    return Answer(lines, links=_links(view, resolution))


def answer_at(view: View, key: str, *, config: Config = None, full: bool = False) -> Answer:
    """Answer about a key of a source."""
    if (measured := canonical_of(key, view.tables)) is not None:
        return _measured(key, *measured, full=full)
    if left_open(view, key):
        elsewhere = brought_lines(key, view.tables, catalogue_of(view.tables))
        from .searched import searched_lines

        return Answer([*elsewhere, *_apart(searched_lines(key, view.tables))])
    asked = meant(view, key, config=config)
    first = asked.found[0]
    own = first.component is not None and (asked.own or is_users_own(first.metric, view.tables))
    own = own and not ("{" in key and first.template == key)  # the template itself was asked for
    if (first.component is None or own) and isinstance(view, FrameworkView):
        return Answer(_not_logged(view, asked, own=own, full=full), _links(view, first))
    lines = _known(view, asked.found, full=full)
    if first.matched in (ALIAS, SEGMENT):
        lines = [*other_name(view, key, asked.found), "", *lines]
    return Answer([*lines, *_labelled(chosen_rows(view.source, view.tables))], _links(view, first))


def _measured(key: str, view: View, name: str, *, full: bool) -> Answer:
    """Answer about a number that rlmetrics measures beside a trainer's own."""
    resolution = meant(view, name).found[0]
    lead = wrapped(f"`{key}` is measured by rlmetrics beside the trainer's numbers: `{name}` as the spec defines it.")
    return Answer([*lead, "", *_resolved(view, resolution, full=full)], links=_links(view, resolution))


def _resolved(view: View, resolution: Resolution, *, full: bool) -> list[str]:
    """Return what is known about a key that is logged; only then is that loaded."""
    from .resolved import resolved_lines

    return resolved_lines(view, resolution, full=full)


def _links(view: View, resolution: Resolution) -> Mapping[str, str]:
    from .resolved import resolved_links

    return resolved_links(view, resolution)


def chosen_rows(source: Source, tables: Tables) -> list[tuple[str, str]]:
    """Return which release answers, where none was named in full."""
    return [("release", f"{source_words(source, tables)}, {source.chosen}")] if source.chosen else []


def _known(view: View, resolutions: Sequence[Resolution], *, full: bool) -> list[str]:
    """Return what components of a source log under a key: one answer if it is the same for all."""
    same = {(item.metric, item.template, str(item.signature), item.condition) for item in resolutions}
    if len(resolutions) == 1 or len({item.metric for item in resolutions}) == 1 == len(same):
        lines = _resolved(view, resolutions[0], full=full)
        others = [item.component or "" for item in resolutions[1:]]
        return [*lines, *_also(others, later("Logged alike by {names}."), full=full)] if others else lines
    if len({item.metric for item in resolutions}) == 1:
        lines = _resolved(view, resolutions[0], full=full)
        others = [item.component or "" for item in resolutions[1:]]
        return [
            *lines,
            *_also(others, later("The same quantity, averaged or restricted in another way: {names}."), full=full),
        ]
    return _several(view, resolutions, full=full)


def _also(names: Sequence[str], text: str, *, full: bool) -> list[str]:
    shown = (
        list(names)
        if full or len(names) <= MOST_NAMES + 1
        else [*names[:MOST_NAMES], phrase("{count} more", count=len(names) - MOST_NAMES)]
    )
    return labelled("also", phrase(text, names=listed(shown)))


def _several(view: View, resolutions: Sequence[Resolution], *, full: bool) -> list[str]:
    """Return the meanings of a key in one release, the components first that people use."""
    source, tables = view.source, view.tables
    key = resolutions[0].key
    items = [
        Logged(
            source.framework,
            item.component or "",
            item.template or "",
            item.mode or "",
            item.metric,
            (source.release,),
            item.surface or "",
            item.placeholders,
            None,
        )
        for item in resolutions
    ]
    groups = meanings(items)
    text = f"`{key}` has {len(groups)} meanings in {source_words(source, tables)}. Which trainer wrote your log?"
    first = f"{source.framework}[{items[0].component}]=={source.release}"
    return [
        *wrapped(text),
        "",
        *meaning_table(groups, tables, full=full, dated=False),
        "",
        f"Next: rlmetrics resolve {key} --at '{first}'",
    ]


def _shown_for(view: View, logged: Sequence[Logged], tables: Tables, *, full: bool) -> list[str]:
    """Return of which release an answer is that was asked for without one, and who else logs the key."""
    names = list(dict.fromkeys(item.component for item in logged if item.program is None))[1:]
    source = view.source if logged[0].is_class else view.source._replace(component=None)
    lines = labelled("release", phrase("{release}; --at asks another one", release=source_words(source, tables)))
    return [*lines, *_also(names, later("The same quantity in {names}."), full=full)] if names else lines


def other_name(view: View, key: str, resolutions: Sequence[Resolution]) -> list[str]:
    """Return under which key a source logs what was asked for."""
    logged = list(dict.fromkeys(f"`{item.template}`" for item in resolutions))
    what = f"another name of {resolutions[0].metric}" if resolutions[0].matched == ALIAS else "the end of its name"
    if resolutions[0].matched == ALIAS and key == resolutions[0].metric:
        what = "the metric's own name"
    return wrapped(f"{source_words(view.source, view.tables)} logs it as {listed(logged)} (`{key}` is {what}).")


def _own_rows(resolution: Resolution, tables: Tables) -> list[tuple[str, str]]:
    """Return that a key may be a number of the user's own."""
    brief = str(tables.metrics[resolution.metric or ""]["brief"]).rstrip(".")
    return [("or yours", lowered(brief))]


def _labelled(rows: Sequence[tuple[str, str]]) -> list[str]:
    return [line for label, text in rows for line in labelled(label, text)]


def _not_logged(view: FrameworkView, asked: Meant, *, own: bool, full: bool) -> list[str]:
    """Return that a source does not log a key by itself, and what else may be meant."""
    first, tables = asked.found[0], view.tables
    said = next((row for part in view.components.values() if (row := unlogged(part, first.key)) is not None), None)
    rows = [("guide", f"lists it all the same: {said['says']} Instead: {said['instead']}")] if said is not None else []
    rows += [*(_own_rows(first, tables) if own else []), *chosen_rows(view.source, tables)]
    if asked.absent is not None:
        from .absent_answer import absent_lines

        return absent_lines(view, asked.absent, full=full, more=rows)
    if asked.others:
        known = _known(view, asked.others, full=full)
        return [*other_name(view, first.key, asked.others), "", *known, *_labelled(rows)]
    if own and first.near_miss is None:
        text = "{source} does not log `{key}` by itself. It can be a number of your own:"
        lead = wrapped(phrase(text, source=source_words(view.source, tables), key=first.key))
        return [*lead, "", *_resolved(view, first, full=full), *_labelled(rows[1:])]
    return [*_unknown(view, first, own=own, full=full), *(["", *_labelled(rows)] if rows else [])]


def _unknown(view: FrameworkView, resolution: Resolution, *, own: bool, full: bool) -> list[str]:
    """Return which of a source's keys were probably meant."""
    tables, key = view.tables, resolution.key
    who = source_words(view.source, tables)
    training = [entry.key for entry in view.entries() if entry.mode == "train"]
    within = [name for name in training if name.startswith(f"{key}/")]
    # Of several keys with this end it cannot tell which one is meant.
    within = within or list(dict.fromkeys(name for name in training if name.endswith(f"/{key}")))
    near = within or ([resolution.near_miss] if resolution.near_miss is not None else list(resolution.nearest))
    if any(unlogged(part, key) is not None for part in view.components.values()):
        return wrapped(f"{who} does not log `{key}` in any configuration.")
    if elsewhere := brought_lines(key, tables, catalogue_of(tables)):
        return [*wrapped(f"{who} does not log `{key}`."), *elsewhere]
    if not near:
        return wrapped(f"{who} does not log `{key}`, and none of its keys is spelled like it.")
    shown = [f"`{name}`" for name in near[:MOST_NAMES]]
    shown += [f"{len(near) - MOST_NAMES} more"] if len(near) > MOST_NAMES else []
    names = listed(shown, "and" if within else "or")
    rows: list[tuple[str, str]] = []
    for name in near if full else near[:MOST_KEYS]:
        match = next(iter(view.find(name)), None)
        if match is not None:
            metric = match.entry.metric
            rows.append((name, "depends on the configuration" if metric is None else quantity_words(metric, tables)))
    own_text = " by itself" if own else ""
    asked = f"It logs {names}." if within else f"Did you mean {names}?"
    return [*wrapped(f"{who} does not log `{key}`{own_text}. {asked}"), "", *columns(rows)]
