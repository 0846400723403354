"""Errors of this package while a run is trained: caught, counted, and logged once each."""

from __future__ import annotations

import logging
from contextlib import suppress
from types import TracebackType
from typing import Any

__all__ = ["LOGGER", "Faults", "log"]

LOGGER = logging.getLogger("rlmetrics")

_MOST = 50
"""How many different faults are told."""


class Faults:
    """What went wrong without stopping anything.

    Used as a context, it lets no exception of its body through.

    Attributes:
        count: How often something went wrong.
        last: The last fault, in words; empty without any.
    """

    def __init__(self) -> None:
        self.count = 0
        self.last = ""
        self._told: set[str] = set()

    def note(self, what: str, error: BaseException | None = None) -> None:
        """Count a fault, and log it unless the same was logged before.

        Args:
            what: What failed, or all that there is to say.
            error: The exception.
        """
        self.count += 1
        self.last = what if error is None else f"{what}: {type(error).__name__}: {_said(error)}"
        kind = what if error is None else f"{what}: {type(error).__name__}"
        if kind not in self._told and len(self._told) < _MOST:
            self._told.add(kind)
            trace = None if error is None else (type(error), error, error.__traceback__)
            log(logging.WARNING, f"{self.last}; training goes on, and this is not said again", trace)

    def __call__(self, what: str) -> FaultGuard:
        """Return a context in which what fails is noted as ``what`` failing."""
        return FaultGuard(self, what)


def log(level: int, text: str, trace: Any = None) -> None:
    """Log a line; what filters and handlers of the program raise ends here, for it is said from inside a training."""
    with suppress(Exception):
        LOGGER.log(level, "%s", text, exc_info=trace)


def _said(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # an exception of somebody's own that can't say what it is
        return "it has no text"


class FaultGuard:
    """A context that notes an exception of its body and ends it. Exits of the program pass."""

    __slots__ = ("_faults", "_what")

    def __init__(self, faults: Faults, what: str) -> None:
        self._faults = faults
        self._what = what

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> bool:
        """Note what failed."""
        if not isinstance(error, Exception):
            return False
        self._faults.note(self._what, error)
        return True
