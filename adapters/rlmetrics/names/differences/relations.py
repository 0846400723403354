"""How two entries relate, computed from what they measure and how.

Two entries of one metric are ``exact``, ``affine`` (up to a known a*x + b), ``approximate`` (with what differs), or
``related`` if a difference is incomparable. Entries of different metrics are ``related`` if the metrics share a
quantity or are declared look-alikes, and otherwise there is ``none``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ..tables.key_records import Difference, Entry, Signature, Transform
from ..tables.tables import Tables
from .entry_signature import population_traits
from .severity import Circumstances, guards_of_level, guards_of_snapshot, judged
from .typical_sizes import typical_of_level, typical_of_trait

__all__ = ["GRADES", "RELATIONS", "Relation", "relate", "why_confused", "why_in_short"]

RELATIONS = ("exact", "affine", "approximate", "related", "none")
GRADES = ("minor", "biased", "incomparable")

_NEUTRAL = frozenset({("max", "max"), ("min", "min"), ("sum", "sum"), ("last", "last")})
"""Statistic and operation where reducing the parts is the same as pooling them."""

_TELLING = ("quantity", "of", "predicate", "statistic", "estimator", "distributions", "policy", "extent")
"""The same, those first that say most."""

_FACETS = ("quantity", "of", "predicate", "estimator", "distributions", "policy", "extent", "statistic")


class Relation(NamedTuple):
    """The relation from one entry to another.

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


_SAME = Relation("exact")


def relate(
    source: Entry,
    target: Entry,
    tables: Tables,
    sides: tuple[str, str] = ("the source", "the target"),
    circumstances: tuple[Circumstances | None, Circumstances | None] = (None, None),
) -> Relation:
    """Return the relation from one entry to another.

    Args:
        source: The entry whose values are at hand.
        target: The entry under whose name they might go.
        tables: The vocabulary of signatures, and the metrics.
        sides: What the two are called in what differs.
        circumstances: What decides on either side whether a difference shows.
    """
    if source.metric is None or target.metric is None:
        return Relation("none")
    if source.metric != target.metric:
        why = why_confused(source.metric, target.metric, tables)
        if why is None and source.key == target.key:
            why = _different(source.metric, target.metric, tables)
        return Relation("none") if why is None else Relation("related", why=why)
    if source.signature is target.signature and source.kind == target.kind:
        # Both are one record of the spec: most keys of most releases are what they were.
        return _SAME
    comparison = _Comparison(source, target, tables, sides, circumstances)
    unknown = tuple(comparison.unknown_scales())
    transform = None if unknown else comparison.transform()
    differences = (*(judged(difference, circumstances) for difference in comparison.differences()), *unknown)
    if any(difference.grade == "incomparable" for difference in differences):
        return Relation("related", differences, transform)
    if differences:
        return Relation("approximate", differences, transform)
    return Relation("affine" if transform else "exact", (), transform)


def why_confused(source: str, target: str, tables: Tables) -> str | None:
    """Return why one metric must not be taken for another that it is confused with, or None if nobody would."""
    first, second = tables.metrics.get(source, {}), tables.metrics.get(target, {})
    if target in first.get("false_friends", ()):
        return str(first["false_friends"][target])
    if source in second.get("false_friends", ()):
        # Its "that" and "this" are ours the other way round.
        return f"seen from {target}: {second['false_friends'][source]}"
    left, right = first.get("identity", {}), second.get("identity", {})
    quantity = left.get("quantity")
    if quantity is None or quantity != right.get("quantity"):
        return None
    if quantity in tables.signatures["GENERIC"] and left.get("of") != right.get("of"):
        return None
    return _different(source, target, tables)


def why_in_short(source: str, target: str, tables: Tables) -> str | None:
    """Return the same in a few words: what the other metric is, or, after ``here``, what this one is."""
    first, second = tables.metrics.get(source, {}), tables.metrics.get(target, {})
    if target in first.get("false_friends", ()):
        return _clause(str(first["false_friends"][target]))
    if source in second.get("false_friends", ()):
        return f"here: {_clause(str(second['false_friends'][source]))}"
    left, right = first.get("identity", {}), second.get("identity", {})
    parts = [
        _contrast(facet, left.get(facet), right.get(facet))
        for facet in _TELLING
        if left.get(facet) != right.get(facet) and (facet != "extent" or left.get("of") == right.get("of"))
    ]
    return "; ".join(parts[:2]) or None


def _contrast(facet: str, here: Any, there: Any) -> str:
    """Return a facet of the other metric against that of this one."""
    if facet == "predicate":
        return f"not only if {_shown(here)}" if there is None else f"counts if {_shown(there)}"
    if facet == "quantity":
        return f"a {_plainly(there)}, not a {_plainly(here)}"
    if there is None:
        return f"not {_plainly(here)}"
    return f"{_plainly(there)}{'' if here is None else f', not {_plainly(here)}'}"


def _plainly(value: Any) -> str:
    return _shown(value).replace("_", " ").replace("‖", "against")


def _clause(text: str) -> str:
    """Return a sentence as a clause."""
    text = text.strip().removesuffix(".")
    return text[:1].lower() + text[1:] if text[1:2].islower() or text[1:2] == " " else text


def _different(source: str, target: str, tables: Tables) -> str:
    left = tables.metrics.get(source, {}).get("identity", {})
    right = tables.metrics.get(target, {}).get("identity", {})
    parts = [
        f"{facet} is {_shown(right.get(facet))} there, {_shown(left.get(facet))} here"
        for facet in _FACETS
        if left.get(facet) != right.get(facet)
    ]
    return f"another metric ({target}): {'; '.join(parts)}"


def _shown(value: Any) -> str:
    return "not set" if value is None else " ‖ ".join(value) if isinstance(value, list) else str(value)


class _Comparison:
    """Two entries of one metric."""

    def __init__(
        self,
        source: Entry,
        target: Entry,
        tables: Tables,
        sides: tuple[str, str],
        circumstances: tuple[Circumstances | None, Circumstances | None],
    ) -> None:
        self._circumstances = circumstances
        self._modes = source.mode, target.mode
        self._kinds = source.kind, target.kind
        self._left, self._right = source.signature, target.signature
        self._metric: Mapping[str, Any] = tables.metrics[str(source.metric)]
        self._function = str(source.metric), source.signature.reproduced_by or target.signature.reproduced_by
        self._tables = tables
        self._sides = sides

    def _both(self, left: str, right: str) -> str:
        return f"{left} in {self._sides[0]}, {right} in {self._sides[1]}"

    def differences(self) -> Iterator[Difference]:
        """Yield what differs but for scale and offset."""
        left, right = self._left, self._right
        if (self._kinds[0] == "distribution") != (self._kinds[1] == "distribution"):
            yield Difference(self._both(f"a {self._kinds[0]}", f"a {self._kinds[1]}"), "incomparable", about="kind")
        yield from self._populations()
        if left.snapshot != right.snapshot and left.snapshot is not None and right.snapshot is not None:
            grade, vanishes = self._tables.signatures["SNAPSHOT"]
            what = self._both(f"{left.snapshot} parameters", f"{right.snapshot} parameters")
            guards = guards_of_snapshot((left.snapshot, right.snapshot), self._circumstances, self._modes)
            yield Difference(f"computed with {what}", grade, vanishes, vanishes_if=guards, about="snapshot")
        yield from self._reductions()
        if left.span != right.span:
            what = self._both(_span(left.span), _span(right.span))
            yield Difference(f"what is measured: {what}", "biased", about="span")
        if left.lag != right.lag:
            what = self._both(_lag(left.lag), _lag(right.lag))
            vanishes = "the value does not change from step to step"
            yield Difference(f"the step of the value: {what}", "minor", vanishes, about="lag")
        yield from self._traits()
        same_way = set(left.traits) == set(right.traits) and left.population == right.population
        if self._computed(left) != self._computed(right) and same_way:
            what = self._both(self._formula(left), self._formula(right))
            yield Difference(f"computed by {what}", "biased", about="formula")

    def _populations(self) -> Iterator[Difference]:
        left, right = self._left.population, self._right.population
        if left is None or right is None or left == right:
            return
        populations: Mapping[str, Any] = self._tables.signatures["POPULATIONS"]
        same_domain = left in populations and right in populations and populations[left][0] == populations[right][0]
        # Populations of one domain are told apart by their traits, which are compared with all others.
        told_apart = set(population_traits(left, self._tables)) != set(population_traits(right, self._tables))
        if not (same_domain and told_apart):
            yield Difference(self._both(f"over {left}", f"over {right}"), "biased", about="population")

    def _reductions(self) -> Iterator[Difference]:
        if self._left.reduction == self._right.reduction:
            return
        default = "pool" if "function" in self._metric else "none"
        statistic = self._metric.get("identity", {}).get("statistic")
        vocabulary = self._tables.signatures
        operations: Mapping[str, str] = vocabulary["OPERATIONS"]
        grades: Mapping[str, str] = vocabulary["GRADES"]
        for name, level in self._tables.levels.items():
            first, second = (
                _plain(side.reduction.get(name, default), statistic, kind)
                for side, kind in zip((self._left, self._right), self._kinds, strict=True)
            )
            if first != second:
                grade = grades.get("/".join(sorted((first, second))), grades.get("default", "biased"))
                what = f"{level.brief}: {self._both(operations[first], operations[second])}"
                guards = guards_of_level(level, (first, second), self._circumstances, self._modes)
                about = f"level:{name}"
                size = typical_of_level(self._tables, self._function, name, (first, second))
                yield Difference(what, grade, level.vanishes_when, vanishes_if=guards, about=about, typical=size)

    def _traits(self) -> Iterator[Difference]:
        pairs = (self._left, self._right), (self._right, self._left)
        for index, (mine, other) in enumerate(pairs):
            for name in mine.traits:
                if name not in other.traits:
                    trait = self._tables.traits[name]
                    what = f"only in {self._sides[index]}: {trait['what']}"
                    vanishes, correction = trait.get("vanishes_when"), trait.get("correction")
                    guards = self._guards_of_trait(trait, index)
                    size = typical_of_trait(self._tables, self._function, name, in_target=index == 1)
                    yield Difference(what, trait["grade"], vanishes, correction, None, guards, f"trait:{name}", size)

    def _guards_of_trait(self, trait: Mapping[str, Any], index: int) -> tuple[str | None, str | None] | None:
        side = self._circumstances[index]
        guard = None if side is None else side.trait(trait, self._modes[index])
        if guard is None:
            return None
        return (guard, None) if index == 0 else (None, guard)

    def _computed(self, signature: Signature) -> str | None:
        """Return the variant that an entry is computed by, None for the metric's own number from whatever inputs."""
        return None if signature.reproduced_by in self._metric.get("same", ()) else signature.reproduced_by

    def _formula(self, signature: Signature) -> str:
        if signature.reproduced_by is None:
            return "the plain formula"
        brief = self._metric.get("variants", {}).get(signature.reproduced_by, signature.reproduced_by)
        return f"a variant ({brief.rstrip('.')})"

    def unknown_scales(self) -> Iterator[Difference]:
        """Yield what keeps the transform from being known."""
        if (self._left.scale, self._left.offset) == (self._right.scale, self._right.offset):
            return
        for side, signature in zip(self._sides, (self._left, self._right), strict=True):
            if isinstance(signature.scale, str) or isinstance(signature.offset, str) or signature.scale == 0:
                offset = "" if signature.offset == 0 else f" + ({signature.offset})"
                what = f"{side} logs ({signature.scale}) * metric{offset}, and what that depends on is not known"
                correction = "give the configuration keys in it their values with --config"
                yield Difference(what, "incomparable", correction=correction, about="scale")

    def transform(self) -> Transform | None:
        """Return target = scale * source + offset, or None if both are equal."""
        left, right = self._left, self._right
        if (left.scale, left.offset) == (right.scale, right.offset):
            return None
        scale = float(right.scale) / float(left.scale)
        return Transform(scale, float(right.offset) - scale * float(left.offset))


def _plain(operation: str, statistic: str | None, kind: str) -> str:
    # What parts have counted is added up, however that is called.
    neutral = (statistic, operation) in _NEUTRAL or (kind, operation) == ("counter", "sum")
    return "pool" if neutral else operation


def _span(span: str | None) -> str:
    return "as the metric is defined" if span is None else f"“{span.rstrip('.')}”"


def _lag(lag: int) -> str:
    if lag == 0:
        return "the one it is logged with"
    return f"{abs(lag)} {'earlier' if lag < 0 else 'later'}"
