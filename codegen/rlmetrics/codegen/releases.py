"""Ranges of releases over the ordered list of a framework's releases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .model import Ranges

__all__ = ["RangeError", "Releases"]


class RangeError(ValueError):
    """A range that names an unknown release or that is empty.

    Attributes:
        index: Which range of a list is wrong.
        release: The release that is not known, or None if the range ends before it starts.
    """

    def __init__(self, message: str, index: int, release: str | None) -> None:
        super().__init__(message)
        self.index = index
        self.release = release


@dataclass(frozen=True)
class Releases:
    """The releases of one framework, oldest first."""

    names: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "_order", {name: index for index, name in enumerate(self.names)})

    def __contains__(self, release: object) -> bool:
        return release in self._positions

    @property
    def _positions(self) -> dict[str, int]:
        positions: dict[str, int] = self.__dict__["_order"]
        return positions

    def index(self, release: str) -> int:
        """Return the position of a release that exists."""
        return self._positions[release]

    def sort(self, releases: frozenset[str] | set[str]) -> list[str]:
        """Return the known releases, oldest first."""
        return sorted(releases, key=self.index)

    def text(self, releases: frozenset[str] | set[str]) -> str:
        """Return the known releases in words: three and more neighbours as a range."""
        runs: list[list[int]] = []
        for place in sorted(self.index(release) for release in releases):
            if runs and place == runs[-1][-1] + 1:
                runs[-1].append(place)
            else:
                runs.append([place])
        return ", ".join(
            f"{self.names[run[0]]} to {self.names[run[-1]]}"
            if len(run) > 2
            else ", ".join(self.names[place] for place in run)
            for run in runs
        )

    def bits(self, releases: frozenset[str] | set[str]) -> int:
        """Return the known releases as bits, which are quick to intersect; bit 0 is the oldest."""
        return sum(1 << self.index(release) for release in releases)

    def of_bits(self, bits: int) -> frozenset[str]:
        """Return the releases that bits stand for."""
        return frozenset(name for index, name in enumerate(self.names) if bits >> index & 1)

    def spans(self, bits: int) -> list[str]:
        """Return the releases given as bits as ranges, with an open end where the newest release is among them."""
        found: list[str] = []
        start = 0
        while bits >> start:
            if not bits >> start & 1:
                start += 1
                continue
            end = start
            while bits >> (end + 1) & 1:
                end += 1
            last = end == len(self.names) - 1
            first = self.names[start]
            ending = ".." if last and end > start else f"..{self.names[end]}" if end > start else ""
            found.append(first + ending)
            start = end + 1
        return found

    def expand(self, ranges: Ranges) -> frozenset[str]:
        """Return the releases that a range or a list of ranges covers.

        Args:
            ranges: ``0.12.2``, ``0.3.0..0.11.4`` (both ends included), ``1.0.0..``, ``..0.11.4`` or a list of these.

        Raises:
            RangeError: If a release is unknown or a range ends before it starts.
        """
        items: Sequence[str] = [ranges] if isinstance(ranges, str) else ranges
        covered: set[str] = set()
        for position, item in enumerate(items):
            covered.update(self._expand_one(item, position))
        return frozenset(covered)

    def _expand_one(self, text: str, position: int) -> tuple[str, ...]:
        first, dots, last = (part.strip() for part in text.partition(".."))
        low = self._find(first, position) if first or not dots else 0
        high = (self._find(last, position) if last else len(self.names) - 1) if dots else low
        if high < low:
            msg = f"the range `{text}` ends before it starts"
            raise RangeError(msg, position, None)
        return self.names[low : high + 1]

    def _find(self, release: str, position: int) -> int:
        index = self._positions.get(release)
        if index is None:
            msg = f"the release `{release}` is not among the releases of the framework"
            raise RangeError(msg, position, release)
        return index
