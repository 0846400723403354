"""Small drawings as text: SVG for light and dark, whose colours are variables of the page."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape

__all__ = [
    "Plot",
    "Say",
    "as_given",
    "dots",
    "label",
    "line",
    "number",
    "path",
    "rect",
    "svg",
]

Say = Callable[..., str]
"""Gives a sentence in the language of the page; the values of its names are given by keyword."""

COLOURS = {
    "fg": "currentColor",
    "mute": "var(--rlm-mute,currentColor)",
    "line": "var(--rlm-line,#8888)",
    "ok": "var(--rlm-healthy,#1b7f6c)",
    "sick": "var(--rlm-sick,#b8401f)",
    "a": "var(--rlm-a,#2f6fb2)",
    "b": "var(--rlm-b,#b58a1f)",
    "d": "var(--rlm-d,#7d62ab)",
    "paper": "var(--rlm-back,Canvas)",
}
"""Colours by what they mean here: variables of the page, and what stands in where there are none."""

FONT = 12
"""Size of letters in units of a drawing, which is about as many pixels wide on a phone as it has units."""


def as_given(text: str, **values: object) -> str:
    """Return a sentence in the language in which it is written."""
    return text.format(**values) if values else text


def number(value: float, digits: int = 3, *, places: int | None = None) -> str:
    """Return a number with a true minus sign, and an exponent only where it is tiny.

    Args:
        value: The number.
        digits: So many digits are told, without zeros that say nothing.
        places: So many stand behind the point, zeros included; by ``digits`` if None.
    """
    if not math.isfinite(value):
        return str(value)
    if 0 < abs(value) < 1e-4:
        return f"{value:.0e}".replace("e-0", "e-").replace("-", "\N{MINUS SIGN}")
    if places is not None:
        return f"{value:.{places}f}".replace("-", "\N{MINUS SIGN}")
    room = max(0, digits - 1 - math.floor(math.log10(abs(value)))) if value else 0
    text = f"{round(value, room):.{room}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text.replace("-", "\N{MINUS SIGN}")


def _short(value: float) -> str:
    text = f"{value:.1f}"
    return text.removesuffix(".0") if text != "-0.0" else "0"


@dataclass(frozen=True)
class Plot:
    """A box of a drawing in which numbers have places.

    Attributes:
        left: Left edge, in units of the drawing.
        top: Upper edge.
        width: How wide it is.
        height: How high it is.
        x: The numbers at the left and at the right edge.
        y: The numbers at the lower and at the upper edge.
    """

    left: float
    top: float
    width: float
    height: float
    x: tuple[float, float]
    y: tuple[float, float]

    def across(self, value: float) -> float:
        """Return the place of a number on the horizontal axis."""
        low, high = self.x
        return self.left + self.width * (value - low) / (high - low)

    def up(self, value: float) -> float:
        """Return the place of a number on the vertical axis."""
        low, high = self.y
        return self.top + self.height * (1 - (value - low) / (high - low))

    def trace(self, points: Iterable[tuple[float, float]]) -> str:
        """Return the course of a curve through points, for `path`."""
        places = [f"{_short(self.across(x))} {_short(self.up(y))}" for x, y in points]
        return f"M{' '.join(places)}" if places else ""


def line(x1: float, y1: float, x2: float, y2: float, colour: str, *, dashes: str = "", width: float = 1) -> str:
    """Return a straight line."""
    return path(f"M{_short(x1)} {_short(y1)} {_short(x2)} {_short(y2)}", colour, dashes=dashes, width=width)


def path(course: str, colour: str, *, dashes: str = "", width: float = 2) -> str:
    """Return a curve."""
    dash = f' stroke-dasharray="{dashes}"' if dashes else ""
    stroke = f'stroke="{COLOURS[colour]}" stroke-width="{width:g}"{dash}'
    return f'<path d="{course}" fill="none" {stroke} stroke-linejoin="round"/>'


def rect(x: float, y: float, width: float, height: float, fill: str, *, opacity: float = 1) -> str:
    """Return a rectangle, filled with a colour of `COLOURS` or ``none``."""
    faint = f' fill-opacity="{opacity:g}"' if opacity != 1 else ""
    size = f'width="{_short(width)}" height="{_short(height)}"'
    return f'<rect x="{_short(x)}" y="{_short(y)}" {size} fill="{COLOURS.get(fill, fill)}"{faint}/>'


def label(
    x: float, y: float, text: str, colour: str = "mute", *, at: str = "start", bold: bool = False, size: float = FONT
) -> str:
    """Return a line of text; ``at`` is what stands at ``x``: its ``start``, ``middle`` or ``end``."""
    anchor = f' text-anchor="{at}"' if at != "start" else ""
    weight = ' font-weight="650"' if bold else ""
    other = f' font-size="{size:g}"' if size != FONT else ""
    place = f'x="{_short(x)}" y="{_short(y)}"'
    return f'<text {place} fill="{COLOURS[colour]}"{anchor}{weight}{other}>{escape(text, quote=False)}</text>'


def dots(places: Sequence[tuple[float, float]], fill: str, edge: str) -> str:
    """Return dots of one look."""
    found = "".join(f'<circle cx="{_short(x)}" cy="{_short(y)}" r="3.6"/>' for x, y in places)
    return f'<g fill="{COLOURS[fill]}" stroke="{COLOURS[edge]}" stroke-width="1.6">{found}</g>' if places else ""


def svg(name: str, width: int, height: int, title: str, description: str, parts: Sequence[str]) -> str:
    """Return a drawing as an ``<svg>`` element that says to a screen reader what it shows.

    Args:
        name: Its id in the page, which is also the start of the ids of its title and description.
        width: In units; about as many pixels as it has on a phone.
        height: In the same units.
        title: What it is.
        description: What is to be seen, in a sentence or two.
        parts: What it consists of.
    """
    said = (
        f'<title id="{name}-t">{escape(title, quote=False)}</title>'
        f'<desc id="{name}-d">{escape(description, quote=False)}</desc>'
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" id="{name}" class="rlm-picture" viewBox="0 0 {width} {height}" '
        f'role="img" aria-labelledby="{name}-t {name}-d" font-size="{FONT}" font-family="inherit">'
        f"{said}{''.join(parts)}</svg>"
    )
