"""Decides whether two patterns can match one text, by walking the product of their automata."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from itertools import pairwise

__all__ = ["LAST_CHARACTER", "Automaton", "PatternError", "Ranges", "common_text", "literal", "sequence"]

Ranges = tuple[tuple[int, int], ...]
"""A set of characters as sorted, disjoint ranges of code points, both ends included."""

LAST_CHARACTER = 0x10FFFF
_MAX_STATES = 20_000
_PREFERRED = (*range(97, 123), *range(48, 58), *range(65, 91), 95, 45, 46, 47)


class PatternError(ValueError):
    """A pattern that is wrong or uses more than regular syntax."""


@dataclass
class Automaton:
    """A nondeterministic automaton with one start and one accepting state."""

    steps: list[list[tuple[Ranges, int]]] = field(default_factory=list)
    jumps: list[list[int]] = field(default_factory=list)
    start: int = 0
    accept: int = 0

    def state(self) -> int:
        """Add a state."""
        if len(self.steps) >= _MAX_STATES:
            msg = "repeats too much to be analysed"
            raise PatternError(msg)
        self.steps.append([])
        self.jumps.append([])
        return len(self.steps) - 1

    def closure(self, states: frozenset[int] | set[int]) -> frozenset[int]:
        """Return the states reached without a character."""
        seen = set(states)
        stack = list(states)
        while stack:
            for target in self.jumps[stack.pop()]:
                if target not in seen:
                    seen.add(target)
                    stack.append(target)
        return frozenset(seen)


def literal(text: str) -> Automaton:
    """Return the automaton that matches one text."""
    automaton = Automaton()
    automaton.start = automaton.accept = automaton.state()
    for character in text:
        following = automaton.state()
        automaton.steps[automaton.accept].append((((ord(character), ord(character)),), following))
        automaton.accept = following
    return automaton


def sequence(parts: list[Automaton]) -> Automaton:
    """Return the automaton that matches the parts one after another."""
    joined = Automaton()
    joined.start = joined.accept = joined.state()
    for part in parts:
        shift = len(joined.steps)
        for steps, jumps in zip(part.steps, part.jumps, strict=True):
            state = joined.state()
            joined.steps[state] = [(ranges, target + shift) for ranges, target in steps]
            joined.jumps[state] = [target + shift for target in jumps]
        joined.jumps[joined.accept].append(part.start + shift)
        joined.accept = part.accept + shift
    return joined


def common_text(first: Automaton, second: Automaton) -> str | None:
    """Return a shortest text that both match, or None if there is none.

    The search is over pairs of sets of states, so the answer is exact.

    Raises:
        PatternError: If the patterns are too entangled to be decided.
    """
    start = (first.closure({first.start}), second.closure({second.start}))
    reached: dict[tuple[frozenset[int], frozenset[int]], str] = {start: ""}
    queue = deque([start])
    while queue:
        if len(reached) > _MAX_STATES:
            msg = "matches too intricately to be analysed"
            raise PatternError(msg)
        pair = queue.popleft()
        text = reached[pair]
        left, right = pair
        if first.accept in left and second.accept in right:
            return text
        for character in _representatives(first, left, second, right):
            following = (_follow(first, left, character), _follow(second, right, character))
            if following[0] and following[1] and following not in reached:
                reached[following] = text + chr(character)
                queue.append(following)
    return None


def _follow(automaton: Automaton, states: frozenset[int], character: int) -> frozenset[int]:
    targets = {
        target
        for state in states
        for ranges, target in automaton.steps[state]
        if any(low <= character <= high for low, high in ranges)
    }
    return automaton.closure(targets)


def _representatives(first: Automaton, left: frozenset[int], second: Automaton, right: frozenset[int]) -> list[int]:
    """Return one character of every class that the outgoing steps distinguish, readable ones where possible."""
    sets = [ranges for state in left for ranges, _ in first.steps[state]]
    sets += [ranges for state in right for ranges, _ in second.steps[state]]
    edges = sorted({edge for ranges in sets for low, high in ranges for edge in (low, high + 1)})
    characters = [next((c for c in _PREFERRED if low <= c < end), low) for low, end in pairwise(edges)]
    return sorted(characters, key=lambda c: (c not in _PREFERRED, not chr(c).isalpha(), c))
