"""Writes the states of trainers, and lists of what they logged, with other names."""

from __future__ import annotations

from pathlib import Path

from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.jsonlists import reading_list
from rlmetrics.logs.kinds.trainer_state import TrainerState, around_rows

from ..json_rows import Rewriter
from ..report import Report
from ..translator import Translator
from .log_rewriter import RowRewriter

__all__ = ["TrainerStateRewriter"]


class TrainerStateRewriter(RowRewriter[TrainerState]):
    """Writes the state of a trainer, or the list of what it logged."""

    def rewrite(self, output: Path, translator: Translator, report: Report) -> None:
        """Write a copy with the names of the ``log_history`` translated; all else stays byte for byte.

        A file that was cut off ends with its last whole entry, closed so that it can be read.

        Raises:
            InputError: If the file is not a trainer state, or a value can't be converted.
        """
        rewriter = Rewriter(translator)
        around, lost = around_rows(self.log.path), report.lost
        with reading_list(self.log.path, around, lost) as state, output.open("w", encoding="utf-8", newline="") as out:
            for text, is_entry in state.pieces():
                if not is_entry:
                    out.write(text)
                    continue
                report.records += 1
                renamed = rewriter.line(text)
                if renamed is None:
                    row = state.members(text)
                    try:
                        renamed = rewriter.members(text, row)
                    except InputError as error:
                        raise state.refused(text, error) from None
                out.write(renamed)
