"""How much weighs what sets two numbers apart: whether a difference shows under the settings of a pair at all.

Most differences are gone under some settings: a mean of means is the mean where there is one part. The spec says so as
guards; they are judged with the settings of either side.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from rlmetrics.lazy_typing import TYPE_CHECKING, Any, Protocol

from ..tables.levels import UPDATE
from ..tables.user_errors import NamesError

if TYPE_CHECKING:
    from ..tables.key_records import Difference
    from ..tables.levels import Level

__all__ = [
    "SEVERITIES",
    "SINGLE",
    "UNKNOWN",
    "UNREVIEWED",
    "UPDATE",
    "Circumstances",
    "Settings",
    "severity",
    "severity_of",
    "unmet",
]

UNREVIEWED = "unreviewed"
"""The relation, the severity and the difference of numbers of which something is not stated."""

SEVERITIES = ("same", "close", UNREVIEWED, "biased", "look-alike", "none")
"""From numbers that may share a plot to keys without any counterpart."""

UNKNOWN = "unknown"
"""Stands in guards for what no setting says; whatever depends on it is unknown."""

SINGLE = "single."
"""Before a part in the guard of a trait: what the component says about when there is only one of it."""

_PART = re.compile(r"\bsingle\.([a-z_]+)")
_OF_KIND = {"exact": "same", "affine": "same", "related": "look-alike", "none": "none"}


class Settings(Protocol):
    """What answers guards, such as `rlmetrics.names.settings.configuration.Configuration`."""

    def holds(self, guard: str) -> bool | None:
        """Return whether a guard holds; None if that depends on a setting whose value is not known."""
        ...


class _Relation(Protocol):
    """What `rlmetrics.names.differences.relations.Relation` and the rows of answers have in common."""

    @property
    def kind(self) -> str: ...

    @property
    def differs_by(self) -> Sequence[Difference]: ...


class Circumstances:
    """What decides for one component in one release whether differences show.

    Args:
        framework: The framework's name, by which guards may differ.
        single: For each part that the spec mentions, the guard under which there is only one.
        settings: What answers guards.
        levels: The levels of reduction by name.
    """

    def __init__(
        self, framework: str, single: Mapping[str, str], settings: Settings, levels: Mapping[str, Level]
    ) -> None:
        self.settings = settings
        self._levels = levels
        self._framework = framework
        self._single = single

    def part(self, name: str, mode: str) -> str:
        """Return the guard under which there is one part at a level, or one optimizer step per batch (``update``)."""
        if mode != "train" and (name == UPDATE or self._levels[name].cut_by == "training"):
            return UNKNOWN  # an evaluation is cut in other ways
        return self._single.get(name, UNKNOWN)

    def trait(self, row: Mapping[str, Any], mode: str) -> str | None:
        """Return the guard under which a trait does not show, written out; None if only words say it."""
        guard = row.get("vanishes_if")
        if isinstance(guard, Mapping):
            guard = guard.get(self._framework)
        return None if guard is None else _PART.sub(lambda found: f"({self.part(found[1], mode)})", guard)


def unmet(guard: str, settings: Settings | None) -> list[str]:
    """Return the parts of a guard that must all hold and do not, without the parentheses around each.

    Of alternatives the one that lacks least counts; where several lack as little, the whole guard is one part.
    """
    options = [
        tuple(part for part in _parts(option, "and") if settings is None or not _holds(settings, part))
        for option in _parts(guard, "or")
    ]
    fewest = min(map(len, options), default=0)
    shortest = dict.fromkeys(option for option in options if len(option) == fewest)
    return [*next(iter(shortest))] if len(shortest) == 1 else [guard] if shortest else []


def _parts(guard: str, joint: str) -> Iterator[str]:
    """Yield what a word joins outside of parentheses."""
    depth, start = 0, 0
    for token in re.finditer(rf"[()]|\b{joint}\b|$", guard):
        depth += {"(": 1, ")": -1}.get(token[0], 0)
        if depth == 0 and token[0] not in ("(", ")"):
            part = guard[start : token.start()].strip()
            start = token.end()
            if part:
                yield part[1:-1] if part[0] == "(" and part[-1] == ")" and part.count("(") == 1 else part


def _holds(settings: Settings, guard: str) -> bool | None:
    """Return whether a part of a condition holds; None for one that is written in words."""
    try:
        return settings.holds(guard)
    except NamesError:
        return None


def severity(kind: str, differs_by: Iterable[Difference]) -> str:
    """Return how much weighs what sets two keys apart, one of `SEVERITIES`.

    Args:
        kind: The relation, such as ``approximate``.
        differs_by: How the two numbers differ.
    """
    if kind in _OF_KIND:
        return _OF_KIND[kind]
    shown = any(item.grade != "minor" and item.applies is not False for item in differs_by if item.about != UNREVIEWED)
    if kind == UNREVIEWED and not shown:
        return UNREVIEWED
    return "biased" if shown or kind != "approximate" else "close"


def severity_of(relation: _Relation) -> str:
    """Return how much weighs what sets two keys apart, one of `SEVERITIES`."""
    return severity(relation.kind, relation.differs_by)
