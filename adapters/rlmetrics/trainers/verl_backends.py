"""Stands before trackers of a ``Tracking`` that lose more than a value when they are given one that they don't take.

verl's MLflow loses the row for one None, text or illegal name; its ClearML and TensorBoard raise into the training, and
so leave out what stands behind it in the row and all trackers that come later. Trackio leaves out numbers that lie in
arrays and tensors, and large integers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from rlmetrics.names.sources.surfaces import rules_of, show_name
from rlmetrics.names.tables.tables import Tables
from rlmetrics.trackers.faults import Faults

__all__ = ["WholeRows", "keep_rows"]

_STRICT = ("clearml", "mlflow", "tensorboard")
_LENIENT = "trackio"
_TITLED = "clearml"
"""It takes a title and a series; verl cuts names at their first slash, and fails where there is none."""
_LARGE = 2**63
_MOST = 1000
"""How many names that are left out are remembered, so that each is said once."""


class WholeRows:
    """Stands in the place of a tracker, and hands it what it takes; it is like it in everything else.

    Args:
        behind: The tracker, with its ``log(data, step)``.
        title: What the tracker is called.
        takes: How a name may be written once verl has rewritten it, how long it may be, and how verl rewrites it.
        strict: Whether a value that is no number must not arrive.
        titled: Whether a name needs a slash.
        faults: Are told what was left out.
    """

    def __init__(
        self,
        behind: Any,
        title: str,
        takes: tuple[str, int | None, tuple[tuple[str, str, bool], ...]],
        strict: bool,
        titled: bool,
        faults: Faults,
    ) -> None:
        self._behind = behind
        self._given = (title, takes, strict, titled, faults)
        self._title, self._strict, self._titled, self._faults = title, strict, titled, faults
        self._allowed, self._longest, self._rules = takes
        self._left: set[str] = set()

    def log(self, data: Mapping[str, Any], step: Any) -> Any:
        """Log what can be logged of a row."""
        kept: Mapping[str, Any] = data
        with self._faults(f"a row could not be looked through for {self._title}"):
            kept = self._kept(data)
        return self._behind.log(data=kept, step=step)

    def __getattr__(self, name: str) -> Any:
        """Return what the tracker has."""
        if name.startswith("__") or name == "_behind":
            msg = f"{type(self).__name__!r} object has no attribute {name!r}"
            raise AttributeError(msg)
        return getattr(self._behind, name)

    def __reduce__(self) -> tuple[Any, ...]:
        """Have a copy stand before a copy of the tracker."""
        return type(self), (self._behind, *self._given)

    def _kept(self, data: Mapping[str, Any]) -> dict[str, Any]:
        kept: dict[str, Any] = {}
        for key, value in data.items():
            name = key if "/" in key or not self._titled else f"{key}/{key}"
            shown = show_name(name, self._rules)
            if self._titled and _is_table(value):
                kept[name] = value
            elif re.fullmatch(self._allowed, shown) is None or len(shown) > (self._longest or len(shown)):
                self._leave_out(key, "its name")
            elif (number := _number(value)) is not None and (self._strict or not isinstance(value, str)):
                kept[name] = number
            elif self._strict:
                self._leave_out(key, "its value")
            else:
                kept[name] = value
        return kept

    def _leave_out(self, key: str, what: str) -> None:
        if key not in self._left and len(self._left) < _MOST:
            self._left.add(key)
            self._faults.note(f"{key[:100]!r} is left out for {self._title}, which does not take {what}")


def keep_rows(tracking: Any, tables: Tables, faults: Faults) -> None:
    """Have each tracker of a ``Tracking`` that would lose more given only what it takes; once is enough."""
    trackers = getattr(tracking, "logger", None)
    if not isinstance(trackers, dict):
        return
    for name in (*_STRICT, _LENIENT):
        behind, known = trackers.get(name), tables.trackers.get(name)
        if behind is None or known is None or isinstance(behind, WholeRows):
            continue
        takes = known["allowed"], known.get("max_length"), rules_of(tables, name, "verl_tracking")
        trackers[name] = WholeRows(behind, known["title"], takes, name in _STRICT, name == _TITLED, faults)


def _number(value: Any) -> Any:
    """Return a value as a number of Python that 64 bits hold; None if it is none."""
    plain = isinstance(value, float | bool) or (isinstance(value, int) and abs(value) < _LARGE)
    try:
        item = getattr(value, "item", None)
        number = float(value if item is None else item())
    except (TypeError, ValueError, OverflowError, RuntimeError):
        return None
    return value if plain else number


def _is_table(value: Any) -> bool:
    return hasattr(value, "columns") and hasattr(value, "iloc")
