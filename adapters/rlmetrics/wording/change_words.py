"""What became of a key, in words: where its meaning changed, where it was renamed, came or went, and why."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from rlmetrics.lazy_typing import TYPE_CHECKING, NamedTuple
from rlmetrics.names.upgrades.history import Event, History

from .difference_words import ToldCause, by_weight, telling, worded
from .metric_facts import shortened
from .repeated_causes import told_once

if TYPE_CHECKING:
    from rlmetrics.names.differences.entry_contrast import Cause
    from rlmetrics.names.tables.tables import Tables

__all__ = ["ToldChange", "change_row", "changes", "endings"]

_KINDS = {"added": "came", "removed": "went"}
_CAUSES = 110
"""Causes of a change are told up to so many characters, and at least one."""


class ToldChange(NamedTuple):
    """What happened to a key in a release.

    Attributes:
        kind: ``came``, ``went``, ``renamed``, ``changed``, or ``ended`` for a change that is taken back.
        release: The first one in which it is so; of a key that went, the first without it.
        key: The key from then on; of one that went, its last name.
        was: Its name before, if that was another one.
        causes: What changed about the number, what weighs most first.
        until: The last release in which it is so, for a change that was taken back.
    """

    kind: str
    release: str
    key: str
    was: str | None = None
    causes: tuple[ToldCause, ...] = ()
    until: str | None = None


def changes(history: History, tables: Tables, key: str, mode: str = "train", at: str | None = None) -> list[ToldChange]:
    """Return what became of a key in one component, oldest first.

    Args:
        history: The component through its releases.
        tables: The spec.
        key: The key or template, as the release spells it.
        mode: ``train`` or ``eval``.
        at: A release in which the key has that name; the last one that has it, if left out.
    """
    events = history.events(key, mode, at)
    told = [_worded(event, tables, _changed_in(event.change.release, events, history), history) for event in events]
    return [change for change in told if change.causes or change.kind != "changed"]


def _changed_in(release: str, events: Sequence[Event], history: History) -> list[Cause]:
    """Return all that a release changed about a key: what came with it, and what it took back."""
    causes: list[Cause] = []
    for event in events:
        began = event.change.release == release
        ended = () if event.until is None else history.releases[history.releases.index(event.until) + 1 :][:1]
        causes += [
            cause._replace(before=cause.after, after=cause.before) for cause, _ in event.causes if release in ended
        ]
        causes += [cause for cause, _ in event.causes if began]
    return causes


def endings(told: Sequence[ToldChange], releases: Sequence[str], at: str) -> list[ToldChange]:
    """Return what is taken back after a release of the changes that hold in it.

    Args:
        told: What became of a key.
        releases: The releases of its component, oldest first.
        at: The release.
    """
    here = releases.index(at)
    held = [
        change
        for change in told
        if change.until is not None and releases.index(change.release) <= here <= releases.index(change.until)
    ]
    return [
        change._replace(kind="ended", release=releases[releases.index(str(change.until)) + 1], until=None)
        for change in held
    ]


def _worded(event: Event, tables: Tables, beside: Sequence[Cause], history: History) -> ToldChange:
    """Return an event in words, without what other changes of the same release say in words of their own."""
    change, once = event.change, told_once(beside, tables)
    # A default that changed is why the rest did: it is told first.
    given = history.is_given
    settings = [
        worded(cause, applies, tables, given=given) for cause, applies in event.causes if cause.kind == "setting"
    ]
    plain = sorted(
        (item for item in event.causes if item[0].kind != "setting" and item[0] in once),
        key=lambda item: telling(item[0]),
    )
    others = [worded(cause, applies, tables, given=given) for cause, applies in plain]
    causes = (*settings, *sorted(others, key=by_weight))
    was = change.before.key if change.kind == "renamed" and change.before is not None else None
    return ToldChange(_KINDS.get(change.kind, change.kind), change.release, change.key, was, causes, event.until)


def change_row(change: ToldChange, *, full: bool = False) -> tuple[str, str]:
    """Return a change as a release and what happened there.

    Args:
        change: What happened.
        full: Whether every cause is told, else the heaviest.
    """
    causes = list(change.causes)
    if not full:
        weighing = [cause for cause in causes if cause.weighs] or causes
        lengths = accumulate(len(shortened(cause.text)) for cause in weighing)
        causes = [
            cause
            for at, (cause, length) in enumerate(zip(weighing, lengths, strict=True))
            if at == 0 or length <= _CAUSES
        ]
    more = len(change.causes) - len(causes)
    # What does not show under the settings at hand comes last.
    causes.sort(key=lambda cause: cause.applies is False)
    first = next((at for at, cause in enumerate(causes) if cause.applies is False), None)
    told = [cause.whole or cause.text if full else shortened(cause.text) for cause in causes]
    if first is not None:
        told[first] = f"with other settings: {told[first]}"
    text = "; ".join([*told, *([f"{more} more"] if more else [])])
    if change.kind == "came":
        text = "logged since then"
    elif change.kind == "went":
        text = f"{change.key} is no longer logged"
    elif change.kind == "renamed":
        text = f"was {change.was}, is {change.key}{f'; {text}' if text else ''}"
    elif change.kind == "ended":
        text = f"no longer: {text}"
    elif change.until is not None:
        text = f"{text} (until {change.until})" if change.until != change.release else f"{text} (only then)"
    return change.release, text
