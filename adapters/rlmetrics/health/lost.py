"""Numbers that got lost: NaN and infinities in all spellings, keys that vanish, and zeros that stand for NaN."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from .instances import Channel
from .logged_values import number_of
from .report_records import Finding, counted

__all__ = ["LostNumbers"]

_LOSS_ZERO = "logged as 0.0, as transformers does with a NaN loss."
_GRADIENT = "optimizer/gradient_norm"
_VANISHED = "no longer logged, although its row is."
_LASTS = 5
"""Rows in a row without a number that others have, before that is no accident."""
_OFTEN = 0.2
"""Which share of all rows without a number is more than now and then."""
_AT_ONCE = 3
"""How many numbers must become 0 in one row before that is no coincidence."""


class LostNumbers:
    """What got lost in rows, and what came back.

    Args:
        channels: The keys of the run with their curves.
        meet: Finds the curve of a key, whether it came before or not.
        trackers: Trackers that store NaN as 0.
    """

    def __init__(
        self,
        channels: Mapping[str, Channel | None],
        meet: Callable[[str], Channel | None],
        trackers: Sequence[str] = (),
    ) -> None:
        self._channels = channels
        self._meet = meet
        self._stored_by = f"{' and '.join(trackers)} store{'s' * (len(trackers) == 1)} it so. " if trackers else ""
        self._open: dict[str, Channel] = {}

    def resume(self) -> None:
        """Go on with channels that were restored."""
        self._open = {key: channel for key, channel in self._channels.items() if channel and channel.lost.in_a_row}

    def take(
        self,
        row: Mapping[str, Any],
        step: float,
        lost: Iterable[tuple[Channel, Any]],
        missing: AbstractSet[str],
        empty: AbstractSet[str],
    ) -> list[Finding]:
        """Say which values got lost in a row.

        Args:
            row: The row.
            step: Its step.
            lost: Keys whose numbers are NaN or infinite, each with how it was logged.
            missing: Keys that rows of its kind have and this one has not.
            empty: Keys without a value.
        """
        spelled = [(channel, f"logged as {_shown(value)}.") for channel, value in lost]
        gone = []
        for key in sorted(missing):
            channel = self._channels.get(key)
            if channel is not None and channel.nonfinite is not None and channel.series.count:
                if key in empty and "null" not in channel.meaning.expected:
                    spelled.append((channel, "logged as null after numbers."))
                elif key not in empty and not any(item[0] is channel for item in spelled):
                    gone.append((channel, _VANISHED))
        if spelled or len(gone) > 1:
            spelled += [(channel, _LOSS_ZERO) for channel in self._zero_losses(row, [*spelled, *gone])]
        if self._has_gradient(row):
            spared = [channel for channel, how in spelled if how != _LOSS_ZERO and _is_loss(channel)]
            spelled = [item for item in spelled if item[0] not in spared]
        else:
            spared = []
        findings = [self._spare(channel, step) for channel in spared]
        findings += [self._lose(channel, "error", step, how) for channel, how in spelled]
        certain = spelled or len(gone) > 1
        findings += [self._lose(channel, "error" if certain else "warning", step, how) for channel, how in gone]
        findings += [self._unrewarded(channel, step) for channel in self._without_reward(row, empty)]
        return [finding for finding in findings if finding is not None]

    def _has_gradient(self, row: Mapping[str, Any]) -> bool:
        """Tell whether a row has a finite gradient norm of its own, which weights that are not finite cannot give.

        The same number once more is none: after an overflow DeepSpeed shows that of an earlier step.
        """
        for key, value in row.items():
            channel = self._channels.get(key)
            if channel is not None and str(channel.meaning.metric) == _GRADIENT and _is_number(value):
                return channel.series.same == 1
        return False

    def _spare(self, channel: Channel, step: float) -> Finding | None:
        """Make a remark of a loss that is not finite, beside a gradient that is."""
        lost = channel.lost
        lost.add(step)
        if channel.skipped is None:
            return None
        self._open[channel.meaning.key] = channel
        where = "it" if lost.rows == 1 else f"all {lost.rows} of them, steps {lost.first:g} to {lost.last:g},"
        level = "warning" if lost.in_a_row >= _LASTS else "info"
        channel.skipped.remark(level, lost.first, lost.last, f"The gradient norm beside {where} is a number.")
        return channel.skipped.finding

    def _lose(self, channel: Channel, level: str, step: float, how: str) -> Finding | None:
        if channel.nonfinite is None:
            return None
        self._open[channel.meaning.key] = channel
        channel.lost.add(step, vanished=how == _VANISHED)
        return channel.nonfinite.lost(level, step, f"It is {how}")

    def _zero_losses(self, row: Mapping[str, Any], lost: list[tuple[Channel, str]]) -> Iterator[Channel]:
        """Yield losses of exactly 0, which they were not before, beside a gradient that is lost."""
        if not any("gradient" in str(channel.meaning.metric) for channel, _ in lost):
            return
        for key, value in row.items():
            channel = self._channels.get(key)
            if value != 0 or channel is None or channel.nonfinite is None:
                continue
            if _is_new_zero(channel) and _is_loss(channel):
                yield channel

    def _without_reward(self, row: Mapping[str, Any], empty: AbstractSet[str]) -> list[Channel]:
        """Return the rewards that have no value in a row of training, which has a loss or a gradient norm."""
        if not any(_of_update(self._channels.get(key)) and _is_number(value) for key, value in row.items()):
            return []
        met = [self._meet(key) for key in sorted(empty)]
        return [item for item in met if item and item.unrewarded and "null" in item.meaning.expected]

    def _unrewarded(self, channel: Channel, step: float) -> Finding | None:
        if channel.unrewarded is None:
            return None
        self._open[channel.meaning.key] = channel
        channel.lost.add(step)
        level = "error" if channel.lost.in_a_row >= _LASTS else "warning"
        return channel.unrewarded.lost(level, step, "")

    def zeroed(self, channels: Iterable[Channel], step: float) -> Finding | None:
        """Say that all that a broken update makes NaN became exactly 0 in one row; None if it did not.

        Args:
            channels: Those that are 0 in the row.
            step: Its step.
        """
        fresh = [channel for channel in channels if _is_new_zero(channel)]
        first = next((channel for channel in fresh if channel.zeroed is not None), None)
        if first is None or first.zeroed is None or not _suffices(fresh):
            return None
        for channel in fresh:
            self._open[channel.meaning.key] = channel
            channel.lost.add(step)
        keys = ", ".join(channel.meaning.key for channel in fresh)
        return first.zeroed.lost("error", step, f"{self._stored_by}These are {keys}.")

    def come_back(self, row: Mapping[str, Any], step: float) -> None:
        """Take back, or make a remark of, what was said of keys that have a number again."""
        for key, channel in [*self._open.items()]:
            if key not in row or not _is_number(row[key]):
                continue
            if row[key] == 0 and not channel.lost.vanished and channel.unrewarded is None:
                # A NaN may be stored as 0, so that a 0 proves nothing.
                continue
            del self._open[key]
            _return(channel)


def _return(channel: Channel) -> None:
    """Say what is left of a loss that is over: nothing of a key that was not in a row, else a remark."""
    lost = channel.lost
    if lost.vanished:
        if channel.nonfinite is not None:
            channel.nonfinite.finding = None
        lost.forget()
        return
    lost.in_a_row = 0
    often = lost.rows >= _LASTS and lost.rows > _OFTEN * (lost.rows + channel.count)
    level = "warning" if often else "info"
    where = f"step {lost.first:g}" if lost.first == lost.last else f"steps {lost.first:g} to {lost.last:g}"
    if channel.unrewarded is not None and channel.unrewarded.finding is not None:
        channel.unrewarded.remark(level, lost.first, lost.last, f"That is {counted(lost.rows, 'row')}, {where}.")
    elif channel.skipped is not None:
        said = f"{counted(lost.rows, 'skipped step')}, {where}; there are numbers again since then."
        channel.skipped.remark(level, lost.first, lost.last, said)
    for instance in (channel.nonfinite, channel.zeroed):
        if instance is not None:
            instance.finding = None


def _is_loss(channel: Channel) -> bool:
    return "loss" in str(channel.meaning.metric)


def _is_new_zero(channel: Channel) -> bool:
    return channel.series.same == 1 and channel.series.count > 1 and channel.series.last == 0


def _suffices(channels: list[Channel]) -> bool:
    """Tell whether zeros at once are enough to be sure: several numbers, or a loss that cannot be 0."""
    metrics = [str(channel.meaning.metric) for channel in channels]
    return len(metrics) >= _AT_ONCE or (len(metrics) == 2 and any(name.startswith("sft/") for name in metrics))


def _of_update(channel: Channel | None) -> bool:
    return channel is not None and channel.zeroed is not None and channel.meaning.mode == "train"


def _is_number(value: Any) -> bool:
    number = number_of(value)
    return isinstance(number, float) and number == number


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) < 30 else f"{text[:27]}..."
