"""What changed between two releases: what one sees, then every cause with the keys that it changed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rlmetrics.lazy_typing import TYPE_CHECKING
from rlmetrics.names.upgrades.causes import CAUSE_WEIGHTS, shown
from rlmetrics.wording.cause_words import cause_words, is_complex, taken_back_words
from rlmetrics.wording.keylists import braced, counted, few, starred
from rlmetrics.wording.repeated_causes import told_once
from rlmetrics.wording.signature_words import chosen_lines, source_words
from rlmetrics.wording.terminal import HARD_BLANK, beside, labelled, ranked, symbol, wrapped
from rlmetrics.wording.voice import later, phrase, spoken

from .diff_summary import between, summary

if TYPE_CHECKING:
    from rlmetrics.names import DiffResult
    from rlmetrics.names.tables.tables import Tables
    from rlmetrics.names.upgrades.causes import SharedCause, TakenBack
    from rlmetrics.names.upgrades.changed_defaults import ChangedDefault
    from rlmetrics.names.upgrades.diff_records import ListedKey

__all__ = ["diff_lines", "key_lines", "turned_lines"]

_LABEL = 13
_NARROW = 22
"""How many characters of components stand with a cause."""
_SHORT = (33, 14)
"""Lines of an answer beside blank ones, and how many of them at least are causes, if there are so many."""
_WHOLE = (1_000_000, 0)
_FEW = 2
"""How many things an answer tells that is not to be full."""
_ROOM = 88
"""How many characters of names an answer tells that is not to be full."""


def diff_lines(result: DiffResult, tables: Tables, *, full: bool = False) -> list[str]:
    """Return the answer to ``diff``.

    Args:
        result: What changed.
        tables: The spec.
        full: Whether to leave nothing out.
    """
    if _framework(result.from_) != _framework(result.to):
        return _two_frameworks(result.from_, result.to)
    head = wrapped(summary(result, tables))
    below = [*_below(result, tables, full=full)]
    lines = [*head, *chosen_lines(result.chosen)]
    causes = _causes(result, tables, [*lines, *below], full=full)
    if causes:
        lines += ["", phrase("Changed meaning, cause first"), *causes]
    return [*lines, "", *below] if below else lines


def turned_lines(result: DiffResult, tables: Tables) -> list[str]:
    """Return that the release that was named second is the older one, and in which direction all is told."""
    older = source_words(result.from_, tables)
    text = phrase(
        "{source} is the older release, so this is what changed {what}.",
        source=older,
        what=spoken(between(result.from_, result.to, tables)),
    )
    return [*wrapped(text), ""]


def _framework(source: str) -> str:
    return re.split(r"[\[=<>~!]", source, maxsplit=1)[0].strip()


def _two_frameworks(from_: str, to: str) -> list[str]:
    return [
        *wrapped(f"{from_} and {to} are two frameworks: what one logs is no change of what the other does."),
        f"rlmetrics map --from '{from_}' --to '{to}'",
        *wrapped("tells for each key what comes nearest to it there, and what sets the two apart.", indent=2),
    ]


def key_lines(result: DiffResult, tables: Tables, key: str) -> list[str]:
    """Return what changed about one key."""
    if _framework(result.from_) != _framework(result.to):
        return _two_frameworks(result.from_, result.to)
    lines = [*wrapped(summary(result, tables, key=key)), *chosen_lines(result.chosen)]
    causes = _causes(result, tables, full=True, with_keys=False)
    return [*lines, *(["", *causes] if causes else []), *_beneath(result, tables)]


def _beneath(result: DiffResult, tables: Tables) -> Iterator[str]:
    rows = [*_taken_back(result, tables, full=True), *_defaults(result, full=True)]
    if rows:
        yield ""
        yield from rows


def _causes(
    result: DiffResult, tables: Tables, others: Sequence[str] = (), *, full: bool, with_keys: bool = True
) -> list[str]:
    """Return the causes, those that show by default first; with too little room the lightest are counted only."""
    bookkeeping = {item.key for item in result.changed if item.bookkeeping}
    bookkeeping |= {item.to for item in result.renamed if item.bookkeeping}
    moved = {item.name: item.moves for item in result.defaults}
    told = [cause for cause in (*told_once(result.causes, tables), *result.others) if cause.keys or full]
    plain = [cause for cause in told if not set(cause.keys) <= bookkeeping]
    timers = [cause for cause in told if cause not in plain]
    longest = max((len(cause.release or "") for cause in told), default=0)
    rows: list[tuple[str, list[str]]] = []
    for cause in (*plain, *(timers if full or not plain else ())):
        keys = _keys(cause, moved.get(cause.name, ()), result) if with_keys else ""
        head = f"{symbol(cause.severity)} {cause.release or '':<{longest}}  "
        rows.append((_section(cause, result), beside(head, keys, cause_words(cause, tables, full=full))))
    rest = later("and {count} more cause: --full"), later("and {count} more causes: --full")
    return ranked(rows, [*others], _WHOLE if full else _SHORT, rest)


def _section(cause: SharedCause, result: DiffResult) -> str:
    """Return under which settings a cause shows; nothing for one that may show by default."""
    if cause.applies is not False:
        return ""
    if not is_complex(cause):
        return phrase("only if {setting}", setting=cause.only_if)
    return phrase("not with these settings") if result.given else phrase("not by default")


def _keys(cause: SharedCause, moved: Sequence[str], result: DiffResult) -> str:
    """Return the keys of a cause, those that come into the log or leave it with that."""
    gone = {key for effect in cause.effects if effect.kind == "logged" and not effect.after for key in effect.keys}
    # A cause that changes keys of evaluation only is about these.
    keys = [*(cause.keys or cause.folded), *(key for key in moved if key not in cause.keys)]
    whole = result.kept + sum(item.mode == "train" for item in result.renamed)
    if len(keys) > 5 and len(keys) * 5 >= whole * 4:
        return f"{len(keys)} of {counted(whole, 'key')}"
    names = [_held(f"{name} (not logged)" if name in gone else name) for name in braced(keys)]
    if not result.several:
        return ", ".join(names)
    return ", ".join([*names[:-1], " ".join([*names[-1:], f"({few(cause.components, _NARROW)})"])])


def _held(text: str) -> str:
    return text.replace(" ", HARD_BLANK)


def _below(result: DiffResult, tables: Tables, *, full: bool) -> Iterator[str]:
    """Yield what stands under the causes: what was taken back, names that changed, came and went, and defaults."""
    yield from _taken_back(result, tables, full=full)
    yield from _renamed(result, full=full)
    yield from _listed("Removed", result.removed, full=full, apart=() if full else result.ended)
    yield from _listed("New", result.added, full=full, apart=() if full else result.begun)
    for label, names in (("Ended", result.ended), ("Begun", result.begun)):
        yield from _labelled(label, [few(names, len(names) * _ROOM if full else _ROOM)] if names else [])
    yield from _defaults(result, full=full)
    yield from _folded(result, full=full)
    yield from _labelled("Beside", [f"{', '.join(result.programs)}: --program NAME or all"] if result.programs else [])


def _labelled(label: str, texts: Sequence[str]) -> list[str]:
    return labelled(label, texts, _LABEL)


def _taken_back(result: DiffResult, tables: Tables, *, full: bool) -> list[str]:
    items = sorted((item for item in result.taken_back if item.keys), key=_weight)
    told = items if full else [item for item in items if item.applies is not False][:_FEW]
    texts = []
    for item in told:
        names = ", ".join(map(_held, braced(item.keys)))
        again = f"; as before in {item.again}" if item.again else ""
        texts.append(f"{item.releases} {names}: {spoken(f'{taken_back_words(item, tables, full=full)}{again}')}")
    if len(items) > len(told):
        texts.append(phrase("{count} more: --full", count=len(items) - len(told)))
    return _labelled("In between", texts)


def _weight(item: TakenBack) -> tuple[bool, int]:
    return item.applies is False, CAUSE_WEIGHTS.index(item.severity)


def _renamed(result: DiffResult, *, full: bool) -> list[str]:
    told = [item for item in result.renamed if item.mode == "train" and (full or not item.bookkeeping)]
    texts = [
        f"{symbol(item.severity)} {_held(starred(item.from_))} -> {_held(starred(item.to))} {item.since or ''}".rstrip()
        for item in told
    ]
    most = len(texts) if full else 3 * _FEW
    if len(texts) > most:
        texts = [*texts[:most], phrase("{count} more: --full", count=len(texts) - most)]
    return _labelled("Renamed", texts)


def _listed(label: str, items: Sequence[ListedKey], *, full: bool, apart: Sequence[str] = ()) -> list[str]:
    """Return keys that came or went by the release, without some components: those logged by default, then others."""
    training = [item for item in items if item.mode == "train" and item.component not in apart]
    told = [item for item in training if full or not item.bookkeeping]
    usual = [item for item in told if item.logged_by_default]
    others = [item.key for item in told if not item.logged_by_default]
    texts = []
    if usual:
        lines = [*_by_release(usual, None if full else _ROOM // 2)]
        most = len(lines) if full else 2 * _FEW
        rest = [phrase("{count} more", count=len(lines) - most)] if len(lines) > most else []
        texts.append(" · ".join([*lines[:most], *rest]))
    if others:
        texts.append(f"{phrase('not by default')}: {_names(others, None if full else _ROOM)}")
    return _labelled(f"{spoken(label)} ({len(told)})", texts) if told else []


def _by_release(items: Sequence[ListedKey], room: int | None) -> Iterator[str]:
    by_release: dict[str | None, list[str]] = {}
    for item in items:
        instead = f" (see {starred(item.instead)})" if item.instead and item.instead != item.key else ""
        by_release.setdefault(item.since, []).append(f"{item.key}{instead}")
    for release, keys in by_release.items():
        yield f"{_names(keys, room)}{'' if release is None else f' {release}'}"


def _names(keys: Sequence[str], room: int | None) -> str:
    names = [_held(name) for name in braced(keys)]
    return ", ".join(names) if room is None else few(names, room)


def _defaults(result: DiffResult, *, full: bool) -> list[str]:
    told = [item for item in result.defaults if full or item.decides or item.moves]
    texts = [f"{_setting(item)} {shown(item.before)} -> {_default(item)}".replace(" ", HARD_BLANK) for item in told]
    rest = len(result.defaults) - len(told)
    if rest:
        texts.append(phrase("{count} more: --full", count=rest).replace(" ", HARD_BLANK))
    return _labelled("Defaults", [" · ".join(texts)] if texts else [])


def _default(item: ChangedDefault) -> str:
    """Return a new default, with what comes of one that the constructor settles."""
    return shown(item.after) if item.settled is None else f"{shown(item.after)} ({spoken(item.settled)})"


def _setting(item: ChangedDefault) -> str:
    if item.formerly is None:
        return item.name
    return phrase("{name} (formerly {former})", name=item.name, former=item.formerly)


def _folded(result: DiffResult, *, full: bool) -> list[str]:
    """Return what is not told: keys of evaluation, which change as those of training do, and timers and the like."""
    if full:
        keys = [item.key for item in result.changed if item.mode != "train"]
        return _labelled("Evaluation", [", ".join(map(_held, braced(keys)))] if keys else [])
    told = [
        (item.mode, item.bookkeeping)
        for items in (result.changed, result.added, result.removed, result.renamed)
        for item in items
    ]
    twins = sum(mode != "train" for mode, _ in told)
    timers = told.count(("train", True))
    texts = (
        (twins, later("{count} key of evaluation"), later("{count} keys of evaluation")),
        (timers, later("{count} timer and the like"), later("{count} timers and the like")),
    )
    counts = [phrase(several if count > 1 else one, count=count) for count, one, several in texts if count]
    return _labelled("Folded", [f"{phrase(', ').join(counts)}: --full"] if counts else [])
