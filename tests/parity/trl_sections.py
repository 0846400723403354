"""The runs of TRL as sections of the parity page."""

from __future__ import annotations

from . import trl_dpo, trl_grpo, trl_ppo, trl_ppo_v1
from .harness import Outcome
from .runs import Run
from .table import Row, Section

RUNS: tuple[Run, ...] = (trl_ppo_v1.RUN, *trl_ppo.RUNS, trl_grpo.RUN, trl_dpo.RUN)


def sections() -> list[Section]:
    """Return one section for each run."""
    return [Section(run.title, run.brief, rows(run)) for run in RUNS]


def rows(run: Run) -> list[Row]:
    """Return the lines of a run: one for each key, what it covers and how it is computed, one for each reason."""
    computed: dict[tuple[str, str, str], list[Outcome]] = {}
    for outcome in run.outcomes:
        case = outcome.case
        computed.setdefault((case.key, case.where, case.function), []).append(outcome)
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
