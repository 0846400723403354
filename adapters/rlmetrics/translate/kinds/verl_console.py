"""What verl's console logger prints among all other output: ``step:12 - actor/pg_loss:0.123 - …``.

Values have three decimals up to verl 0.4.1 and full precision from 0.5.0, as ``np.float64(…)`` where NumPy 2
prints them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

from rlmetrics.logs.reading import Account, LoggedRow, RecordedRun
from rlmetrics.logs.run_settings import RunSettings
from rlmetrics.logs.unwrapping import ESCAPES, unwrapped_lines, width_of
from rlmetrics.names.tables.printed_numbers import usual_decimals

from ..consoles import (
    ESCAPE,
    NUMBER,
    SUFFIXES,
    ConsoleLog,
    entries_of,
    lines,
    number_in,
    number_like,
    sample_lines,
    translate_lines,
    unwrapped,
)
from ..logs import Kind
from ..report import Report
from ..translator import Translator
from ..verl_settings import printed_configuration

__all__ = ["KIND"]

_START = rf"(?:(?<![\w/.\-])|{ESCAPE})"
_STEP = re.compile(rf"{_START}step:{NUMBER}(?= - )")
_FIELD = re.compile(
    rf" - (?P<key>[^\r\n\x1b]+?):(?P<value>{NUMBER}|True|False|[A-Za-z_][\w.]*\([^()\r\n]*\))"
    r"(?= - |[ \t]*(?:[\r\n\x1b]|\[repeated |$))"
)
_TORN = re.compile(rf"{_START}step:[0-9]+(?: -| ?$)")
_ATOMIC = "(?>" if sys.version_info >= (3, 11) else "(?:"
"""Nothing in a list of numbers needs to be tried twice, and without that it takes two thirds of the time."""
_NUMBERS = re.compile(rf"{_ATOMIC}{NUMBER})(?:{_ATOMIC} {NUMBER}))*")
_LINES = 4000
"""Lines by which it is found out whether they were cut."""
_MOST = 1000
"""How many combinations of names are remembered."""


def recognises(path: Path) -> bool:
    """Tell whether a line of ``path`` is a step as verl prints it."""
    return path.suffix in SUFFIXES and any(_record(line) for line in sample_lines(path))


class VerlConsole(ConsoleLog):
    """What verl's console logger printed among all other output."""

    def names(self) -> set[str]:
        """Return the names in the first lines."""
        lines = self._joined(sample_lines(self.path))
        return {key for line in lines if (record := _record(line)) for key in record[1]}

    def printed(self) -> Iterator[str]:
        """Yield the lines as they were printed, before a terminal cut them."""
        return self._joined(super().printed())

    def read(self) -> Iterator[RecordedRun]:
        """Yield the run that was printed; steps that a terminal cut and that can't be put together are told."""
        account = Account()
        yield self.run(self._read(account), account)

    def _read(self, account: Account) -> Iterator[LoggedRow]:
        steps = cut = 0
        for line in self.printed():
            for row in self.fields(line):
                steps += 1
                cut += self._width is not None and not _is_whole(line)
                yield row
        if cut:
            told = f"{cut} of {steps} steps look cut at {self._width} columns and are read in part"
            account.notes.append(f"{told}; let the run print to a file instead of a terminal")

    def _joined(self, lines: Iterable[str]) -> Iterator[str]:
        return iter(lines) if self._width is None else unwrapped_lines(lines, self._width, _begins, _is_whole)

    @cached_property
    def _width(self) -> int | None:
        return width_of(islice(sample_lines(self.path), _LINES), _begins)

    def decimals(self) -> int | None:
        """Return with how many decimals the first steps print all numbers; -1 if they print all digits."""
        lines = self._joined(sample_lines(self.path))
        records = (record for line in lines if (record := _record(line)))
        return usual_decimals(text for _, fields, _ in records for text in fields.values())

    def read_configuration(self) -> dict[str | None, RunSettings]:
        """Return the configuration that verl printed before the first step."""
        return {None: printed_configuration(self.path)}

    def rows(self) -> Iterator[tuple[None, dict[str, Any]]]:
        """Yield the steps."""
        for line in self._joined(lines(self.path)):
            if record := _record(line):
                yield None, {key: number_in(text) for key, text in record[1].items()}

    def fields(self, line: str) -> list[LoggedRow]:
        """Return step and spelled values of a line, if it is a step."""
        record = _record(line)
        if record is None:
            return []
        step = _STEP.search(line)
        spelled = {key: unwrapped(text) for key, text in record[1].items()}
        return [LoggedRow(float(step[0].rpartition(":")[2]) if step else None, spelled)]

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
            record = _record(line)
            if record is None:
                return line, 0
            start, fields, end = record
            parts = [line[:start]]
            for entry in entries_of(fields, translator):
                text = fields[entry.old]
                parts.append(f" - {entry.name}:{number_like(text, entry.value) if entry.converted else text}")
            parts.append(line[end:])
            _remember(tuple(fields), translator, known)
            return "".join(parts), 1

        lines = self.printed() if self._width is not None else None
        translate_lines(self.path, output, report, rewrite, lambda line: _TORN.search(line) is not None, lines)


def _quick(line: str, known: Mapping[tuple[str, ...], list[str]]) -> str | None:
    """Return a line with its names translated, if it is nothing but a step of numbers with names that are known."""
    step = _STEP.search(line)
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


def _begins(line: str) -> bool:
    return _STEP.search(line) is not None


def _is_whole(line: str) -> bool:
    """Tell whether a line is a step to its end."""
    record = _record(line)
    return record is not None and not ESCAPES.sub("", line[record[2] :]).strip()


def _record(line: str) -> tuple[int, dict[str, str], int] | None:
    """Return where the fields of a step begin, name and spelled value of each, and where they end."""
    step = _STEP.search(line)
    if step is None:
        return None
    fields: dict[str, str] = {}
    at = step.end()
    while field := _FIELD.match(line, at):
        if field["key"] in fields:
            return None
        fields[field["key"]] = field["value"]
        at = field.end()
    return (step.end(), fields, at) if fields else None


KIND = Kind("verl-console", recognises, VerlConsole)
