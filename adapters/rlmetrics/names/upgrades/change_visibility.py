"""Whether what changed about a key shows under the settings of both releases, and under which settings it does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..differences.severity import UNKNOWN, Circumstances, Settings, applies, guards_of_level, guards_of_snapshot
from ..tables.key_records import Difference
from ..tables.tables import Tables
from .changes import Cause

__all__ = ["Judged", "judged_cause", "negated"]

Sides = tuple[Circumstances | None, Circumstances | None]
Guards = tuple[str | None, str | None]


class Judged(NamedTuple):
    """What is known of when a cause shows.

    Attributes:
        applies: Whether it shows; None where nothing can tell.
        only_if: The guard under which it shows, for one that does not.
    """

    applies: bool | None
    only_if: str | None = None


def judged_cause(cause: Cause, sides: Sides, mode: str, tables: Tables) -> Judged:
    """Return whether a cause shows.

    Args:
        cause: What changed.
        sides: What decides in the old release and in the new one.
        mode: ``train`` or ``eval``.
        tables: The spec.
    """
    if cause.effects:
        return _joined([judged_cause(item, sides, mode, tables) for item in cause.effects])
    guards = _guards(cause, sides, mode, tables)
    vanishes = cause.vanishes_when if cause.kind in ("trait", "reduction", "snapshot") else None
    difference = Difference("", cause.grade, vanishes, vanishes_if=guards)
    source, target = (None if side is None else side.settings for side in sides)
    verdict = applies(difference, source, target)
    if verdict is not False or guards is None:
        return Judged(verdict)
    told = dict.fromkeys(
        negated(guard, side.settings)
        for guard, side in zip(guards, sides, strict=True)
        if guard is not None and guard != UNKNOWN and side is not None
    )
    return Judged(verdict, " or ".join(told) or None)


def _guards(cause: Cause, sides: Sides, mode: str, tables: Tables) -> Guards | None:
    if cause.kind == "trait":
        index = 1 if cause.after else 0
        side = sides[index]
        guard = None if side is None else side.trait(tables.traits[cause.name], mode)
        return None if guard is None else (None, guard) if index else (guard, None)
    if cause.kind == "reduction":
        return guards_of_level(tables.levels[cause.name], (cause.before, cause.after), sides, (mode, mode))
    if cause.kind == "snapshot" and cause.before and cause.after:
        return guards_of_snapshot((cause.before, cause.after), sides, (mode, mode))
    return None


def _joined(items: Sequence[Judged]) -> Judged:
    answers = [item.applies for item in items]
    if True in answers or None in answers:
        return Judged(True if True in answers else None)
    told = dict.fromkeys(item.only_if for item in items if item.only_if)
    return Judged(False, " or ".join(told) or None)


def negated(guard: str, settings: Settings) -> str:
    """Return a guard that holds where another one does not, as a reader would write it.

    Args:
        guard: The other one.
        settings: Those of the release; what it does not know is left out.
    """
    from ..settings.guards import parse

    return _negated(parse(guard), settings)


def _negated(node: Any, settings: Settings) -> str:
    from ..settings.guards import OPPOSITE, And, Compare, Not, Or

    if isinstance(node, Not):
        return _written(node.parts()[0])
    if isinstance(node, Or | And):
        parts = [part for part in node.parts() if settings.holds(_written(part)) is not None]
        joint = " and " if isinstance(node, Or) else " or "
        return joint.join(_enclosed(_negated(part, settings), len(parts)) for part in parts)
    if isinstance(node, Compare):
        left, right = map(_written, node.parts())
        return f"{left} {OPPOSITE[node.operator]} {right}"
    return f"not {_written(node)}"


def _written(node: Any) -> str:
    from ..settings.guards import And, Arithmetic, Compare, GuardLiteral, ListOf, Negative, Not, Or, SettingName

    parts = [_written(part) for part in node.parts()]
    if isinstance(node, SettingName):
        return node.name
    if isinstance(node, GuardLiteral):
        value = node.value
        if value is None or isinstance(value, bool):
            return {None: "null", True: "true", False: "false"}[value]
        return repr(value) if isinstance(value, str) else str(value)
    if isinstance(node, ListOf):
        return f"[{', '.join(parts)}]"
    if isinstance(node, Compare | Arithmetic):
        return f"{parts[0]} {node.operator} {parts[1]}"
    if isinstance(node, Negative):
        return f"-{parts[0]}"
    if isinstance(node, Not):
        return f"not {parts[0]}"
    assert isinstance(node, And | Or)
    joint = " and " if isinstance(node, And) else " or "
    return joint.join(_enclosed(part, len(parts)) for part in parts)


def _enclosed(text: str, count: int) -> str:
    """Return a part of a guard, in brackets where it would be read wrongly beside others."""
    return f"({text})" if count > 1 and (" and " in text or " or " in text) else text
