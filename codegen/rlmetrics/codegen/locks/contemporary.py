"""With which releases of another package a framework's releases ran when they came out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

__all__ = ["contemporary"]

_BOUND = re.compile(r"(==|>=|<=|<|>|!=)\s*([0-9][0-9.]*)")
_EQUAL = frozenset({"==", ">=", "<="})


def contemporary(
    dated: Iterable[tuple[str, str]],
    known: Mapping[str, str],
    required: Mapping[str, Sequence[str]],
) -> dict[str, str]:
    """Return for each release of a framework the release of another package that it ran with.

    That is the newest one that was out on its day and that it takes; else the first later one that it takes.

    Args:
        dated: The framework's releases with their dates, ``2026-01-31``.
        known: Releases of the other package with theirs, oldest first. Without any date the newest is cited.
        required: What each of the framework's releases asks of the package, such as ``transformers>=4.56.2``.
    """
    found: dict[str, str] = {}
    for release, day in dated:
        taken = [name for name in known if all(_takes(text, name) for text in required.get(release, ()))] or [*known]
        out = [name for name in taken if known[name] and known[name] <= day]
        found[release] = out[-1] if out else taken[0] if any(known.values()) else taken[-1]
    return found


def _takes(requirement: str, version: str) -> bool:
    """Tell whether a requirement without a marker takes a version."""
    if ";" in requirement:
        return True  # of an extra, or of one version of Python
    return all(_holds(sign, _numbers(version), _numbers(bound)) for sign, bound in _BOUND.findall(requirement))


def _holds(sign: str, version: tuple[int, ...], bound: tuple[int, ...]) -> bool:
    if version == bound:
        return sign in _EQUAL
    return sign == "!=" or (sign[0] == (">" if version > bound else "<"))


def _numbers(version: str) -> tuple[int, ...]:
    numbers = [int(part) for part in version.split(".") if part.isdigit()]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)
