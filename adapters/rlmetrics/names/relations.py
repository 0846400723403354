"""How two emissions relate, computed from what they measure and how.

Two emissions of one metric are ``exact``, ``affine`` (up to a known a*x + b), ``approximate`` (with what differs), or
``related`` if a difference is incomparable. Emissions of different metrics are ``related`` if the metrics share a
quantity or are declared false friends, and otherwise there is ``none``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .records import Difference, Entry, Signature, Transform
from .signature import population_traits
from .tables import Tables

__all__ = ["GRADES", "RELATIONS", "Relation", "relate", "why_confused"]

RELATIONS = ("exact", "affine", "approximate", "related", "none")
GRADES = ("minor", "biased", "incomparable")

_NEUTRAL = frozenset({("max", "max"), ("min", "min"), ("sum", "sum"), ("last", "last")})
"""Statistic and operation where reducing the parts is the same as pooling them."""

_FACETS = ("quantity", "of", "predicate", "estimator", "distributions", "policy", "extent", "statistic")


@dataclass(frozen=True, slots=True)
class Relation:
    """The relation from one emission to another.

    Attributes:
        kind: One of `RELATIONS`.
        differs_by: How the two numbers differ, if they are of one metric.
        transform: How values are converted, None if they stay as they are or if that is not known.
        why: For different metrics, what sets them apart.
    """

    kind: str
    differs_by: tuple[Difference, ...] = ()
    transform: Transform | None = None
    why: str | None = None

    @property
    def translates(self) -> bool:
        """Whether a value may be carried from one name to the other."""
        return self.kind in ("exact", "affine", "approximate")

    @property
    def rank(self) -> tuple[int, int, int]:
        """Smaller is a better translation: worst grade, number of biased and of all differences."""
        grades = [GRADES.index(difference.grade) + 1 for difference in self.differs_by]
        return max(grades, default=0), sum(grade > 1 for grade in grades), len(grades)


def relate(source: Entry, target: Entry, tables: Tables) -> Relation:
    """Return the relation from one emission to another.

    Args:
        source: The emission whose values are at hand.
        target: The emission under whose name they might go.
        tables: The vocabulary of signatures, and the metrics.
    """
    if source.metric is None or target.metric is None:
        return Relation("none")
    if source.metric != target.metric:
        why = why_confused(source.metric, target.metric, tables)
        if why is None and source.key == target.key:
            why = _different(source.metric, target.metric, tables)
        return Relation("none") if why is None else Relation("related", why=why)
    differences = tuple(_differences(source, target, tables))
    transform, unknown = _transform(source.signature, target.signature)
    differences += unknown
    if any(difference.grade == "incomparable" for difference in differences):
        return Relation("related", differences, transform)
    if differences:
        return Relation("approximate", differences, transform)
    return Relation("affine" if transform else "exact", (), transform)


def why_confused(source: str, target: str, tables: Tables) -> str | None:
    """Return why one metric must not be taken for another that it is confused with, or None if nobody would."""
    first, second = tables.metrics.get(source, {}), tables.metrics.get(target, {})
    for row, other in ((first, target), (second, source)):
        for friend, why in row.get("false_friends", ()):
            if friend == other:
                return str(why)
    left, right = dict(first.get("identity", ())), dict(second.get("identity", ()))
    if left.get("quantity") is None or left.get("quantity") != right.get("quantity"):
        return None
    return _different(source, target, tables)


def _different(source: str, target: str, tables: Tables) -> str:
    left = dict(tables.metrics.get(source, {}).get("identity", ()))
    right = dict(tables.metrics.get(target, {}).get("identity", ()))
    parts = [
        f"{facet} is {_shown(right.get(facet))} there, {_shown(left.get(facet))} here"
        for facet in _FACETS
        if left.get(facet) != right.get(facet)
    ]
    return f"another metric ({target}): {'; '.join(parts)}"


def _shown(value: Any) -> str:
    return "not set" if value is None else " ‖ ".join(value) if isinstance(value, tuple) else str(value)


def _differences(source: Entry, target: Entry, tables: Tables) -> Iterable[Difference]:
    left, right = source.signature, target.signature
    metric = tables.metrics[str(source.metric)]
    if (source.kind == "distribution") != (target.kind == "distribution"):
        yield Difference(f"the source is a {source.kind}, the target a {target.kind}", "incomparable")
    yield from _populations(left, right, tables)
    if left.snapshot != right.snapshot and left.snapshot is not None and right.snapshot is not None:
        grade, vanishes = tables.signatures["SNAPSHOT"]
        what = (
            f"computed with the {left.snapshot} parameters in the source, with the {right.snapshot} ones in the target"
        )
        yield Difference(what, grade, vanishes)
    yield from _reductions(left.reduction, right.reduction, metric, tables)
    if left.span != right.span:
        what = f"what is measured: {_span(left.span)} in the source, {_span(right.span)} in the target"
        yield Difference(what, "biased")
    if left.lag != right.lag:
        what = f"the value belongs to {_lag(left.lag)} in the source, to {_lag(right.lag)} in the target"
        yield Difference(what, "minor", "the value does not change from step to step")
    yield from _traits(left, right, tables)
    same_way = set(left.traits) == set(right.traits) and left.population == right.population
    if left.reproduced_by != right.reproduced_by and same_way:
        what = f"{_variant(left, metric)} in the source, {_variant(right, metric)} in the target"
        yield Difference(what, "biased")


def _populations(left: Signature, right: Signature, tables: Tables) -> Iterable[Difference]:
    if left.population is None or right.population is None or left.population == right.population:
        return
    populations: Mapping[str, Any] = tables.signatures["POPULATIONS"]
    first, second = populations.get(left.population), populations.get(right.population)
    same = set(population_traits(left.population, tables)) == set(population_traits(right.population, tables))
    if first is None or second is None or first[0] != second[0] or same:
        what = f"over {left.population} in the source, over {right.population} in the target"
        yield Difference(what, "biased")


def _reductions(
    left: Mapping[str, str], right: Mapping[str, str], metric: Mapping[str, Any], tables: Tables
) -> Iterable[Difference]:
    default = "pool" if "function" in metric else "none"
    statistic = dict(metric.get("identity", ())).get("statistic")
    operations: Mapping[str, str] = tables.signatures["OPERATIONS"]
    grades: Mapping[str, str] = tables.signatures["GRADES"]
    for level, (brief, vanishes) in tables.signatures["LEVELS"].items():
        first, second = (_plain(side.get(level, default), statistic) for side in (left, right))
        if first != second:
            grade = grades.get("/".join(sorted((first, second))), grades.get("default", "biased"))
            what = f"{brief}: {operations[first]} in the source, {operations[second]} in the target"
            yield Difference(what, grade, vanishes)


def _plain(operation: str, statistic: str | None) -> str:
    return "pool" if (statistic, operation) in _NEUTRAL else operation


def _traits(left: Signature, right: Signature, tables: Tables) -> Iterable[Difference]:
    for side, mine, other in (("source", left, right), ("target", right, left)):
        for name in mine.traits:
            if name not in other.traits:
                trait = tables.traits[name]
                yield Difference(
                    f"only in the {side}: {trait['what']}",
                    trait["grade"],
                    trait.get("vanishes_when"),
                    trait.get("correction"),
                )


def _transform(left: Signature, right: Signature) -> tuple[Transform | None, tuple[Difference, ...]]:
    """Return target = scale * source + offset, or what makes it unknown."""
    unknown = [
        Difference(
            f"the {side} is {_formula(signature)}, and what that depends on is not known",
            "incomparable",
            correction="give the configuration keys in it their values with --config",
        )
        for side, signature in (("source", left), ("target", right))
        if isinstance(signature.scale, str) or isinstance(signature.offset, str) or signature.scale == 0
    ]
    same = (left.scale, left.offset) == (right.scale, right.offset)
    if same or unknown:
        return None, () if same else tuple(unknown)
    scale = float(right.scale) / float(left.scale)
    transform = Transform(scale, float(right.offset) - scale * float(left.offset))
    return (None if transform == Transform(1.0, 0.0) else transform), ()


def _formula(signature: Signature) -> str:
    offset = "" if signature.offset == 0 else f" + ({signature.offset})"
    return f"({signature.scale}) * metric{offset}"


def _span(span: str | None) -> str:
    return "as the metric is defined" if span is None else f"“{span.rstrip('.')}”"


def _lag(lag: int) -> str:
    if lag == 0:
        return "the step it is logged with"
    steps = "step" if abs(lag) == 1 else "steps"
    return f"{abs(lag)} {steps} {'earlier' if lag < 0 else 'later'}"


def _variant(signature: Signature, metric: Mapping[str, Any]) -> str:
    if signature.reproduced_by is None:
        return "computed by the plain formula"
    brief = dict(metric.get("variants", ())).get(signature.reproduced_by, signature.reproduced_by)
    return f"computed by a variant ({brief.rstrip('.')})"
