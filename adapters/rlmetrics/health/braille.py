"""Curves in a terminal, drawn with braille dots."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["plotted"]

_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))


def plotted(steps: Sequence[float], values: Sequence[float], *, width: int = 66, height: int = 10) -> list[str]:
    """Return the lines of a drawing, with the range of the values at its left and of the steps below."""
    low, high = min(values), max(values)
    first, last = steps[0], steps[-1]
    cells = [[0] * width for _ in range(height)]
    for step, value in zip(steps, values, strict=True):
        across = min(2 * width - 1, int(2 * width * (step - first) / ((last - first) or 1)))
        up = min(4 * height - 1, int(4 * height * (value - low) / ((high - low) or 1)))
        down = 4 * height - 1 - up
        cells[down // 4][across // 2] |= _DOTS[down % 4][across % 2]
    lines = []
    for number, row in enumerate(cells):
        label = f"{high:.4g}" if not number else f"{low:.4g}" if number == height - 1 else ""
        lines.append(f"{label:>10} ┤{''.join(chr(0x2800 + cell) for cell in row)}".rstrip("\u2800"))
    lines.append(f"{'':>10} └{f'{first:g}':<{width // 2}}{f'{last:g}':>{width - width // 2}}")
    return lines
