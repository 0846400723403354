"""Judges a run row by row while it is trained, in constant memory and without ever raising."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from typing import Any

from rlmetrics.names.inference import Clues, find_source, nonzero_in
from rlmetrics.names.inference.wording import source_line
from rlmetrics.names.sources.source import CANONICAL
from rlmetrics.names.tables.loading import load_tables
from rlmetrics.names.tables.tables import Overlays, Tables

from .instances import MOST_WAITING
from .judged_run import JudgedRun
from .report_records import Finding, Report
from .reporting import make_report
from .run_curves import RunCurves

__all__ = ["Monitor"]

_AUTO_ROWS = 3
"""Rows whose keys are gathered before a source is inferred from them."""


class Monitor:
    """Judges logged rows by the rules of the spec.

    Args:
        at: The source that logs the rows, such as ``verl==0.9.1``; by default inferred from the first rows.
        config: Settings of the run. Those that the source does not know are left alone.
        spec: Folders with further YAML.
        others: Further sources that explain the keys as well; keys that they understand otherwise are not judged.
        ahead: How many rows may wait to be taken together; more of them need more memory and less time.

    Attributes:
        faults: How many rows could not be judged because of an error in this code; training goes on.
        run: What the rows have told, with what is to be said about their source.

    Raises:
        NamesError: The source is unknown. Nothing raises afterwards.
    """

    def __init__(
        self,
        at: str | None = None,
        config: Mapping[str, Any] | None = None,
        *,
        spec: Overlays | Tables = None,
        others: Iterable[str] = (),
        ahead: int = MOST_WAITING,
    ) -> None:
        self._tables = load_tables(spec)
        self._lock = threading.RLock()
        self.faults = 0
        self.fault = ""
        self._waiting: list[tuple[float | None, dict[str, Any]]] = []
        self.run = JudgedRun(RunCurves(self._tables, dict(config or {}), ahead))
        if at not in (None, "auto"):
            self.run.curves.open(str(at), others)

    @property
    def at(self) -> str | None:
        """The source; None while it is not known."""
        return self.run.at

    @property
    def rows(self) -> int:
        """How many rows were judged."""
        return self.run.rows

    def observe(self, step: float | None, row: Mapping[str, Any]) -> list[Finding]:
        """Judge a row.

        Args:
            step: The optimizer step; None if the row states it, or rows are to be counted.
            row: Values by key, all of a step or a part of it, in any order. Texts, pictures and lists are left alone.

        Returns:
            What was found that was not known before, or is worse than was known.
        """
        with self._lock:
            try:
                return self._observe(step, row)
            except Exception as error:
                self.faults += 1
                self.fault = f"{type(error).__name__}: {error}"
                return []

    def findings(self) -> list[Finding]:
        """Return all that was found, the worst and earliest first."""
        with self._lock:
            return self.run.findings()

    def report(self, run: str = "") -> Report:
        """Return findings, diagnoses, and what could not be judged."""
        with self._lock:
            self._infer()
            self.run.curves.intake.flush()
            return make_report(self.run, run, self.faults, self.fault)

    def state_dict(self) -> dict[str, Any]:
        """Return all that it knows as plain values, for a checkpoint."""
        with self._lock:
            self._infer()
            return {"at": self.at, **self.run.state()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on where ``state_dict`` was taken.

        Raises:
            NamesError: The state is of a source that is unknown.
        """
        with self._lock:
            if state["at"] is not None and self.run.curves.names is None:
                self.run.curves.open(state["at"])
            self.run.restore(state)

    def _infer(self) -> None:
        """Find the source of the rows that wait, and judge them."""
        if self.at is not None or not self._waiting:
            return
        run, curves = self.run, self.run.curves
        rows = [row for _, row in self._waiting]
        keys = tuple(dict.fromkeys(key for row in rows for key in row))
        answer = find_source(Clues(keys, nonzero=nonzero_in(rows), settings=frozenset(curves.config)), self._tables)
        run.answer = answer
        run.notes.append(source_line(answer))
        run.is_foreign = answer.undescribed is not None
        curves.open(answer.source or CANONICAL, answer.rivals)
        waiting, self._waiting = self._waiting, []
        for step, row in waiting:
            run.take(step, row)

    def _observe(self, step: float | None, row: Mapping[str, Any]) -> list[Finding]:
        if self.run.curves.names is None:
            self._waiting.append((step, dict(row)))
            if len(self._waiting) < _AUTO_ROWS:
                return []
            before = set(self.run.findings())
            self._infer()
            return [finding for finding in self.run.findings() if finding not in before]
        return self.run.take(step, row)
