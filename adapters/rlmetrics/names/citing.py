"""Which citations are those of one release."""

from __future__ import annotations

from collections.abc import Sequence

from .records import Evidence
from .source import Source
from .tables import Tables

__all__ = ["cited_at"]


def cited_at(found: Sequence[Evidence], source: Source, tables: Tables) -> tuple[Evidence, ...]:
    """Return where a fact stands in one release.

    What is the same over many releases is cited in several of them. Of each thing shown these are the citations of the
    newest cited release up to the source's, or else of the oldest. Citations of other packages are all kept.

    Args:
        found: All citations of the fact.
        source: The release; of a source that is none, such as ``canonical``, everything is returned.
        tables: The spec.
    """
    if not source.is_release:
        return tuple(found)
    releases = tables.framework(source.framework).releases
    package = f"{tables.frameworks[source.framework]['package']}/"
    here = releases.index(source.release)
    best: dict[str, tuple[bool, int]] = {}
    ranks: list[tuple[bool, int] | None] = []
    for item in found:
        rank = None
        if item.release in releases and item.path.startswith(package):
            age = here - releases.index(item.release)
            # Up to the release the newest, after it the oldest.
            rank = age < 0, abs(age)
            best[item.shows] = min(rank, best.get(item.shows, rank))
        ranks.append(rank)
    pairs = zip(found, ranks, strict=True)
    return tuple(item for item, rank in pairs if rank is None or rank == best[item.shows])
