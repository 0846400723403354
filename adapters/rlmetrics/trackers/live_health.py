"""Health of a run that is being logged: judges its rows, tells what it finds, and gives numbers for the log."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Union

from rlmetrics.health.monitor import Monitor
from rlmetrics.health.report_records import LEVELS
from rlmetrics.names.tables.tables import Overlays, Tables

from .faults import Faults
from .finding_sinks import Sink, Teller, say

__all__ = ["Health", "Watched"]

Health = Union[bool, Monitor, Callable[..., object], "Iterable[Monitor | Callable[..., object]]", None]
"""Whether and how to judge: True, a monitor, a function that takes news, or several of these."""


class Watched:
    """Judges rows.

    Args:
        health: A monitor of the caller's own, functions that take news, or True.
        at: The source, for a monitor that is made here; None to infer it from the rows.
        config: Settings of the run.
        spec: Folders with further YAML.
        faults: Where faults are counted.

    Attributes:
        monitor: What judges.
    """

    def __init__(
        self,
        health: Health,
        at: str | None,
        *,
        config: Mapping[str, Any] | None,
        spec: Overlays | Tables,
        faults: Faults,
    ) -> None:
        given = list(health) if isinstance(health, Iterable) else [health]
        monitors = [item for item in given if isinstance(item, Monitor)]
        sinks: list[Sink] = [item for item in given if callable(item)]
        if len(monitors) > 1 or any(not isinstance(item, bool | Monitor) and not callable(item) for item in given):
            msg = "health takes True, a Monitor, a function that takes news, or one Monitor and functions in a list"
            raise TypeError(msg)
        self.monitor = monitors[0] if monitors else Monitor(at, config, spec=spec)
        self._faults = faults
        self._failed = self.monitor.faults
        self._teller = Teller(self.monitor, (say, *sinks), faults)
        self._levels: dict[str, float] = {}

    def observe(self, step: float | None, row: Mapping[str, Any]) -> None:
        """Judge a row under the names of its source, and tell what is new."""
        findings = self.monitor.observe(step, row)
        if self.monitor.faults > self._failed:
            self._failed = self.monitor.faults
            self._faults.note(f"a row could not be judged: {self.monitor.fault}")
        if findings:
            for finding in findings:
                level = float(LEVELS.index(finding.level) + 1)
                name = f"health/{finding.rule}"
                self._levels[name] = max(level, self._levels.get(name, 0.0))
            self._teller(step, findings)

    def state_dict(self) -> dict[str, Any]:
        """Return what it knows as plain values: the monitor's state, and the levels that were told."""
        return {"monitor": self.monitor.state_dict(), "levels": dict(self._levels)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on where ``state_dict`` was taken; what had been found is not told again.

        Raises:
            ValueError: It is the state of another source, or none.
        """
        try:
            monitor, levels = state["monitor"], {str(name): float(level) for name, level in state["levels"].items()}
        except (AttributeError, KeyError, TypeError) as error:
            msg = f"this is no whole state of a run's health: {type(error).__name__}: {error}"
            raise ValueError(msg) from None
        self.monitor.load_state_dict(monitor)
        self._levels = levels

    def numbers(self) -> dict[str, float]:
        """Return the health of the run so far: 0 for nothing found, 1 for a remark, 2 for a warning, 3 for an error.

        ``health/level`` is the highest of all; the others are those of the rules that have found something.
        """
        return {"health/level": max(self._levels.values(), default=0.0), **self._levels}
