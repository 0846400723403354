"""New names, health and exact numbers in trainers of TRL and of transformers, while they train.

Reporters run before callbacks that are passed in and get the same dictionary, so rows are changed where the trainer
hands them to all callbacks: after every class has put its metrics in, before any reporter has seen them. What the
trainer itself works with, such as the metrics of an evaluation that choose the best checkpoint, stays as it is.
Trainers that log through accelerate are changed where they call it.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from typing import Any

from rlmetrics.health.monitor import Monitor
from rlmetrics.names.settings.configuration import Config
from rlmetrics.names.sources.source import parse_source
from rlmetrics.names.tables.loading import load_tables
from rlmetrics.names.tables.tables import Overlays, Tables
from rlmetrics.trackers.faults import Faults
from rlmetrics.trackers.live import HasLive, Live, Measuring
from rlmetrics.trackers.live_health import Health
from rlmetrics.trackers.live_names import RenamedRow
from rlmetrics.trackers.wrapping import Wrapped

from ._reporters import ReportedRow, mend, prefixed, showing
from ._source import settings_of, source_of
from ._stack import calling

__all__ = ["Attached", "MetricsCallback", "attach"]

_SUMMARY = "train_runtime"
_STATE = "rlmetrics.health"
"""Under which the state of a trainer keeps that of the monitor: no class of callbacks is called so."""


class Attached(HasLive):
    """What stands between a trainer and its callbacks.

    Attributes:
        live: What treats the rows.
    """

    def __init__(self, owner: Any, name: str, live: Live, *, every_rank: bool) -> None:
        self.live = live
        self._every_rank = every_rank
        self._mended = 0
        self._owner, self._name = owner, name
        current = getattr(self._owner, self._name)
        if isinstance(current, _Handing | _Accelerated):
            current.attached.detach()
            current = getattr(self._owner, self._name)
        self._log = current
        self.own: _Handing | _Accelerated
        if self._name == "on_log":
            self.own = _Handing(self, current)
            self._mend()
        else:
            self.own = _Accelerated(self, self._owner, current, live)
        vars(self._owner)[self._name] = self.own

    @classmethod
    def to(cls, trainer: Any, live: Live, *, every_rank: bool) -> Attached:
        """Stand between a trainer and its callbacks.

        Raises:
            TypeError: It is none.
        """
        handler = getattr(trainer, "callback_handler", None)
        owner = handler if hasattr(handler, "on_log") else getattr(trainer, "accelerator", None)
        name = "on_log" if owner is handler else "log"
        if not hasattr(owner, name):
            msg = f"{type(trainer).__name__} is no trainer: it has neither callback_handler nor accelerator"
            raise TypeError(msg)
        return cls(owner, name, live, every_rank=every_rank)

    def copied(self) -> tuple[Any, ...]:
        """Return what gives a copy of the owner its method, which treats logs as this one does, or no more does."""
        if not self.own.on:
            return getattr, (self._owner, self._name)
        return _attached_again, (self._owner, self._name, self.live, self._every_rank)

    def detach(self) -> None:
        """Let the trainer log as if nothing had been attached."""
        self.own.on = False
        if vars(self._owner).get(self._name) is self.own:
            del vars(self._owner)[self._name]
            if getattr(self._owner, self._name) != self._log:
                vars(self._owner)[self._name] = self._log

    def treated(self, state: Any, logs: dict[str, Any]) -> RenamedRow | None:
        """Return what callbacks get in place of some logs, and put it into the history; None to leave all as it is."""
        live = self.live
        evaluated = any(name.startswith("eval_") for name in logs)
        more = {} if evaluated or _SUMMARY in logs else live.measured()
        if not (self._every_rank or getattr(state, "is_world_process_zero", True)):
            return None
        found: RenamedRow | None = None
        with live.faults("a row could not be treated"):
            found = live.take(getattr(state, "global_step", None), logs, more, evaluated=evaluated)
            history = getattr(state, "log_history", None)
            if history and _is_of(history[-1], logs):
                history[-1] = {**found.row, "step": history[-1]["step"]}
            if live.axis is not None and live.axis not in found.row:
                step = {live.axis: state.global_step}
                found = RenamedRow({**found.row, **step}, {**found.shown, live.axis: live.axis})
            self._mend()
        return found

    def _mend(self) -> None:
        callbacks = getattr(self._owner, "callbacks", ())
        if len(callbacks) != self._mended:
            self._mended = len(callbacks)
            if not mend(callbacks):
                self.live.faults.note(
                    "this release of transformers names logs elsewhere: new names are shown as train/…"
                )


def _is_of(entry: Any, logs: Mapping[str, Any]) -> bool:
    """Tell whether an entry of a trainer's history holds some logs: these and the step."""
    return (
        isinstance(entry, dict)
        and len(entry) == len({*logs, "step"})
        and "step" in entry
        and logs.keys() <= entry.keys()
    )


class _Handing:
    """In place of the method that hands logs to all callbacks."""

    def __init__(self, attached: Attached, on_log: Any) -> None:
        self.attached = attached
        self.on = True
        self._on_log = on_log

    def __reduce__(self) -> tuple[Any, ...]:
        """Have the copy of a handler, such as launchers make, hand on its own logs so."""
        return self.attached.copied()

    def __call__(self, args: Any, state: Any, control: Any, logs: dict[str, Any], *rest: Any, **kwargs: Any) -> Any:
        """Hand logs on under their new names."""
        found: RenamedRow | None = None
        if self.on:
            with self.attached.faults("a row could not be treated"):
                found = self.attached.treated(state, logs)
        if found is None:
            return self._on_log(args, state, control, logs, *rest, **kwargs)
        row = ReportedRow(found.row, logs)
        with ExitStack() as stack:
            stack.enter_context(showing(found.shown))
            return self._on_log(args, state, control, row, *rest, **kwargs)


class _Accelerated(Wrapped):
    """In place of the method of accelerate that logs."""

    def __init__(self, attached: Attached, owner: Any, log: Any, live: Live) -> None:
        super().__init__(log, live)
        self._owner = owner
        self.attached = attached
        self.on = True

    def __reduce__(self) -> tuple[Any, ...]:
        """Have the copy of an accelerator log so."""
        return self.attached.copied()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Log under new names, on the main process, where trackers are."""
        main = getattr(self._owner, "is_main_process", True)
        return super().__call__(*args, **kwargs) if self.on and main else self.log(*args, **kwargs)


def _attached_again(owner: Any, name: str, live: Live, every_rank: bool) -> _Handing | _Accelerated:
    return Attached(owner, name, live, every_rank=every_rank).own


def attach(
    trainer: Any,
    to: str | None = None,
    both: bool = False,
    health: Health = None,
    metrics: Measuring | None = None,
    *,
    at: str | None = None,
    config: Config = None,
    spec: Overlays | Tables = None,
    every_rank: bool = False,
) -> Attached:
    """Give what a trainer logs new names, judge it, and add exact numbers, from now on.

    Everything that is logged goes this way: steps, evaluations, the summary at the end. W&B, TensorBoard, Trackio,
    MLflow and the like, the history in ``trainer.state`` and the console get the result; the names in W&B, TensorBoard
    and Trackio are those that `rlmetrics translate` gives a run that was logged without it. Callbacks of one's own get
    it too, and still find values under the old names. Weights, random numbers and what evaluations return stay as they
    are.

    Args:
        trainer: A trainer of TRL or of transformers, or one of TRL's that logs through accelerate.
        to: The source whose names are wanted: ``canonical``, ``verl==0.9.1``, ``trl[PPOTrainer]==0.18.2``. None keeps
            the names.
        both: Log the old names beside the new ones, while dashboards move.
        health: True judges the run by the rules of the spec: each finding is logged once under ``rlmetrics``, and
            ``health/level`` and ``health/<rule>`` join the rows (0 nothing, 1 a remark, 2 a warning, 3 an error). A
            ``Monitor`` of your own, a function that takes the news (a `FindingsFile`, a `Webhook`), or a list of them
            does the same with these.
        metrics: A suite, or what has ``compute`` and ``reset``: its numbers since the last row of training join the
            next, under ``exact/``. It is computed on every rank that logs, and first synchronised if it has ``sync``.
        at: The source that logs; by default the installed release of TRL and the class of the trainer.
        config: Settings of the run; by default the trainer's arguments.
        spec: Folders with further YAML.
        every_rank: Treat rows on all ranks, not only on the first.

    Returns:
        What was attached, with ``detach``, ``monitor`` and ``faults``.

    Raises:
        NamesError: ``to`` or ``at`` is no source.
        TypeError: ``trainer`` is none, or ``health`` is none of what it may be. Nothing raises once it is attached.
    """
    tables = load_tables(spec)
    if to is not None:
        parse_source(to, tables)
    found = at if at is not None else source_of(trainer, tables)
    settings = settings_of(trainer) if config is None else config
    live = Live(found, to, both=both, health=health, metrics=metrics, config=settings, spec=spec, prefixed=prefixed)
    attached = Attached.to(trainer, live, every_rank=every_rank)
    if found is None and to is not None:
        live.faults.note(f"the spec knows no release of {type(trainer).__name__}: names stay; say at= to change that")
    return attached


class MetricsCallback:
    """A callback that attaches itself to the trainer it is passed to.

    ``GRPOTrainer(…, callbacks=[MetricsCallback(…)])`` does what `attach` does with the same arguments, from the moment
    that the trainer is made, or its training begins. Passed to another trainer, it attaches itself there, too, and the
    run of that one is judged by itself. Checkpoints hold what the monitor knows (transformers 4.41 and later), so that
    a training that is resumed is judged as if it had not been interrupted.

    Args:
        to: As `attach` takes it.
        both: As `attach` takes it.
        health: As `attach` takes it.
        metrics: As `attach` takes it.
        options: The other arguments of `attach`.

    Attributes:
        attached: What was attached last; None before.

    Raises:
        NamesError: ``to`` is no source.
    """

    def __init__(
        self,
        to: str | None = None,
        both: bool = False,
        health: Health = None,
        metrics: Measuring | None = None,
        **options: Any,
    ) -> None:
        if to is not None:
            parse_source(to, load_tables(options.get("spec")))
        self.attached: Attached | None = None
        self.faults = Faults()
        self._trainer: weakref.ref[Any] | None = None
        self._options = {"to": to, "both": both, "health": health, "metrics": metrics, **options}

    def on_init_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Attach to the trainer that has just been made."""
        self._attach()

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Attach to the trainer, if that was not possible when it was made."""
        self._attach()
        if self.attached is None and not self.faults.count:
            self.faults.note("the trainer that calls the callback was not found: use attach(trainer, …)")
        with self.faults("the health of the run before its checkpoint could not be taken up"):
            kept, attached = _states(state).get(_STATE), self.attached
            if kept is None or attached is None or attached.monitor is None:
                return
            if not attached.monitor.state_dict()["rows"]:
                attached.live.restore_health(kept)

    def on_log(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Have a checkpoint that is about to be saved hold what the monitor knows."""
        if control is not None and control.should_save:
            self._keep(state)

    def on_evaluate(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Do the same before it is decided whether this is the best checkpoint, which is then saved."""
        self._keep(state)

    def __getattr__(self, name: str) -> Any:
        """Do nothing at all other events."""
        if name.startswith("on_"):
            return _nothing
        msg = f"{type(self).__name__!r} object has no attribute {name!r}"
        raise AttributeError(msg)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the trainer: a copy attaches itself to the one that it is passed to."""
        return {**vars(self), "attached": None, "_trainer": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take what a copy keeps."""
        vars(self).update(state)

    def _attach(self) -> None:
        known = None if self._trainer is None else self._trainer()
        with self.faults("the callback could not attach itself"):
            trainer = calling(self._is_trainer)
            if trainer is None or trainer is known:
                return
            options = dict(self._options)
            if self._trainer is not None:
                options["health"] = _for_another(options["health"])
            self.attached = attach(trainer, **options)
            self._trainer = weakref.ref(trainer)

    def _keep(self, state: Any) -> None:
        with self.faults("the health of the run could not be kept in the checkpoint"):
            known = None if self.attached is None else self.attached.live.health_state()
            if known is not None:
                _states(state)[_STATE] = known

    def _is_trainer(self, found: Any) -> bool:
        handler = getattr(found, "callback_handler", None) if found is not self else None
        return handler is not None and self in getattr(handler, "callbacks", ())


def _for_another(health: Health) -> Health:
    """Return how another trainer's run is judged: not by a monitor that has seen the first one's rows."""
    if isinstance(health, Monitor):
        return True
    if isinstance(health, Iterable):
        return [item for item in health if not isinstance(item, Monitor)]
    return health


def _states(state: Any) -> dict[str, Any]:
    """Return what a trainer's state keeps of callbacks from one checkpoint to the next; old releases: nothing."""
    kept = getattr(state, "stateful_callbacks", None)
    return kept if isinstance(kept, dict) else {}


def _nothing(*_: Any, **__: Any) -> None:
    """Leave everything as it is."""
