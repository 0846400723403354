"""What a run's own log adds to the advice of a diagnosis: what came first, and a setting that is far off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rlmetrics.lazy_dataclasses import replace
from rlmetrics.lazy_typing import NamedTuple
from rlmetrics.wording.voice import later

from .instances import Channel
from .judged_keys import SourceNames
from .report_records import LEVELS, Diagnosis, Finding

__all__ = ["advised", "far_learning_rate"]

_STEP_SIZE = {
    *("update_too_large", "kl_explosion", "gradient_pathology", "entropy_collapse", "entropy_explosion"),
    *("non_finite", "preference_degeneration", "reward_plateau"),
}
"""Causes that a learning rate which is too high can have."""
_NOT_OF_STEPS = {
    *("starts-off-the-reference", "wrong-reference", "sampling-does-not-match", "policy-is-reference"),
    "rewards-missing",
}
"""Diagnoses of what is so before anything is learnt, or without: no learning rate is the cause."""
_ON_RATE = ("Lower the learning rate", "The learning rate is far too high")
"""How advice begins that a learning rate which is named stands for."""
_ON_RATIO = ("Is the ratio 1 on the first step of a batch?", "Compare the ratio on the first step of a batch")
"""How questions begin that a log answers in which no ratio was clipped when a batch began."""
_CLIPPED = "policy/clip_fraction"
_MOST_PLACES = 4
_FAR = 300.0
"""How many times the release's default a learning rate must be to be named: adapters are trained at a hundred times."""
_LOWER = later("Lower the learning rate: the log has {high}, {times} times the release's default of {usual}.")
_UNCLIPPED_BY_STEP = later(
    "{key} is 0 at step {places}: no ratio was clipped there, so that old and current log-probabilities do not differ "
    "much when a batch begins."
)
_UNCLIPPED_BY_ROW = later(
    "{key} is 0 at row {places}: no ratio was clipped there, so that old and current log-probabilities do not differ "
    "much when a batch begins."
)
_FIRST_BY_STEP = later("Begin with {key}, which moved first, at step {at}: {what}")
_FIRST_BY_ROW = later("Begin with {key}, which moved first, at row {at}: {what}")
_THEN_BY_STEP = later("Begin with {key}, which moved first, from step {at} on. At step {seen} it was clear: {what}")
_THEN_BY_ROW = later("Begin with {key}, which moved first, from row {at} on. At row {seen} it was clear: {what}")


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
    rate = far_learning_rate(channels, names)
    far = None
    if rate is not None:
        times = f"{rate.value / rate.usual:,.0f}"
        far = _LOWER.format(high=f"{rate.value:g}", times=times, usual=f"{rate.usual:g}")
    answer = _unclipped(channels, by_row=by_row)
    made = []
    for number, diagnosis in enumerate(diagnoses):
        checks = list(diagnosis.checks)
        strong = diagnosis.level != "info"
        if answer is not None and any(check.startswith(_ON_RATIO) for check in checks):
            checks = [*(check for check in checks if not check.startswith(_ON_RATIO)), answer]
        added = []
        if far is not None and strong and diagnosis.cause in _STEP_SIZE and diagnosis.id not in _NOT_OF_STEPS:
            added = [far]
            checks = [check for check in checks if not check.startswith(_ON_RATE)]
        first = _first(findings, by_row=by_row) if number == 0 and strong else None
        added += [] if first is None else [first]
        made.append(replace(diagnosis, checks=(*added, *checks)))
    return made


def _unclipped(channels: Mapping[str, Channel | None], *, by_row: bool) -> str | None:
    """Return where no ratio was clipped, not even on the first step of a batch; None where one was everywhere."""
    for channel in channels.values():
        if channel is not None and channel.meaning.metric == _CLIPPED and channel.meaning.mode == "train":
            places = [step for step, value in zip(*channel.series.recent(), strict=True) if value == 0]
            if places:
                listed = ", ".join(f"{place:g}" for place in places[:_MOST_PLACES])
                listed += " …" if len(places) > _MOST_PLACES else ""
                said = _UNCLIPPED_BY_ROW if by_row else _UNCLIPPED_BY_STEP
                return said.format(key=channel.meaning.key, places=listed)
    return None


def _first(findings: Sequence[Finding], *, by_row: bool) -> str | None:
    """Return which curve moved first, where several did and not at once.

    What is said of it, such as that it is beyond a bound, need not be so yet where it began to move.
    """
    strong = [item for item in findings if item.key and item.level != "info"]
    if len({item.key for item in strong}) < 2 or len({item.onset_step for item in strong}) < 2:
        return None
    first = min(strong, key=lambda item: (item.onset_step, -LEVELS.index(item.level)))
    at, seen = f"{first.onset_step:g}", f"{first.first_step:g}"
    by_step, by_rows = (_FIRST_BY_STEP, _FIRST_BY_ROW) if at == seen else (_THEN_BY_STEP, _THEN_BY_ROW)
    said = by_rows if by_row else by_step
    return said.format(key=first.key, at=at, seen=seen, what=first.message)


class FarRate(NamedTuple):
    """A learning rate far above the release's default: its curve, its highest value, and the default."""

    channel: Channel
    value: float
    usual: float

    @property
    def bound(self) -> float:
        """From which rate on it is far."""
        return _FAR * self.usual


def far_learning_rate(channels: Mapping[str, Channel | None], names: SourceNames | None) -> FarRate | None:
    """Return the learning rate that is far above the release's default; None if it is not."""
    usual = None if names is None else names.default("learning_rate")
    if not isinstance(usual, float) or usual <= 0:
        return None
    for channel in channels.values():
        if channel is not None and channel.meaning.metric == "optimizer/learning_rate" and channel.series.count:
            highest = channel.logged(max(channel.series.points_of()[1]))
            if highest >= _FAR * usual:
                return FarRate(channel, highest, usual)
    return None
