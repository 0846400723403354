"""Writes what verl's console logger printed with other names in its steps."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path

from rlmetrics.logs.consoles import NUMBER
from rlmetrics.logs.kinds.verl_console import STEP, STEP_START, VerlConsole, step_in_line

from ..report import Report
from ..translator import Translator
from .console_lines import entries_of, number_like, translate_lines
from .log_rewriter import RowRewriter

__all__ = ["VerlConsoleRewriter", "with_step_translated"]

_TORN = re.compile(rf"{STEP_START}step:[0-9]+(?: -| ?$)")
_ATOMIC = "(?>" if sys.version_info >= (3, 11) else "(?:"
"""Nothing in a list of numbers needs to be tried twice, and without that it takes two thirds of the time."""
_NUMBERS = re.compile(rf"{_ATOMIC}{NUMBER})(?:{_ATOMIC} {NUMBER}))*")
_MOST = 1000
"""How many combinations of names are remembered."""


class VerlConsoleRewriter(RowRewriter[VerlConsole]):
    """Writes a console with steps that verl printed."""

    def rewrite(self, output: Path, translator: Translator, report: Report) -> None:
        """Write a copy with the names in its steps translated; all else stays byte for byte.

        A step without a line end was cut off, perhaps within a number, and is left out.

        Raises:
            InputError: If a value can't be converted.
        """
        known: dict[tuple[str, ...], list[str]] = {}

        def rewrite(line: str) -> tuple[str, int]:
            if "step:" not in line:
                return line, 0
            quick = _quick(line, known)
            if quick is not None:
                return quick, 1
            record = step_in_line(line)
            if record is None:
                return line, 0
            written = _written(line, record, translator)
            _remember(tuple(record[1]), translator, known)
            return written, 1

        def torn(line: str) -> bool:
            return not line.endswith(("\n", "\r")) and _TORN.search(line) is not None

        translate_lines(self.log, output, report, rewrite, torn)


def with_step_translated(line: str, translator: Translator) -> tuple[str, int]:
    """Return a line with the names of its step translated, and whether it holds one.

    Raises:
        InputError: If a value can't be converted.
    """
    record = step_in_line(line)
    return (line, 0) if record is None else (_written(line, record, translator), 1)


def _written(line: str, record: tuple[int, dict[str, str], int], translator: Translator) -> str:
    start, fields, end = record
    parts = [line[:start]]
    for entry in entries_of(fields, translator):
        text = fields[entry.old]
        parts.append(f" - {entry.name}:{number_like(text, entry.value) if entry.converted else text}")
    return "".join([*parts, line[end:]])


def _quick(line: str, known: Mapping[tuple[str, ...], list[str]]) -> str | None:
    """Return a line with its names translated, if it is nothing but a step of numbers with names that are known."""
    step = STEP.search(line)
    if step is None:
        return None
    at = step.end()
    first, *fields = line[at:-1].split(" - ")
    keys, _, values = zip(*[field.rpartition(":") for field in fields], strict=True) if fields else ((), (), ())
    names = known.get(keys)
    if names is None or first or line[-1] != "\n":
        return None
    if not _NUMBERS.fullmatch(" ".join(values)):
        return None
    return f"{line[:at]}{''.join(map(str.__add__, names, values))}\n"


def _remember(keys: tuple[str, ...], translator: Translator, known: dict[tuple[str, ...], list[str]]) -> None:
    """Take down what stands before each value of a step with these names, if it is nothing but names that change."""
    moves = translator.moves(keys)
    if moves is not None and tuple(move.old for move in moves) == keys and not any(" - " in key for key in keys):
        if len(known) == _MOST:
            known.clear()
        known[keys] = [f" - {move.name}:" for move in moves]
