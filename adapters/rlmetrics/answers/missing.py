"""Which keys that are always logged a row lacks, and why: as the notes of those keys say when they are absent."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rlmetrics.lazy_typing import TYPE_CHECKING
from rlmetrics.names.meanings.key_index import KEY
from rlmetrics.names.meanings.view import FrameworkView
from rlmetrics.names.tables.sentence_case import lowered
from rlmetrics.names.tables.user_errors import NamesError
from rlmetrics.wording.terminal import labelled

if TYPE_CHECKING:
    from rlmetrics.names import Resolution
    from rlmetrics.names.meanings.protocol import View
    from rlmetrics.names.settings.configuration import Configuration
    from rlmetrics.names.tables.key_records import Entry

__all__ = ["missing_lines"]

_FEWEST = 3
"""Fewer keys are no row, but what somebody picked."""
_NAMES = 6
"""So many missing keys are named for each reason."""
_ABSENT = re.compile(r"(?:Absent|Missing) (?:from|while|where)\b.*?\.(?=\s|$)")
_ELSEWHERE = re.compile(r"Logged once\b|never through")
"""What says that a key stands in a row of its own, or goes another way."""


def missing_lines(view: View, found: Sequence[Resolution], *, full: bool = False) -> list[str]:
    """Return which keys a row lacks that are always logged beside its own, and the likely reason.

    Args:
        view: The source, with the settings that the row shows.
        found: What the row's keys mean.
        full: Whether all are named.
    """
    known = [item for item in found if item.component is not None and item.matched == KEY]
    if not isinstance(view, FrameworkView) or len(known) < _FEWEST:
        return []
    if {item.mode for item in known if not _is_everywhere(view, item)} == {"eval"}:
        return labelled("missing", "the keys of training: this is a row of an evaluation")
    present = {item.template for item in known}
    groups: dict[str, list[str]] = {}
    for name in dict.fromkeys(str(item.component) for item in known):
        config = view.components[name].config
        entries = [entry for entry in view.components[name].entries() if entry.mode == "train"]
        # What keeps others away as well, but not those that are there, is no reason.
        void = {reason for entry in entries if entry.key in present for reason in _reasons(entry, config)}
        for entry in entries:
            for reason in _reasons(entry, config) if entry.key not in present else ():
                groups.setdefault("" if reason in void else reason, []).append(entry.key)
    # Keys for which something says why they are absent come first.
    ordered = sorted(groups.items(), key=lambda group: (group[0] == "", group[0]))
    return labelled("missing", [_some(keys, full=full) + (reason and f": {reason}") for reason, keys in ordered])


def _is_everywhere(view: FrameworkView, item: Resolution) -> bool:
    """Tell whether a key stands in rows of every kind, as the epoch does: it has no twin in evaluation."""
    entries = view.components[str(item.component)].entries()
    return item.mode == "train" and not any(entry.mode == "eval" and entry.metric == item.metric for entry in entries)


def _reasons(entry: Entry, config: Configuration) -> Iterator[str]:
    """Yield why a key that is always logged may be absent, an empty text if nothing says it; nothing for other keys."""
    if _ELSEWHERE.search(f"{entry.condition or ''} {entry.note or ''}") or "{" in entry.key:
        return
    guards, words = _parts(entry.condition or "", config)
    if not words and entry.logged:
        absent = _ABSENT.search(entry.note or "")
        yield "" if absent is None else lowered(absent[0]).rstrip(".")
    elif words and guards and all(map(config.holds, guards)) and not all(map(config.holds_by_default, guards)):
        yield f"logged only {'; '.join(words)}"


def _parts(condition: str, config: Configuration) -> tuple[list[str], list[str]]:
    """Return what a condition asks of settings, and what it says in words."""
    guards: list[str] = []
    words: list[str] = []
    for part in filter(None, condition.split("; ")):
        try:
            config.holds(part)
        except NamesError:
            words.append(part)
        else:
            guards.append(part)
    return guards, words


def _some(keys: Sequence[str], *, full: bool) -> str:
    if full or len(keys) <= _NAMES + 1:
        return ", ".join(keys)
    return f"{', '.join(keys[:_NAMES])} and {len(keys) - _NAMES} more"
