"""Logs that are text: JSON lines, trainer states, tables, and what consoles show."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ..csvcells import records, split, unquoted
from ..errors import InputError
from ..jsonlists import reading_list
from ..kinds import csv, hf_console, trainer_state, verl_console
from ..report import Report
from ..run_settings import in_row
from .runs import Account, LoggedRow, Recorded

__all__ = ["read_csv", "read_hf_console", "read_jsonl", "read_trainer_state", "read_verl_console", "row_of"]

_FRAMES = ("data", "metrics", "logs")
"""Under which name some loggers keep the values of a row."""
_MOST_AROUND = 4
"""Keys that a row has at most if its values stand under one of them."""
_STEP = ("Step", "step", "_step", "global_step", "train/global_step")


def read_jsonl(path: Path) -> Iterator[Recorded]:
    """Yield the one run of a file of JSON objects, one a line; a line that is none is left out."""
    account = Account()
    run = Recorded("", iter(()), {}, account)
    config: dict[str, Any] = {}
    run.config = config

    def rows() -> Iterator[LoggedRow]:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                row = row_of(line, number, account, config)
                if row is not None:
                    yield row

    run.rows = rows()
    yield run


def row_of(line: bytes, number: int, account: Account, config: dict[str, Any]) -> LoggedRow | None:
    """Return the row in a line of JSON; None where it holds none, or settings, which are put into ``config``."""
    if line.isspace():
        return None
    try:
        row = json.loads(line.decode("utf-8-sig") if number == 1 else line)
    except (ValueError, RecursionError) as error:
        _leave_out(account, line, f"line {number}: {_why(error)}")
        return None
    if not isinstance(row, dict):
        _leave_out(account, line, f"line {number}: no JSON object")
        return None
    if len(row) <= _MOST_AROUND:
        settings = in_row(row)
        if settings is not None:
            config.update(settings)
            return None
        frame = next((name for name in _FRAMES if isinstance(row.get(name), dict)), None)
        if frame is not None:
            step = row.get("step")
            return LoggedRow(float(step) if isinstance(step, int | float) else None, row[frame])
    return LoggedRow(None, row)


def _leave_out(account: Account, line: bytes, why: str) -> None:
    if line.endswith(b"\n"):
        account.skipped += 1
        account.first = account.first or why
    else:
        account.torn += len(line)


def _why(error: Exception) -> str:
    return getattr(error, "msg", None) or type(error).__name__


def read_trainer_state(path: Path) -> Iterator[Recorded]:
    """Yield the run of a trainer's state."""
    account = Account()

    def rows() -> Iterator[LoggedRow]:
        report = Report("trainer-state", "", "")
        with reading_list(path, trainer_state.around(path), report) as state:
            for text, is_entry in state.pieces():
                if is_entry:
                    row = json.loads(text)
                    step = row.get("step")
                    yield LoggedRow(float(step) if isinstance(step, int | float) else None, row)
        account.torn = report.lost.bytes

    yield Recorded("", rows(), {}, account)


def read_csv(path: Path) -> Iterator[Recorded]:
    """Yield each run of a table: columns of W&B's exports name the run before the metric."""
    header = csv.columns_of(path)
    runs: dict[str, dict[int, str]] = {}
    axis: int | None = None
    for index, (run, key, extreme) in enumerate(header.columns):
        if key in _STEP and not run and axis is None:
            axis = index
        elif not extreme and key not in csv.AXES:
            runs.setdefault(run, {})[index] = key
    if not runs:
        msg = "no column has the name of a metric; name columns as the run logged them"
        raise InputError(msg, path, 1)
    for run, keys in runs.items():
        account = Account()
        yield Recorded(run.removesuffix(" - "), _table_rows(path, header, keys, axis, account), {}, account)


def _table_rows(
    path: Path, header: csv.Header, keys: dict[int, str], axis: int | None, account: Account
) -> Iterator[LoggedRow]:
    size = path.stat().st_size
    for line, record in records(path, header.start, size, header.lines + 1):
        text = record.decode("utf-8", "surrogateescape")
        if not text.strip("\r\n"):
            continue
        found = split(text, header.delimiter)
        if found is None or len(found[0]) != len(header.columns):
            _leave_out(account, record, f"line {line}: another number of cells than the header")
            continue
        cells = found[0]
        values = {key: text for index, key in keys.items() if (text := unquoted(cells[index]).strip())}
        step = None
        if axis is not None:
            try:
                step = float(unquoted(cells[axis]))
            except ValueError:
                step = None
        if values:
            yield LoggedRow(step, values)


def read_verl_console(path: Path) -> Iterator[Recorded]:
    """Yield the run that verl's console logger printed."""
    yield _console(path, verl_console.fields)


def read_hf_console(path: Path) -> Iterator[Recorded]:
    """Yield the run whose dicts transformers printed."""
    yield _console(path, hf_console.fields)


def _console(path: Path, fields: Callable[[str], list[tuple[float | None, dict[str, str]]]]) -> Recorded:
    account = Account()

    def rows() -> Iterator[LoggedRow]:
        with path.open("rb") as file:
            for line in file:
                text = line.decode("utf-8", "surrogateescape")
                for step, values in fields(text):
                    yield LoggedRow(step, values)

    return Recorded("", rows(), {}, account)
