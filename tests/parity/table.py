"""The page of parity: every captured number and the function that reproduces it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

HEAD = """<!-- Written by `python -m programs.parity_page` from tests/parity. Edit those, not this. -->
# Parity with the frameworks

Released trainers ran on CPU with tiny random models, or were fed fixed inputs, and both their tensors and the numbers
that they reported were kept in `tests/fixtures/parity`. The tables list every number that was kept, with the function
of `rlmetrics.functional` that gives it from those tensors, or the reason why none does. Advantages and returns are
tensors of the estimators in `rlmetrics.advantages`, compared token by token inside the mask. Each key is computed by
`rlmetrics.as_logged` for the release and the settings of the run: the function and its variant, how the values of
tokens, responses and parts (micro-batches, epochs, a logging window) become one number, and what stands where nothing
counts follow from the spec, which is tested with it. `@variant` marks a function that reproduces a framework's way of
departing from the metric; the metric itself is the function without it.

*Numbers* counts how many captured numbers a row covers: the same value often stands in several places, and every place
counts. *Largest difference* is the largest of them, relative to the number, or absolute for numbers below 1, by the
function or by its reference in plain Python; it is rounded to one digit, and differences below 1e-9 are shown as 0.
Frameworks compute in float32, where a single rounding is worth up to 6e-8; the tests fail beyond 2e-6.
"""


@dataclass(frozen=True)
class Row:
    """A line of the table.

    Attributes:
        number: What was captured, such as a logged key.
        covers: Which of its appearances: the logged value, one micro-batch.
        count: How many captured numbers the line stands for.
        function: Markdown that names the function; empty where there is none.
        difference: The largest relative difference, NaN where nothing was computed.
        why: Why no function computes it.
    """

    number: str
    covers: str
    count: int
    function: str = ""
    difference: float = math.nan
    why: str = ""


@dataclass(frozen=True)
class Section:
    """The numbers of one run or release."""

    title: str
    brief: str
    rows: Sequence[Row]


def figure(difference: float) -> str:
    """Return a difference as the table shows it."""
    return "0" if difference < 1e-9 else f"{difference:.0e}"


def lines_of(section: Section) -> Iterator[str]:
    """Yield the lines of a section."""
    computed = [row for row in section.rows if row.function]
    explained = [row for row in section.rows if not row.function]
    covered = sum(row.count for row in computed)
    left = sum(row.count for row in explained)
    yield f"## {section.title}"
    yield ""
    yield f"{section.brief} {covered:,} numbers are reproduced, {left:,} are explained."
    if computed:
        yield ""
        yield "| Number | Covers | Function | Numbers | Largest difference |"
        yield "| --- | --- | --- | ---: | ---: |"
        for row in computed:
            cells = (f"`{row.number}`", row.covers, row.function, str(row.count), figure(row.difference))
            yield f"| {' | '.join(map(_cell, cells))} |"
    if explained:
        yield ""
        yield "| Number | Covers | Numbers | Why no function gives it |"
        yield "| --- | --- | ---: | --- |"
        for row in explained:
            reasons = (f"`{row.number}`", row.covers, str(row.count or "–"), row.why)
            yield f"| {' | '.join(map(_cell, reasons))} |"
    yield ""


def _cell(text: str) -> str:
    return text.replace("|", r"\|")


def page(sections: Sequence[Section]) -> str:
    """Return the page."""
    return "\n".join([HEAD, *(line for section in sections for line in lines_of(section))])


FIGURE = re.compile(r"(?<= )(?:0|\de-\d\d)(?= \|$)", re.MULTILINE)
"""A largest difference in the page: the last cell of a line."""


def without_figures(text: str) -> str:
    """Return a page with every largest difference replaced, for a comparison across machines."""
    return FIGURE.sub("…", text)
