"""Regular expressions as automata.

Python's own parser of patterns reads them; of what it finds, only the regular part is understood, which is all that a
placeholder needs: characters, classes, ``.``, groups, ``|`` and repetition. Matching is that of ``re.fullmatch``.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from typing import Any

from .automata import LAST_CHARACTER, Automaton, PatternError, Ranges

if sys.version_info >= (3, 11):
    from re import _parser  # type: ignore[attr-defined]
else:
    import sre_parse as _parser

__all__ = ["build"]

_Ends = tuple[int, int]
"""The first and the last state of a part."""

_DIGIT: Ranges = ((48, 57),)
_WORD: Ranges = ((48, 57), (65, 90), (95, 95), (97, 122), (0x80, LAST_CHARACTER))
_SPACE: Ranges = ((9, 13), (28, 32), (0x85, 0x85), (0xA0, 0xA0))
_LINE_END: Ranges = ((10, 10),)
_REFUSED = {
    "AT": "`^`, `$` and `\\b` are not needed, since a value is always matched as a whole",
    "ASSERT": "what looks ahead or back is not regular",
    "ASSERT_NOT": "what looks ahead or back is not regular",
    "POSSESSIVE_REPEAT": "possessive repetition is not regular",
    "ATOMIC_GROUP": "an atomic group is not regular",
}


def build(pattern: str) -> Automaton:
    """Return the automaton of a regular expression.

    Raises:
        PatternError: If it is not regular or not well formed.
    """
    try:
        parsed = _parser.parse(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise _error(pattern, str(error)) from None
    if parsed.state.groupdict or parsed.state.flags & ~re.UNICODE:
        raise _error(pattern, "of the groups with `?`, only `(?:…)` is understood")
    automaton = Automaton()
    automaton.start, automaton.accept = _Builder(pattern, automaton).sequence(parsed)
    return automaton


def _error(pattern: str, reason: str) -> PatternError:
    return PatternError(f"the pattern `{pattern}` cannot be analysed: {reason}")


class _Builder:
    """Adds the states of parsed parts to an automaton."""

    def __init__(self, pattern: str, automaton: Automaton) -> None:
        self._pattern = pattern
        self._automaton = automaton

    def sequence(self, parts: Any) -> _Ends:
        start = end = self._automaton.state()
        for code, argument in parts:
            low, high = self._part(str(code), argument)
            self._automaton.jumps[end].append(low)
            end = high
        return start, end

    def _part(self, code: str, argument: Any) -> _Ends:
        if code == "BRANCH":
            return self._branches(argument[1])
        if code == "SUBPATTERN" and not argument[1] and not argument[2]:
            return self.sequence(argument[3])
        if code in ("MAX_REPEAT", "MIN_REPEAT"):  # laziness does not change what a full match accepts
            least, most, repeated = argument
            return self._repeated(least, None if most == _parser.MAXREPEAT else most, repeated)
        start, end = self._automaton.state(), self._automaton.state()
        self._automaton.steps[start].append((self._characters(code, argument), end))
        return start, end

    def _branches(self, branches: Iterable[Any]) -> _Ends:
        start, end = self._automaton.state(), self._automaton.state()
        for branch in branches:
            low, high = self.sequence(branch)
            self._automaton.jumps[start].append(low)
            self._automaton.jumps[high].append(end)
        return start, end

    def _repeated(self, least: int, most: int | None, parts: Any) -> _Ends:
        jumps = self._automaton.jumps
        start = tail = self._automaton.state()
        for _ in range(least):
            low, high = self.sequence(parts)
            jumps[tail].append(low)
            tail = high
        if most is None:
            low, high = self.sequence(parts)
            jumps[tail].append(low)
            jumps[high].append(tail)
            return start, tail
        last = self._automaton.state()
        for _ in range(most - least):
            jumps[tail].append(last)
            low, high = self.sequence(parts)
            jumps[tail].append(low)
            tail = high
        jumps[tail].append(last)
        return start, last

    def _characters(self, code: str, argument: Any) -> Ranges:
        """Return the characters that a part of one character stands for."""
        if code in _CHARACTERS:
            return _CHARACTERS[code](argument)
        raise _error(self._pattern, _REFUSED.get(code, "it refers to a group, or has flags"))


def _class(members: Iterable[tuple[Any, Any]]) -> Ranges:
    codes = [(str(code), argument) for code, argument in members]
    ranges = _merged(spans for code, argument in codes if code != "NEGATE" for spans in _CHARACTERS[code](argument))
    return _complement(ranges) if ("NEGATE", None) in codes else ranges


def _category(name: Any) -> Ranges:
    _, *negated, kind = str(name).split("_")
    ranges = {"DIGIT": _DIGIT, "WORD": _WORD, "SPACE": _SPACE}[kind]
    return _complement(ranges) if negated else ranges


_CHARACTERS: dict[str, Callable[[Any], Ranges]] = {
    "LITERAL": lambda code_point: ((code_point, code_point),),
    "NOT_LITERAL": lambda code_point: _complement(((code_point, code_point),)),
    "ANY": lambda _: _complement(_LINE_END),
    "RANGE": lambda ends: (ends,),
    "CATEGORY": _category,
    "IN": _class,
}
"""What stands for one character, by its code."""


def _merged(ranges: Iterable[tuple[int, int]]) -> Ranges:
    merged: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], high))
        else:
            merged.append((low, high))
    return tuple(merged)


def _complement(ranges: Ranges) -> Ranges:
    gaps: list[tuple[int, int]] = []
    start = 0
    for low, high in ranges:
        if low > start:
            gaps.append((start, low - 1))
        start = high + 1
    if start <= LAST_CHARACTER:
        gaps.append((start, LAST_CHARACTER))
    return tuple(gaps)
