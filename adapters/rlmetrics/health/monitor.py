"""Judges a run row by row while it is trained, in constant memory and without ever raising."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rlmetrics.names.inference import Clues, find_source
from rlmetrics.names.inference.wording import source_line
from rlmetrics.names.sources.source import CANONICAL
from rlmetrics.names.tables.loading import load_tables
from rlmetrics.names.tables.tables import Overlays, Tables

from .fork_lock import ForkLock
from .instances import MOST_WAITING
from .judged_run import JudgedRun
from .report_records import Finding, Report
from .reporting import make_report
from .run_curves import JudgedCurves
from .state_form import require_whole

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
        self._config, self._spec, self._others, self._ahead = dict(config or {}), spec, tuple(others), ahead
        self._lock = ForkLock()
        self.faults = 0
        self.fault = ""
        self._waiting: list[tuple[float | None, dict[str, Any]]] = []
        self.run = self._new_run()
        if at not in (None, "auto"):
            self.run.curves.open(str(at), self._others)

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
            return {"at": self.at, "others": [*self._others], **self.run.state()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on where ``state_dict`` was taken.

        Raises:
            NamesError: The state is of a source that is unknown.
            ValueError: It is of another source than this monitor's, or no whole state; nothing of it is taken then.
        """
        with self._lock:
            at = state.get("at") if isinstance(state, Mapping) else None
            if at is not None and self.at not in (None, at):
                msg = f"the state is of a run of {at}, and this monitor judges one of {self.at}"
                raise ValueError(msg)
            require_whole(state)
            run = self._new_run()
            run.notes, run.answer, run.is_foreign = self.run.notes, self.run.answer, self.run.is_foreign
            others = tuple(state.get("others", self._others))
            if at is not None or self.at is not None:
                run.curves.open(str(at or self.at), others)
            try:
                run.restore(state)
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                msg = f"this is no whole state of a monitor: {type(error).__name__}: {error}"
                raise ValueError(msg) from None
            self.run, self._others = run, others

    def __reduce__(self) -> tuple[Any, ...]:
        """Have copies, here and in other processes, know what this one knows and judge on by themselves."""
        given = {"config": self._config, "spec": self._spec, "others": self._others, "ahead": self._ahead}
        return _restored, (self.at, given, self.state_dict())

    def _new_run(self) -> JudgedRun:
        return JudgedRun(JudgedCurves(self._tables, dict(self._config), self._ahead))

    def _infer(self) -> None:
        """Find the source of the rows that wait, and judge them."""
        if self.at is not None or not self._waiting:
            return
        run, curves = self.run, self.run.curves
        rows = [row for _, row in self._waiting]
        keys = tuple(dict.fromkeys(key for row in rows for key in row))
        # Rows that hold the same keys are whole ones; those that come in parts do not.
        whole = len({frozenset(row) for row in rows}) == 1 < len(rows)
        settings = frozenset(curves.config)
        answer = find_source(Clues(keys, whole=whole, settings=settings).with_values(rows), self._tables)
        run.answer = answer
        run.notes.append(source_line(answer))
        run.is_foreign = answer.undescribed is not None
        # Later values may tell candidates apart that these few leave: what they mean otherwise has no meaning.
        open_ = [*answer.rivals, *(str(one) for one in answer.candidates[1:] if not one.alike)]
        self._others = tuple(dict.fromkeys((*self._others, *open_)))
        curves.open(answer.source or CANONICAL, self._others)
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


def _restored(at: str | None, given: Mapping[str, Any], state: Mapping[str, Any]) -> Monitor:
    monitor = Monitor(at, given["config"], spec=given["spec"], others=given["others"], ahead=given["ahead"])
    monitor.load_state_dict(state)
    return monitor
