"""Curves as SVG: scaled to their box, with the band that no rule complains about and the step of the onset."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from .report_records import Curve

__all__ = ["ranged", "svg"]

_WIDTH = 1000
_TOP, _BOTTOM = 8, 4


def ranged(values: Sequence[float], *, also: Sequence[float] = ()) -> tuple[float, float]:
    """Return the lowest and highest value to draw, with a little room; bounds far away from all values are left out."""
    finite = [value for value in values if math.isfinite(value)] or [0.0]
    low, high = min(finite), max(finite)
    room = (high - low) or abs(high) or 1.0
    for bound in also:
        if low - 1.5 * room <= bound <= high + 1.5 * room:
            low, high = min(low, bound), max(high, bound)
    room = (high - low) or abs(high) or 1.0
    return (low if low == 0 and min(finite) >= 0 else low - 0.04 * room), high + 0.06 * room


def svg(
    curve: Curve,
    *,
    height: int = 110,
    above: float | None = None,
    below: float | None = None,
    start: float | None = None,
    onsets: Sequence[tuple[float, bool]] = (),
    span: tuple[float, float] | None = None,
    standalone: bool = False,
) -> str:
    """Return a curve as an ``<svg>`` element.

    Args:
        curve: The curve.
        height: Of the drawing, in pixels.
        above: The bound above which a rule complains.
        below: The bound below which one does.
        start: Where the curve started, as a dotted line.
        onsets: Steps to mark, and whether each is the curve's own.
        span: First and last step of the axis.
        standalone: Whether it is a file of its own, with colours instead of variables of a page.
    """
    first, last = span or (curve.steps[0], curve.steps[-1])
    low, high = ranged(curve.values, also=[bound for bound in (above, below) if bound is not None])
    bottom = height - _BOTTOM
    colours = _PLAIN if standalone else _PAGE

    def across(step: float) -> float:
        return _WIDTH * (step - first) / ((last - first) or 1)

    def up(value: float) -> float:
        return bottom - (value - low) / ((high - low) or 1) * (bottom - _TOP)

    parts = []
    if above is not None or below is not None:
        top = up(above) if above is not None else _TOP
        base = up(below) if below is not None else bottom
        top, base = max(0.0, min(bottom, top)), max(0.0, min(bottom, base))
        parts.append(
            f'<rect x="0" width="{_WIDTH}" y="{top:.1f}" height="{max(0.0, base - top):.1f}" fill="{colours["band"]}"/>'
        )
        for bound in (above, below):
            if bound is not None and low <= bound <= high:
                parts.append(_line(0, _WIDTH, up(bound), up(bound), colours["ok"], "5 4"))
    if start is not None and low <= start <= high:
        parts.append(_line(0, _WIDTH, up(start), up(start), colours["mute"], "2 4"))
    parts.append(_line(0, _WIDTH, bottom, bottom, colours["line"]))
    for step, own in onsets:
        if first <= step <= last:
            parts.append(
                _line(across(step), across(step), 0, bottom, colours["sick"], "" if own else "2 3", 3 if own else 1.5)
            )
    points = " ".join(
        f"{across(step):.1f},{up(value):.1f}"
        for step, value in zip(curve.steps, curve.values, strict=True)
        if math.isfinite(value)
    )
    parts.append(
        f'<polyline points="{points}" fill="none" stroke="{colours["curve"]}" stroke-width="1.8" '
        'stroke-linejoin="round" vector-effect="non-scaling-stroke"/>'
    )
    if standalone:
        label = f"{curve.key}: {curve.values[-1]:.3g} at step {last:g}"
        parts.append(f'<text x="8" y="{_TOP + 12}" font-size="14" fill="{colours["mute"]}">{escape(label)}</text>')
        opening = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}">'
    else:
        opening = f'<svg preserveAspectRatio="none" viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{escape(_said(curve))}">'
    return f"{opening}{''.join(parts)}</svg>"


_PAGE = {
    "band": "var(--band)",
    "ok": "var(--ok)",
    "mute": "var(--mute)",
    "line": "var(--line)",
    "sick": "var(--sick)",
    "curve": "var(--A)",
}
_PLAIN = {
    "band": "#1b8a7622",
    "ok": "#1b8a76",
    "mute": "#5a6475",
    "line": "#dde2ea",
    "sick": "#bf4a28",
    "curve": "#2f6fb2",
}


def _said(curve: Curve) -> str:
    return f"{curve.key} from {curve.values[0]:.3g} to {curve.values[-1]:.3g} over steps {curve.steps[0]:g} to {curve.steps[-1]:g}"


def _line(x1: float, x2: float, y1: float, y2: float, colour: str, dashes: str = "", width: float = 1) -> str:
    dash = f' stroke-dasharray="{dashes}"' if dashes else ""
    return (
        f'<line x1="{x1:.1f}" x2="{x2:.1f}" y1="{y1:.1f}" y2="{y2:.1f}" stroke="{colour}" stroke-width="{width}"{dash} '
        'vector-effect="non-scaling-stroke"/>'
    )
