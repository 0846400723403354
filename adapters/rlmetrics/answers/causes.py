"""What sets two numbers of one key apart, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from rlmetrics.names.relations import Relation, relate

from .words import averaged_words, population_words, quantity_words

if TYPE_CHECKING:
    from rlmetrics.names.records import Entry, Signature
    from rlmetrics.names.severity import Circumstances
    from rlmetrics.names.tables import Tables

__all__ = ["GRADES", "Cause", "Sides", "brief_of", "by_weight", "differences", "shows"]

GRADES = ("incomparable", "biased", "minor")
"""How much a difference weighs, the heaviest first."""

Sides = tuple["Circumstances | None", "Circumstances | None"]
"""What decides on either side whether a difference shows."""

_AT_ONCE = " at once"
_SIDES = ("before", "now")


class Cause(NamedTuple):
    """One thing that changed.

    Attributes:
        text: In words, seen from the later release.
        grade: ``minor``, ``biased`` or ``incomparable``.
        trait: The trait that came or went, if it is one.
        gone: Whether that trait went.
        applies: Whether it shows under the settings at hand; None where nothing can tell.
        whole: The same at length, where it can be said in short.
    """

    text: str
    grade: str
    trait: str | None = None
    gone: bool = False
    applies: bool | None = True
    whole: str | None = None

    @property
    def weighs(self) -> bool:
        """Whether it moves a curve under the settings at hand, as far as is known."""
        return self.grade != "minor" and self.applies is not False


def by_weight(cause: Cause) -> tuple[bool, int]:
    """Sort what shows before what does not, and the heaviest first."""
    return cause.applies is False, GRADES.index(cause.grade)


def brief_of(trait: Mapping[str, Any], *, gone: bool = False) -> str:
    """Return in few words what holds of a number with a trait, or of one without it any more."""
    if gone:
        return str(trait["otherwise"]) if "otherwise" in trait else f"no longer: {trait.get('brief', trait['what'])}"
    return str(trait.get("brief", trait["what"]))


def shows(trait: str, side: Circumstances | None, mode: str, tables: Tables) -> bool | None:
    """Return whether a trait shows under a side's settings; None where nothing can tell."""
    row = tables.traits[trait]
    guard = None if side is None else side.trait(row, mode)
    if side is None or guard is None:
        return None if "vanishes_when" in row else True
    gone = side.settings.holds(guard)
    return None if gone is None else not gone


def differences(
    old: Entry, new: Entry, tables: Tables, *, compared: bool = True, sides: Sides = (None, None)
) -> Iterator[Cause]:
    """Yield in words what is different about a number.

    Args:
        old: What it was.
        new: What it is.
        tables: The spec.
        compared: Whether what was otherwise is told too.
        sides: What decides on either side whether a difference shows.
    """
    if old.metric is None or new.metric is None:
        if old.metric != new.metric:
            yield Cause("what it measures depends on the configuration", "incomparable")
        return
    if old.metric != new.metric:
        first, second = (_lowered(quantity_words(metric, tables)) for metric in (old.metric, new.metric))
        yield Cause(f"measures {second}{f'; before: {first}' if compared else ''}", "incomparable")
        return
    if old.signature is new.signature and old.kind == new.kind:
        yield from _traits(old, new, tables, sides, sure=compared)
        return
    relation = relate(old, new, tables, _SIDES, circumstances=sides)
    told = [*_signatures(old, new, relation, tables, compared=compared, sides=sides)]
    yield from told
    if relation.transform is not None:
        shift = f" + {relation.transform.offset:g}" if relation.transform.offset else ""
        yield Cause(f"values are {relation.transform.scale:g} x those before{shift}", "biased")
    if not told and relation.transform is None:
        yield from (Cause(item.what, item.grade) for item in relation.differs_by)


def _signatures(
    old: Entry, new: Entry, relation: Relation, tables: Tables, *, compared: bool, sides: Sides
) -> Iterator[Cause]:
    left, right = old.signature, new.signature
    yield from _traits(old, new, tables, sides, sure=compared)
    populations = [population_words(side.population, tables) for side in (left, right)]
    if populations[0] != populations[1] and set(left.traits) == set(right.traits) and None not in populations:
        yield Cause(f"over {populations[1]}{f'; before: {populations[0]}' if compared else ''}", "biased")
    levels: Mapping[str, Sequence[str]] = tables.signatures["LEVELS"]
    briefs = {brief for brief, _ in levels.values()}
    averaged = [item for item in relation.differs_by if item.what.partition(":")[0] in briefs]
    if averaged:
        then, now = _averaged(left, right, new.metric, tables)
        applies = next((item.applies for item in averaged if item.applies is not False), False)
        grade = min((item.grade for item in averaged), key=GRADES.index)
        yield Cause(f"averaged {now}; before: {then}" if compared else f"averaged {now}", grade, applies=applies)
    if left.span != right.span and right.span is not None:
        yield Cause(f"measures {_lowered(right.span.rstrip('.'))}", "biased")


def _traits(old: Entry, new: Entry, tables: Tables, sides: Sides, *, sure: bool) -> Iterator[Cause]:
    """Yield the traits that came, then those that went; one that both have may show on one side only.

    Args:
        old: What the number was.
        new: What it is.
        tables: The spec.
        sides: What decides on either side whether a trait shows.
        sure: Whether a trait that both have counts only where it is known to show.
    """
    left, right = old.signature.traits, new.signature.traits
    for names, others, gone in ((right, left, False), (left, right, True)):
        side, other = (sides[0], sides[1]) if gone else (sides[1], sides[0])
        for name in names:
            row = tables.traits[name]
            brief = brief_of(row, gone=gone)
            whole = f"no longer: {row['what']}" if gone else str(row["what"])
            shown = shows(name, side, (old if gone else new).mode, tables)
            if name not in others:
                yield Cause(brief, str(row["grade"]), name, gone, shown, whole)
            elif (shown or (shown is None and not sure)) and shows(name, other, old.mode, tables) is False:
                yield Cause(brief, str(row["grade"]), None, gone, shown, whole)


def _averaged(old: Signature, new: Signature, metric: str | None, tables: Tables) -> tuple[str, str]:
    """Return how the parts were put together and are now, from the first step on that differs."""
    steps = [averaged_words(side, metric, tables) for side in (old, new)]
    before, now = ((text or "in a way that is not said").rpartition("; ")[2].split(", then ") for text in steps)
    if before[0].endswith(_AT_ONCE) and now[0].endswith(_AT_ONCE) and before[0] != now[0]:
        return before[0], f"over {now[0]}"
    while before and now and before[0] == now[0]:
        del before[0], now[0]
    verb = "over" if now and now[0].endswith(_AT_ONCE) else "by"
    return ", then ".join(before) or "nothing more", f"{verb} {', then '.join(now) or 'nothing more'}"


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:] if text[1:2].islower() else text
