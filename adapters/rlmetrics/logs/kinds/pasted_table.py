"""Tables of logged rows that people paste or print: those of notebooks and model cards, as HTML, Markdown or text."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from ..consoles import SUFFIXES
from ..files import text_in
from ..log import Kind, RowLog
from ..reading import Account, LoggedRow, RecordedRun
from ..text_tables import TextTable, is_axis, key_of, tables_in, values_of

__all__ = ["KIND", "LAST_LOSS", "PastedTables", "run_names", "skipped_in", "table_rows"]

_ENDINGS = frozenset({*SUFFIXES, ".html", ".htm", ".org"})
_SAMPLE_BYTES = 1 << 22
LAST_LOSS = "Training Loss beside an evaluation is the last that was logged before it"
_EVALUATED = "eval_loss"


def recognises(path: Path) -> bool:
    """Tell whether a table of logged rows stands in a text."""
    if path.suffix.lower() not in _ENDINGS:
        return False
    with path.open("rb") as file:
        sample = file.read(_SAMPLE_BYTES)
    return b"\0" not in sample and next(tables_in(sample.decode("utf-8", "replace")), None) is not None


class PastedTables(RowLog):
    """The tables in a text; each is a run."""

    @cached_property
    def text(self) -> str:
        """The text.

        Raises:
            InputError: If it is not UTF-8.
        """
        return text_in(self.path, "convert the file")

    @cached_property
    def tables(self) -> dict[str | None, TextTable]:
        """The tables by the names of their runs."""
        found = list(tables_in(self.text))
        return dict(zip(run_names([f"table {number}" for number in range(1, len(found) + 1)]), found, strict=True))

    def names(self) -> set[str]:
        """Return the names in all headers."""
        return {key for keys in self.runs().values() for key in keys}

    def runs(self) -> dict[str | None, list[str]]:
        """Return the names of each run."""
        return {name: names_in(table) for name, table in self.tables.items()} or {None: []}

    def rows(self) -> Iterator[tuple[str | None, dict[str, Any]]]:
        """Yield the rows of each table."""
        for name, table in self.tables.items():
            for row in table.rows:
                yield name, values_of(table, row)

    def read(self) -> Iterator[RecordedRun]:
        """Yield a run for each table."""
        for name, table in self.tables.items():
            account = Account()
            for start, count in table.odd:
                account.skip(skipped_in(table, count, self.text.count("\n", 0, start) + 1))
            account.torn = len(self.text[slice(*table.torn)].encode()) if table.torn else 0
            yield self.run(table_rows(table, account), account, name or "")


def names_in(table: TextTable) -> list[str]:
    """Return the keys that a table has columns for."""
    return [key_of(table, title) for title in table.titles if not is_axis(title)]


def run_names(names: list[str]) -> list[str | None]:
    """Return the names of runs; None for the only one."""
    return [*names] if len(names) > 1 else [None] * len(names)


def skipped_in(table: TextTable, count: int, line: int) -> str:
    """Say why a row can't be read."""
    how = "; paste the table with tabs, or as Markdown" if table.gap.isspace() and "\t" not in table.gap else ""
    return f"line {line}: {count} cells where the header has {len(table.header)}{how}"


def table_rows(table: TextTable, account: Account) -> Iterator[LoggedRow]:
    """Yield the rows of a table, and take down what is to be said of it."""
    if table.is_shown and _EVALUATED in names_in(table) and "loss" in names_in(table):
        account.notes.append(LAST_LOSS)
    return (LoggedRow(None, values_of(table, row)) for row in table.rows)


KIND = Kind("pasted-table", recognises, PastedTables)
