"""How two entries relate, computed from what they measure and how.

Two entries of one metric are ``exact``, ``affine`` (up to a known a*x + b), ``approximate`` (with what differs),
``unreviewed`` where the spec leaves something open that this rests on, or ``related`` if a difference is incomparable.
Entries of different metrics are ``related`` if the metrics share a
quantity or are declared look-alikes, and otherwise there is ``none``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rlmetrics.lazy_typing import Any, NamedTuple

from ..tables.key_records import Difference, Entry, Signature, Transform, Typical
from ..tables.tables import Tables
from .entry_contrast import GRADES, Cause, cause_of, contrast
from .severity import UNREVIEWED
from .typical_sizes import typical_of_level, typical_of_trait
from .verdict import Sides, applies, guards_of

__all__ = [
    "GRADES",
    "ONE_STEP",
    "RELATIONS",
    "TRANSLATING",
    "Relation",
    "relate",
    "unstated_words",
    "why_confused",
    "why_in_short",
]

RELATIONS = ("exact", "affine", "approximate", "unreviewed", "related", "none")
TRANSLATING = frozenset(RELATIONS[:4])
"""Those under which a value may be carried from one name to the other."""

_STATEMENTS = {
    "population": "over what it is taken",
    "reduction": "how it is put together",
    "span": "what it measures the time of",
}

_SCALED = ("scale", "offset")
ONE_STEP = "one step"
"""What stands for the operation where each step is logged on its own."""
_ABOUT = {"reduction": "level", "trait": "trait"}

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
        return self.kind in TRANSLATING

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
    circumstances: Sides = (None, None),
    *,
    over_time: bool = False,
) -> Relation:
    """Return the relation from one entry to another.

    Args:
        source: The entry whose values are at hand.
        target: The entry under whose name they might go.
        tables: The vocabulary of signatures, and the metrics.
        sides: What the two are called in what differs.
        circumstances: What decides on either side whether a difference shows.
        over_time: Whether it is one key in two releases: what nobody has stated of it is no change then.
    """
    if source.metric is None or target.metric is None:
        return Relation("none")
    if source.metric != target.metric:
        why = why_confused(source.metric, target.metric, tables)
        if why is None and source.key == target.key:
            why = _different(source.metric, target.metric, tables)
        return Relation("none") if why is None else Relation("related", why=why)
    pairs = contrast(source, target, tables)
    causes = [cause_of(topic, pair, tables) for topic, pair in pairs.items() if topic.kind != "logged"]
    unreviewed = () if over_time else tuple(_unreviewed((source, target), sides))
    if not causes and not unreviewed:
        return _SAME
    words = _Words(source, target, tables, sides)
    scaled = [cause for cause in causes if cause.kind in _SCALED]
    unknown = [*words.unknown_scales()] if scaled else []
    transform = _conversion(source.signature, target.signature) if scaled and not unknown else None
    others = (words.difference(cause, circumstances) for cause in causes if cause.kind not in _SCALED)
    differences = (*others, *unknown, *unreviewed)
    if any(difference.grade == "incomparable" for difference in differences):
        return Relation("related", differences, transform)
    if unreviewed:
        return Relation("unreviewed", differences, transform)
    if differences:
        return Relation("approximate", differences, transform)
    return Relation("affine" if transform else "exact", (), transform)


def _unreviewed(entries: tuple[Entry, Entry], sides: tuple[str, str]) -> Iterator[Difference]:
    """Yield for either side what nobody has stated of its number."""
    for side, entry in zip(sides, entries, strict=True):
        if entry.signature.unstated:
            what = f"unreviewed in {side}: {unstated_words(entry.signature.unstated)}"
            yield Difference(what, "biased", about=UNREVIEWED)


def unstated_words(unstated: Sequence[str]) -> str:
    """Return what nobody has stated of how a number is computed, as a clause."""
    *first, last = (_STATEMENTS[name] for name in unstated)
    what = f"{', '.join(first)} and {last}" if first else last
    return f"nobody has stated {what}"


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


def why_in_short(source: str, target: str, tables: Tables, name: str = "") -> str | None:
    """Return the same in a few words: what the other metric is or, where only that one tells, what it says of this one.

    Args:
        source: A metric.
        target: The other one.
        tables: The spec.
        name: What the first is called; its canonical name if left out.
    """
    first, second = tables.metrics.get(source, {}), tables.metrics.get(target, {})
    if target in first.get("false_friends", ()):
        return _clause(str(first["false_friends"][target]))
    if source in second.get("false_friends", ()):
        return f"of {name or source}: {_clause(str(second['false_friends'][source]))}"
    left, right = first.get("identity", {}), second.get("identity", {})
    parts = [
        _contrast(facet, left.get(facet), right.get(facet))
        for facet in _TELLING
        if left.get(facet) != right.get(facet) and (facet != "extent" or left.get("of") == right.get("of"))
    ]
    return "; ".join(parts[:2]) or None


def _contrast(facet: str, here: Any, there: Any) -> str:
    """Return a facet of the other metric against that of this one; catalogs know these as patterns of two words."""
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


class _Words:
    """What sets two entries of one metric apart, in words.

    Args:
        source: The entry whose values are at hand.
        target: The other one.
        tables: The spec.
        sides: What the two are called.
    """

    def __init__(self, source: Entry, target: Entry, tables: Tables, sides: tuple[str, str]) -> None:
        self._source, self._target = source, target
        self._tables = tables
        self._sides = sides
        self._metric: Mapping[str, Any] = tables.metrics[str(source.metric)]
        self._function = str(source.metric), source.signature.reproduced_by or target.signature.reproduced_by

    def difference(self, cause: Cause, circumstances: Sides) -> Difference:
        """Return a cause, other than of scale and offset, as a difference, with whether it shows."""
        guards = guards_of(cause, circumstances, (self._source.mode, self._target.mode), self._tables)
        settings = (None if side is None else side.settings for side in circumstances)
        return Difference(
            self._what(cause),
            cause.grade,
            cause.vanishes_when,
            self._tables.traits[cause.name].get("correction") if cause.kind == "trait" else None,
            applies(cause.vanishes_when, guards, *settings),
            guards,
            f"{_ABOUT[cause.kind]}:{cause.name}" if cause.kind in _ABOUT else cause.kind,
            self._typical(cause),
        )

    def _what(self, cause: Cause) -> str:
        pair = cause.before, cause.after
        if cause.kind == "kind":
            return self._both(*(f"a {kind}" for kind in pair))
        if cause.kind == "population":
            return self._both(*(f"over {population}" for population in pair))
        if cause.kind == "snapshot":
            (left, right), (here, there) = pair, self._sides
            return f"computed with {left} parameters in {here}, {right} parameters in {there}"
        if cause.kind == "reduction":
            sides = zip(pair, (self._source, self._target), strict=True)
            operations = (self._operation(cause.name, operation, entry) for operation, entry in sides)
            return f"{self._tables.levels[cause.name].brief}: {self._both(*operations)}"
        if cause.kind == "span":
            return f"what is measured: {self._both(*map(_span, pair))}"
        if cause.kind == "lag":
            return f"the step of the value: {self._both(*map(_lag, pair))}"
        if cause.kind == "trait":
            return f"only in {self._sides[1 if cause.after else 0]}: {self._tables.traits[cause.name]['what']}"
        return f"computed by {self._both(*map(self._formula, pair))}"

    def _operation(self, level: str, operation: str, entry: Entry) -> str:
        """Return how the parts of a level are put together; of steps that are logged one by one, that they are."""
        if self._tables.levels[level].lies == "apart" and level not in entry.signature.reduction:
            return ONE_STEP
        return str(self._tables.signatures["OPERATIONS"][operation])

    def _both(self, left: str, right: str) -> str:
        return f"{left} in {self._sides[0]}, {right} in {self._sides[1]}"

    def _formula(self, variant: str | None) -> str:
        if variant is None:
            return "the plain formula"
        brief = self._metric.get("variants", {}).get(variant, variant)
        return f"a variant ({brief.rstrip('.')})"

    def _typical(self, cause: Cause) -> Typical | None:
        if cause.kind == "reduction":
            return typical_of_level(self._tables, self._function, cause.name, (cause.before, cause.after))
        if cause.kind == "trait":
            return typical_of_trait(self._tables, self._function, cause.name, in_target=bool(cause.after))
        return None

    def unknown_scales(self) -> Iterator[Difference]:
        """Yield for either side what keeps values from being converted: a scale that depends on an unknown setting."""
        for side, entry in zip(self._sides, (self._source, self._target), strict=True):
            signature = entry.signature
            if isinstance(signature.scale, str) or isinstance(signature.offset, str) or signature.scale == 0:
                offset = "" if signature.offset == 0 else f" + ({signature.offset})"
                what = f"{side} logs ({signature.scale}) * metric{offset}, and what that depends on is not known"
                correction = "give the configuration keys in it their values with --config"
                yield Difference(what, "incomparable", correction=correction, about="scale")


def _conversion(source: Signature, target: Signature) -> Transform:
    """Return target = scale * source + offset."""
    scale = float(target.scale) / float(source.scale)
    return Transform(scale, float(target.offset) - scale * float(source.offset))


def _span(span: str | None) -> str:
    return "as the metric is defined" if span is None else f"“{span.rstrip('.')}”"


def _lag(lag: int) -> str:
    if lag == 0:
        return "the one it is logged with"
    return f"{abs(lag)} {'earlier' if lag < 0 else 'later'}"
