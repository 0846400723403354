"""A beginning that all keys of a log share, such as the name of a run that one tracker keeps beside others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rlmetrics.lazy_dataclasses import replace

from .run_clues import Clues

__all__ = ["clues_below", "shared_prefixes"]


def shared_prefixes(names: Iterable[str]) -> Iterator[str]:
    """Yield the beginnings, of whole parts, that all names share and that leave something of each; shortest first."""
    parts = [name.split("/") for name in names]
    if not parts:
        return
    first = parts[0]
    for depth in range(1, min(map(len, parts))):
        if any(one[:depth] != first[:depth] for one in parts):
            return
        yield "/".join(first[:depth]) + "/"


def clues_below(clues: Clues, prefix: str) -> Clues:
    """Return what is known of a run, with what stands before its keys left out."""
    keys = tuple(key.removeprefix(prefix) for key in clues.keys)
    nonzero = clues.nonzero
    return replace(
        clues,
        keys=keys,
        nonzero=None if nonzero is None else frozenset(key.removeprefix(prefix) for key in nonzero),
        negative=frozenset(key.removeprefix(prefix) for key in clues.negative),
        sunk=frozenset(key.removeprefix(prefix) for key in clues.sunk),
    )
