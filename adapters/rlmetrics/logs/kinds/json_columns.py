"""One JSON object with a list of numbers for each key, as people dump what they gathered."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..consoles import number_in
from ..input_errors import InputError
from ..log import Kind, RowLog
from ..reading import LoggedRow, RecordedRun

__all__ = ["KIND", "JsonColumns"]

_MOST_BYTES = 1 << 28
_FEWEST = 2
"""Columns, and rows, that a file has at least by which it is known."""


def recognises(path: Path) -> bool:
    """Tell whether ``path`` is an object of lists of numbers, all of one length."""
    if path.suffix != ".json" or path.stat().st_size > _MOST_BYTES:
        return False
    with path.open("rb") as file:
        begin = file.read(1 << 12).lstrip(b"\xef\xbb\xbf \t\r\n")
    if not begin.startswith(b"{") or b"[" not in begin:
        return False
    try:
        return bool(_columns(path, _FEWEST))
    except InputError:
        return False


class JsonColumns(RowLog):
    """Lists of numbers, each the curve of a key."""

    def names(self) -> set[str]:
        """Return the keys."""
        return set(self.columns())

    def columns(self) -> dict[str, list[str | None]]:
        """Return the numbers of each key as they are spelled, None for those that are null.

        Raises:
            InputError: If it is no such file.
        """
        found = _columns(self.path, 1)
        if not found:
            msg = 'is no object of lists of numbers, all of one length, such as {"step": [1, 2], "reward": [0.1, 0.2]}'
            raise InputError(msg, self.path)
        return found

    def rows(self) -> Iterator[tuple[None, dict[str, Any]]]:
        """Yield the rows."""
        for row in self._spelled():
            yield None, {key: number_in(text) for key, text in row.items()}

    def read(self) -> Iterator[RecordedRun]:
        """Yield the one run."""
        yield self.run(LoggedRow(None, {key: float(text) for key, text in row.items()}) for row in self._spelled())

    def _spelled(self) -> Iterator[dict[str, str]]:
        columns = self.columns()
        for values in zip(*columns.values(), strict=True):
            yield {key: text for key, text in zip(columns, values, strict=True) if text is not None}


class _Number(str):
    """A number as it is spelled."""

    __slots__ = ()


def _columns(path: Path, fewest: int) -> dict[str, list[str | None]]:
    """Return the columns of a file; none if it holds anything else, or fewer columns or rows.

    Raises:
        InputError: If it is not JSON.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
        found = json.loads(text, parse_float=_Number, parse_int=_Number, parse_constant=_Number)
    except (ValueError, RecursionError) as error:
        msg = f"is not JSON: {error}"
        raise InputError(msg, path) from None
    if not isinstance(found, dict) or len(found) < fewest:
        return {}
    lists = [column for column in found.values() if isinstance(column, list)]
    if len(lists) < len(found) or len({len(column) for column in lists}) != 1 or len(lists[0]) < fewest:
        return {}
    return found if all(value is None or isinstance(value, _Number) for one in lists for value in one) else {}


KIND = Kind("json-columns", recognises, JsonColumns)
