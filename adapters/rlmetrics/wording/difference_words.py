"""What sets two numbers of one key apart, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rlmetrics.lazy_typing import TYPE_CHECKING, Any, NamedTuple
from rlmetrics.names.differences.entry_contrast import Cause, Topic, cause_of, causes_of, contrast
from rlmetrics.names.differences.verdict import Sides, applies, guards_of, verdict_on
from rlmetrics.names.upgrades.causes import in_words

from .cause_words import plain_words
from .repeated_causes import told_once

if TYPE_CHECKING:
    from rlmetrics.names.differences.severity import Circumstances
    from rlmetrics.names.tables.key_records import Entry
    from rlmetrics.names.tables.tables import Tables

__all__ = ["GRADES", "ToldCause", "brief_of", "by_weight", "differences", "shows", "telling", "worded"]

GRADES = ("incomparable", "biased", "minor")
"""How much a difference weighs, the heaviest first."""


class ToldCause(NamedTuple):
    """One thing that changed.

    Attributes:
        text: In words, seen from the later release.
        grade: ``minor``, ``biased`` or ``incomparable``.
        trait: The trait that came or went, if it is one.
        applies: Whether it shows under the settings at hand; None where nothing can tell.
        whole: The same at length, where it can be said in short.
    """

    text: str
    grade: str
    trait: str | None = None
    applies: bool | None = True
    whole: str | None = None

    @property
    def weighs(self) -> bool:
        """Whether it moves a curve under the settings at hand, as far as is known."""
        return self.grade != "minor" and self.applies is not False


def by_weight(cause: ToldCause) -> tuple[bool, int]:
    """Sort what shows before what does not, and the heaviest first."""
    return cause.applies is False, GRADES.index(cause.grade)


def brief_of(trait: Mapping[str, Any], *, gone: bool = False) -> str:
    """Return in few words what holds of a number with a trait, or of one without it any more."""
    if gone:
        return str(trait["otherwise"]) if "otherwise" in trait else f"no longer: {trait.get('brief', trait['what'])}"
    return str(trait.get("brief", trait["what"]))


def shows(trait: str, side: Circumstances | None, mode: str, tables: Tables) -> bool | None:
    """Return whether a trait shows under a side's settings; None where nothing can tell."""
    cause = cause_of(Topic("trait", trait), (None, True), tables)
    guards = guards_of(cause, (None, side), (mode, mode), tables)
    return applies(cause.vanishes_when, guards, None, None if side is None else side.settings)


def worded(
    cause: Cause, applies: bool | None, tables: Tables, *, versus: bool = True, given: bool = False
) -> ToldCause:
    """Return a cause in words.

    Args:
        cause: What changed.
        applies: Whether it shows under the settings at hand.
        tables: The spec.
        versus: Whether what was otherwise is told too.
        given: Whether settings were given, so that not the defaults alone decide what is logged.
    """
    if cause.kind == "trait":
        row = tables.traits[cause.name]
        whole = str(row["what"]) if cause.after else f"no longer: {row['what']}"
        return ToldCause(brief_of(row, gone=not cause.after), cause.grade, cause.name, applies, whole)
    text = plain_words(cause, in_words(cause, tables, compared=versus, given=given), tables, compared=versus)
    if cause.kind != "setting" or not cause.effects:
        return ToldCause(text, cause.grade, None, applies)
    effects = [worded(effect, applies, tables, given=given).text for effect in cause.effects]
    logged = [effect for effect, item in zip(effects, cause.effects, strict=True) if item.kind == "logged"]
    whole = f"{text}: {'; '.join(effects)}"
    return ToldCause(f"{text}: {logged[0]}" if logged else text, cause.grade, None, applies, whole)


def telling(cause: Cause) -> tuple[bool, bool]:
    """Sort what came before what went, and how parts are put together last."""
    return cause.kind == "reduction", cause.kind == "trait" and not cause.after


def differences(old: Entry, new: Entry, tables: Tables, sides: Sides) -> Iterator[ToldCause]:
    """Yield in words what is different about a number under other settings.

    Args:
        old: What it is.
        new: What it would be.
        tables: The spec.
        sides: What decides on either side whether a difference shows.
    """
    pairs = contrast(old, new, tables)
    causes = causes_of({topic: pair for topic, pair in pairs.items() if topic.kind != "logged"}, tables)
    for cause in sorted(told_once([*causes], tables), key=telling):
        yield worded(cause, verdict_on(cause, sides, new.mode, tables).applies, tables, versus=False)
    if old.metric == new.metric:
        yield from _appearing(old, new, tables, sides)


def _appearing(old: Entry, new: Entry, tables: Tables, sides: Sides) -> Iterator[ToldCause]:
    """Yield the traits of both that may show on one side and cannot on the other, those that come first."""
    common = [name for name in new.signature.traits if name in old.signature.traits]
    for gone in (False, True):
        side, other = sides if gone else sides[::-1]
        for name in common:
            shown = shows(name, side, new.mode, tables)
            if shown is not False and shows(name, other, old.mode, tables) is False:
                pair = (True, None) if gone else (None, True)
                yield worded(cause_of(Topic("trait", name), pair, tables), shown, tables)
