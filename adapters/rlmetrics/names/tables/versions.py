"""Order of releases, and ranges of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

__all__ = ["RangeError", "Releases", "is_development", "version_key"]

_VERSION = (
    r"v?(?P<release>[0-9]+(?:\.[0-9]+)*)"
    r"(?:[-_.]?(?P<pre>a|alpha|b|beta|c|rc|pre|preview)[-_.]?(?P<pre_n>[0-9]*))?"
    r"(?:[-_.]?(?P<post>post|rev|r)[-_.]?(?P<post_n>[0-9]*))?"
    r"(?:[-_.]?(?P<dev>dev)[-_.]?(?P<dev_n>[0-9]*))?"
    r"(?:\+(?P<local>[a-z0-9]+(?:[-_.][a-z0-9]+)*))?"
)
_PRE_ORDER = {"a": 0, "alpha": 0, "b": 1, "beta": 1, "c": 2, "rc": 2, "pre": 2, "preview": 2}
_NO_PRE = (3, 0)
_NO_DEV = 1 << 30

Key = tuple[tuple[int, ...], tuple[int, int], int, int]


@lru_cache(maxsize=1024)
def version_key(text: str) -> Key | None:
    """Return a key that sorts versions as PyPI does, or None for what is no version.

    A local part (``+git.abc``) does not count: such a build is at least its release.
    """
    # Needed, and compiled, seldom: most sources name a known release.
    import re

    match = re.fullmatch(_VERSION, text.strip(), re.IGNORECASE)
    if match is None:
        return None
    numbers = [int(part) for part in match["release"].split(".")]
    while len(numbers) > 1 and numbers[-1] == 0:
        numbers.pop()
    pre = _NO_PRE
    if match["pre"]:
        pre = (_PRE_ORDER[match["pre"].lower()], int(match["pre_n"] or 0))
    elif match["dev"] and not match["post"]:
        pre = (-1, 0)
    post = int(match["post_n"] or 0) + 1 if match["post"] else 0
    dev = int(match["dev_n"] or 0) if match["dev"] else _NO_DEV
    return tuple(numbers), pre, post, dev


def is_development(text: str) -> bool:
    """Tell whether a text names a state of a repository in place of a release: ``git``, ``main``, a commit."""
    import re

    return re.fullmatch(r"git\b.*|main|master|dev|nightly|head|latest|[0-9a-f]{7,40}", text, re.IGNORECASE) is not None


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


class Releases:
    """The releases of one framework, oldest first.

    Ranges are ``0.12.2``, ``0.3.0..0.11.4`` (both ends included), ``1.0.0..``, ``..0.11.4`` or a list of these.

    A release that runs on several releases of another framework stands once for each, such as ``4.6.0+trl0.24.0``; a
    range may name all of them as ``4.6.0``.

    Args:
        rows: Release and date.
    """

    def __init__(self, rows: Mapping[str, str] | Iterable[tuple[str, str]]) -> None:
        self.dates = dict(rows)
        self.names = tuple(self.dates)
        self._order = {name: index for index, name in enumerate(self.names)}
        self._last = self._order
        self._pairs: dict[str, list[str]] = {}
        if "+" in "".join(self.names):
            for name in self.names:
                self._pairs.setdefault(name.partition("+")[0], []).append(name)
            self._last = {**self._order, **{plain: self._order[pairs[-1]] for plain, pairs in self._pairs.items()}}
        self._covered: dict[tuple[str, ...], frozenset[str]] = {}
        self._of_bits: dict[int, frozenset[str]] = {}
        self._ranges: dict[int, list[str]] = {}

    def __contains__(self, release: object) -> bool:
        return release in self._order

    def index(self, release: str) -> int:
        """Return the position of a known release."""
        return self._order[release]

    def paired(self, release: str) -> Sequence[str]:
        """Return the pairs with releases of another framework that a release stands for; none where it has no such."""
        return self._pairs.get(release, ())

    def among(self, releases: Iterable[str]) -> set[str]:
        """Return those of some releases that are known, with all pairs that one stands for."""
        return {name for release in releases for name in self._pairs.get(release, (release,)) if name in self._order}

    def covered(self, ranges: Sequence[str]) -> frozenset[str]:
        """Return the known releases that ranges cover; a range that names an unknown one covers none."""
        asked = (ranges,) if isinstance(ranges, str) else tuple(ranges)
        if asked not in self._covered:
            covered: set[str] = set()
            for item in asked:
                try:
                    covered.update(self._between(item, 0))
                except RangeError:
                    continue
            self._covered[asked] = frozenset(covered)
        return self._covered[asked]

    def checked(self, ranges: Sequence[str]) -> frozenset[str]:
        """Return the releases that ranges cover.

        Raises:
            RangeError: If a release is unknown or a range ends before it starts.
        """
        asked = (ranges,) if isinstance(ranges, str) else ranges
        return frozenset(name for index, item in enumerate(asked) for name in self._between(item, index))

    def covers(self, ranges: Sequence[str], release: str) -> bool:
        """Return whether one of the ranges covers a release."""
        covered = self._covered.get(tuple(ranges))
        return release in (self.covered(ranges) if covered is None else covered)

    def expand(self, ranges: Sequence[str]) -> list[str]:
        """Return the known releases that ranges cover, oldest first."""
        return self.sort(self.covered(ranges))

    def sort(self, releases: Iterable[str]) -> list[str]:
        """Return known releases, oldest first."""
        return sorted(releases, key=self.index)

    def bits(self, releases: Iterable[str]) -> int:
        """Return a set of known releases as bits, which are quick to intersect; bit 0 is the oldest."""
        order = self._order
        return sum([1 << order[release] for release in releases])

    def of_bits(self, bits: int) -> frozenset[str]:
        """Return the releases that bits stand for."""
        if bits not in self._of_bits:
            self._of_bits[bits] = frozenset([name for index, name in enumerate(self.names) if bits >> index & 1])
        return self._of_bits[bits]

    def ranges(self, bits: int) -> list[str]:
        """Return releases given as bits as ranges, with an open end where the newest release is among them."""
        if bits not in self._ranges:
            newest = len(self.names) - 1
            self._ranges[bits] = [
                self.names[first] + ("" if first == last else ".." if last == newest else f"..{self.names[last]}")
                for first, last in self._runs(self.of_bits(bits))
            ]
        return [*self._ranges[bits]]

    def spans(self, releases: Iterable[str]) -> str:
        """Return known releases in short: neighbours as ``0.3.0..0.11.4``."""
        shown = [(self.names[first], self.names[last]) for first, last in self._runs(releases)]
        return ", ".join(first if first == last else f"{first}..{last}" for first, last in shown)

    def text(self, releases: Iterable[str]) -> str:
        """Return known releases in words: three and more neighbours as a range."""
        return ", ".join(
            f"{self.names[first]} to {self.names[last]}"
            if last > first + 1
            else ", ".join(self.names[first : last + 1])
            for first, last in self._runs(releases)
        )

    def _runs(self, releases: Iterable[str]) -> list[list[int]]:
        """Return the positions of the first and the last of each row of neighbours."""
        runs: list[list[int]] = []
        for place in sorted(map(self.index, releases)):
            if runs and place == runs[-1][1] + 1:
                runs[-1][1] = place
            else:
                runs.append([place, place])
        return runs

    def _between(self, text: str, index: int) -> tuple[str, ...]:
        """Return the releases of one range, which stands at an index of a list."""
        first, dots, last = (part.strip() for part in text.partition(".."))
        low = self._find(first, index, self._order) if first or not dots else 0
        if dots:
            high = self._find(last, index, self._last) if last else len(self.names) - 1
        else:
            high = low if self._last is self._order else self._find(first, index, self._last)
        if high < low:
            msg = f"the range `{text}` ends before it starts"
            raise RangeError(msg, index, None)
        return self.names[low : high + 1]

    def _find(self, release: str, index: int, order: Mapping[str, int]) -> int:
        place = order.get(release)
        if place is None and release in self._pairs:
            place = self._order[self._pairs[release][0]]
        if place is None:
            msg = f"the release `{release}` is not among the releases of the framework"
            raise RangeError(msg, index, release)
        return place

    def answering(self, release: str) -> str | None:
        """Return the known release that answers for a version, or None for one older than all.

        A known release answers for itself, and for the development and pre-releases that led to it, whose code is
        nearer to its own than to that of the release before. Any other version is answered by the nearest older
        release; a pre-release that has none, by the oldest. What is no version (a state of the repository) is taken
        for the newest.
        """
        key = version_key(release)
        if key is None:
            return self.names[-1] if self.names else None
        known = sorted((other, name) for name in self.names if (other := version_key(name)) is not None)
        older = [name for other, name in known if other <= key]
        if not _is_preview(key):
            return older[-1] if older else None
        announced = [name for other, name in known if other[0] == key[0] and other >= key]
        return next(iter([*announced, *older[-1:], *(name for _, name in known)]), None)


def _is_preview(key: Key) -> bool:
    """Tell whether a version is a development or a pre-release."""
    _, pre, _, dev = key
    return pre != _NO_PRE or dev != _NO_DEV
