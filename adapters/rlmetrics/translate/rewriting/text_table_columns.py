"""The changes that give the columns of a table in a text other names: all else of the text stays."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from rlmetrics.logs.decimals import number, printed
from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.shown_names import are_shown, shown_like
from rlmetrics.logs.text_tables import TableCell, TextTable, is_axis, key_of

from ..translator import TranslatedEntry, Translator

__all__ = ["SpanChange", "TableError", "changes_of"]


class TableError(Exception):
    """A row or a value that can't be written.

    Attributes:
        offset: Where it stands in the text.
    """

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


class SpanChange(NamedTuple):
    """A part of a text that is replaced."""

    start: int
    end: int
    text: str


class _Placed(NamedTuple):
    """A column of the copy: which one it was, its title, and its key if its values are converted."""

    place: int
    title: str
    converted: str | None


def changes_of(text: str, table: TextTable, translator: Translator) -> Iterator[SpanChange]:
    """Yield what is to be replaced, in no order.

    Raises:
        TableError: If a row has another number of cells than the header, or a value can't be converted.
        RivalsError: As ``Translator.entries``.
    """
    if table.odd:
        start, count = table.odd[0]
        msg = f"a row has {count} cells where the header has {len(table.header)}; mend or remove it"
        raise TableError(msg, start)
    columns = _columns(table, translator)
    if table.torn:
        yield SpanChange(*table.torn, "")
    for row in (table.header, *table.rules, *table.rows):
        for index, cell in enumerate(row):
            placed = [column for column in columns if column.place == index]
            yield from _cell_changes(text, table, row, cell, placed, translator)


def _columns(table: TextTable, translator: Translator) -> list[_Placed]:
    """Return the columns of the copy; one of two with the same title belongs to another row."""
    groups: list[dict[str, int]] = []
    placed: list[tuple[int, TranslatedEntry | None]] = []
    for index, title in enumerate(table.titles):
        if is_axis(title):
            placed.append((index, None))
            continue
        key = key_of(table, title)
        group = next((group for group in groups if key not in group), None)
        if group is None:
            group = {}
            groups.append(group)
        group[key] = index
    for group in groups:
        # Who gets a name that several claim was decided by the rows, and equal columns are written once.
        placed += [(group[entry.old], entry) for entry in translator.entries(dict.fromkeys(group))]
    placed.sort(key=lambda one: one[0])
    titles = [_title(table, table.titles[index], entry) for index, entry in placed]
    if table.is_shown and not are_shown(titles):
        # Nothing would tell any more that names are spelled in another way.
        titles = [table.titles[index] if entry is None else entry.name for index, entry in placed]
    return [
        _Placed(index, title, entry.old if entry is not None and entry.name != entry.old else None)
        for (index, entry), title in zip(placed, titles, strict=True)
    ]


def _title(table: TextTable, title: str, entry: TranslatedEntry | None) -> str:
    if entry is None or entry.name == entry.old:
        return title
    return shown_like(entry.name, title) if table.is_shown else entry.name


def _cell_changes(
    text: str,
    table: TextTable,
    row: Sequence[TableCell],
    cell: TableCell,
    placed: Sequence[_Placed],
    translator: Translator,
) -> Iterator[SpanChange]:
    """Yield the changes for a cell that is left out, written once, or written several times."""
    if not placed:
        until = row[1].start if cell is row[0] and table.gap and len(row) > 1 else cell.until
        yield SpanChange(cell.begin, until, "")
        return
    first, *others = (_spelled(text, table, row, cell, column, translator) for column in placed)
    if first != text[cell.start : cell.end]:
        yield SpanChange(cell.start, cell.end, first)
    before, after = text[cell.begin : cell.start], text[cell.end : cell.until]
    gap = table.gap if cell is row[0] else ""
    if others:
        yield SpanChange(cell.until, cell.until, "".join(f"{gap}{before}{other}{after}" for other in others))


def _spelled(
    text: str, table: TextTable, row: Sequence[TableCell], cell: TableCell, column: _Placed, translator: Translator
) -> str:
    """Return what a cell of the copy says, spelled as the text spells it."""
    old = text[cell.start : cell.end]
    if row is table.header:
        is_html = old != cell.text or "<" in text[cell.until : cell.until + 1]
        return old if column.title == cell.text else html.escape(column.title, quote=False) if is_html else column.title
    value = number(cell.text) if row in table.rows and column.converted is not None else None
    if not isinstance(value, Decimal) or value.is_nan():
        return old
    try:
        changed = translator.converted(column.converted or "", value)
    except InputError as error:
        raise TableError(str(error), cell.start) from None
    if changed == value and isinstance(changed, Decimal):
        return old
    return _infinity_like(cell.text, changed) if changed.is_infinite() else printed(changed)


def _infinity_like(text: str, value: Decimal) -> str:
    return ("-" if value < 0 else "") + text.lstrip("+-")
