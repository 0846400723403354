"""Order of releases, and ranges of them."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache

__all__ = ["Releases", "is_development", "version_key"]

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
    # Compiled when first needed: most sources name a known release.
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
    return re.fullmatch(r"git\b.*|main|master|dev|nightly|head|latest|[0-9a-f]{7,40}", text, re.IGNORECASE) is not None


class Releases:
    """The releases of one framework, oldest first.

    Args:
        rows: Release and date.
    """

    def __init__(self, rows: Sequence[tuple[str, str]]) -> None:
        self.dates = dict(rows)
        self.names = tuple(self.dates)
        self.all = frozenset(self.names)
        self._order = {name: index for index, name in enumerate(self.names)}
        self._covered: dict[tuple[str, ...], frozenset[str]] = {}
        self._bits: dict[Collection[str], int] = {}

    def __contains__(self, release: object) -> bool:
        return release in self._order

    def index(self, release: str) -> int:
        """Return the position of a known release."""
        return self._order[release]

    def covered(self, ranges: Sequence[str]) -> frozenset[str]:
        """Return the known releases that ``0.12.2``, ``0.3.0..0.11.4``, ``1.0.0..`` or ``..0.11.4`` cover."""
        asked = tuple(ranges)
        if asked not in self._covered:
            found: set[str] = set()
            for item in asked:
                first, dots, last = (part.strip() for part in item.partition(".."))
                low, high = self._low(first), self._high(last) if dots else self._high(first) if first else -1
                found.update(self.names[low : high + 1])
            self._covered[asked] = frozenset(found)
        return self._covered[asked]

    def bits(self, releases: Collection[str]) -> int:
        """Return a set of known releases as bits, which are quick to intersect; bit 0 is the oldest."""
        if releases not in self._bits:
            self._bits[releases] = sum(1 << self._order[release] for release in releases)
        return self._bits[releases]

    def among(self, releases: Sequence[str], bits: int) -> tuple[str, ...]:
        """Return those of some known releases that are in a set of bits."""
        return tuple(release for release in releases if bits >> self._order[release] & 1)

    def covers(self, ranges: Sequence[str], release: str) -> bool:
        """Return whether one of the ranges covers a release."""
        return release in self.covered(ranges)

    def expand(self, ranges: Sequence[str]) -> list[str]:
        """Return the known releases that ranges cover, oldest first."""
        return sorted(self.covered(ranges), key=self.index)

    def spans(self, releases: Sequence[str]) -> str:
        """Return the known releases in short: neighbours as ``0.3.0..0.11.4``."""
        runs: list[list[int]] = []
        for place in sorted(self.index(release) for release in releases):
            if runs and place == runs[-1][1] + 1:
                runs[-1][1] = place
            else:
                runs.append([place, place])
        shown = [(self.names[first], self.names[last]) for first, last in runs]
        return ", ".join(first if first == last else f"{first}..{last}" for first, last in shown)

    def _low(self, release: str) -> int:
        return self._order.get(release, 0 if not release else len(self.names))

    def _high(self, release: str) -> int:
        return self._order.get(release, len(self.names) - 1 if not release else -1)

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
