"""What the description of a metric says of a value at which its curve often lies: 0 or 1."""

from __future__ import annotations

import re

from rlmetrics.lazy_typing import TYPE_CHECKING
from rlmetrics.names.tables.sentence_case import lowered
from rlmetrics.wording.voice import language

if TYPE_CHECKING:
    from rlmetrics.names.tables.tables import Tables

__all__ = ["described"]

_CLAUSES = re.compile(r"(?<=[.;:]) +|, (?=(?:near|at|and near|and at|a) )")
_ABOUT = re.compile(
    r"(?:and )?(?P<near>(?:an exact |exactly |a (?:fall|jump|collapse) to |a flat |near |at )?)"
    r"(?P<number>[01])(?![.\d/])(?P<rest> (?!they ).+)",
    re.IGNORECASE,
)
_VERB = re.compile(r" (?:is|makes|means|points) ")
"""What a clause goes on with whose subject is the value itself."""


def described(metric: str, number: float, text: str, tables: Tables) -> str | None:
    """Return what the description of a metric says of a value; None where it says nothing.

    Descriptions are English; other languages have whole ones only.

    Args:
        metric: Its name.
        number: The value, on the metric's own axis.
        text: How the value is written.
        tables: The spec.
    """
    if number not in (0.0, 1.0) or language() != "en":
        return None
    description = " ".join(str(tables.texts.get(metric, {}).get("description", "")).split())
    for clause in _CLAUSES.split(description):
        about = _ABOUT.fullmatch(clause)
        if about is None or float(about["number"]) != number:
            continue
        rest = about["rest"].rstrip(".;:,")
        near = about["near"].lower().startswith("near")
        said = f"{text}{rest}" if _VERB.match(rest) and not near else f"{text}: {lowered(clause.rstrip('.;:,'))}"
        return f"{said}."
    return None
