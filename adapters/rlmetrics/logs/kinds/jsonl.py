"""One JSON object a line: what a logger was given, or verl's ``{"step": …, "data": {…}}``."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

from ..input_errors import InputError
from ..json_loading import WORTH, fastest
from ..jsonspans import JsonError, Members, members
from ..log import Kind, RowLog
from ..reading import STEP_NAMES, Account, Follower, LoggedRow, RecordedRun, step_in
from ..run_settings import RunSettings, in_row
from ..unrecognised import are_samples

__all__ = ["BOM", "KIND", "JsonLines", "TornLineError", "row_in"]

_SAMPLE_ROWS = 200
_SETTINGS_ROWS = 20
"""Rows at the beginning of a file among which settings are looked for."""
BOM = b"\xef\xbb\xbf"
_MESSAGE = {"level", "msg"}
"""What a program's own log has in each line, such as W&B's ``debug-internal.log``: messages, not values."""
_BOARD = ({"index", "data", "create_time"}, {"max", "max_step", "min", "min_step", "num"})
"""What SwanLab's board keeps of a curve, whose name stands elsewhere: ``run-*.swanlab`` beside it has all of them."""
_HISTORY = "log_history"
"""What a state holds that repeats all rows, such as the last line that ms-swift writes."""
_LONGEST_SAMPLE = 1 << 20
_FRAMES = ("data", "metrics", "logs")
"""Under which name some loggers keep the values of a row, whatever stands beside them."""
_PLACES = STEP_NAMES | {"iter", "iteration", "time", "timestamp", "_timestamp", "wall_time", "ts"}
"""What stands, besides texts, beside an object of any other name in which a logger keeps the values of a row."""
_NO_NUMBERS = ("NaN", "Infinity", "-Infinity", "nan", "inf", "-inf")
"""Texts in the place of numbers that JSON can't have."""
_RECODE = "if the file is Latin-1, convert it: iconv -f LATIN1 -t UTF-8"
_MOST_AROUND = 4
"""Keys that a row has at most if its values stand under one of them."""


def recognises(path: Path) -> bool:
    """Tell whether ``path`` is named like JSON lines or begins with an object that ends on its own line."""
    if path.suffix in {".jsonl", ".ndjson"}:
        with path.open("rb") as file:
            return not are_samples(file.readline(_LONGEST_SAMPLE))
    if path.suffix not in {".json", ".log", ".txt", ".swanlab", ""}:
        return False
    try:
        with path.open("rb") as file:
            text = file.readline(1_000_000).decode("utf-8-sig")
            is_all = path.suffix == ".json" and not file.read(1 << 10).strip()
        first = members(text)
    except (JsonError, UnicodeDecodeError):
        return False
    keys = {member.key for member in first.items}
    return not keys >= _MESSAGE and keys not in _BOARD and not (is_all and _describes(text))


def _describes(text: str) -> bool:
    """Tell whether an object that is all of a file holds no number of a run: what trackers note of the machine, say."""
    try:
        row: dict[str, object] = json.loads(text)
    except (ValueError, RecursionError):
        return False
    frames = (value for key, value in row.items() if key in _FRAMES and isinstance(value, dict))
    values = {key: value for held in (row, *frames) for key, value in held.items() if not key.startswith("_")}
    return not any(isinstance(value, (int, float)) or value in _NO_NUMBERS for value in values.values())


class JsonLines(RowLog):
    """A file of JSON objects, one a line."""

    def names(self) -> set[str]:
        """Return the names in the first rows."""
        keys: set[str] = set()
        with self.path.open("rb") as file:
            for number, line in enumerate(islice(file, _SAMPLE_ROWS), start=1):
                if line.isspace():
                    continue
                try:
                    _, row = row_in(self.path, number, line)
                except TornLineError:
                    break
                keys.update(member.key for member in row.items)
        return keys

    def read_configuration(self) -> dict[str | None, RunSettings]:
        """Return the settings that stand between the first rows."""
        settings: dict[str, Any] = {}
        with self.path.open("rb") as file:
            for line in islice(file, _SETTINGS_ROWS):
                with suppress(ValueError, RecursionError):
                    row = json.loads(line)
                    settings.update((in_row(row) or {}) if isinstance(row, dict) else {})
        return {None: RunSettings(settings, self.path.name if settings else "")}

    def rows(self) -> Iterator[tuple[None, dict[str, Any]]]:
        """Yield the rows, up to one that was cut off."""
        with self.path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if line.isspace():
                    continue
                try:
                    text, row = row_in(self.path, number, line)
                    yield None, row.values(text)
                except TornLineError:
                    return
                except InputError as error:
                    raise error if error.path else InputError(str(error), self.path, number) from None

    def read(self) -> Iterator[RecordedRun]:
        """Yield the one run; a line that is no object is left out."""
        account = Account()
        settings: dict[str, Any] = {}

        def rows() -> Iterator[LoggedRow]:
            load: Callable[[bytes], Any] = json.loads
            with self.path.open("rb") as file:
                for number, line in enumerate(file, start=1):
                    if number == WORTH:
                        load = fastest()
                    row = logged_row(line, number, account, settings, load)
                    if row is not None:
                        yield row

        run = self.run(rows(), account)
        # What stands between the rows is added to as they are read.
        run.config = settings
        yield run

    def follow(self) -> Follower:
        """Return what reads each new line."""
        return _Lines(self.path)


class _Lines(Follower):
    """Follows a file of JSON lines."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._number = 0

    def new(self, *, final: bool = False) -> Iterator[LoggedRow]:
        path = self.path
        at = self.begin(path)
        with path.open("rb") as file:
            file.seek(at)
            for line in file:
                if not final and not line.endswith(b"\n"):
                    break
                at += len(line)
                self.ends[path] = at
                self._number += 1
                row = logged_row(line, self._number, self.account, self.config)
                if row is not None:
                    yield row

    def forget(self) -> None:
        super().forget()
        self._number = 0


def logged_row(
    line: bytes,
    number: int,
    account: Account,
    config: dict[str, Any],
    load: Callable[[bytes], Any] = json.loads,
) -> LoggedRow | None:
    """Return the row in a line of JSON; None where it holds none, or settings, which are put into ``config``."""
    if line.isspace():
        return None
    try:
        row = json.loads(line.decode("utf-8-sig")) if number == 1 else load(line)
    except UnicodeDecodeError as error:
        byte = line[error.start]
        account.leave_out(line, f"line {number}: byte {error.start + 1} ({byte:#x}) is no UTF-8; {_RECODE}")
        return None
    except (ValueError, RecursionError) as error:
        account.leave_out(line, f"line {number}: {getattr(error, 'msg', None) or type(error).__name__}")
        return None
    if not isinstance(row, dict):
        account.leave_out(line, f"line {number}: no JSON object")
        return None
    if number > 1 and isinstance(row.get(_HISTORY), list):
        return None
    if len(row) <= _MOST_AROUND:
        if in_row(row) is not None:
            config.update(in_row(json.loads(line)) or {})  # with all digits
            return None
        frame = _frame_of({key: isinstance(value, dict) for key, value in row.items() if not isinstance(value, str)})
        if frame is not None:
            return LoggedRow(step_in(row), row[frame])
    return LoggedRow(None, row)


def _frame_of(members: Mapping[str, bool]) -> str | None:
    """Return the member of a row that holds its values: by its name, or the only object where all else is a place.

    Args:
        members: Whether each member that is no text is an object.
    """
    objects = [key for key, is_object in members.items() if is_object]
    named = next((name for name in _FRAMES if name in objects), None)
    if named is not None:
        return named
    return objects[0] if len(objects) == 1 and members.keys() - _PLACES == {*objects} else None


class TornLineError(InputError):
    """A bad line without a line end: what a crash leaves at the end of a file."""


def row_in(path: Path, number: int, line: bytes) -> tuple[str, Members]:
    """Return the text of a line and the object in it that holds metrics.

    Raises:
        InputError: If the line is no JSON object; a ``TornLineError`` if it has no line end either.
    """
    if number == 1:
        line = line.removeprefix(BOM)
    broken = InputError if line.endswith(b"\n") else TornLineError
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        msg = "is not UTF-8 text; convert the file, or name its --kind"
        raise broken(msg, path, number, error.start + 1) from None
    try:
        row = members(text)
        rest = text[row.end :].strip()
        if rest:
            msg = f"one JSON object a line is expected, but {rest[:20]!r} follows"
            raise JsonError(msg, row.end)
        if number > 1 and any(one.key == _HISTORY and text[one.value_start] == "[" for one in row.items):
            return text, Members((), row.start, row.end)
        return text, _metrics(text, row)
    except JsonError as error:
        msg = f"not a JSON object: {error}; remove or mend this line"
        raise broken(msg, path, number, error.offset + 1) from None


def _metrics(text: str, row: Members) -> Members:
    """Return the object that holds the metrics: that in which some loggers keep them, else the row itself.

    Where the row holds settings in the place of values, none of what is in it is a metric.
    """
    if len(row.items) <= _MOST_AROUND:
        begins = {member: text[member.value_start] for member in row.items}
        if in_row({member.key: {} if begin == "{" else None for member, begin in begins.items()}) is not None:
            return Members((), row.start, row.end)
        frame = _frame_of({member.key: begin == "{" for member, begin in begins.items() if begin != '"'})
        held = next((member for member in row.items if member.key == frame), None)
        if held is not None:
            return members(text, held.value_start)
    return row


KIND = Kind("jsonl", recognises, JsonLines)
