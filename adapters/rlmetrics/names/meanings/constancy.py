"""When a key does not change its value: what its records state, and what of that holds under a configuration."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import cache

from rlmetrics.lazy_typing import TYPE_CHECKING, NamedTuple

from ..settings.guards import GuardError, parse
from ..tables.user_errors import NamesError

if TYPE_CHECKING:
    from ..differences.severity import Circumstances
    from ..tables.key_records import Entry

__all__ = ["StatedConstant", "constant_of", "same_constant", "stated"]

_STATED = re.compile(r"(?P<before>always )?(?:the )?(?P<value>-?[0-9]+(?:\.[0-9]+)?|ln 2|\w+)(?![\w.])(?P<rest>.*)")
_ALWAYS = re.compile(r"\s*(?:[,:].*)?")
_CONDITION = re.compile(r" (?:when|while) (?P<condition>.+)")
_END = re.compile(r", |: | \(")
"""Where words may follow a guard."""
_LOGARITHM = "ln 2"


class StatedConstant(NamedTuple):
    """A statement that a key does not change its value.

    Attributes:
        value: What it is, as it is written: ``0``, ``ln 2``, or the name of a setting.
        guard: The settings under which it is so; None where nothing is asked, or where words ask it.
        remark: The words behind the guard, which tell what else must be so, with the sign before them.
        always: Whether nothing is asked.
        mode: ``eval`` where it is said of evaluation alone.
    """

    value: str
    guard: str | None
    remark: str
    always: bool
    mode: str | None

    @property
    def number(self) -> float | None:
        """The value as a number; None for a setting's."""
        if self.value == _LOGARITHM:
            return math.log(2)
        return float(self.value) if self.value.lstrip("-")[:1].isdigit() else None


@cache
def stated(text: str) -> StatedConstant | None:
    """Return what a text states; None where it names no value, such as a bound."""
    found = _STATED.fullmatch(text)
    if found is None or found["value"] == "never":
        return None
    value, rest = found["value"], found["rest"]
    if rest.startswith(" in evaluation"):
        return StatedConstant(value, None, rest.removeprefix(" in evaluation"), always=False, mode="eval")
    before, rest = found["before"], rest.removeprefix(" always") if found["before"] is None else rest
    if (before or rest != found["rest"]) and _ALWAYS.fullmatch(rest):
        return StatedConstant(value, None, rest, always=True, mode=None)
    condition = _CONDITION.fullmatch(rest)
    guard = None if condition is None else next(_guards(condition["condition"]), None)
    remark = rest if condition is None or guard is None else condition["condition"][len(guard) :]
    return StatedConstant(value, guard, remark, always=False, mode=None)


def _guards(text: str) -> Iterator[str]:
    """Yield the beginnings of a text that are guards, the longest first."""
    for end in (len(text), *(match.start() for match in reversed([*_END.finditer(text)]))):
        try:
            parse(text[:end])
        except GuardError:  # said in words
            continue
        yield text[:end]


def constant_of(entry: Entry, side: Circumstances | None) -> str | None:
    """Return the value that a key always has under the settings of a component; None if it varies, or nobody knows."""
    for constant in map(stated, entry.constant_when):
        if constant is None or constant.mode not in (None, entry.mode):
            continue
        try:
            if constant.always or (constant.guard and side is not None and side.settings.holds(constant.guard)):
                return constant.value
        except NamesError:  # of a setting that the release does not have
            continue
    return None


def same_constant(entries: tuple[Entry, Entry], sides: tuple[Circumstances | None, Circumstances | None]) -> bool:
    """Tell whether two keys are the same constant under the settings of either, so that no difference shows."""
    first, second = (constant_of(entry, side) for entry, side in zip(entries, sides, strict=True))
    return first is not None and first == second
