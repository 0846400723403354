"""Which citations are those of one release."""

from __future__ import annotations

from collections.abc import Sequence

from .records import BETWEEN, Cited, Evidence, pieces
from .source import Source
from .tables import Tables

__all__ = ["Citations"]


class Citations:
    """Chooses, among all citations of a fact, those that tell where it stands in one release.

    What is the same over many releases is cited in several of them. Of each thing shown these are the citations of the
    newest cited release up to the source's, or else of the oldest. Citations of other packages are all kept.

    Args:
        source: The release; of a source that is none, such as ``canonical``, everything is returned.
        tables: The spec.
    """

    def __init__(self, source: Source, tables: Tables) -> None:
        self._chosen: dict[str, tuple[Evidence, ...]] = {}
        self._ages: dict[str, tuple[bool, int]] = {}
        self._own: frozenset[str] = frozenset()
        if source.is_release:
            table = tables.framework(source.framework)
            package = f"{tables.frameworks[source.framework]['package']}/"
            self._own = frozenset(name for name, place in table.places.items() if place.startswith(package))
            here = table.releases.index(source.release)
            # Up to the release the newest, after it the oldest.
            self._ages = {name: (age > here, abs(age - here)) for age, name in enumerate(table.releases.names)}

    def of(self, cited: Cited) -> tuple[Evidence, ...]:
        """Return the citations of a fact that are chosen."""
        # Components that take an emission over share its evidence.
        if cited.text not in self._chosen:
            self._chosen[cited.text] = cited.read(BETWEEN.join(self._choose(pieces(cited.text))))
        return self._chosen[cited.text]

    def _choose(self, found: Sequence[str]) -> list[str]:
        best: dict[str, tuple[bool, int]] = {}
        ranks: list[tuple[str, tuple[bool, int] | None]] = []
        for text in found:
            release, place, _, *rest = text.split("|", 4)
            shows = rest[0] if rest else "key"
            rank = self._ages.get(release) if place in self._own else None
            if rank is not None:
                best[shows] = min(rank, best.get(shows, rank))
            ranks.append((shows, rank))
        pairs = zip(found, ranks, strict=True)
        return [text for text, (shows, rank) in pairs if rank is None or rank == best[shows]]
