"""What differs between the names that a translation carried over, as footnotes that many keys share."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from rlmetrics.lazy_dataclasses import dataclass, field, replace
from rlmetrics.lazy_typing import TYPE_CHECKING, Any
from rlmetrics.names import Typical, load_tables

from .metric_facts import is_timer
from .sides import Sides, sided, sides_of
from .size_words import spanned_words
from .terminal import footnote
from .voice import later, phrase

if TYPE_CHECKING:
    from rlmetrics.names.tables.tables import Overlays, Tables
    from rlmetrics.translate import Report

__all__ = ["Footnote", "Notes", "notes_of"]

_BY_RUN = "in this run"


@dataclass(frozen=True)
class Footnote:
    """One way in which numbers differ.

    Attributes:
        what: As the relation says it.
        text: As a person reads it.
        grade: ``minor``, ``biased`` or ``incomparable``.
        applies: Whether it shows under the configuration; None where nothing can tell.
        keys: How many keys it concerns.
        number: Counted from 1; 0 for what is not shown.
        size: How large it typically is; empty where nothing tells.
    """

    what: str
    text: str
    grade: str
    applies: bool | None
    keys: int
    number: int = 0
    size: str = ""

    def lines(self) -> list[str]:
        """Return the footnote."""
        return footnote(self.number, f"{self.text}{self.size}")


@dataclass(frozen=True)
class Notes:
    """The differences of a translation: biased ones that apply first.

    Attributes:
        all: All of them, in order.
        configuration: How many of them apply to the run, if it recorded its configuration.
        judged_by: What they were judged by.
    """

    all: Sequence[Footnote]
    configuration: str | None = None
    judged_by: str = "by default"
    _numbers: Mapping[str, int] = field(default_factory=dict)
    _timers: Collection[str] = ()

    @property
    def shown(self) -> list[Footnote]:
        """Those that are told: they are not minor, and nothing says that they do not apply."""
        return [note for note in self.all if note.number]

    @property
    def left(self) -> list[str]:
        """How many others there are, in words."""
        away = sum(note.applies is False for note in self.all)
        minor = sum(note.grade == "minor" and note.applies is not False and not note.number for note in self.all)
        said = [phrase("{count} minor", count=minor)] if minor else []
        text = later("{count} not in this run") if self.judged_by == _BY_RUN else later("{count} not by default")
        return [*said, *([phrase(text, count=away)] if away else [])]

    def is_timer(self, how: Mapping[str, Any]) -> bool:
        """Tell whether a key measures time, which people look at last."""
        return how.get("metric") in self._timers

    def marks(self, differences: Iterable[dict[str, Any]]) -> list[int]:
        """Return the numbers of what differs for a key."""
        numbers = {self._numbers.get(one["what"], 0) for one in differences if one["applies"] is not False}
        return sorted(number for number in numbers if number)


def notes_of(report: Report, spec: Overlays | Tables = None) -> Notes:
    """Return the differences of a translation.

    Args:
        report: The account.
        spec: Folders with further YAML.
    """
    tables = load_tables(spec)
    sides = sides_of(report.source, report.target, tables)
    numbered: dict[str, list[dict[str, Any]]] = {}
    for how in report.translated.values():
        for difference in how["differs_by"]:
            numbered.setdefault(difference["what"], []).append(difference)
    timers = _timers(report, tables)
    slow = {
        what
        for what in numbered
        if all(how["metric"] in timers for how in report.translated.values() if _has(how, what))
    }
    notes = sorted((_note(what, rows, sides) for what, rows in numbered.items()), key=lambda note: _order(note, slow))
    told = [note for note in notes if note.applies is not False]
    # Without anything biased there is room for what is minor.
    told = [note for note in told if note.grade != "minor"] or told
    numbers = {note.what: number for number, note in enumerate(told, start=1)}
    notes = [replace(note, number=numbers.get(note.what, 0)) for note in notes]
    by_run = bool(report.configuration)
    said = _configuration(report, notes) if by_run and notes else None
    return Notes(notes, said, _BY_RUN if by_run else "by default", numbers, timers)


def _order(note: Footnote, slow: Collection[str]) -> tuple[Any, ...]:
    """Return what sorts footnotes: those that weigh and apply first, those of timers last."""
    applies = (True, None, False).index(note.applies)
    return note.applies is False, note.grade == "minor", note.what in slow, applies, -note.keys


def _has(how: Mapping[str, Any], what: str) -> bool:
    return any(one["what"] == what for one in how["differs_by"])


def _timers(report: Report, tables: Tables) -> set[str]:
    """Return which of the metrics in a report are times."""
    metrics = {how["metric"] for how in (*report.translated.values(), *report.kept.values()) if how["metric"]}
    return {metric for metric in metrics if is_timer(metric, tables)}


def _note(what: str, differences: list[dict[str, Any]], sides: Sides) -> Footnote:
    answers = [one["applies"] for one in differences]
    applies = True if True in answers else None if None in answers else False
    text = sided(what, sides)
    vanishes = differences[0]["vanishes_when"]
    text += f": same if {vanishes}" if vanishes and applies is not True else ""
    size = spanned_words([Typical(**one["typical"]) if one.get("typical") else None for one in differences])
    said = f" ({size})" if size is not None else ""
    return Footnote(what, text, differences[0]["grade"], applies, len(differences), size=said)


def _configuration(report: Report, notes: Sequence[Footnote]) -> str:
    """Return how many differences apply to the run, by the configuration that it recorded."""
    where = ", ".join(dict.fromkeys(one["where"] for one in report.configuration if one["where"]))
    apply, away = sum(note.applies is True for note in notes), sum(note.applies is False for note in notes)
    open_ = len(notes) - apply - away
    one = len(report.configuration) == 1
    whose, these = ("the run's configuration", "this run") if one else ("the runs' configurations", "these runs")
    plural = "" if len(notes) == 1 else "s"
    verb = "applies" if 1 in (apply, len(notes)) else "apply"
    said = [f"{apply} of {len(notes)} difference{plural} {verb} to {these}"]
    said += [f"{away} {'does' if away == 1 else 'do'} not"] if away else []
    said += [f"no setting decides about {open_}"] if open_ else []
    return f"By {whose} ({where}), {', '.join(said)}."
