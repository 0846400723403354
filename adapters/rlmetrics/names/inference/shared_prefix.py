"""A beginning that all keys of a log share, such as the name of a run that one tracker keeps beside others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

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
    return clues.renamed(lambda key: key.removeprefix(prefix))
