"""When a key does not change its value: its texts, and what of them holds under a configuration."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..tables.user_errors import NamesError

if TYPE_CHECKING:
    from ..differences.severity import Circumstances
    from ..tables.key_records import Entry

__all__ = ["constant_of", "same_constant"]

_CONSTANT = re.compile(r"(?P<value>\S+) (?:when|while) (?P<guard>.+)")


def constant_of(entry: Entry, side: Circumstances | None) -> str | None:
    """Return the value that a key always has under the settings of a component; None if it varies, or nobody knows."""
    for text in entry.constant_when if side is not None else ():
        told = _CONSTANT.fullmatch(text)
        try:
            if told is not None and side is not None and side.settings.holds(told["guard"]):
                return told["value"]
        except NamesError:  # said in words
            continue
    return None


def same_constant(entries: tuple[Entry, Entry], sides: tuple[Circumstances | None, Circumstances | None]) -> bool:
    """Tell whether two keys are the same constant under the settings of either, so that no difference shows."""
    first, second = (constant_of(entry, side) for entry, side in zip(entries, sides, strict=True))
    return first is not None and first == second
