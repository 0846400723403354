"""A run: where its numbers came from, and what becomes of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from .fixtures import Event
from .harness import Case, Outcome, Reason, outcome
from .quantities import Source
from .table import Row, Section


@dataclass(frozen=True)
class Run:
    """One captured run.

    Attributes:
        title: What the page calls it.
        source: The code that logged it.
        brief: What was special about it, in a sentence for the page.
        build: Returns every number of the run: a case, or the reason why there is none.
        list_numbers: Returns the names of all numbers in the fixture.
        absent: Keys that the run logged although the fixture has no number of them, with the reason.
    """

    title: str
    source: Source
    brief: str
    build: Callable[[], Sequence[Case | Reason]]
    list_numbers: Callable[[], Sequence[str]]
    absent: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def entries(self) -> Sequence[Case | Reason]:
        """Every number: how it is computed, or why it is not."""
        return self.build()

    @cached_property
    def numbers(self) -> Sequence[str]:
        """The names of all numbers that the fixture holds."""
        return self.list_numbers()

    @property
    def cases(self) -> list[Case]:
        """The numbers that functions compute."""
        return [entry for entry in self.entries if isinstance(entry, Case)]

    @property
    def reasons(self) -> list[Reason]:
        """The numbers that no function computes."""
        return [entry for entry in self.entries if isinstance(entry, Reason)]

    @cached_property
    def outcomes(self) -> list[Outcome]:
        """All cases, computed."""
        return [outcome(case) for case in self.cases]


def number_name(event: Event, path: str) -> str:
    """Return the name of a number of an event."""
    return f"{event.index} {event.name} {path}"


def section(run: Run) -> Section:
    """Return the section of the page for a run."""
    return Section(run.title, run.brief, _rows(run))


def _rows(run: Run) -> list[Row]:
    """Return the lines of a run: one for each key, what it covers and how it is computed, one for each reason."""
    computed: dict[tuple[str, str, str], list[Outcome]] = {}
    for computed_once in run.outcomes:
        case = computed_once.case
        computed.setdefault((case.key, case.where, case.function), []).append(computed_once)
    explained: dict[str, list[str]] = {}
    for reason in run.reasons:
        explained.setdefault(reason.why, []).append(reason.key)
    return [
        *(
            Row(key, where, len(outcomes), function, max(one.relative for one in outcomes))
            for (key, where, function), outcomes in computed.items()
        ),
        *(Row(", ".join(dict.fromkeys(keys)), "", len(keys), why=why) for why, keys in explained.items()),
        *(Row(key, "not captured", 0, why=why) for key, why in run.absent.items()),
    ]
