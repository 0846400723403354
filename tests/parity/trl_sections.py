"""The runs of TRL as sections of the parity page."""

from __future__ import annotations

from . import trl_dpo, trl_grpo, trl_ppo, trl_ppo_v1
from .runs import Run, section
from .table import Section

RUNS: tuple[Run, ...] = (trl_ppo_v1.RUN, *trl_ppo.RUNS, trl_grpo.RUN, trl_dpo.RUN)


def sections() -> list[Section]:
    """Return one section for each run."""
    return [section(run) for run in RUNS]
