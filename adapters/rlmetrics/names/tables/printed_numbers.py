"""What a printed number can have been: one that was printed with k decimals is an interval, not a point.

verl's console prints three decimals until 0.4.1, so that a learning rate of 1e-06 reads ``0.000``. Where logs are
texts, readers hand the texts on as they stand; `half_unit` says how far a number can be from what is read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

__all__ = ["decimals_of", "half_unit", "shared_decimals", "usual_decimals"]

_NUMBER = re.compile(r"\s*[-+]?[0-9]*\.(?P<decimals>[0-9]*)(?:[eE](?P<exponent>[-+]?[0-9]{1,4}))?\s*")
_FEWEST = 2
"""``0.0`` is how Python spells an exact 0; no shortest spelling ends in a 0 behind two or more decimals."""
_ENOUGH = 8
"""How many numbers tell with how many decimals all are printed."""
_MOSTLY = 0.95
"""Share of numbers from which on they count as all: other output may stand in between."""
_NO_DECIMALS = {"nan", "inf"}
"""What is printed alike, however many decimals a number has."""


def usual_decimals(texts: Iterable[str]) -> int | None:
    """Return with how many decimals nearly all numbers are printed; -1 with all digits, None if they are too few."""
    found = Counter(len(text.partition(".")[2]) for text in texts if text.lstrip("+-") not in _NO_DECIMALS)
    if sum(found.values()) < _ENOUGH:
        return None
    ((decimals, count),) = found.most_common(1)
    return decimals if count >= _MOSTLY * sum(found.values()) else -1


def decimals_of(text: object) -> int | None:
    """Return the decimals with which a number was printed, where its text shows that they were counted.

    A number in its shortest spelling, such as ``0.0`` or ``0.125``, is taken for exact, and so is what is no text.
    """
    found = _NUMBER.fullmatch(text) if isinstance(text, str) else None
    if found is None or len(found["decimals"]) < _FEWEST or not found["decimals"].endswith("0"):
        return None
    return len(found["decimals"])


def shared_decimals(texts: Iterable[object]) -> int | None:
    """Return the decimals with which all numbers of a row were printed; None where they were not counted.

    One text shows that they were counted, and every number that has decimals has as many.
    """
    matches = [found for text in texts if isinstance(text, str) and (found := _NUMBER.fullmatch(text)) is not None]
    counts = {len(found["decimals"]) for found in matches}
    counted = any(decimals_of(found[0]) is not None for found in matches)
    return counts.pop() if len(counts) == 1 and counted else None


def half_unit(text: object, decimals: int | None = None) -> float:
    """Return how far a number can be from what was printed: half a unit of its last decimal, 0 where it is exact.

    Args:
        text: The number as it was printed.
        decimals: With how many decimals its row was printed, as `shared_decimals` says; its own text tells otherwise.
    """
    found = _NUMBER.fullmatch(text) if isinstance(text, str) else None
    if found is None or (decimals_of(text) is None and decimals != len(found["decimals"])):
        return 0.0
    return 0.5 * 10.0 ** (int(found["exponent"] or 0) - len(found["decimals"]))
