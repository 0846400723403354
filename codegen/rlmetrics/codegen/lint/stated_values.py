"""What descriptions say a number is where a training, a batch or a comparison begins: `Starts at ln 2`, `Ideal 0`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import NamedTuple

from ..model import Situation

__all__ = ["StatedValue", "stated_values"]

_NUMBER = r"(?P<number>(?:\d )?(?:ln|log) 2|\d+(?:\.\d+)?)(?![\d/²]|\.\d| times| plus| minus| or )"
_NEAR = r"(?P<near>near|about|close to)"
_START = frozenset[Situation]({"policy_is_reference", "policy_unchanged", "pairs_alike"})
_BATCH = frozenset[Situation]({"policy_unchanged"})
_FORMS: tuple[tuple[re.Pattern[str], frozenset[Situation]], ...] = (
    (re.compile(rf"(?<!not )\b(?:[Ss]tarts?|[Bb]egins?) (?:{_NEAR}|at)(?: exactly)? {_NUMBER}"), _START),
    (re.compile(rf"\b[Ii]t is (?:{_NEAR} )?{_NUMBER} on the first step of a batch"), _BATCH),
    (re.compile(rf"\bit is (?:{_NEAR} )?{_NUMBER} while (?:both policies|old and current policy) are"), _BATCH),
    (re.compile(rf"\b[Oo]n the first step of a batch it is (?:{_NEAR} )?{_NUMBER}"), _BATCH),
    (re.compile(rf"\b[Ii]t is (?:{_NEAR} )?{_NUMBER} while the policy equals the reference"), _START),
    (re.compile(rf"\b[Ii]deal(?: is)? (?:{_NEAR} )?{_NUMBER}"), frozenset[Situation]({"engines_agree"})),
)


class StatedValue(NamedTuple):
    """A value that a description gives a number in a situation.

    Attributes:
        text: The words.
        number: The value, on the metric's axis.
        is_near: Whether the number is only said to be near it.
        situations: What is so then, all at once.
    """

    text: str
    number: float
    is_near: bool
    situations: frozenset[Situation]


def stated_values(description: str) -> Iterator[StatedValue]:
    """Yield the values that a description states."""
    text = " ".join(description.split())
    for form, situations in _FORMS:
        for found in form.finditer(text):
            yield StatedValue(found[0], _number(found["number"]), found["near"] is not None, situations)


def _number(text: str) -> float:
    """Return a number, which may be a multiple of the logarithm of 2."""
    factor, logarithm, _ = text.replace("log", "ln").partition("ln 2")
    return float(factor or 1) * (math.log(2) if logarithm else 1)
