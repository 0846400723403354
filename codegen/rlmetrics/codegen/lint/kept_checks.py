"""Results of checks that an earlier run has kept, each valid while the parts of the spec that it read stay the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from ..cache import Shelf
from .context import Context
from .lint_check import Check, Hit
from .tracing import ANYTHING, trace

__all__ = ["KeptHits"]

_Kept = tuple[frozenset[str], str, tuple[Hit, ...]]


class KeptHits:
    """What checks found, by the content of what they read."""

    def __init__(self, folder: Path | None, digests: Mapping[str, str]) -> None:
        """Take what is kept in a folder.

        Args:
            folder: The cache; without one every check runs.
            digests: Digests of the parts of the spec, and under ``""`` of all of it.
        """
        self._shelf = Shelf(folder, "checks")
        self._digests = digests
        self._before: dict[str, _Kept] = self._shelf.load() or {}
        self._now = dict(self._before)

    def run(self, check: Check, context: Context) -> Sequence[Hit]:
        """Return what a check finds, without running it if an earlier run read the same."""
        if check.run is None:
            return ()
        kept = self._before.get(check.id)
        if kept is not None and self._digest(kept[0]) == kept[1]:
            return kept[2]
        with trace() as parts:
            hits = tuple(check.run(context))
        read = frozenset([ANYTHING]) if ANYTHING in parts else frozenset(parts)
        self._now[check.id] = (read, self._digest(read), hits)
        return hits

    def keep(self) -> None:
        """Keep the results of this run, if they are not those of the run before."""
        if self._now != self._before:
            self._shelf.keep(self._now)

    def _digest(self, parts: frozenset[str]) -> str:
        return " ".join(self._digests.get(part, "none") for part in sorted(parts))
