"""Charts in a terminal: lines of dots in the colours of their runs, or of letters where there are no colours."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from .chart import Chart, ChartLine
from .scales import covered, mark_texts, marks, step_marks

__all__ = ["beside_each_other", "run_paint", "terminal_chart"]

_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
_BLANK = 0x2800
_PAINTS = (34, 33, 32, 35, 31, 36, 94, 93, 92, 95, 91, 96)
_OFF, _DIM = "\x1b[0m", "\x1b[2m"
_BOTH = "+"
_LEAST = 16
"""How many columns curves have at least."""
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def run_paint(run: int) -> str:
    """Return what begins the colour of a run."""
    return f"\x1b[{_PAINTS[run % len(_PAINTS)]}m"


def terminal_chart(chart: Chart, *, width: int, height: int, colour: bool, dots: bool = True) -> list[str]:
    """Return the lines of a chart, without its title: axes with values, and the curves with joined points.

    Args:
        chart: The chart.
        width: How many columns it has.
        height: How many rows the curves have.
        colour: Whether runs are told apart by colours; else by letters, if there are several.
        dots: Whether the terminal can show braille.
    """
    low, high = covered(value for line in chart.lines for value in line.values)
    heights = marks(low, high, max(2, height // 2))
    texts = mark_texts(heights)
    left = max(map(len, texts))
    several = len({line.run for line in chart.lines}) > 1
    across = max(_LEAST, width - left - 2 - (2 if several else 0))
    canvas = _Canvas(across, height, letters=(several and not colour) or not dots)
    for line in sorted(chart.lines, key=lambda line: not line.grey):
        canvas.draw(line, chart.span, (low, high))
    labels = {}
    for value, text in zip(heights, texts, strict=True):
        labels[_row(value, low, high, height)] = text
    ends = _ends(chart, (low, high), height) if several else {}
    lines = []
    for row in range(height):
        axis = "┤" if row in labels else "│"
        if not dots:
            axis = "+" if row in labels else "|"
        end = "".join(_painted(letter, run, grey, colour) for letter, run, grey in ends.get(row, ())[:2])
        lines.append(
            f"{labels.get(row, ''):>{left}} {axis}{canvas.row(row, colour=colour)}{f' {end}' if end else ''}".rstrip()
        )
    return [*lines, *_floor(chart.span, left, across, dots=dots)]


def beside_each_other(one: Sequence[str], other: Sequence[str], width: int) -> list[str]:
    """Return two blocks of lines, the first one so wide; colours take no room."""
    count = max(len(one), len(other))
    rows = zip([*one, *[""] * (count - len(one))], [*other, *[""] * (count - len(other))], strict=True)
    return [f"{left}{' ' * max(0, width - _seen(left))}{right}".rstrip() for left, right in rows]


def _seen(text: str) -> int:
    """Return how many columns a line takes."""
    count, at = 0, 0
    while at < len(text):
        if text[at] == "\x1b":
            at = text.index("m", at)
        else:
            count += 1
        at += 1
    return count


def _painted(text: str, run: int, grey: bool, colour: bool) -> str:
    return f"{_DIM if grey else run_paint(run)}{text}{_OFF}" if colour and text.strip() else text


def _row(value: float, low: float, high: float, height: int) -> int:
    return height - 1 - min(height - 1, max(0, int(height * (value - low) / ((high - low) or 1))))


def _ends(chart: Chart, heights: tuple[float, float], height: int) -> dict[int, list[tuple[str, int, bool]]]:
    """Return which letters stand in which row at the right of the curves."""
    ends: dict[int, list[tuple[str, int, bool]]] = {}
    for line in chart.lines:
        last = next((value for value in reversed(line.values) if math.isfinite(value)), None)
        if last is not None:
            row = _row(last, *heights, height)
            ends.setdefault(row, []).append((_LETTERS[line.run % len(_LETTERS)], line.run, line.grey))
    return ends


def _floor(span: tuple[float, float], left: int, across: int, *, dots: bool) -> Iterator[str]:
    """Yield the axis of the steps with its marks, and their values."""
    first, last = span
    steps = step_marks(first, last, max(2, across // 14))
    places = [min(across - 1, round((across - 1) * (step - first) / ((last - first) or 1))) for step in steps]
    corner, bar, tick = ("└", "─", "┬") if dots else ("+", "-", "+")
    yield f"{'':>{left}} {corner}{''.join(tick if at in places else bar for at in range(across))}"
    line = ""
    for place, text in zip(places, mark_texts(steps, whole=True), strict=True):
        begin = max(0, min(left + 2 + place - len(text) // 2, left + 2 + across - len(text)))
        if begin > len(line) or not line:
            line = f"{line:<{begin}}{text}"
    yield line


class _Canvas:
    """A grid of cells, each of which has 2 by 4 dots or a letter, and a run."""

    def __init__(self, width: int, height: int, *, letters: bool) -> None:
        self._width, self._height, self._letters = width, height, letters
        self._dots = [[0] * width for _ in range(height)]
        self._owner: list[list[ChartLine | None]] = [[None] * width for _ in range(height)]
        self._crossed = [[False] * width for _ in range(height)]

    def draw(self, line: ChartLine, span: tuple[float, float], heights: tuple[float, float]) -> None:
        """Draw a curve, its points joined; it is broken where there is no number."""
        (first, last), (low, high) = span, heights
        wide, tall = 2 * self._width - 1, 4 * self._height - 1
        before: tuple[int, int] | None = None
        for step, value in zip(line.steps, line.values, strict=True):
            if not math.isfinite(value):
                before = None
                continue
            at = (
                round(wide * (step - first) / ((last - first) or 1)),
                tall - round(tall * (min(max(value, low), high) - low) / ((high - low) or 1)),
            )
            for across, down in _between(before or at, at):
                self._dot(across, down, line)
            before = at

    def _dot(self, across: int, down: int, line: ChartLine) -> None:
        if not (0 <= across < 2 * self._width and 0 <= down < 4 * self._height):
            return
        row, column = down // 4, across // 2
        owner = self._owner[row][column]
        if owner is not None and owner.run != line.run:
            self._crossed[row][column] = True
        self._owner[row][column] = line
        self._dots[row][column] |= _DOTS[down % 4][across % 2]

    def row(self, row: int, *, colour: bool) -> str:
        """Return a row as text."""
        parts, owner = [], None
        for column in range(self._width):
            line, dots = self._owner[row][column], self._dots[row][column]
            if not self._letters:
                sign = chr(_BLANK + dots) if dots else " "
            elif line is None:
                sign = " "
            else:
                sign = _BOTH if self._crossed[row][column] else "." if line.grey else _LETTERS[line.run % len(_LETTERS)]
            if colour and line is not owner and line is not None:
                parts.append(f"{_OFF if owner is not None else ''}{_DIM if line.grey else run_paint(line.run)}")
                owner = line
            parts.append(sign)
        text = "".join(parts).rstrip()
        return f"{text}{_OFF}" if owner is not None else text


def _between(start: tuple[int, int], end: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """Yield the dots of a straight line."""
    (x, y), (to_x, to_y) = start, end
    count = max(abs(to_x - x), abs(to_y - y)) or 1
    for at in range(count + 1):
        yield round(x + (to_x - x) * at / count), round(y + (to_y - y) * at / count)
