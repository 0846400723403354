"""When a key is logged, in one text: its guards put together, and what is only said in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from rlmetrics.lazy_typing import Any

from .guards import GuardError, parse
from .negation import written
from .simplification import simplified

__all__ = ["condition_of", "either_condition"]


def condition_of(combined: Mapping[str, Any]) -> str | None:
    """Return when a key is logged: its guards, then what is said in words."""
    guards: tuple[str, ...] = tuple(combined["logged_when"])
    guard = guards[0] if len(guards) == 1 else _all_of(guards)
    return "; ".join(text for text in (guard, combined.get("condition"), *combined["fails"]) if text) or None


@lru_cache(maxsize=256)
def _all_of(guards: tuple[str, ...]) -> str:
    """Return several guards as one; what one of them asks for anyway, none of the others asks for again."""
    text = " and ".join(f"({each})" if " or " in each else each for each in guards)
    if " or " not in text:
        return text
    return written(simplified(parse(text)))


def either_condition(conditions: Sequence[str | None]) -> str | None:
    """Return when a key is logged that several records log, each under a condition of its own.

    Guards are joined by "or"; that needs the same words beside them. None where nothing is asked, or where one record
    says in words what others do not.
    """
    return None if None in conditions else _either(tuple(dict.fromkeys(map(str, conditions))))


@lru_cache(maxsize=256)
def _either(conditions: tuple[str, ...]) -> str | None:
    parted = [_parted(condition) for condition in conditions]
    words = parted[0][1]
    if any(said != words for _, said in parted):
        return None
    guards = [guard for guard, _ in parted]
    joined = written(simplified(parse(" or ".join(f"({guard})" for guard in guards)))) if all(guards) else ""
    return "; ".join([*([joined] if joined else []), *words]) or None


def _parted(condition: str) -> tuple[str, tuple[str, ...]]:
    """Return the guards of a condition as one, and its words."""
    guards: list[str] = []
    words: list[str] = []
    for part in condition.split("; "):
        try:
            parse(part)
        except GuardError:
            words.append(part)
        else:
            guards.append(part)
    return "" if not guards else guards[0] if len(guards) == 1 else _all_of(tuple(guards)), tuple(words)
