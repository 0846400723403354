"""Many names in little room: what differs in one part is written once, and lists end in how many more there are."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from .terminal import extent
from .voice import phrase

__all__ = ["braced", "counted", "few", "fitting", "starred"]

_PLACEHOLDER = re.compile(r"\{\w+\}")
_WIDE = 52
"""How long a name with braces may become."""
_Parts = tuple[str, str, str]


def starred(key: str) -> str:
    """Return a key with ``*`` for what varies in a log; a name that varies as a whole is its placeholder's."""
    return key if _PLACEHOLDER.fullmatch(key) else _PLACEHOLDER.sub("*", key)


def braced(keys: Sequence[str]) -> list[str]:
    """Return keys in short, such as ``completions/{mean,max}_length``, in the order of the first of each."""
    patterns = [starred(key) for key in dict.fromkeys(keys)]
    for parts in (_by_first_word, _by_last_word, _by_last_part):
        patterns = _joined(patterns, parts)
    return patterns


def counted(count: int, noun: str) -> str:
    """Return a number with its noun."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _joined(keys: Sequence[str], parts: Callable[[str], _Parts | None]) -> list[str]:
    """Join keys that are the same but for their middle part."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for key in keys:
        cut = None if "{" in key else parts(key)
        place = ("", key, "") if cut is None else (cut[0], "", cut[2])
        groups.setdefault(place, []).append(key if cut is None else cut[1])
    joined: list[str] = []
    for (head, alone, tail), middles in groups.items():
        if alone:
            joined.append(alone)
            continue
        for some in _chunks(middles, _WIDE - len(head) - len(tail)):
            text = some[0] if len(some) == 1 else f"{{{','.join(some)}}}"
            joined.append(f"{head}{text}{tail}")
    return joined


def _chunks(parts: Sequence[str], room: int) -> list[list[str]]:
    """Cut parts so that those of each piece fit on a line."""
    chunks: list[list[str]] = [[]]
    for part in parts:
        if chunks[-1] and sum(map(len, chunks[-1])) + len(chunks[-1]) + len(part) > room:
            chunks.append([])
        chunks[-1].append(part)
    return chunks


def few(names: Sequence[str], room: int = 48) -> str:
    """Return some names for a sentence: as many as there is room for, and how many more there are."""
    told: list[str] = []
    for name in names:
        if told and sum(map(len, told)) + len(name) > room:
            break
        told.append(name)
    if len(told) < len(names):
        return phrase("{names} and {count} more", names=", ".join(told), count=len(names) - len(told))
    return f"{', '.join(told[:-1])} and {told[-1]}" if len(told) > 1 else told[0]


def fitting(names: Sequence[str], columns: int) -> str:
    """Return as many names as fit into some columns, and how many more there are.

    A name that is too long for the rest is passed over, never cut. There is one at least, however long it is.

    Args:
        names: The names, those that matter first.
        columns: How wide the text may be.
    """
    whole = ", ".join(names)
    if len(whole) <= columns:
        return whole
    room = columns - extent(phrase(", and {count} more", count=len(names)))
    shown: list[str] = []
    for name in names:
        if len(", ".join([*shown, name])) <= room:
            shown.append(name)
    shown = shown or [min(names, key=len)]
    rest = phrase(", and {count} more", count=len(names) - len(shown)) if len(shown) < len(names) else ""
    return f"{', '.join(shown)}{rest}"


def _by_first_word(key: str) -> _Parts | None:
    head, slash, last = key.rpartition("/")
    first, mark, rest = last.partition("_")
    return (head + slash, first, mark + rest) if slash and mark else None


def _by_last_word(key: str) -> _Parts | None:
    first, mark, last = key.rpartition("_")
    return (first + mark, last, "") if mark and "/" not in last and "/" in first else None


def _by_last_part(key: str) -> _Parts | None:
    head, slash, last = key.rpartition("/")
    return (head + slash, last, "") if slash else None
