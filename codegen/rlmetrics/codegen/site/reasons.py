"""What sets a logged number apart from its metric's definition, in the words of the command line's answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from rlmetrics.names.differences.entry_contrast import Cause, cause_of, contrast
from rlmetrics.names.differences.entry_signature import population_traits
from rlmetrics.names.differences.relations import unstated_words
from rlmetrics.names.differences.severity import UNREVIEWED, Circumstances
from rlmetrics.names.differences.verdict import verdict_on
from rlmetrics.names.tables.key_records import Entry
from rlmetrics.names.tables.tables import Tables
from rlmetrics.wording.difference_words import GRADES, worded
from rlmetrics.wording.metric_facts import sentence
from rlmetrics.wording.signature_words import population_words

__all__ = ["Reason", "Reasons", "told_in_short"]

_NOT_OF_THE_NUMBER = frozenset({"logged", "metric", "scale", "offset"})


class Reason(NamedTuple):
    """One way in which a number departs from its metric's definition.

    Attributes:
        about: The facet and its name, and what it is there.
        grade: ``minor``, ``biased`` or ``incomparable``.
        applies: Whether it shows under the release's defaults; None where nothing can tell.
        brief: In few words.
        text: As a sentence.
        vanishes: When it cannot show.
        correction: How to undo it.
    """

    about: tuple[str, str, str]
    grade: str
    applies: bool | None
    brief: str
    text: str
    vanishes: str | None = None
    correction: str | None = None

    @property
    def weighs(self) -> bool:
        """Whether it moves the curve, as far as is known; what makes numbers incomparable counts whatever is set."""
        return self.grade == "incomparable" or (self.grade != "minor" and self.applies is not False)


class Reasons:
    """Finds what sets entries apart from definitions.

    Args:
        tables: The spec.
    """

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def of(self, target: Entry, entry: Entry, side: Circumstances | None) -> tuple[Reason, ...]:
        """Return what sets an entry apart from its metric's definition, what weighs most first.

        Args:
            target: The metric under its canonical name.
            entry: The key.
            side: What decides in the release whether differences show.
        """
        pairs = contrast(target, entry, self._tables)
        causes = [cause_of(topic, pair, self._tables) for topic, pair in pairs.items()]
        found = [self._reason(cause, entry, side) for cause in causes if cause.kind not in _NOT_OF_THE_NUMBER]
        if entry.signature.unstated:
            text = sentence(f"{UNREVIEWED}: {unstated_words(entry.signature.unstated)}")
            found.append(Reason((UNREVIEWED, "", ""), "biased", None, UNREVIEWED, text))
        return tuple(
            sorted(
                found,
                key=lambda reason: (
                    not reason.weighs,
                    reason.applies is False,
                    GRADES.index(reason.grade),
                    reason.about,
                ),
            )
        )

    def _reason(self, cause: Cause, entry: Entry, side: Circumstances | None) -> Reason:
        applies = verdict_on(cause, (None, side), entry.mode, self._tables).applies
        told = worded(cause, applies, self._tables, versus=False)
        came = cause.kind == "trait" and bool(cause.after)
        text = sentence(told.whole if came and told.whole is not None else told.text)
        about = (cause.kind, cause.name, str(cause.after))
        correction = self._tables.traits[cause.name].get("correction") if came else None
        return Reason(about, cause.grade, applies, told.text, text, cause.vanishes_when, correction)


def told_in_short(entry: Entry, reasons: tuple[Reason, ...], tables: Tables) -> Iterator[str]:
    """Yield in few words what sets an entry apart: over what it is taken, if that is unusual, then everything else.

    Args:
        entry: The key.
        reasons: Those that are told.
        tables: The spec.
    """
    own = tables.metrics.get(entry.metric or "", {}).get("population")
    over = entry.signature.population
    by_population: tuple[str, ...] = ()
    if over is not None and over != own and any(reason.about[0] in ("trait", "population") for reason in reasons):
        by_population = population_traits(over, tables)
        words = population_words(over, tables)
        if words is not None and (
            any(reason.about[1] in by_population for reason in reasons)
            or any(reason.about[0] == "population" for reason in reasons)
        ):
            yield f"over {words}"
        else:
            by_population = ()
    for reason in reasons:
        if reason.about[0] != "population" and not (reason.about[0] == "trait" and reason.about[1] in by_population):
            yield reason.brief
