"""What is written of a console: the lines as they are, with records among them whose names have changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path

from rlmetrics.logs.consoles import WRAPPED, ConsoleLog, number_in
from rlmetrics.logs.decimals import printed, spelled
from rlmetrics.logs.input_errors import InputError

from ..report import Report
from ..translator import TranslatedEntry, Translator

__all__ = ["entries_of", "number_like", "translate_lines"]


def number_like(text: str, value: object) -> str:
    """Return ``value`` as ``text`` was spelled: within the same wrapper or quotes.

    Quoted numbers are those that transformers 5 prints with four significant digits.
    """
    wrapped = WRAPPED.fullmatch(text)
    if wrapped is None or not isinstance(value, Decimal):
        return text
    before, after = wrapped["before"] or "", wrapped["after"] or ""
    number = _number(wrapped["number"], value) if before not in {'"', "'"} else f"{float(value):.4g}"
    return f"{before}{number}{after}"


def _number(text: str, value: Decimal) -> str:
    """Return a number as an integer if ``text`` is one."""
    return spelled(value) if text.lstrip("+-").isdigit() else printed(value)


def entries_of(fields: Mapping[str, str], translator: Translator) -> list[TranslatedEntry]:
    """Return the entries of a translated record, whose values are given as they are spelled."""
    moves = translator.moves(tuple(fields))
    if moves is None:
        moves = translator.entries({key: number_in(text) for key, text in fields.items()})
    return moves


def translate_lines(
    log: ConsoleLog,
    output: Path,
    report: Report,
    rewrite: Callable[[str], tuple[str, int]],
    torn: Callable[[str], bool],
) -> None:
    """Copy a log to ``output`` line by line.

    Args:
        log: The log.
        output: Where the copy goes.
        report: Where records and losses are counted.
        rewrite: Returns the text to write for a line, and how many records it holds.
        torn: Tells whether a text is the end of the log, cut off in a record; it is left out then.

    Raises:
        InputError: If a record can't be translated, with its line.
    """
    with output.open("wb") as out:
        for number, text in enumerate(log.printed(), start=1):
            if torn(text):
                report.lost.records += 1
                report.lost.bytes += len(text.encode("utf-8", "surrogateescape"))
                continue
            try:
                written, records = rewrite(text)
            except InputError as error:
                raise InputError(str(error), log.path, number) from None
            report.records += records
            out.write((written if records else text).encode("utf-8", "surrogateescape"))
