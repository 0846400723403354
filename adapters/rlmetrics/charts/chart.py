"""A chart: some curves on one axis, what is marked on it, and what is said of it."""

from __future__ import annotations

from collections.abc import Sequence

from rlmetrics.lazy_dataclasses import dataclass

__all__ = ["Chart", "ChartLine", "ChartMark"]


@dataclass(frozen=True, slots=True)
class ChartLine:
    """A curve of a chart.

    Attributes:
        run: The number of its run, which decides its colour.
        steps: Where the values are, rising.
        values: The values; NaN where there is no number.
        grey: Whether it is another number than the chart's, shown for comparison only.
        smooth: Steps and values of its course without the noise, drawn over it; None where it is drawn as it is.
        thinned: Whether values between those that it has were left out, so that the smooth ones are told.
    """

    run: int
    steps: Sequence[float]
    values: Sequence[float]
    grey: bool = False
    smooth: tuple[Sequence[float], Sequence[float]] | None = None
    thinned: bool = False


@dataclass(frozen=True, slots=True)
class ChartMark:
    """A step that is marked; ``strong`` where it is the chart's own, not one of the whole run."""

    step: float
    text: str
    strong: bool = True


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart.

    Attributes:
        title: What it shows.
        about: More of that, in small.
        lines: The curves.
        span: The first and last step of the axis.
        marks: Steps that are marked.
        below: The bound below which a rule complains.
        above: The bound above which one does.
        start: Where the curve started, as a dotted line.
        notes: What is said below it, each as HTML.
        words: Further words by which it is found.
        value: What stands for it while nothing is pointed at.
        names: What stands at the end of each line; empty where nothing does.
        large: Whether it is the one to look at first.
    """

    title: str
    lines: Sequence[ChartLine]
    span: tuple[float, float]
    about: str = ""
    marks: Sequence[ChartMark] = ()
    below: float | None = None
    above: float | None = None
    start: float | None = None
    notes: Sequence[str] = ()
    words: str = ""
    value: str = ""
    names: Sequence[str] = ()
    large: bool = False
