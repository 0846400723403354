"""Stands in front of any function that logs a dictionary: W&B's ``run.log``, MLflow's ``log_metrics``, accelerate's."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import update_wrapper
from typing import Any

from rlmetrics.names.settings.configuration import Config
from rlmetrics.names.tables.tables import Overlays, Tables

from .live import Live, Measuring
from .live_health import Health

__all__ = ["Wrapped", "wrap"]


class Wrapped:
    """A function that logs, with new names and health in front of it.

    Attributes:
        live: What treats the rows; ``live.faults`` and ``live.monitor`` tell of them.
        log: The function behind it.
    """

    def __init__(self, log: Callable[..., Any], live: Live) -> None:
        self.log = log
        self.live = live
        update_wrapper(self, log, updated=())

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Log: the first mapping among the arguments is the row; ``step``, or a second number, is the step.

        A step that is an integer of NumPy or torch goes on as one of Python: MLflow stores its bytes otherwise. All
        other arguments go through as they are, and so does what the function returns or raises.
        """
        with self.live.faults("a row could not be treated"):
            args, kwargs = self._treated(args, kwargs)
        return self.log(*args, **kwargs)

    def __reduce__(self) -> tuple[Any, ...]:
        """Have a copy stand in front of a copy of the function."""
        return type(self), (self.log, self.live)

    def _treated(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        step = kwargs.get("step", args[1] if len(args) > 1 else None)
        if (plain := _plain(step)) is not step:
            step = plain
            if "step" in kwargs:
                kwargs = {**kwargs, "step": step}
            else:
                args = (*args[:1], step, *args[2:])
        at = step if isinstance(step, int | float) and not isinstance(step, bool) else None
        if args and isinstance(args[0], Mapping):
            return (self._row(at, args[0]), *args[1:]), kwargs
        for name, value in kwargs.items():
            if isinstance(value, Mapping):
                return args, {**kwargs, name: self._row(at, value)}
        return args, kwargs

    def _row(self, step: float | None, row: Mapping[str, Any]) -> dict[str, Any]:
        return self.live.take(step, row, self.live.measured(), evaluated=False).row


def _plain(step: Any) -> Any:
    if isinstance(step, int) or not hasattr(step, "__index__"):
        return step
    with suppress(TypeError):
        return operator.index(step)
    return step


def wrap(
    log: Callable[..., Any],
    at: str | None = None,
    to: str | None = None,
    *,
    both: bool = False,
    health: Health = None,
    metrics: Measuring | None = None,
    config: Config = None,
    spec: Overlays | Tables = None,
) -> Wrapped:
    """Return a function that logs rows under new names, judged, through another one that logs.

    Args:
        log: Any ``log(dict, step)``, such as ``run.log`` of W&B, ``accelerator.log`` or ``mlflow.log_metrics``.
        at: The source that logs, such as ``verl==0.9.1``; it is needed for new names, and for health it can be
            inferred.
        to: The source whose names are wanted, such as ``canonical``; None to keep the names.
        both: Keep the old names beside the new ones.
        health: True, a ``Monitor``, a function that takes news of findings, or several of these. Numbers under
            ``health/`` join each row.
        metrics: A suite, or anything with its ``compute`` and ``reset``, whose numbers join each row under ``exact/``.
        config: Settings of the run.
        spec: Folders with further YAML.

    Raises:
        NamesError: A source is unknown. What fails later is counted and logged once, and the row goes through as it is.
    """
    if to is not None and at is None:
        msg = "new names need at=, the source that logs, such as at='verl==0.9.1'"
        raise ValueError(msg)
    return Wrapped(log, Live(at, to, both=both, health=health, metrics=metrics, config=config, spec=spec))
