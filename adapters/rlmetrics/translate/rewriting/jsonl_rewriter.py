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
_CHUNK = 1 << 16
"""How many bytes are read at a time, up to the end of a line."""
_LONGEST_PAUSE = 64
_MANY = 8
"""So many lines together show that most are alike."""


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
        alike, number = _Alike(rewriter), 0
        with self.log.path.open("rb") as file, output.open("wb") as out:
            while lines := file.readlines(_CHUNK):
                at = 0
                while at < len(lines):
                    count, renamed = alike.rewritten(lines, at)
                    if renamed is not None:
                        report.records += count
                    elif lines[at].isspace():
                        renamed = lines[at]
                    else:
                        try:
                            renamed = _renamed(self.log.path, number + at + 1, lines[at], rewriter)
                        except TornLineError:
                            report.lost.records += 1
                            report.lost.bytes += len(lines[at])
                            break
                        report.records += 1
                    out.write(renamed)
                    at += count
                number += len(lines)
        rewriter.tell()


class _Alike:
    """Rewrites lines that are alike together: ever more of them as long as that goes well.

    Args:
        rewriter: Rewrites them.
    """

    def __init__(self, rewriter: Rewriter) -> None:
        self._rewriter = rewriter
        self._most = 1
        self._pause = self._left = 1

    def rewritten(self, lines: list[bytes], at: int) -> tuple[int, bytes | None]:
        """Return how many lines are rewritten, and those; None for one that can't be without reading its values."""
        while (renamed := _known(some := lines[at : at + self._most], self._rewriter)) is None and self._most > 1:
            # The more often lines turn out to differ, the longer each is looked at by itself.
            self._pause = self._left = min(2 * self._pause, _LONGEST_PAUSE)
            self._most = 1
        if renamed is None:
            return 1, None
        if self._most > 1 or self._left == 0:
            self._most *= 2
        else:
            self._left -= 1
        if len(some) >= _MANY:
            self._pause = 1
        return len(some), renamed


def _known(lines: list[bytes], rewriter: Rewriter) -> bytes | None:
    """Return lines with their names translated if they are alike, and there was one with the same keys before."""
    try:
        text = b"".join(lines).decode()
    except UnicodeDecodeError:
        return None
    renamed = rewriter.lines(text, len(lines), framed=_FRAME.match(text) is not None)
    return None if renamed is None else renamed.encode()


def _renamed(path: Path, number: int, line: bytes, rewriter: Rewriter) -> bytes:
    text, row = row_in(path, number, line)
    try:
        renamed = text[: row.start] + rewriter.members(text, row) + text[row.end :]
    except InputError as error:
        raise InputError(str(error), path, number) from None
    return (BOM if number == 1 and line.startswith(BOM) else b"") + renamed.encode()
