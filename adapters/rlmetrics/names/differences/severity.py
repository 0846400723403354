"""How much weighs what sets two numbers apart: whether a difference shows under the settings of a pair at all.

Most differences are gone under some settings: a mean of means is the mean where there is one part. The spec says so as
guards; they are judged with the settings of either side.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from ..tables.levels import UPDATE
from ..tables.user_errors import NamesError

if TYPE_CHECKING:
    from ..tables.key_records import Difference
    from ..tables.levels import Level

__all__ = [
    "SEVERITIES",
    "SINGLE",
    "UNKNOWN",
    "UPDATE",
    "Circumstances",
    "Settings",
    "applies",
    "judged",
    "severity",
    "severity_of",
    "unmet",
]

SEVERITIES = ("same", "close", "biased", "look-alike", "none")
"""From numbers that may share a plot to keys without any counterpart."""

UNKNOWN = "unknown"
"""Stands in guards for what no setting says; whatever depends on it is unknown."""

SINGLE = "single."
"""Before a part in the guard of a trait: what the component says about when there is only one of it."""

_PART = re.compile(r"\bsingle\.([a-z_]+)")
_PLAIN = frozenset({"pool", "none"})
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


def guards_of_level(
    level: Level, operations: tuple[str, str], sides: Sequence[Circumstances | None], modes: tuple[str, str]
) -> tuple[str | None, str | None] | None:
    """Return under which settings of either side two operations at a level give the same number; None if none say it.

    A mean over one part is exact, so the side that takes it must have one part. What is pooled is exact anyhow, but for
    steps between two logs: there the other side sees other steps.
    """
    if not level.is_countable:
        return None
    both_plain = _PLAIN.issuperset(operations)
    needed = [
        operation != "none" if level.lies == "apart" or both_plain else operation not in _PLAIN
        for operation in operations
    ]
    return _both(
        *(
            None if not need else UNKNOWN if side is None else side.part(level.name, mode)
            for need, side, mode in zip(needed, sides, modes, strict=True)
        )
    )


def guards_of_snapshot(
    snapshots: tuple[str, str], sides: Sequence[Circumstances | None], modes: tuple[str, str]
) -> tuple[str | None, str | None] | None:
    """Return when the policy that is updated is still the one that sampled, on the side that looks at it."""
    if "reference" in snapshots or "current" not in snapshots:
        return None
    return _both(
        *(
            None if snapshot != "current" else UNKNOWN if side is None else side.part(UPDATE, mode)
            for snapshot, side, mode in zip(snapshots, sides, modes, strict=True)
        )
    )


def _both(first: str | None, second: str | None) -> tuple[str | None, str | None] | None:
    return None if {first, second} <= {None, UNKNOWN} else (first, second)


def applies(difference: Difference, source: Settings | None, target: Settings | None) -> bool | None:
    """Return whether a difference shows under the settings of both sides; None if nothing can tell.

    Args:
        difference: How two numbers differ.
        source: The settings of the first one; None if they are not known.
        target: The settings of the second one.
    """
    if difference.vanishes_if is None:
        return True if difference.vanishes_when is None else None
    answers = [
        None if guard == UNKNOWN or settings is None else settings.holds(guard)
        for guard, settings in zip(difference.vanishes_if, (source, target), strict=True)
        if guard is not None
    ]
    return True if False in answers else None if None in answers else False


def judged(difference: Difference, sides: Sequence[Circumstances | None]) -> Difference:
    """Return a difference with whether it shows."""
    source, target = (None if side is None else side.settings for side in sides)
    verdict = applies(difference, source, target)
    return difference if verdict is difference.applies else replace(difference, applies=verdict)


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
    shown = any(item.grade != "minor" and item.applies is not False for item in differs_by)
    return "biased" if shown or kind != "approximate" else "close"


def severity_of(relation: _Relation) -> str:
    """Return how much weighs what sets two keys apart, one of `SEVERITIES`."""
    return severity(relation.kind, relation.differs_by)
