"""Many keys in little room: names that differ in one part are written once, with the parts in braces."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

__all__ = ["braced", "counted", "starred"]

_PLACEHOLDER = re.compile(r"\{\w+\}")
_Parts = tuple[str, str, str]


def starred(key: str) -> str:
    """Return a key with ``*`` for what stands in its place in a log."""
    return _PLACEHOLDER.sub("*", key)


def braced(keys: Sequence[str]) -> list[str]:
    """Return keys in short, such as ``completions/{mean,max}_length``, in the order of the first of each."""
    found = [starred(key) for key in dict.fromkeys(keys)]
    for parts in (_by_first_word, _by_last_word, _by_last_part):
        found = _joined(found, parts)
    return found


def counted(count: int, noun: str) -> str:
    """Return a number with its noun."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _joined(keys: Sequence[str], parts: Callable[[str], _Parts | None]) -> list[str]:
    """Join keys that are the same but for their middle part."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for key in keys:
        found = None if "{" in key else parts(key)
        place = ("", key, "") if found is None else (found[0], "", found[2])
        groups.setdefault(place, []).append(key if found is None else found[1])
    joined: list[str] = []
    for (head, alone, tail), middles in groups.items():
        text = middles[0] if len(middles) == 1 else f"{{{','.join(middles)}}}"
        joined.append(alone or f"{head}{text}{tail}")
    return joined


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
