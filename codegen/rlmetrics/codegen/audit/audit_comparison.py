"""Compares what a release logs with what the spec says."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from .described import DescribedKey, Description
from .extract import ExtractedKey, Extraction

__all__ = ["AuditComparison", "Broken", "Stale", "compare"]


@dataclass(frozen=True)
class Stale:
    """A key of the spec that the release does not log."""

    component: str
    key: str
    file: str


@dataclass(frozen=True)
class Broken:
    """An anchor of the spec that does not stand where its lock says.

    Attributes:
        where: The file and the anchor.
        path: Path in the wheel.
        line: Where it should stand.
        problem: What is wrong.
    """

    where: str
    path: str
    line: int
    problem: str


@dataclass(frozen=True)
class AuditComparison:
    """What an audit found.

    Attributes:
        extracted: Extracted keys of the described components, each counted once.
        matched: Those that the spec has.
        missing: Those that it lacks, with their first place.
        stale: Keys of the spec that were not extracted.
        broken: Anchors that do not stand where they should.
        undescribed: Keys of components that the spec does not describe in this release.
        not_understood: Places that look like logging and that no rule understands.
        proofs: How many places of anchors were looked at.
    """

    extracted: int
    matched: int
    missing: tuple[ExtractedKey, ...]
    stale: tuple[Stale, ...]
    broken: tuple[Broken, ...]
    undescribed: dict[str, int] = field(default_factory=dict)
    not_understood: tuple[object, ...] = ()
    proofs: int = 0

    @property
    def has_gaps(self) -> bool:
        """Whether the spec and the release disagree."""
        return bool(self.missing or self.stale or self.broken or self.not_understood)


def compare(extraction: Extraction, description: Description, *, by_component: bool) -> AuditComparison:
    """Compare an extraction with the description of the same release.

    Args:
        extraction: What the release logs.
        description: What the spec says.
        by_component: Whether a key must be logged by the same component (TRL's classes). Otherwise components only
            divide one dict between them, and the spec may divide it differently.
    """
    first: dict[tuple[str, str], ExtractedKey] = {}
    for extracted in extraction.keys:
        first.setdefault((extracted.component, extracted.key), extracted)
    fitting = {
        place: fits(extracted, description.keys, by_component=by_component) for place, extracted in first.items()
    }
    described = {place for place in first if place[0] in description.components or fitting[place]}
    undescribed: dict[str, int] = {}
    for component, _ in sorted(first.keys() - described):
        undescribed[component] = undescribed.get(component, 0) + 1
    logged = {id(key) for keys in fitting.values() for key in keys}
    external = [key for key in description.keys if key.external or is_inherited(extraction, key)]
    return AuditComparison(
        extracted=len(described),
        matched=sum(bool(fitting[place]) for place in described),
        missing=tuple(extracted for place, extracted in first.items() if place in described and not fitting[place]),
        stale=tuple(
            Stale(key.component, key.key, key.stem)
            for key in description.keys
            if key not in external and id(key) not in logged
        ),
        broken=(),
        undescribed=undescribed,
    )


def fits(extracted: ExtractedKey, keys: Iterable[DescribedKey], *, by_component: bool) -> list[DescribedKey]:
    """Return the described keys that an extracted key can be."""
    return [
        key for key in keys if (not by_component or key.component == extracted.component) and key.fits(extracted.key)
    ]


def is_inherited(extraction: Extraction, key: DescribedKey) -> bool:
    """Tell whether a base class of another package logs the key."""
    return any(key.fits(name) for name in extraction.inherited.get(key.component, ()))
