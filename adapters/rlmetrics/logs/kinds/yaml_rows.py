"""Rows of a run as YAML: a list of mappings, a mapping of steps to mappings, or one mapping, as of a summary.

What is read are the scalars and where they stand, so that numbers stay as they were spelled.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from rlmetrics.lazy_typing import NamedTuple

from ..consoles import number_in
from ..files import text_in
from ..input_errors import InputError
from ..log import Kind, RowLog, Rows
from ..reading import STEP_NAMES, LoggedRow, RecordedRun
from ..yamlspans import Scalar, YamlError, scalars
from .config import line_and_column

__all__ = ["KIND", "YamlRow", "YamlRows", "number_spelled", "rows_of"]

_MOST_BYTES = 1 << 26
_SAMPLE = 1 << 14
_NUMBER = r"[-+]?(?:[0-9][0-9_.]*(?:e[-+]?[0-9]+)?|\.(?:inf|nan))"
_PAIR = re.compile(rf"^[ \t-]*(?:\{{ ?)?['\"]?[^\s:#][^\n:]*:[ \t]+['\"]?{_NUMBER}", re.MULTILINE | re.IGNORECASE)
_STEP = re.compile(r"(?:(?:global_?)?step[ _:-]?)?(?P<step>[0-9]+)", re.IGNORECASE)
"""A key that is a step, in a mapping of steps to rows."""
_UNBOUNDED = re.compile(r"([-+]?)\.(inf|nan)", re.IGNORECASE)
_SAYS_WHEN = re.compile(r"(?<![\w/])['\"]?(?:(?:train(?:ing)?/)?global_step|_?step)['\"]?:[ \t]+[0-9]")
_FEWEST = 2
"""Numbers that some row has at least in a file that is known by them."""


def recognises(path: Path) -> bool:
    """Tell whether ``path`` is YAML of rows of numbers, and no configuration."""
    if path.suffix not in {".yaml", ".yml"} or path.stat().st_size > _MOST_BYTES:
        return False
    with path.open("rb") as file:
        begin = file.read(_SAMPLE).decode("utf-8", errors="replace")
    if len(_PAIR.findall(begin)) < _FEWEST:
        return False
    try:
        rows = YamlRows(KIND, path).found()
    except InputError:
        return _SAYS_WHEN.search(begin) is not None  # what is wrong is told when it is read
    # Settings are numbers in a mapping, too: a row says when it was logged, or stands in a file that is rows.
    known = [row for row in rows if row.is_at_top or any(name in STEP_NAMES for name in row.values)]
    return any(sum(_is_number(scalar.text) for scalar in row.values.values()) >= _FEWEST for row in known)


class YamlRow(NamedTuple):
    """A mapping of keys to numbers and texts.

    Attributes:
        step: The step below which it stands; None where it stands in a list, or alone.
        keys: Where each key is written.
        values: Where the value of each key is.
        is_of_many: Whether it stands in a list, or below a step.
        is_at_top: Whether the file is that list or mapping of steps.
    """

    step: float | None
    keys: dict[str, Scalar]
    values: dict[str, Scalar]
    is_of_many: bool
    is_at_top: bool


class YamlRows(RowLog):
    """Rows in YAML."""

    def text(self) -> str:
        """Return the text.

        Raises:
            InputError: If it is not UTF-8.
        """
        return text_in(self.path, "convert the file")

    def found(self) -> list[YamlRow]:
        """Return the rows in their order.

        Raises:
            InputError: If it is not YAML, or a key of a row stands there twice or is no plain text.
        """
        return rows_of(self.text(), self.path)

    def names(self) -> set[str]:
        """Return the keys."""
        return {key for row in self.found() for key in row.values}

    def rows(self) -> Rows:
        """Yield the rows."""
        for row in self.found():
            yield None, {key: number_in(number_spelled(value.text)) for key, value in row.values.items()}

    def read(self) -> Iterator[RecordedRun]:
        """Yield the one run."""
        yield self.run(
            LoggedRow(row.step, {key: _value(value.text) for key, value in row.values.items()}) for row in self.found()
        )


def rows_of(text: str, path: Path) -> list[YamlRow]:
    """Return the rows of a text in their order.

    Args:
        text: The text.
        path: The file that messages name.

    Raises:
        InputError: If it is not YAML, or a key of a row stands there twice or is no plain text.
    """
    try:
        every = scalars(text)
    except YamlError as error:
        msg = f"not YAML: {error}; mend it here"
        raise InputError(msg, path, *line_and_column(text, error.offset)) from None
    rows: dict[tuple[str | int, ...], YamlRow] = {}
    for scalar in every:
        *place, key = scalar.path
        if not isinstance(key, str):
            continue
        row = rows.setdefault(tuple(place), _empty_row(place))
        if not scalar.is_key:
            row.values[key] = scalar
        elif key not in row.keys:
            row.keys[key] = scalar
        else:
            msg = f"the key {key} stands twice in one row; leave one of them out"
            raise InputError(msg, path, *line_and_column(text, scalar.start))
    found = _of_one_place({place: row for place, row in rows.items() if _has_number(row)})
    for row in found:
        for key in row.values.keys() - row.keys.keys():
            msg = "the key of this value is an alias, or has an anchor or nothing in it; write it out"
            raise InputError(msg, path, *line_and_column(text, row.values[key].start))
    return found


def _empty_row(place: Sequence[str | int]) -> YamlRow:
    last = place[-1] if place else None
    step = _STEP.fullmatch(last) if isinstance(last, str) else None
    is_of_many = isinstance(last, int) or step is not None
    return YamlRow(float(step["step"]) if step else None, {}, {}, is_of_many, is_of_many and len(place) == 1)


def _of_one_place(rows: dict[tuple[str | int, ...], YamlRow]) -> list[YamlRow]:
    """Return the rows of one list, or of one mapping of steps: the longest; a mapping that stands alone otherwise."""
    groups: dict[tuple[str | int, ...], list[YamlRow]] = {}
    for place, row in rows.items():
        if row.is_of_many:
            groups.setdefault(place[:-1], []).append(row)
    if groups:
        return max(groups.values(), key=len)
    return [rows[()]] if () in rows else []


def _value(text: str) -> float | str:
    """Return the number that a scalar spells, or its text."""
    try:
        return float(number_spelled(text))
    except ValueError:
        return text


def _has_number(row: YamlRow) -> bool:
    return any(_is_number(value.text) for value in row.values.values())


def _is_number(text: str) -> bool:
    """Tell whether a scalar spells a number."""
    return isinstance(_value(text), float)


def number_spelled(text: str) -> str:
    """Return a scalar with ``.nan`` and ``.inf`` spelled as elsewhere."""
    return _UNBOUNDED.sub(r"\1\2", text)


KIND = Kind("yaml-rows", recognises, YamlRows)
