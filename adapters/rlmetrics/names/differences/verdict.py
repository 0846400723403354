"""Whether what sets two numbers apart shows under the settings of both, and under which settings it does.

Most differences are gone under some settings: a mean of means is the mean where there is one part. The spec says so as
guards, which the settings of either side answer.
"""

from __future__ import annotations

from collections.abc import Sequence

from rlmetrics.lazy_typing import NamedTuple

from ..tables.levels import UPDATE, Level
from ..tables.tables import Tables
from .entry_contrast import Cause
from .severity import UNKNOWN, Circumstances, Settings

__all__ = ["Guards", "Sides", "Verdict", "applies", "guards_of", "guards_of_level", "guards_of_snapshot", "verdict_on"]

Sides = tuple[Circumstances | None, Circumstances | None]
"""What decides for either number whether differences show."""

Guards = tuple[str | None, str | None]
"""When a difference cannot show, over the settings of either side; None where nothing is asked of a side."""

_PLAIN = frozenset({"pool", "none"})


class Verdict(NamedTuple):
    """What is known of when a difference shows.

    Attributes:
        applies: Whether it shows; None where nothing can tell.
        only_if: The guard under which it shows, for one that does not.
    """

    applies: bool | None
    only_if: str | None = None


def verdict_on(cause: Cause, sides: Sides, mode: str, tables: Tables) -> Verdict:
    """Return whether what sets two numbers apart shows.

    Args:
        cause: What sets them apart.
        sides: What decides in the old release and in the new one.
        mode: ``train`` or ``eval``.
        tables: The spec.
    """
    if cause.effects:
        return _joined([verdict_on(item, sides, mode, tables) for item in cause.effects])
    guards = guards_of(cause, sides, (mode, mode), tables)
    source, target = (None if side is None else side.settings for side in sides)
    shown = applies(cause.vanishes_when, guards, source, target)
    if shown is not False or guards is None:
        return Verdict(shown)
    from ..settings.negation import negated  # parses guards, which most answers need not

    told = dict.fromkeys(
        negated(guard, side.settings.holds)
        for guard, side in zip(guards, sides, strict=True)
        if guard is not None and guard != UNKNOWN and side is not None
    )
    return Verdict(shown, " or ".join(told) or None)


def _joined(items: Sequence[Verdict]) -> Verdict:
    answers = [item.applies for item in items]
    if True in answers or None in answers:
        return Verdict(True if True in answers else None)
    told = dict.fromkeys(item.only_if for item in items if item.only_if)
    return Verdict(False, " or ".join(told) or None)


def applies(
    vanishes_when: str | None, guards: Guards | None, source: Settings | None, target: Settings | None
) -> bool | None:
    """Return whether a difference shows under the settings of both sides; None if nothing can tell.

    Args:
        vanishes_when: When it cannot show, in words; None if it always does.
        guards: The same as guards.
        source: The settings of the first number; None if they are not known.
        target: The settings of the second one.
    """
    if guards is None:
        return True if vanishes_when is None else None
    answers = [
        None if guard == UNKNOWN or settings is None else settings.holds(guard)
        for guard, settings in zip(guards, (source, target), strict=True)
        if guard is not None
    ]
    return True if False in answers else None if None in answers else False


def guards_of(cause: Cause, sides: Sides, modes: tuple[str, str], tables: Tables) -> Guards | None:
    """Return under which settings of either side a cause cannot show; None if none say it.

    Args:
        cause: What sets two numbers apart.
        sides: What decides on either side.
        modes: ``train`` or ``eval`` for either.
        tables: The spec.
    """
    if cause.kind == "trait":
        index = 1 if cause.after else 0
        side = sides[index]
        guard = None if side is None else side.trait(tables.traits[cause.name], modes[index])
        return None if guard is None else (None, guard) if index else (guard, None)
    if cause.kind == "reduction":
        return guards_of_level(tables.levels[cause.name], (cause.before, cause.after), sides, modes)
    if cause.kind == "snapshot":
        return guards_of_snapshot((cause.before, cause.after), sides, modes)
    return None


def guards_of_level(
    level: Level, operations: tuple[str, str], sides: Sequence[Circumstances | None], modes: tuple[str, str]
) -> Guards | None:
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
) -> Guards | None:
    """Return when the policy that is updated is still the one that sampled, on the side that looks at it."""
    if "reference" in snapshots or "current" not in snapshots:
        return None
    return _both(
        *(
            None if snapshot != "current" else UNKNOWN if side is None else side.part(UPDATE, mode)
            for snapshot, side, mode in zip(snapshots, sides, modes, strict=True)
        )
    )


def _both(first: str | None, second: str | None) -> Guards | None:
    return None if {first, second} <= {None, UNKNOWN} else (first, second)
