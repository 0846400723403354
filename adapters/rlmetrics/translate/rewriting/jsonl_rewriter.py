"""Writes JSON lines with other names: line by line, each byte that is no name as it was."""

from __future__ import annotations

import re
from pathlib import Path

from rlmetrics.logs.files import discard
from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.kinds.jsonl import BOM, JsonLines, TornLineError, row_in

from ..json_rows import Rewriter
from ..report import Report
from ..rival_keys import Claims
from ..translator import RivalsError, Translator
from .log_rewriter import RowRewriter

__all__ = ["JsonlRewriter"]

_FRAME = re.compile(r'\{"step": ?-?[0-9]+, ?"data": ?(?=\{)')
"""How verl's file logger begins a line."""


class JsonlRewriter(RowRewriter[JsonLines]):
    """Writes a file of JSON objects, one a line."""

    def translate(self, output: Path, translator: Translator) -> Report:
        """Write a translated copy to ``output``, in one pass unless keys that claim one name turn out to differ.

        Then it begins anew with these set aside; most differ in the first row.
        """
        claims = Claims(translator)
        while True:
            report = translator.new_report(self.log.kind.name, agreeing=True)
            translator.set_aside(claims.aside)
            try:
                self._write(output, Rewriter(translator, claims), report)
                if not claims.colliding():
                    claims.tell(report, None)
                    return report
            except RivalsError:
                pass
            discard(output)
            again = Claims(translator, claims)
            if again.aside == claims.aside:
                return self.translate_with_rivals(output, translator)
            claims = again

    def rewrite(self, output: Path, translator: Translator, report: Report) -> None:
        """Write a copy line by line; blank lines stay.

        Raises:
            InputError: If a line other than a torn last one is no JSON object.
        """
        self._write(output, Rewriter(translator), report)

    def _write(self, output: Path, rewriter: Rewriter, report: Report) -> None:
        """Write a copy line by line.

        A last line without a line end that is no JSON object was cut off and is left out.

        Raises:
            InputError: If another line is no JSON object.
        """
        with self.log.path.open("rb") as file, output.open("wb") as out:
            for number, line in enumerate(file, start=1):
                if line.isspace():
                    out.write(line)
                    continue
                try:
                    out.write(_known(line, rewriter) or _renamed(self.log.path, number, line, rewriter))
                except TornLineError:
                    report.lost.records += 1
                    report.lost.bytes += len(line)
                    break
                report.records += 1
        rewriter.tell()


def _known(line: bytes, rewriter: Rewriter) -> bytes | None:
    """Return a line with its names translated if there was one with the same keys before."""
    try:
        text = line.decode()
    except UnicodeDecodeError:
        return None
    frame = _FRAME.match(text)
    start = frame.end() if frame else 0
    renamed = rewriter.line(text[start:], framed=frame is not None)
    return None if renamed is None else (text[:start] + renamed).encode()


def _renamed(path: Path, number: int, line: bytes, rewriter: Rewriter) -> bytes:
    text, row = row_in(path, number, line)
    try:
        renamed = text[: row.start] + rewriter.members(text, row) + text[row.end :]
    except InputError as error:
        raise InputError(str(error), path, number) from None
    return (BOM if number == 1 and line.startswith(BOM) else b"") + renamed.encode()
