"""What a run's own log adds to the advice of a diagnosis: what came first, and a setting that is far off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rlmetrics.lazy_dataclasses import replace
from rlmetrics.wording.voice import later

from .instances import Channel
from .judged_keys import SourceNames
from .report_records import LEVELS, Diagnosis, Finding

__all__ = ["advised"]

_STEP_SIZE = {
    *("update_too_large", "kl_explosion", "gradient_pathology", "entropy_collapse", "entropy_explosion"),
    *("non_finite", "preference_degeneration", "reward_plateau"),
}
"""Causes that a learning rate which is too high can have."""
_FAR = 300.0
"""How many times the release's default a learning rate must be to be named: adapters are trained at a hundred times."""
_LOWER = later("Lower the learning rate: the log has {high}, {times} times the release's default of {usual}.")
_FIRST_BY_STEP = later("Begin with {key}, which moved first, at step {at}: {what}")
_FIRST_BY_ROW = later("Begin with {key}, which moved first, at row {at}: {what}")


def advised(
    diagnoses: Sequence[Diagnosis],
    findings: Sequence[Finding],
    channels: Mapping[str, Channel | None],
    names: SourceNames | None,
    *,
    by_row: bool = False,
) -> list[Diagnosis]:
    """Return diagnoses whose checks begin with what the log shows: a setting far off, and what came first.

    Args:
        diagnoses: The diagnoses, the first is the answer.
        findings: What they explain.
        channels: The curves by metric.
        names: What logged them.
        by_row: Whether no row tells a step, so that its number stands for it.
    """
    far = _learning_rate(channels, names)
    made = []
    for number, diagnosis in enumerate(diagnoses):
        added = [far] if far is not None and diagnosis.cause in _STEP_SIZE and diagnosis.level != "info" else []
        first = _first(findings, by_row=by_row) if number == 0 and diagnosis.level != "info" else None
        added += [] if first is None else [first]
        made.append(replace(diagnosis, checks=(*added, *diagnosis.checks)) if added else diagnosis)
    return made


def _first(findings: Sequence[Finding], *, by_row: bool) -> str | None:
    """Return which curve moved first, where several did and not at once."""
    strong = [item for item in findings if item.key and item.level != "info"]
    if len({item.key for item in strong}) < 2 or len({item.onset_step for item in strong}) < 2:
        return None
    first = min(strong, key=lambda item: (item.onset_step, -LEVELS.index(item.level)))
    said = _FIRST_BY_ROW if by_row else _FIRST_BY_STEP
    return said.format(key=first.key, at=f"{first.onset_step:g}", what=first.message)


def _learning_rate(channels: Mapping[str, Channel | None], names: SourceNames | None) -> str | None:
    """Return what is to be said about a learning rate that is far above the release's default; None if it is not."""
    usual = None if names is None else names.default("learning_rate")
    if not isinstance(usual, float) or usual <= 0:
        return None
    for channel in channels.values():
        if channel is not None and channel.meaning.metric == "optimizer/learning_rate" and channel.series.count:
            highest = channel.logged(max(channel.series.points_of()[1]))
            if highest >= _FAR * usual:
                return _LOWER.format(high=f"{highest:g}", times=f"{highest / usual:,.0f}", usual=f"{usual:g}")
    return None
