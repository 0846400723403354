"""Writes notebooks with other names in what their cells showed and printed; all else stays byte for byte."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rlmetrics.logs.consoles import ConsoleLog
from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.jsontree import Document, Text
from rlmetrics.logs.kinds.hf_console import HfConsole
from rlmetrics.logs.kinds.notebook import CellOutput, NotebookLog
from rlmetrics.logs.text_tables import TextTable

from ..report import Report
from ..translator import Translator
from .hf_console_rewriter import with_dicts_translated
from .log_rewriter import RowRewriter
from .text_table_columns import SpanChange, TableError, changes_of
from .verl_console_rewriter import with_step_translated

__all__ = ["NotebookRewriter"]


class NotebookRewriter(RowRewriter[NotebookLog]):
    """Writes a notebook."""

    def rewrite(self, output: Path, translator: Translator, report: Report) -> None:
        """Write a copy with the names in tables and records of its outputs translated.

        Raises:
            InputError: If it is no notebook, a row of a table is broken, or a value can't be converted.
        """
        log, document = self.log, Document(self.log.document.text)
        inner: dict[Text, Document] = {}
        for name, (left, part) in log.parts.items():
            if self.only is not None and (name or "") not in self.only:
                continue
            for change in self._changes(left, part, translator, report):
                _put(document, inner, left, change)
        output.write_bytes(document.changed().encode())

    def _changes(
        self, left: CellOutput, part: TextTable | ConsoleLog, translator: Translator, report: Report
    ) -> list[SpanChange]:
        if isinstance(part, ConsoleLog):
            return [*self._printed_changes(left, part, translator, report)]
        report.records += len(part.rows)
        try:
            return [*changes_of(left.text, part, translator)]
        except TableError as error:
            raise InputError(str(error), self.log.path, *self.log.position(left, error.offset)) from None

    def _printed_changes(
        self, left: CellOutput, part: ConsoleLog, translator: Translator, report: Report
    ) -> Iterator[SpanChange]:
        at = 0
        for line in part.printed():
            try:
                rewritten = with_dicts_translated if isinstance(part, HfConsole) else with_step_translated
                new, records = rewritten(line, translator)
            except InputError as error:
                raise InputError(str(error), self.log.path, *self.log.position(left, at)) from None
            report.records += records
            if new != line:
                yield SpanChange(at, at + len(line), new)
            at += len(line)


def _put(document: Document, inner: dict[Text, Document], left: CellOutput, change: SpanChange) -> None:
    """Replace a part of what a cell left; where it lies in several pieces, in the first of them."""
    new = change.text
    for piece, first, last in left.spans(change.start, change.end):
        if piece not in inner:
            inner[piece] = document.inner(piece)
        inner[piece].replace(first, last, new)
        new = ""
