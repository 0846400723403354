"""A comparison of runs as one page of HTML: comparable curves on one axis, the others side by side with the reason."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

from .curves import Drawn
from .run_comparison import Comparison, Pair
from .style import document

__all__ = ["comparison_page"]

_WIDTH, _HEIGHT = 1000, 150
_COLOURS = ("var(--A)", "var(--B)")
_MOST = 24


def comparison_page(comparisons: Sequence[Comparison]) -> str:
    """Return the page of comparisons of a first run with others."""
    body = "".join(f"<article>{''.join(_article(item))}</article>" for item in comparisons)
    return document("rlmetrics compare", body)


def _article(comparison: Comparison) -> Iterator[str]:
    first = comparison.parts_at
    yield f'<div class="kick"><code>{escape(comparison.a.run)}</code><span>{escape(comparison.a.at)}</span>'
    yield f"<span>against</span><code>{escape(comparison.b.run)}</code><span>{escape(comparison.b.at)}</span></div>"
    if first is None:
        yield f"<h1>{escape(comparison.lead)}</h1>"
    else:
        yield f"<h1>The runs part at step {first.first_difference_step:g}</h1>"
        yield f'<p class="lead">First on <code>{escape(first.metric)}</code>. What parts later may only follow from it.</p>'
    comparable = [pair for pair in comparison.pairs if pair.comparable]
    beside = [pair for pair in comparison.pairs if not pair.comparable]
    if comparable:
        yield "<h2>On one axis</h2><div>"
        for pair in comparable[:_MOST]:
            yield _box(comparison, pair)
        yield '</div><div class="key"><span><i style="background:var(--A)"></i>a</span><span><i style="background:var(--B)"></i>b</span></div>'
    if beside:
        yield "<h2>Side by side only, and why</h2><table class=rows><tr><th>metric<th>a<th>b<th>why they may not share an axis"
        for pair in beside:
            why = "; ".join(item["what"] for item in pair.differs_by) or "another number of the same metric"
            yield (
                f"<tr><td>{escape(pair.metric)}<td><code>{escape(pair.a)}</code> {comparison.a.curves[pair.a].values[-1]:.3g}"
                f"<td><code>{escape(pair.b)}</code> {comparison.b.curves[pair.b].values[-1]:.3g}<td>{escape(why)}"
            )
        yield "</table>"
    for label, keys in (("a", comparison.only_a), ("b", comparison.only_b)):
        if keys:
            listed = ", ".join(f"<code>{escape(key)}</code>" for key in keys)
            yield f"<details><summary>{len(keys)} keys only in {label}</summary><p>{listed}</p></details>"


def _box(comparison: Comparison, pair: Pair) -> str:
    a, b = comparison.a.curves[pair.a], comparison.b.curves[pair.b]
    part = pair.first_difference_step
    note = (
        "" if pair.relation != "approximate" else f" · {escape(pair.differs_by[0]['what'])}" if pair.differs_by else ""
    )
    name = escape(pair.a if pair.a == pair.b else f"{pair.a} · {pair.b}")
    return (
        f'<div class="c1"><div class="hd"><code>{name}</code><span class="w">{escape(pair.metric)}{note}</span>'
        f'<span class="v">{pair.outcome}</span></div><div class="box">{_two(a, b, pair.convert, part)}</div></div>'
    )


def _two(a: Drawn, b: Drawn, convert: Any, part: float | None) -> str:
    left = [convert(value) for value in a.values] if convert else list(a.values)
    low, high = min(*left, *b.values), max(*left, *b.values)
    first, last = min(a.steps[0], b.steps[0]), max(a.steps[-1], b.steps[-1])

    def points(steps: Sequence[float], values: Sequence[float]) -> str:
        thin = max(1, len(values) // 400)
        return " ".join(
            f"{_WIDTH * (step - first) / ((last - first) or 1):.1f},{_HEIGHT - 6 - (value - low) / ((high - low) or 1) * (_HEIGHT - 14):.1f}"
            for step, value in list(zip(steps, values, strict=True))[::thin]
        )

    mark = ""
    if part is not None:
        at = _WIDTH * (part - first) / ((last - first) or 1)
        mark = f'<line x1="{at:.1f}" x2="{at:.1f}" y1="0" y2="{_HEIGHT}" stroke="var(--sick)" vector-effect="non-scaling-stroke"/>'
    lines = "".join(
        f'<polyline points="{points(steps, values)}" fill="none" stroke="{colour}" stroke-width="1.6" vector-effect="non-scaling-stroke"/>'
        for steps, values, colour in ((a.steps, left, _COLOURS[0]), (b.steps, list(b.values), _COLOURS[1]))
    )
    return f'<svg preserveAspectRatio="none" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="two curves">{mark}{lines}</svg>'
