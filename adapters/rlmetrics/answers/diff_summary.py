"""The first sentences of ``diff``: how much changed, and what one sees of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rlmetrics.names.causes import shown

from .cause_words import metric_words
from .keylists import braced, counted
from .words import listed

if TYPE_CHECKING:
    from rlmetrics.names import DiffResult
    from rlmetrics.names.causes import SharedCause
    from rlmetrics.names.tables import Tables

__all__ = ["summary"]

_MOST = 4
"""How many things the first sentences name."""


def summary(found: DiffResult, tables: Tables, from_: str, to: str, *, key: str | None = None) -> str:
    """Return the first sentences.

    Args:
        found: What changed.
        tables: The spec.
        from_: The old source.
        to: The new one.
        key: The only key that was asked for.
    """
    sentences = [_counts(found, from_, to) if key is None else _of_key(found, key, from_, to)]
    seen = [*_seen(found, tables)][:_MOST]
    if seen:
        sentences.append(f"With default settings you see this: {'; '.join(seen)}.")
    elif found.changed and all(item.applies is False for item in found.changed):
        sentences.append("With default settings none of it shows.")
    return " ".join(sentences)


def _counts(found: DiffResult, from_: str, to: str) -> str:
    changed, renamed, removed, added = (
        sum(item.mode == "train" for item in items)
        for items in (found.changed, found.renamed, found.removed, found.added)
    )
    others = [
        text
        for text, count in (
            (f"{renamed} have another name", renamed),
            (f"{removed} are gone", removed),
            (f"{added} are new", added),
        )
        if count
    ]
    if not (changed or others):
        return f"Nothing changed from {from_} to {to}."
    if not found.kept:
        return f"No training key kept its name: {listed(others)}."
    if not changed:
        rest = f"; {listed(others)}" if others else ""
        return f"None of the {counted(found.kept, 'training key')} that both have changed its meaning{rest}."
    first = f"{changed} of {counted(found.kept, 'training key')} changed {'its' if changed == 1 else 'their'} meaning"
    # Where more keys went than stayed, that is the news.
    return f"{first}; {listed(others)}." if renamed + removed > found.kept else f"{first}."


def _of_key(found: DiffResult, key: str, from_: str, to: str) -> str:
    if found.renamed:
        names = ", ".join(f"{item.from_} is {item.to} since {item.since or to}" for item in found.renamed)
        return f"{names}."
    if found.changed:
        return f"{key} changed its meaning from {from_} to {to}: {counted(len(found.causes), 'cause')}."
    if found.removed:
        item = found.removed[0]
        instead = f"; see {item.instead}" if item.instead else ""
        return f"{key} is not logged any more since {item.since or to}{instead}."
    if found.added:
        return f"{key} is new: logged since {found.added[0].since or to}."
    return f"{key} means the same in {from_} and {to}."


def _seen(found: DiffResult, tables: Tables) -> Iterator[str]:
    """Yield what one sees with default settings, what weighs most first."""
    bookkeeping = {item.key for item in found.changed if item.bookkeeping}
    causes = [cause for cause in found.causes if set(cause.keys) - bookkeeping and cause.applies is not False]
    yield from _came_and_went(causes)
    for default in found.defaults:
        if default.says and default.decides:
            yield default.says
    for cause in causes:
        if cause.severity == "look-alike" and cause.kind == "metric":
            keys = braced(cause.keys)
            now = metric_words(None, str(cause.after), tables).removeprefix("measures ")
            yield f"{listed(keys)} {'is' if len(cause.keys) == 1 else 'are'} now {now}" if len(cause.keys) == 1 else (
                f"{listed(keys)} measure something else"
            )
    for cause in causes:
        if cause.severity == "biased" and cause.effect is not None:
            yield f"{listed(braced(cause.keys)[:3])} {'is' if len(cause.keys) == 1 else 'are'} {_effect(cause)}"
    for default in sorted(found.defaults, key=lambda item: -len(item.moves)):
        if default.says and not default.decides:
            yield default.says


def _came_and_went(causes: list[SharedCause]) -> Iterator[str]:
    for cause in causes:
        for effect in cause.effects:
            if effect.kind == "logged" and effect.keys:
                keys = listed(braced(effect.keys)[:3])
                state = ("is" if len(effect.keys) == 1 else "are") + (" logged now" if effect.after else " gone")
                yield f"{keys} {state} ({cause.name} is {shown(cause.after)} now)"


def _effect(cause: SharedCause) -> str:
    words = {"unit": "in another unit"}
    return words.get(str(cause.effect), f"usually {cause.effect}")
