"""Writes texts with other names in the headers of their tables."""

from __future__ import annotations

from pathlib import Path

from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.kinds.config import line_and_column
from rlmetrics.logs.kinds.pasted_table import PastedTables

from ..report import Report
from ..translator import Translator
from .log_rewriter import RowRewriter
from .text_table_columns import SpanChange, TableError, changes_of

__all__ = ["PastedTableRewriter"]


class PastedTableRewriter(RowRewriter[PastedTables]):
    """Writes a text with tables of logged rows."""

    def rewrite(self, output: Path, translator: Translator, report: Report) -> None:
        """Write a copy with the names in its tables translated and values converted where they must be.

        A last row that was cut off is left out.

        Raises:
            InputError: If a row has another number of cells than its header, or a value can't be converted.
        """
        text = self.log.text
        changes: list[SpanChange] = []
        for name, table in self.log.tables.items():
            if self.only is not None and (name or "") not in self.only:
                continue
            try:
                changes += changes_of(text, table, translator)
            except TableError as error:
                raise InputError(str(error), self.log.path, *line_and_column(text, error.offset)) from None
            report.records += len(table.rows)
            if table.torn:
                report.lost.records += 1
                report.lost.bytes += len(text[slice(*table.torn)].encode())
        parts: list[str] = []
        done = 0
        for change in sorted(changes):
            parts += (text[done : change.start], change.text)
            done = change.end
        output.write_bytes("".join([*parts, text[done:]]).encode())
