"""The runs of TRL as sections of the parity page."""

from __future__ import annotations

from . import trl_ppo_v1
from .harness import Outcome
from .runs import Run
from .table import Row, Section

RUNS: tuple[Run, ...] = (trl_ppo_v1.RUN,)


def sections() -> list[Section]:
    """Return one section for each run."""
    return [Section(run.title, run.brief, rows(run)) for run in RUNS]


def rows(run: Run) -> list[Row]:
    """Return the lines of a run: one for each key, what it covers and how it is computed, in order of appearance."""
    computed: dict[tuple[str, str, str], list[Outcome]] = {}
    for outcome in run.outcomes:
        case = outcome.case
        computed.setdefault((case.key, case.where, case.function), []).append(outcome)
    explained: dict[tuple[str, str], int] = {}
    for reason in run.reasons:
        explained[reason.key, reason.why] = explained.get((reason.key, reason.why), 0) + 1
    return [
        *(
            Row(key, where, len(outcomes), function, max(one.relative for one in outcomes))
            for (key, where, function), outcomes in computed.items()
        ),
        *(Row(key, "", count, why=why) for (key, why), count in explained.items()),
    ]
