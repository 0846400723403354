"""Values that contradict what is known of a number without a rule: no number at all, a part of a whole, too much."""

from __future__ import annotations

import math
import re

from rlmetrics.lazy_typing import TYPE_CHECKING
from rlmetrics.names.tables.sentence_case import lowered
from rlmetrics.wording.voice import language, phrase

from .judgement import Judgement
from .value_ranges import axis_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rlmetrics.names import Resolution
    from rlmetrics.names.tables.tables import Tables

    from .pasted import Given

__all__ = ["departure"]

_FAR = 0.2
"""So far from 0 or 1 a number without a unit is not near it, however that is read."""
_NEAR = re.compile(
    r"(?P<all>(?:Close to|Near) (?P<number>[01])(?: \([^()]*\))? "
    r"(?:by construction|in a healthy|as long as|when|where|while|without|throughout)\b[^.;]*)[.;]"
)
"""How a description, or a note on a key, says near which number a curve lies where all is as it should be."""
_PIECES = re.compile(r"(?<=[.;]) +")
_VOCABULARY = 1_000_000
"""More tokens than any tokenizer has."""
_WHOLE = frozenset({"sum", "last", "first", "max", "min", "none", "only"})
"""How parts are put together so that whole numbers stay whole."""
_CUT = "truncated_to_integer"
"""The trait of a value that is cut to a whole number before it is logged."""
_PARTIAL = frozenset({"passes over the data set", "floating-point operations"})
"""What is counted in parts, too."""


def departure(resolution: Resolution, given: Given, tables: Tables) -> Judgement | None:
    """Return what of a number is known that a value contradicts; None if nothing is.

    Args:
        resolution: What the key means.
        given: A finite value.
        tables: The spec.
    """
    number = given.number
    if number is None or not math.isfinite(number):
        return None
    return next((found for said in _SAYING for found in said(resolution, given, number, tables)), None)


def _no_scalar(resolution: Resolution, given: Given, _: float, tables: Tables) -> Iterator[Judgement]:
    """Yield that a histogram or a table is no single number."""
    kind = tables.metrics.get(resolution.metric or "", {}).get("kind")
    if kind == "distribution":
        says = phrase("{value} is one number, but {key} is a histogram.", value=given.text, key=resolution.key)
        yield Judgement("info", "nothing", says)


def _no_whole(resolution: Resolution, given: Given, number: float, tables: Tables) -> Iterator[Judgement]:
    """Yield that what is counted, and what code cuts to a whole number, comes in whole numbers."""
    row, axis, signature = tables.metrics.get(resolution.metric or "", {}), axis_of(resolution), resolution.signature
    if signature is None or axis is None or given.half or number == int(number):
        return
    if not _WHOLE.issuperset(signature.reduction.values()):
        return
    if _CUT in signature.traits:
        says = phrase("{value} is no whole number, to which {key} is cut.", value=given.text, key=resolution.key)
        yield Judgement("warning", "nothing", says)
    elif row.get("kind") == "counter" and row["identity"].get("of") not in _PARTIAL and axis.is_plain:
        says = phrase("{value} is no whole number, but {key} counts.", value=given.text, key=resolution.key)
        yield Judgement("warning", "nothing", says)


def _too_uncertain(resolution: Resolution, given: Given, number: float, tables: Tables) -> Iterator[Judgement]:
    """Yield that no policy is as uncertain about one token."""
    row, axis, signature = tables.metrics.get(resolution.metric or "", {}), axis_of(resolution), resolution.signature
    identity, most = row.get("identity", {}), math.log(_VOCABULARY)
    is_entropy = identity.get("quantity") == "entropy" and identity.get("extent") == "token"
    if not is_entropy or row.get("unit") != "nat" or axis is None or signature is None:
        return
    # The entropies of several tokens may add up to any number.
    if "sum" not in signature.reduction.values() and axis.undone(number) > most:
        says = phrase(
            "{value} is more than any vocabulary allows: over a million equally likely tokens the entropy is {most}.",
            value=given.text,
            most=f"{axis(most):.1f}",
        )
        yield Judgement("warning", "nothing", says)


def _far_off(resolution: Resolution, given: Given, number: float, tables: Tables) -> Iterator[Judgement]:
    """Yield that a note on the key, or the description of its metric, puts the number near another one.

    Both are English; of other languages there are only whole ones.
    """
    axis, row = axis_of(resolution), tables.metrics.get(resolution.metric or "", {})
    if language() != "en" or axis is None or row.get("unit") != "1":
        return
    description = " ".join(str(tables.texts.get(resolution.metric or "", {}).get("description", "")).split())
    for level, texts, shown in (("warning", resolution.notes, number), ("info", (description,), axis.undone(number))):
        for piece in (piece for text in texts for piece in _PIECES.split(text)):
            near = _NEAR.fullmatch(piece if piece.endswith((".", ";")) else f"{piece}.")
            if near is not None and abs(shown - float(near["number"])) > _FAR:
                says = f"{given.text} is far from {near['number']}: it is {lowered(near['all'])}."
                yield Judgement(level, "nothing", says)


_SAYING = (_no_scalar, _no_whole, _too_uncertain, _far_off)
