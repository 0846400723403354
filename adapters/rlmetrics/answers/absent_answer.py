"""A key that a release does not log, in words: since when or until when it is logged, and what stands in for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rlmetrics.names.lookup.absent_keys import Absence
from rlmetrics.names.lookup.resolving import function_of
from rlmetrics.names.meanings.view import FrameworkView
from rlmetrics.names.tables.key_records import MapRow
from rlmetrics.names.tables.tables import Tables
from rlmetrics.wording.signature_words import averaged_words, quantity_words, ranges_words, source_words
from rlmetrics.wording.terminal import columns, symbol, wrapped

from .meaning_list import meaning_table, meanings

__all__ = ["absent_head", "absent_lines"]

MOST_LOOK_ALIKES = 2
MOST_REASONS = 2
MOST_CHANGES = 2
MOST_CONDITION = 120
"""Letters of a condition that is told without being asked for."""
_ONLY_WHEN = "logged only: "
_CALLED = {"same": "the same number", "close": "close", "unreviewed": "unreviewed", "biased": "biased"}
"""How a counterpart is called, by the severity of what sets it apart."""


def absent_lines(
    view: FrameworkView, absent: Absence, *, full: bool = False, more: Sequence[tuple[str, str]] = ()
) -> list[str]:
    """Return what is known about a key that a source does not log.

    Args:
        view: The source.
        absent: What was found elsewhere.
        full: Whether every look-alike and every other meaning is shown.
        more: Further labels with their texts.
    """
    tables = view.tables
    lines = [*wrapped(absent_head(view, absent)), "", *columns([*_rows(view, absent, full=full), *more], indent=0)]
    groups = meanings(absent.lookup.found)
    if not absent.own and len(groups) > 1:
        lines += ["", f"Who logs `{absent.key}`:", *meaning_table(groups, tables, full=full)]
    return lines


def absent_head(view: FrameworkView, absent: Absence) -> str:
    """Return in one sentence or two that a key is not logged, and what to look at."""
    release, key = view.source.release, absent.key
    order = view.tables.framework(view.source.framework).releases
    to = None if absent.row is None else absent.row.to
    if not absent.own:
        who = source_words(view.source, view.tables)
        instead = f"Its `{to}` measures what {_nearest_words(absent, view.tables)} calls so." if to else ""
        return f"{who} does not log `{key}`. {instead or 'No key of it has the same meaning.'}"
    name = absent.nearest.component if absent.nearest.is_class else source_words(view.source.framework, view.tables)
    if absent.is_renamed:
        return f"Not logged in {release}: renamed `{to}` in {absent.since}."
    here, had = order.index(release), [order.index(item) for item in absent.releases]
    spans = ranges_words(absent.releases, order.names)
    if min(had) > here:
        before = f" In {release} it is `{to}`." if to else ""
        return f"Not logged in {release}. {name} logs `{key}` since {absent.releases[0]}.{before}"
    after = f" `{to}` has its meaning." if to else ""
    if max(had) < here:
        return f"Not logged in {release} any more. {name} logged `{key}` in {spans}.{after}"
    return f"Not logged in {release}. {name} logs `{key}` in {spans}.{after}"


def _nearest_words(absent: Absence, tables: Tables) -> str:
    component = f"[{absent.nearest.component}]" if absent.nearest.is_class else ""
    return source_words(f"{absent.nearest.framework}{component}", tables)


def _rows(view: FrameworkView, absent: Absence, *, full: bool) -> Iterator[tuple[str, str]]:
    entry, tables = absent.match.entry, view.tables
    order = tables.framework(absent.nearest.framework).releases
    label = _dated(absent.nearest.framework, absent.at, tables)
    here = _dated(view.source.framework, view.source.release, tables)
    if absent.own:
        here = f"in {view.source.release}"
        later = order.index(absent.at) > order.index(view.source.release)
        label = f"{'from' if later else 'until'} {absent.at}"
    if entry.metric is not None:
        yield label, _meaning(absent, tables, full=full)
        averaged = averaged_words(entry.signature, entry.metric, tables, entry.mode)
        if averaged is not None:
            yield "averaged", averaged
    if absent.own and absent.releases[0] == absent.at:
        yield from _afterwards(absent, tables, full=full)
    if absent.row is not None and absent.row.to is not None:
        yield here, _stand_in(absent.row, full=full)
    elif absent.own:
        yield here, "no key stands in for it"
    related = absent.row.related if absent.row is not None else ()
    for item in related if full else related[:MOST_LOOK_ALIKES]:
        why = item.why.replace("only in the target: ", "", 1).replace("only in the source:", f"only in {entry.key}:", 1)
        yield "not", f"{item.to}: {why}"
    function = function_of(entry.metric, entry.signature, tables)
    if function is not None:
        yield "compute", function
    places = absent.view.evidence(entry)
    if places:
        first = places[0]
        yield "source", f"{first.path}:{first.line} (in {first.release})"


def _dated(framework: str, release: str, tables: Tables) -> str:
    return f"{tables.title(framework)} {release}"


def _meaning(absent: Absence, tables: Tables, *, full: bool) -> str:
    """Return what a key means in the release that is nearest to the one asked for."""
    entry = absent.match.entry
    return quantity_words(entry.metric or "", tables) + _only(entry.condition, full=full)


def _afterwards(absent: Absence, tables: Tables, *, full: bool) -> Iterator[tuple[str, str]]:
    """Yield what changed about a key after it came."""
    from rlmetrics.names.upgrades.history import History
    from rlmetrics.wording.change_words import change_row, changes

    entry = absent.match.entry
    history = History(tables, absent.nearest.framework, absent.nearest.component)
    order = tables.framework(absent.nearest.framework).releases.index
    steps = changes(history, tables, entry.key, entry.mode, absent.at)
    told = [item for item in steps if order(item.release) > order(absent.at)]
    weighing = [item for item in told if any(cause.weighs for cause in item.causes)] or told
    for change in told if full else weighing[:MOST_CHANGES]:
        release, text = change_row(change, full=full)
        yield f"then {release}", text


def _only(condition: str | None, *, full: bool) -> str:
    if condition is None:
        return ""
    from rlmetrics.wording.condition_words import condition_texts

    text = "".join(f"; {clause}" for clause in condition_texts(condition))
    return text if full or len(condition) <= MOST_CONDITION else "; only under some settings"


def _stand_in(row: MapRow, *, full: bool) -> str:
    """Return how what stands in for a key compares with it."""
    if row.relation == "affine" and row.transform is not None:
        offset = f" + {row.transform.offset:g}" if row.transform.offset else ""
        return f"{symbol(row.severity)} {row.to} = {row.transform.scale:g} x it{offset}"
    told = f"{symbol(row.severity)} {row.to}, {_CALLED.get(row.severity, 'not comparable')}"
    notes = [note for note in (row.note or "").split("; ") if note.startswith(_ONLY_WHEN)]
    told += _only(notes[0].removeprefix(_ONLY_WHEN) if notes else None, full=full)
    if row.severity in ("same", "close"):
        return told
    names = {"only in the source:": f"only in {row.from_}:", "only in the target:": f"only in {row.to}:"}
    reasons = [item.what for item in row.differs_by if item.grade != "minor" and item.applies is not False]
    for side, name in names.items():
        reasons = [reason.replace(side, name, 1) for reason in reasons]
    return "; ".join([told, *(reasons if full else reasons[:MOST_REASONS])])
