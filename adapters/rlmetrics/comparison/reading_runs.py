"""Reads the runs of several files and folders; one strange file in a folder keeps no other from being shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from rlmetrics.health.curves import RunCurves, curves_of_unit
from rlmetrics.health.judging import logs_of
from rlmetrics.logs.checkpoints import continued
from rlmetrics.logs.input_errors import InputError
from rlmetrics.names.tables.tables import Tables
from rlmetrics.names.tables.user_errors import NamesError

__all__ = ["read_runs"]


def read_runs(
    paths: Iterable[tuple[str, str]], config: Mapping[str, Any], tables: Tables, *, judge: bool = False
) -> tuple[list[RunCurves], list[str]]:
    """Return the runs below some paths, and why what could not be read was left out.

    Args:
        paths: Each path with the source that logged what is there, or ``auto``.
        config: Settings beside those that runs recorded, which they replace.
        tables: The spec.
        judge: Whether the health of each run is judged, too.

    Raises:
        InputError: Nothing at one of the paths can be read as a log.
        NamesError: A source is unknown.
    """
    runs: list[RunCurves] = []
    left_out: list[str] = []
    for given, at in paths:
        path, before = Path(given), len(runs)
        units, unreadable = logs_of(path)
        left_out += unreadable
        for unit in continued(units).units:
            try:
                found = [*curves_of_unit(unit, at, config, tables, judge=judge)]
            except (NamesError, InputError, OSError) as error:
                if len(units) == 1:
                    raise
                text = str(error) if not isinstance(error, OSError) else error.strerror or str(error)
                left_out.append(text if str(unit.path) in text else f"{unit.path}: {text}")
            else:
                runs += found
                left_out += [] if found or len(units) == 1 else [f"{unit.path}: holds no row with a number"]
        if len(runs) == before:
            msg = "holds no row with a number; give a log, or a folder with logs"
            raise InputError(msg, path)
    return runs, left_out
