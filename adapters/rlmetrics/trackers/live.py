"""Rows of a running program on their way into trackers: new names, health, further numbers. Never raises into it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from rlmetrics.health.fork_lock import ForkLock
from rlmetrics.names.settings.configuration import Config
from rlmetrics.names.tables.tables import Overlays, Tables

from .exact import exact
from .faults import Faults
from .live_health import Health, Watched
from .live_names import LiveNames, RenamedRow
from .live_settings import known_settings, settings_beside

__all__ = ["HasLive", "Live", "Measuring"]


class Measuring(Protocol):
    """What computes numbers beside the trainer: a suite, or anything like it."""

    def compute(self) -> Mapping[str, float]:
        """Return the numbers since the last reset."""
        ...

    def reset(self) -> object:
        """Begin anew."""
        ...


class Live:
    """Gives each logged row its new names, judges it, and adds numbers.

    Args:
        at: The source that logs the rows; None if it is not known: rows keep their names then.
        to: The source whose names are wanted; None to keep the names.
        both: Keep the old names beside the new ones.
        health: Whether and how to judge: True, a ``Monitor``, a function that takes news, or several of these.
        metrics: A suite, or what has its ``compute`` and ``reset``; its numbers join the rows of training.
        config: Settings of the run. Those that the source does not know are left alone.
        spec: Folders with further YAML.
        prefixed: What trackers make of a name that goes through transformers' reporters.

    Attributes:
        faults: What went wrong; a row that could not be treated was logged as it came.
        at: As given.
        to: As given.
        known: Those settings of the run that the source knows.
        spec: As given.

    Raises:
        NamesError: A source is unknown. Nothing raises afterwards.
    """

    def __init__(
        self,
        at: str | None,
        to: str | None = None,
        *,
        both: bool = False,
        health: Health = None,
        metrics: Measuring | None = None,
        config: Config = None,
        spec: Overlays | Tables = None,
        prefixed: Callable[[str], str] | None = None,
    ) -> None:
        self._given = {
            "at": at,
            "to": to,
            "both": both,
            "health": health,
            "metrics": metrics,
            "config": config,
            "spec": spec,
            "prefixed": prefixed,
        }
        self.faults = Faults()
        self.at = at
        self.to = to
        self.known = known = known_settings(at, config, spec) if at is not None and config else None
        self.spec = spec
        self._names: LiveNames | None = None
        if to is not None and at is not None:
            shared = settings_beside(to, known, at, spec) if known else None
            self._names = LiveNames(at, to, both=both, config=shared, spec=spec, prefixed=prefixed)
        self._watched: Watched | None = None
        if health is not None and health is not False:
            self._watched = Watched(health, at, config=config, spec=spec, faults=self.faults)
        self._metrics = metrics
        self._lock = ForkLock()

    def __reduce__(self) -> tuple[Any, ...]:
        """Have copies, here and in other processes, rename and judge by themselves, from where this one is."""
        return _copied, (self._given, self.health_state())

    @property
    def axis(self) -> str | None:
        """What the target calls the step that reporters of transformers log; None if it has no other name for it."""
        return None if self._names is None else self._names.axis

    @property
    def monitor(self) -> Any:
        """The monitor; None without health."""
        return None if self._watched is None else self._watched.monitor

    def health_state(self) -> dict[str, Any] | None:
        """Return what is known of the run's health as plain values; None if it is not watched."""
        with self._lock:
            return None if self._watched is None else self._watched.state_dict()

    def restore_health(self, state: Mapping[str, Any]) -> None:
        """Judge on where ``health_state`` was taken, if health is watched.

        Raises:
            ValueError: It is the state of another source, or none.
        """
        with self._lock:
            if self._watched is not None:
                self._watched.load_state_dict(state)

    def measured(self) -> dict[str, float]:
        """Return the numbers of ``metrics`` since the last call, of all ranks if it has ``sync``; all ranks call."""
        numbers: dict[str, float] = {}
        if self._metrics is not None:
            with self.faults("the metrics could not be computed"), self._lock:
                sync = getattr(self._metrics, "sync", None)
                whole: Measuring = self._metrics if sync is None else sync()
                numbers = exact(whole.compute())
            with self.faults("the metrics could not be reset"), self._lock:
                self._metrics.reset()
        return numbers

    def take(
        self, step: float | None, row: Mapping[str, Any], more: Mapping[str, Any] | None = None, *, evaluated: bool
    ) -> RenamedRow:
        """Judge a row, and return what is to be logged in its place.

        Args:
            step: The optimizer step; None if the row states it, or rows are to be counted.
            row: As the source logs it; it stays as it is.
            more: What ``measured`` returned.
            evaluated: Whether it is a row of an evaluation, to which no numbers of health are added.
        """
        with self._lock:
            renamed = RenamedRow(dict(row), {})
            if self._names is not None:
                with self.faults("a row could not be renamed"):
                    renamed = self._names(row)
            added: dict[str, Any] = dict(more) if more else {}
            if self._watched is not None:
                with self.faults("a row could not be judged"):
                    self._watched.observe(step, row)
                    if not evaluated:
                        added.update(self._watched.numbers())
            if not added:
                return renamed
            new = {name: value for name, value in added.items() if name not in renamed.row}
            return RenamedRow({**renamed.row, **new}, {**renamed.shown, **dict(zip(new, new, strict=True))})


def _copied(given: dict[str, Any], judged: dict[str, Any] | None) -> Live:
    live = Live(**given)
    if judged is not None:
        live.restore_health(judged)
    return live


class HasLive:
    """Something whose rows are treated, and that tells how.

    Attributes:
        live: What treats the rows.
    """

    live: Live

    @property
    def at(self) -> str | None:
        """The source; None if it is not known."""
        return self.live.at

    @property
    def monitor(self) -> Any:
        """The ``Monitor``; None without health."""
        return self.live.monitor

    @property
    def faults(self) -> Faults:
        """What went wrong without stopping the training."""
        return self.live.faults
