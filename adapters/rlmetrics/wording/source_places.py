"""Where a release shows a key: the lines of its source, in the order of telling, and their addresses."""

from __future__ import annotations

from .voice import phrase

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from rlmetrics.names.tables.framework_table import FrameworkTable
    from rlmetrics.names.tables.key_records import Evidence

__all__ = ["addresses_of", "own_places", "place_texts", "places_of"]

_SHOWN = 3


def place_texts(key: str, evidence: Sequence[Evidence], *, full: bool = False) -> list[str]:
    """Return places of the source as text: a path once, with further lines of the same file behind it.

    Args:
        key: The key that they show.
        evidence: The places.
        full: Whether all are told, each with what it shows.
    """
    ranked = sorted(evidence, key=lambda place: -_likeness(key, place))
    ranked.sort(key=lambda place: place.program is not None)
    places = [*evidence] if full else ranked[:_SHOWN]
    paths = [place.path for place in places]
    places.sort(key=lambda place: paths.index(place.path))
    texts: list[str] = []
    path = None
    for place in places:
        name = f" ({place.shows})" if full else ""
        line = f":{place.line}" if place.path == path else f"{place.path}:{place.line}"
        if place.path == path:
            texts[-1] += f"  {line}{name}"
        else:
            texts.append(f"{line}{name}{f' ({place.note} {place.release})' if place.note else ''}")
        path = place.path
    if len(evidence) > len(places):
        texts[-1] += f"  {phrase('and {count} more', count=len(evidence) - len(places))}"
    return texts


def own_places(key: str, evidence: Sequence[Evidence]) -> list[Evidence]:
    """Return the places in the framework's own files; all, where only another package's line is called like the key."""
    own = [place for place in evidence if place.note is None]
    own_likeness = max((_likeness(key, place) for place in own), default=-1)
    return own if own_likeness >= min(1, max(_likeness(key, place) for place in evidence)) else [*evidence]


def _likeness(key: str, place: Evidence) -> int:
    """Return how many words of a key name a place: what is called like the key shows its value."""
    words = "".join(sign if "a" <= sign <= "z" else " " for sign in key.rpartition("/")[2].lower()).split()
    return sum(len(word) > 1 and word in place.shows.lower() for word in words)


def addresses_of(table: FrameworkTable, places: Sequence[Evidence]) -> dict[str, str]:
    """Return the addresses of places by the text that names them in an answer."""
    found = {f"{place.path}:{place.line}": table.address(place) for place in places}
    return {text: address for text, address in found.items() if address is not None}


def places_of(source: str, stem: str, anchors: Sequence[str]) -> tuple[FrameworkTable, tuple[Evidence, ...]]:
    """Return where the release of a source shows what has these anchors, by the generated tables.

    Args:
        source: One component of a release, such as ``trl[GRPOTrainer]==0.18.2``.
        stem: The file that describes it.
        anchors: The spec's names of places.
    """
    from rlmetrics.names.tables.loading import load_tables

    component, _, release = source.partition("==")
    table = load_tables().framework(component.partition("[")[0])
    return table, table.evidence(stem, anchors, release)
