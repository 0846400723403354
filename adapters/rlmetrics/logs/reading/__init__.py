"""What is read of runs, row by row: all of it, or what was logged since the last look."""

from __future__ import annotations

from rlmetrics.lazy_imports import lazily

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .follower import Follower, Whole
    from .runs import Account, LoggedRow, Loss, RecordedRun, as_step
    from .steps import (
        NOT_IN_ORDER,
        RUN_NAMES,
        STEP_NAMES,
        MissingSteps,
        StepAxis,
        in_order,
        is_beside,
        one_a_step,
        rows_below,
        run_named_in,
        step_in,
        together,
    )

__all__ = [
    "NOT_IN_ORDER",
    "RUN_NAMES",
    "STEP_NAMES",
    "Account",
    "Follower",
    "LoggedRow",
    "Loss",
    "MissingSteps",
    "RecordedRun",
    "StepAxis",
    "Whole",
    "as_step",
    "in_order",
    "is_beside",
    "one_a_step",
    "rows_below",
    "run_named_in",
    "step_in",
    "together",
]

__getattr__, __dir__ = lazily(
    globals(),
    follower=("Follower", "Whole"),
    runs=("Account", "LoggedRow", "Loss", "RecordedRun", "as_step"),
    steps=(
        "NOT_IN_ORDER",
        "RUN_NAMES",
        "STEP_NAMES",
        "MissingSteps",
        "StepAxis",
        "in_order",
        "is_beside",
        "one_a_step",
        "rows_below",
        "run_named_in",
        "step_in",
        "together",
    ),
)
