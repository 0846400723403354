"""Lines of a console that a terminal or an editor cut at one width, put together again where that is certain."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice

__all__ = ["ESCAPES", "unwrapped_lines", "width_of"]

ESCAPES = re.compile(r"\x1b?\[[0-9;?]*[A-Za-z]")
"""What colours text: it takes no room in a terminal."""
_NARROWEST = 40
_MOST_PARTS = 200
"""Lines that one may have been cut into."""
_ENOUGH = 0.6
"""Share of beginnings that must be as wide as the widest of them."""


def width_of(lines: Iterable[str], begins: Callable[[str], bool]) -> int | None:
    """Return the width at which lines were cut; None if they were not.

    Args:
        lines: Lines near the beginning.
        begins: Tells whether a line begins what may have been cut.
    """
    widths: Counter[int] = Counter()
    every: Counter[int] = Counter()
    beginnings = 0
    before: int | None = None
    for line in lines:
        own = _width(line)
        every[own] += 1
        if begins(line):
            before = own
            beginnings += 1
        elif before is not None:
            # What follows a line that was cut is no blank line and no wider than that.
            if line.strip() and own <= before + 1:
                widths[before] += 1
            before = None
    width, count = max(widths.items(), default=(0, 0), key=lambda item: (item[1], item[0]))
    if width < _NARROWEST or count < _ENOUGH * beginnings:
        return None
    # Where all beginnings end in a blank that was left out when they were copied, other parts show the whole width.
    return width + 1 if every[width + 1] >= _ENOUGH * count else width


def unwrapped_lines(
    lines: Iterable[str], width: int, begins: Callable[[str], bool], is_whole: Callable[[str], bool]
) -> Iterator[str]:
    """Yield lines, those that were cut in one piece; where that is not certain, they stay as they are.

    Args:
        lines: The lines, with their ends.
        width: At which they were cut.
        begins: Tells whether a line begins what may have been cut.
        is_whole: Tells whether a line that was put together holds nothing but a whole record.
    """
    source = iter(lines)
    waiting: list[str] = []
    while True:
        line = waiting.pop(0) if waiting else next(source, None)
        if line is None:
            return
        if not begins(line) or abs(width - _width(line)) > 1:
            yield line
            continue
        parts = [line]
        following = chain(waiting, source)
        taken: list[str] = []
        for other in islice(following, _MOST_PARTS):
            taken.append(other)
            if begins(other) or _width(other) > width or not other.strip():
                break
            parts.append(other)
            if _width(other) < width - 1:
                break
        waiting = [*taken, *waiting[len(taken) :]]
        count = next((size for size in range(len(parts), 1, -1) if is_whole(_joined(parts[:size], width))), 1)
        yield _joined(parts[:count], width) if count > 1 else line
        waiting = waiting[count - 1 :]


def _joined(parts: Sequence[str], width: int) -> str:
    """Return parts as one line; a blank at the end of a part may have been left out when it was copied."""
    bare = [part.rstrip("\r\n") for part in parts]
    return "".join([*(part + " " * (width - _width(part)) for part in bare[:-1]), parts[-1]])


def _width(line: str) -> int:
    return len(ESCAPES.sub("", line.rstrip("\r\n")))
