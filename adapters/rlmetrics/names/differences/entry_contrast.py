"""What sets two numbers apart, without a word: the one place that compares two entries.

A relation, a change between releases and the distance from a definition are all read off what `contrast` finds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rlmetrics.lazy_typing import Any, NamedTuple

from ..tables.key_records import Entry
from ..tables.tables import Tables
from .entry_signature import population_traits

__all__ = ["GRADES", "STEADY", "Cause", "Pair", "Topic", "cause_of", "causes_of", "contrast", "same_value", "worst_of"]

GRADES = ("minor", "biased", "incomparable")
"""How much a difference weighs, the lightest first."""

STEADY = "the value does not change from step to step"
"""When a value of another step makes no difference."""

_NEUTRAL = frozenset({("max", "max"), ("min", "min"), ("sum", "sum"), ("last", "last")})
"""Statistic and operation where reducing the parts is the same as pooling them."""


class Topic(NamedTuple):
    """What a difference is about.

    Attributes:
        kind: metric, kind, logged, population, snapshot, reduction, span, lag, scale, offset, trait or formula.
        name: The level of a reduction, the name of a trait; empty for the others.
    """

    kind: str
    name: str = ""


Pair = tuple[Any, Any]
"""What holds of either number; None where nothing is said, or for a trait that it lacks."""

_OF_ENTRY = (Topic("metric"), Topic("kind"), Topic("logged"))
_BEFORE_LEVELS = (Topic("population"), Topic("snapshot"), Topic("scale"), Topic("offset"))
_AFTER_LEVELS = (Topic("span"), Topic("lag"))
_FORMULA = Topic("formula")


class Cause(NamedTuple):
    """One thing that sets two numbers apart, or the default of a setting that does.

    Attributes:
        kind: A kind of `Topic`, or ``setting``.
        name: The trait, the level of a reduction or the setting; empty for the others.
        before: What holds of the first number; None for a trait that it lacks.
        after: What holds of the second one.
        grade: How much that sets the two apart, one of `GRADES`.
        vanishes_when: When it cannot show.
        effects: For a setting, what its new default changed; for several levels of a reduction, each of them.
    """

    kind: str
    name: str
    before: Any
    after: Any
    grade: str
    vanishes_when: str | None = None
    effects: tuple[Cause, ...] = ()


def contrast(before: Entry, after: Entry, tables: Tables) -> dict[Topic, Pair]:
    """Return what sets two entries apart; of two metrics only that, and what is not said of how they are computed."""
    pairs: dict[Topic, Pair] = {}
    topics = _topics(before, after, tables)
    if before.signature.unstated or after.signature.unstated:
        topics = _stated(topics, before, after, tables)
    for topic in topics:
        pair = _pair(before, after, topic, tables)
        if pair is not None:
            pairs[topic] = pair
    # A number that is taken over something else, or in another way, is not told to be another formula besides.
    if _FORMULA in pairs and any(topic.kind in ("trait", "population") for topic in pairs):
        del pairs[_FORMULA]
    return pairs


def _stated(topics: list[Topic], before: Entry, after: Entry, tables: Tables) -> list[Topic]:
    """Return the topics without those of which one of two entries states nothing."""
    unstated = {*before.signature.unstated, *after.signature.unstated}
    of_population = {
        name for entry in (before, after) for name in population_traits(entry.signature.population, tables)
    }
    return [
        topic
        for topic in topics
        if topic.kind not in unstated
        and not ("population" in unstated and topic.kind == "trait" and topic.name in of_population)
    ]


def _topics(before: Entry, after: Entry, tables: Tables) -> list[Topic]:
    """Return what may set two entries apart, as if everything were stated of both."""
    first, second = before.signature, after.signature
    topics: list[Topic] = []
    _add_unlike(topics, _OF_ENTRY, before, after)
    if before.metric != after.metric or (before.kind == after.kind and (first is second or first == second)):
        return topics
    _add_unlike(topics, _BEFORE_LEVELS, first, second)
    if first.reduction != second.reduction or before.kind != after.kind:
        named = {*first.reduction, *second.reduction}
        topics += [Topic("reduction", level) for level in tables.levels if level in named]
    _add_unlike(topics, _AFTER_LEVELS, first, second)
    if first.traits != second.traits:
        topics += [Topic("trait", name) for name in first.traits if name not in second.traits]
        topics += [Topic("trait", name) for name in second.traits if name not in first.traits]
    if first.reproduced_by != second.reproduced_by:
        topics.append(_FORMULA)
    return topics


def _add_unlike(topics: list[Topic], asked: Sequence[Topic], first: object, second: object) -> None:
    for topic in asked:
        if getattr(first, topic.kind) != getattr(second, topic.kind):
            topics.append(topic)


def _pair(before: Entry, after: Entry, topic: Topic, tables: Tables) -> Pair | None:
    """Return what holds of two entries if that sets them apart."""
    first, second = _value(before, topic, tables), _value(after, topic, tables)
    if first == second:
        return None
    if topic.kind == "kind" and "distribution" not in (first, second):
        return None
    if topic.kind in ("population", "snapshot") and None in (first, second):
        return None  # what is not said is no difference
    if topic.kind == "population" and _told_by_traits(first, second, tables):
        return None
    return first, second


def same_value(first: Entry, second: Entry, topic: Topic, tables: Tables) -> bool:
    """Tell whether the same holds of two entries: how two metrics are computed is never the same."""
    if topic.kind not in ("logged", "kind") and first.metric != second.metric:
        return False
    return bool(_value(first, topic, tables) == _value(second, topic, tables))


def _value(entry: Entry, topic: Topic, tables: Tables) -> Any:
    kind, name = topic
    if topic in _OF_ENTRY:
        return getattr(entry, kind)
    if kind == "trait":
        return True if name in entry.signature.traits else None
    if kind == "reduction":
        return _operation(entry, name, tables)
    if kind == "formula":
        # Variants that give the metric's own number from other inputs are no other formula.
        variant = entry.signature.reproduced_by
        return None if variant in _metric(entry, tables).get("same", ()) else variant
    return getattr(entry.signature, kind)


def _operation(entry: Entry, level: str, tables: Tables) -> str:
    """Return how the parts of a level are put together."""
    metric = _metric(entry, tables)
    operation = entry.signature.reduction.get(level, "pool" if "function" in metric else "none")
    statistic = metric.get("identity", {}).get("statistic")
    # What parts have counted is added up, however that is called.
    neutral = (statistic, operation) in _NEUTRAL or (entry.kind, operation) == ("counter", "sum")
    if statistic == "last" and (neutral or operation == "pool") and tables.levels[level].lies != "across":
        return "last"  # nothing is put together of a value that the next one replaces
    return "pool" if neutral else operation


def _metric(entry: Entry, tables: Tables) -> Mapping[str, Any]:
    metric: Mapping[str, Any] = tables.metrics.get(entry.metric or "", {})
    return metric


def _told_by_traits(first: str, second: str, tables: Tables) -> bool:
    """Tell whether two populations need no word of their own: they are of one domain, and traits tell them apart."""
    known: Mapping[str, Any] = tables.signatures["POPULATIONS"]
    same_domain = first in known and second in known and known[first][0] == known[second][0]
    return same_domain and set(population_traits(first, tables)) != set(population_traits(second, tables))


def causes_of(pairs: Mapping[Topic, Pair], tables: Tables) -> Iterator[Cause]:
    """Yield what sets two numbers apart, the levels of a reduction as one."""
    reductions = [cause_of(topic, pair, tables) for topic, pair in pairs.items() if topic.kind == "reduction"]
    if len(reductions) > 1:
        vanishes = " and ".join(dict.fromkeys(item.vanishes_when for item in reductions if item.vanishes_when))
        levels, befores, afters = zip(*((item.name, item.before, item.after) for item in reductions), strict=True)
        grade = worst_of(reductions)
        yield Cause("reduction", ", ".join(levels), befores, afters, grade, vanishes or None, tuple(reductions))
    else:
        yield from reductions
    yield from (cause_of(topic, pair, tables) for topic, pair in pairs.items() if topic.kind != "reduction")


def cause_of(topic: Topic, pair: Pair, tables: Tables) -> Cause:
    """Return one thing that sets two numbers apart, with how much that weighs."""
    grade, vanishes = "biased", None
    vocabulary = tables.signatures
    if topic.kind == "trait":
        trait = tables.traits[topic.name]
        grade, vanishes = trait["grade"], trait.get("vanishes_when")
    elif topic.kind == "reduction":
        grades: Mapping[str, str] = vocabulary["GRADES"]
        grade = grades.get("/".join(sorted(pair)), grades.get("default", "biased"))
        vanishes = tables.levels[topic.name].vanishes_when
    elif topic.kind == "snapshot":
        grade, vanishes = vocabulary["SNAPSHOT"]
    elif topic.kind == "lag":
        grade, vanishes = "minor", STEADY
    elif topic.kind in ("metric", "kind") or not _is_convertible(topic.kind, pair):
        grade = "incomparable"
    return Cause(topic.kind, topic.name, *pair, grade, vanishes)


def _is_convertible(kind: str, pair: Pair) -> bool:
    """Tell whether values can be converted: a scale or an offset is known, and no scale is zero."""
    if kind not in ("scale", "offset"):
        return True
    return not any(isinstance(value, str) or (kind == "scale" and not value) for value in pair)


def worst_of(causes: Sequence[Cause]) -> str:
    """Return the gravest grade of some causes."""
    return max((cause.grade for cause in causes), key=GRADES.index)
