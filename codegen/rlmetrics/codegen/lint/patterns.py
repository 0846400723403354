"""Regular expressions as automata.

Only the regular part of Python's syntax is understood, which is all that a placeholder needs: characters, classes,
``.``, groups, ``|`` and repetition. Matching is that of ``re.fullmatch``.
"""

from __future__ import annotations

from .automata import LAST_CHARACTER, Automaton, PatternError, Ranges

__all__ = ["build"]

_DIGIT: Ranges = ((48, 57),)
_WORD: Ranges = ((48, 57), (65, 90), (95, 95), (97, 122), (0x80, LAST_CHARACTER))
_SPACE: Ranges = ((9, 13), (28, 32), (0x85, 0x85), (0xA0, 0xA0))
_CLASSES = {"d": _DIGIT, "w": _WORD, "s": _SPACE}
_CONTROLS = {"n": 10, "t": 9, "r": 13, "f": 12, "v": 11}


def build(pattern: str) -> Automaton:
    """Return the automaton of a regular expression.

    Raises:
        PatternError: If it is not regular or not well formed.
    """
    automaton = Automaton()
    automaton.start, automaton.accept = _Parser(pattern, automaton).parse()
    return automaton


class _Parser:
    """Recursive descent over a pattern; every method returns the start and end of the part it read."""

    def __init__(self, pattern: str, automaton: Automaton) -> None:
        self._pattern = pattern
        self._position = 0
        self._automaton = automaton

    def parse(self) -> tuple[int, int]:
        result = self._alternatives()
        if self._position < len(self._pattern):
            self._fail(f"`{self._peek()}` has no partner")
        return result

    def _peek(self) -> str:
        return self._pattern[self._position : self._position + 1]

    def _take(self) -> str:
        character = self._peek()
        if not character:
            self._fail("it ends too early")
        self._position += 1
        return character

    def _fail(self, reason: str) -> None:
        msg = f"the pattern `{self._pattern}` cannot be analysed: {reason}"
        raise PatternError(msg)

    def _alternatives(self) -> tuple[int, int]:
        branches = [self._concatenation()]
        while self._peek() == "|":
            self._position += 1
            branches.append(self._concatenation())
        if len(branches) == 1:
            return branches[0]
        automaton = self._automaton
        start, end = automaton.state(), automaton.state()
        for low, high in branches:
            automaton.jumps[start].append(low)
            automaton.jumps[high].append(end)
        return start, end

    def _concatenation(self) -> tuple[int, int]:
        start = end = self._automaton.state()
        while self._peek() not in {"", "|", ")"}:
            low, high = self._repeated()
            self._automaton.jumps[end].append(low)
            end = high
        return start, end

    def _repeated(self) -> tuple[int, int]:
        begin = self._position
        result = self._atom()
        end = self._position
        bounds = self._bounds()
        if bounds is None:
            return result
        if self._peek() == "?":  # laziness does not change what a full match accepts
            self._position += 1
        elif self._peek() == "+":
            self._fail("possessive repetition is not regular")
        after = self._position
        least, most = bounds
        automaton = self._automaton
        start = tail = automaton.state()
        for _ in range(least):
            low, high = self._again(begin, end)
            automaton.jumps[tail].append(low)
            tail = high
        if most is None:
            low, high = self._again(begin, end)
            automaton.jumps[tail].append(low)
            automaton.jumps[high].append(tail)
        else:
            last = automaton.state()
            for _ in range(most - least):
                automaton.jumps[tail].append(last)
                low, high = self._again(begin, end)
                automaton.jumps[tail].append(low)
                tail = high
            automaton.jumps[tail].append(last)
            tail = last
        self._position = after
        return start, tail

    def _again(self, begin: int, end: int) -> tuple[int, int]:
        """Return another copy of the atom between two positions."""
        self._position = begin
        result = self._atom()
        self._position = end
        return result

    def _bounds(self) -> tuple[int, int | None] | None:
        character = self._peek()
        if character in {"*", "+", "?"} and character:
            self._position += 1
            return {"*": (0, None), "+": (1, None), "?": (0, 1)}[character]
        if character != "{":
            return None
        close = self._pattern.find("}", self._position)
        body = self._pattern[self._position + 1 : close] if close > 0 else ""
        low, comma, high = body.partition(",")
        if not (low + high).isdigit() or not (low or comma):
            self._fail("`{` must hold numbers; write \\{ for the character")
        self._position = close + 1
        least = int(low or 0)
        most = (int(high) if high else None) if comma else least
        if most is not None and most < least:
            self._fail("the largest number of repetitions is below the smallest")
        return least, most

    def _atom(self) -> tuple[int, int]:
        character = self._take()
        if character == "(":
            return self._group()
        if character == "[":
            return self._step(self._class())
        if character == "\\":
            return self._step(self._escape())
        if character == ".":
            return self._step(_complement(((10, 10),)))
        if character in "*+?":
            self._fail(f"`{character}` repeats nothing")
        if character in "^$":
            self._fail(f"`{character}` is not needed, since a value is always matched as a whole")
        return self._step(((ord(character), ord(character)),))

    def _group(self) -> tuple[int, int]:
        if self._peek() == "?":
            if self._pattern[self._position : self._position + 2] != "?:":
                self._fail("of the groups with `?`, only `(?:…)` is regular")
            self._position += 2
        result = self._alternatives()
        if self._peek() != ")":
            self._fail("`(` has no partner")
        self._position += 1
        return result

    def _step(self, ranges: Ranges) -> tuple[int, int]:
        start, end = self._automaton.state(), self._automaton.state()
        self._automaton.steps[start].append((ranges, end))
        return start, end

    def _escape(self) -> Ranges:
        character = self._take()
        if character.lower() in _CLASSES:
            ranges = _CLASSES[character.lower()]
            return ranges if character.islower() else _complement(ranges)
        if character in _CONTROLS:
            return ((_CONTROLS[character], _CONTROLS[character]),)
        if character in {"x", "u"}:
            length = 2 if character == "x" else 4
            digits = "".join(self._take() for _ in range(length))
            if not all(digit in "0123456789abcdefABCDEF" for digit in digits):
                self._fail(f"`\\{character}{digits}` is not a character")
            return ((int(digits, 16), int(digits, 16)),)
        if character.isalnum():
            self._fail(f"`\\{character}` is not regular syntax")
        return ((ord(character), ord(character)),)

    def _class(self) -> Ranges:
        negated = self._peek() == "^"
        if negated:
            self._position += 1
        ranges: list[tuple[int, int]] = []
        first = True
        while first or self._peek() != "]":
            first = False
            low = self._class_part()
            if self._peek() == "-" and self._pattern[self._position + 1 : self._position + 2] not in {"]", ""}:
                self._position += 1
                high = self._class_part()
                if len(low) != 1 or len(high) != 1 or low[0][0] != low[0][1] or low[0][0] > high[0][0]:
                    self._fail("a range of a class runs backwards")
                ranges.append((low[0][0], high[0][0]))
            else:
                ranges += low
        self._position += 1
        merged = _merge(ranges)
        return _complement(merged) if negated else merged

    def _class_part(self) -> Ranges:
        character = self._take()
        return self._escape() if character == "\\" else ((ord(character), ord(character)),)


def _merge(ranges: list[tuple[int, int]]) -> Ranges:
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
