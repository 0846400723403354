"""Checkpoints of one run, each with the state of its trainer: a later state holds all that an earlier one does."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path

from rlmetrics.lazy_dataclasses import dataclass

from .folder_tree import Unit
from .input_errors import InputError

__all__ = ["Continued", "continued"]

_KIND = "trainer-state"
_NAME = "trainer_state.json"
_CHECKPOINT = re.compile(r"checkpoint-([0-9]+)")


@dataclass(frozen=True)
class Continued:
    """The logs of a folder without the states that a later one continues.

    Attributes:
        units: The logs.
        earlier: How many earlier states the one at a path continues.
    """

    units: list[Unit]
    earlier: dict[Path, int]


def continued(units: Sequence[Unit]) -> Continued:
    """Leave out each state whose rows a later state of the same folder begins with.

    A checkpoint that another run left in the folder holds other rows, and stays.
    """
    groups: dict[Path, list[Unit]] = {}
    for unit in units:
        if unit.kind.name == _KIND and unit.path.name == _NAME:
            groups.setdefault(_folder_of_run(unit.path), []).append(unit)
    gone: set[Path] = set()
    earlier: dict[Path, int] = {}
    for group in groups.values():
        histories: list[tuple[Path, list[str]]] = []
        for unit in sorted(group, key=lambda one: _checkpoint(one.path), reverse=True) if len(group) > 1 else ():
            with suppress(InputError, OSError, ValueError):
                rows = _rows(unit)
                later = next((path for path, known in histories if known[: len(rows)] == rows), None)
                if later is None:
                    histories.append((unit.path, rows))
                else:
                    gone.add(unit.path)
                    earlier[later] = earlier.get(later, 0) + 1
    return Continued([unit for unit in units if unit.path not in gone], earlier)


def _folder_of_run(state: Path) -> Path:
    folder = state.parent
    return folder.parent if _CHECKPOINT.fullmatch(folder.name) else folder


def _checkpoint(state: Path) -> float:
    """Return the step of a checkpoint; the state of the whole run is later than any."""
    named = _CHECKPOINT.fullmatch(state.parent.name)
    return float(named[1]) if named else float("inf")


def _rows(unit: Unit) -> list[str]:
    """Return the rows of a state as text, in which NaN equals NaN."""
    run = next(unit.open().read())
    return [repr(row) for row in islice(run.rows, None)]
