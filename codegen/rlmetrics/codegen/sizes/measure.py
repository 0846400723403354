"""From two numbers on every reference batch to the range of how far they lie apart."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, combinations
from typing import TYPE_CHECKING, Any

from rlmetrics.functional import REGISTRY

from .batches import steps
from .departures import DEPARTURES
from .sizes_lock import Kept, Size, code_digest, formula_digest
from .step_parts import LEVELS, OPERATIONS, Numbers, can_compute
from .wanted import Wanted, wanted

if TYPE_CHECKING:
    from rlmetrics.names import Tables

    from .batches import Step

__all__ = ["functions_of", "measure", "size_of"]

FEWEST = 6
"""Sizes are given where at least as many batches show both numbers."""

_BASES = ("pool", "mean")
"""The operations that others are compared with, first choice first."""

_MOST = 300
"""Larger shares of the number, in percent, say nothing."""

_NOTHING = 1e-6
"""A difference below this share of the number is rounding."""

_ROUNDING = 1e-12
"""So is one below this."""

Pairs = dict[str, list[tuple[float, float]]]
"""Two numbers for each batch that has both, by what sets them apart."""


def measure(tables: Tables, only: Iterable[str] | None = None) -> Kept:
    """Measure every difference that records can show.

    Args:
        tables: What the spec says.
        only: Metrics, where not all are asked for.
    """
    asked = {metric: one for metric, one in wanted(tables).items() if only is None or metric in set(only)}
    functions = {metric: functions_of(tables.metrics[metric], metric, one) for metric, one in asked.items()}
    own = {metric: names[0] for metric, names in functions.items() if "function" in tables.metrics[metric]}
    friends = [(metric, other) for metric in own for other in _friends(metric, tables) if other in own]
    found: dict[str, Pairs] = {}
    for step in steps():
        numbers = {
            name: Numbers(REGISTRY[name], step)
            for name in chain(*functions.values())
            if can_compute(REGISTRY[name], step.generated[0])
        }
        for name, one in numbers.items():
            _compare(name, asked[name.partition("@")[0]], step, one, found.setdefault(name, {}))
        for metric, other in friends:
            first, second = numbers.get(own[metric]), numbers.get(own[other])
            if first is not None and second is not None:
                found[own[metric]].setdefault(f"metric:{other}", []).append((first.pooled, second.pooled))
    sizes: dict[str, dict[str, Size]] = {}
    for name, pairs in found.items():
        least, most = tables.metrics[name.partition("@")[0]].get("range") or (None, None)
        one_sign = (least is not None and least >= 0) or (most is not None and most <= 0)
        unit = "%" if one_sign else REGISTRY[name].unit
        ranges = {about: size_of(each, unit) for about, each in pairs.items()}
        known = {about: size for about, size in sorted(ranges.items()) if size is not None}
        if known:
            sizes[name] = known
    formulas = {name: formula_digest(tables.texts[name.partition("@")[0]], name.partition("@")[2]) for name in sizes}
    return Kept(code_digest(), formulas, sizes)


def functions_of(row: Mapping[str, Any], metric: str, one: Wanted) -> list[str]:
    """Return the functions that compute a metric as records say: its own, then the variants that they name.

    Where the own one needs a whole vocabulary, a variant that gives the same from other inputs takes its place.
    """
    variants = [f"{metric}@{variant}" for variant in sorted(one.variants) if f"{metric}@{variant}" in REGISTRY]
    if "function" not in row:
        return variants
    whole = any(axes[-1] == "V" for _, axes, _ in REGISTRY[metric].inputs if axes)
    own = f"{metric}@{row['same'][0]}" if whole and row.get("same") else metric
    return [own, *(variant for variant in variants if variant.partition("@")[2] not in row.get("same", ()))]


def _friends(metric: str, tables: Tables) -> list[str]:
    """Return the metrics that are another estimate of the same divergence, or the same over flagged responses only.

    Between other metrics a size would say what the batches were made to be, and nothing else.
    """
    mine = tables.metrics[metric]
    estimated = mine["identity"]["quantity"] in tables.signatures["WORDS"]["divergences"]
    free = "estimator" if estimated else "of"
    return [
        other
        for other, its in tables.metrics.items()
        if other != metric and _but(its, free) == _but(mine, free) and (estimated or _is_part(metric, other))
    ]


def _but(row: Mapping[str, Any], free: str) -> tuple[str, dict[str, Any]]:
    return row["unit"], {facet: value for facet, value in row["identity"].items() if facet != free}


def _is_part(metric: str, other: str) -> bool:
    """Return whether one of two metrics has the inputs of the other and flags, which say what is left out."""
    if metric not in REGISTRY or other not in REGISTRY:
        return False
    first, second = ({name: dtype for name, _, dtype in REGISTRY[each].inputs} for each in (metric, other))
    more = {name: dtype for name, dtype in {**first, **second}.items() if (name in first) != (name in second)}
    return (first.keys() < second.keys() or second.keys() < first.keys()) and set(more.values()) == {"bool"}


def _compare(name: str, one: Wanted, step: Step, numbers: Numbers, found: Pairs) -> None:
    """Add the numbers of one function on one batch."""
    metric = REGISTRY[name]
    for level in LEVELS:
        operations = one.operations.get(level, set()) & OPERATIONS.keys()
        if not operations or not numbers.has(level):
            continue
        values = {"pool": numbers.pooled, **{each: numbers.reduced(level, each) for each in sorted(operations)}}
        for pair in combinations(sorted(values), 2):
            base = next((each for each in _BASES if each in pair), pair[0])
            (other,) = set(pair) - {base}
            found.setdefault(f"level:{level} {'/'.join(pair)}", []).append((values[base], values[other]))
    plain = REGISTRY.get(name.partition("@")[0])
    for trait in sorted(one.traits & DEPARTURES.keys()):
        both = DEPARTURES[trait](metric, plain, step)
        if both is not None:
            found.setdefault(f"trait:{trait}", []).append(both)


def size_of(pairs: Sequence[tuple[float, float]], unit: str) -> Size | None:
    """Return the range of how far two numbers lie apart, None where too few batches show both.

    The range leaves out the smallest and the largest tenth. One that ends at many times a number comes of dividing by
    next to nothing, and is left out.

    Args:
        pairs: The plain number and the other one of each batch.
        unit: ``%`` for shares of the plain number, which then is never 0 alone; else what both are measured in.
    """
    both = [(plain, other) for plain, other in pairs if math.isfinite(plain) and math.isfinite(other)]
    both = [(plain, other) for plain, other in both if plain or other]
    if len(both) < FEWEST or (unit == "%" and not all(plain for plain, _ in both)):
        return None
    shifts = [_shift(plain, other) / (abs(plain) / 100 if unit == "%" else 1) for plain, other in both]
    sizes = sorted(map(abs, shifts))
    ups = sum(shift > 0 for shift in shifts) / (sum(map(bool, shifts)) or 1)
    direction = "higher" if ups >= 0.9 else "lower" if ups <= 0.1 and any(shifts) else None
    low, high = _rounded(_quantile(sizes, 0.1)), _rounded(_quantile(sizes, 0.9))
    return None if unit == "%" and high > _MOST else Size(low, high, unit, direction)


def _shift(plain: float, other: float) -> float:
    return other - plain if abs(other - plain) > max(_ROUNDING, _NOTHING * abs(plain)) else 0.0


def _quantile(ordered: Sequence[float], share: float) -> float:
    """Return a quantile, between neighbours where it falls between them."""
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def _rounded(x: float) -> float:
    """Return two significant digits."""
    return float(f"{x:.2g}")
