"""Where in a run something is, in words: at a step, or at a row of a log that tells no steps."""

from __future__ import annotations

from .voice import phrase

__all__ = ["place_words", "span_words", "step_number"]


def step_number(step: float) -> str:
    """Return a step, or the number of a row, with its thousands apart."""
    return f"{step:,.0f}" if step == int(step) else f"{step:g}"


def place_words(number: str, *, by_row: bool) -> str:
    """Return a place.

    Args:
        number: The step, or the number of the row, as it is to be written.
        by_row: Whether the log tells no steps, so that it is the number of a row.
    """
    return phrase("row {row}", row=number) if by_row else phrase("step {step}", step=number)


def span_words(first: str, last: str, *, by_row: bool) -> str:
    """Return from where to where a run goes; the arguments are those of `place_words`."""
    if by_row:
        return phrase("rows {first} to {last}", first=first, last=last)
    return phrase("steps {first} to {last}", first=first, last=last)
