"""What a key in a log proves about the settings of the run: those without which it would not have been logged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rlmetrics.lazy_typing import TYPE_CHECKING, Any

from .configuration import UNKNOWN, holds
from .guards import And, Compare, Expression, GuardError, GuardLiteral, Not, SettingName, parse

if TYPE_CHECKING:
    from ..tables.key_records import Entry
    from .configuration import Configuration

__all__ = ["guards_in", "holds_with", "proven"]


def guards_in(condition: str | None) -> list[str]:
    """Return the guards of a condition, without what it says in words."""
    return [part for part in (condition or "").split("; ") if part and _is_guard(part)]


def proven(entry: Entry) -> dict[str, Any]:
    """Return the settings that a logged key proves; `UNKNOWN` for what can be told only not to be the default.

    Of alternatives nobody knows which one held.
    """
    settings: dict[str, Any] = {}
    for guard in guards_in(entry.condition):
        for name, value in _needed(parse(guard), wanted=True):
            settings.setdefault(name, value)
    return settings


def holds_with(entry: Entry, settings: Mapping[str, Any], config: Configuration) -> bool | None:
    """Return whether a key is logged under further settings, as far as its guards say; None if nobody can tell."""
    known = {name: value for name, value in {**config.values, **settings}.items() if value is not UNKNOWN}
    answers = [holds(guard, known) for guard in guards_in(entry.condition)]
    return False if False in answers else None if None in answers or not answers else True


def _needed(node: Expression, *, wanted: bool) -> Iterator[tuple[str, Any]]:
    if isinstance(node, Not):
        yield from _needed(node.operand, wanted=not wanted)
    elif isinstance(node, And) and wanted:
        for part in node.operands:
            yield from _needed(part, wanted=True)
    elif isinstance(node, SettingName):
        yield node.name, wanted
    elif isinstance(node, Compare):
        name, other = node.parts()
        if isinstance(name, SettingName):
            equals = node.operator == ("==" if wanted else "!=")
            yield name.name, other.value if equals and isinstance(other, GuardLiteral) else UNKNOWN


def _is_guard(text: str) -> bool:
    try:
        parse(text)
    except GuardError:
        return False
    return True
