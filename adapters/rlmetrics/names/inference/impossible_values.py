"""Which candidates can't have logged the values of a run, since what they log under a key is never negative."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from rlmetrics.lazy_dataclasses import replace

from ..meanings.view import open_view
from ..tables.key_records import Entry, Transform
from ..tables.tables import Tables
from .candidates import LEFT, Ranked
from .source_evidence import Observed

__all__ = ["possible"]

_WEIGHS, _MOST = 8.0, 12.0
"""What speaks against a candidate for a value that its number can't have, and for any number of them: a user may log
another number under the name."""


def possible(observed: Observed, ranked: Sequence[Ranked], named: Callable[[Ranked], str]) -> list[Ranked]:
    """Return candidates weighed by whether the run's values can be theirs, without those that are ruled out.

    Where no candidate can have logged a value, it speaks against none, and neither does one that is below 0 in nearly
    all rows.

    Args:
        observed: The run.
        ranked: What can be its source by all else, the likeliest first.
        named: Returns a candidate's newest release as a source.
    """
    if len(ranked) < 2 or not observed.clues.negative:
        return list(ranked)
    impossible = [frozenset(_never_negative(named(one), observed)) for one in ranked]
    telling = frozenset.union(*impossible) - frozenset.intersection(*impossible)
    if telling & observed.clues.sunk:
        # An estimate that may be below 0 lies above it mostly, so that no candidate explains what hardly ever does,
        # and what is more usual does not either.
        return sorted((replace(one, weight=one.by_evidence) for one in ranked), key=_place)
    if not telling:
        return list(ranked)
    weighed = [_weighed(one, keys & telling, telling) for one, keys in zip(ranked, impossible, strict=True)]
    least = min(one.by_kind["values"] for one in weighed)
    weighed = [replace(one, against={**one.against, "values": least}) for one in weighed]
    first = max(one.by_evidence for one in weighed)
    near = [one for one in weighed if one.by_evidence > first - LEFT]
    return sorted(near, key=_place)


def _place(one: Ranked) -> tuple[float, int]:
    return -one.weight, one.subject.number


def _weighed(one: Ranked, impossible: frozenset[str], telling: frozenset[str]) -> Ranked:
    lost = min(_WEIGHS * len(impossible), _MOST)
    values = one.by_kind.get("values", 0.0) - lost
    return replace(
        one,
        weight=one.weight - lost,
        by_evidence=one.by_evidence - lost,
        by_kind={**one.by_kind, "values": values},
        negative=telling - impossible,
    )


def _never_negative(source: str, observed: Observed) -> Iterator[str]:
    """Yield the keys with a value below 0 under which a source logs what never is."""
    tables = observed.index.tables
    view = open_view(source, spec=tables)
    for key in sorted(observed.clues.negative & observed.rows.keys()):
        found = [match.entry for match in view.find(key)]
        if found and all(_is_never_negative(entry, tables) for entry in found):
            yield key


def _is_never_negative(entry: Entry, tables: Tables) -> bool:
    """Tell whether what an entry logs is never negative, whatever is done to it on the way."""
    scale, offset = entry.signature.scale, entry.signature.offset
    traits = [tables.traits[name] for name in entry.signature.traits]
    if entry.metric is None or any(one["facet"] == "defect" and one["grade"] != "minor" for one in traits):
        return False
    if not isinstance(scale, float | int) or not isinstance(offset, float | int) or not scale:
        return False
    row = tables.metrics.get(entry.metric, {})
    ends = row.get("ranges", {}).get(entry.signature.reproduced_by, row.get("range"))
    low = None if ends is None else Transform(float(scale), float(offset)).span(*ends)[0]
    return low is not None and low >= 0
