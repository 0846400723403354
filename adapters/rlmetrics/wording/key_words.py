"""What a key measures: its metric's sentence, put right by what this code takes, and averages.

A metric is told without regard to who logs it. Where a key takes more tokens than its metric counts, or averages what
its metric calls the largest of all, the metric's own sentence would not be so.
"""

from __future__ import annotations

import re

from rlmetrics.lazy_typing import TYPE_CHECKING

from .signature_words import enumerated, levels_in, merged_levels, population_words
from .voice import language, later, phrase, spoken

if TYPE_CHECKING:
    from rlmetrics.names.tables.key_records import Signature
    from rlmetrics.names.tables.tables import Tables

__all__ = ["averaged_over", "key_brief", "says_over"]

_LINEAR = frozenset(
    {"mean", "abs_mean", "mean_square", "sum", "last", "ratio", "fraction", "difference", "change", "sample", "table"}
    | {"layer_mean", "distribution"}
)
"""Statistics whose mean over parts of one size is that of all parts: a mean over them is no other quantity."""
_OF_MEANS = later("{what}; averaged over {parts}")


def key_brief(
    brief: str, signature: Signature | None, metric: str | None, tables: Tables, mode: str | None = None
) -> tuple[str, str | None]:
    """Return what a key measures in a sentence without its stop, and over what where it takes something else.

    Args:
        brief: What its metric says, or the variant that computes it.
        signature: How the code computes it.
        metric: The metric.
        tables: The spec.
        mode: ``train`` or ``eval``.
    """
    text = " ".join(brief.split()).rstrip(".")
    if signature is None or metric is None:
        return text, None
    over = None
    if says_over(signature, metric, brief, tables):
        over = str(population_words(signature.population, tables))
        own = str(population_words(tables.metrics[metric].get("population"), tables)).removeprefix("all ")
        if language() == "en" and (place := re.search(rf"\b(?:of|over|on) ({re.escape(own)})\b", text)):
            # Words in brackets end where they should.
            whole, comma, rest = over.partition(", ")
            text = f"{text[: place.start(1)]}{whole}{f' ({rest})' if comma else ''}{text[place.end(1) :]}"
            over = None
    if parts := averaged_over(signature, metric, tables, mode):
        text = phrase(_OF_MEANS, what=spoken(text), parts=enumerated([*map(spoken, parts)]))
    return text, over


def says_over(signature: Signature, metric: str, brief: str, tables: Tables) -> bool:
    """Tell whether a sentence on a key needs to say over what it is: not over what its metric counts."""
    over = signature.population
    if over is None or over == tables.metrics[metric].get("population"):
        return False
    return str(population_words(over, tables)).removeprefix("all ") not in brief


def averaged_over(signature: Signature, metric: str, tables: Tables, mode: str | None = None) -> list[str]:
    """Return over which parts means are taken of what is no mean itself, such as the largest of each step."""
    if tables.metrics[metric].get("identity", {}).get("statistic", "mean") in _LINEAR:
        return []
    merged = merged_levels(signature, mode)
    said = signature.reduction
    return [
        level.parts
        for name, level in levels_in(mode, tables).items()
        if said.get(name) == "mean" and name not in merged
    ]
