"""What verl's console logger prints among all other output: ``step:12 - actor/pg_loss:0.123 - …``.

Values have three decimals up to verl 0.4.1 and full precision from 0.5.0, as ``np.float64(…)`` where NumPy 2
prints them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

from rlmetrics.names.tables.printed_numbers import usual_decimals

from ..consoles import (
    ESCAPE,
    NUMBER,
    SUFFIXES,
    ConsoleLog,
    lines,
    number_in,
    sample_lines,
    unwrapped,
)
from ..log import Kind
from ..reading import Account, LoggedRow, RecordedRun
from ..run_settings import RunSettings
from ..unwrapping import ESCAPES, unwrapped_lines, width_of
from ..verl_settings import printed_configuration

__all__ = ["KIND", "STEP", "STEP_START", "VerlConsole", "step_in_line"]

STEP_START = rf"(?:(?<![\w/.\-])|{ESCAPE})"
STEP = re.compile(rf"{STEP_START}step:{NUMBER}(?= - )")
_FIELD = re.compile(
    rf" - (?P<key>[^\r\n\x1b]+?):(?P<value>{NUMBER}|True|False|[A-Za-z_][\w.]*\([^()\r\n]*\))"
    r"(?= - |[ \t]*(?:[\r\n\x1b]|\[repeated |$))"
)
_LINES = 4000
"""Lines by which it is found out whether they were cut."""


def recognises(path: Path) -> bool:
    """Tell whether a line of ``path`` is a step as verl prints it."""
    return path.suffix in SUFFIXES and any(step_in_line(line) for line in sample_lines(path))


class VerlConsole(ConsoleLog):
    """What verl's console logger printed among all other output."""

    def names(self) -> set[str]:
        """Return the names in the first lines."""
        lines = self._joined(sample_lines(self.path))
        return {key for line in lines if (record := step_in_line(line)) for key in record[1]}

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
        records = (record for line in lines if (record := step_in_line(line)))
        return usual_decimals(text for _, fields, _ in records for text in fields.values())

    def read_configuration(self) -> dict[str | None, RunSettings]:
        """Return the configuration that verl printed before the first step."""
        return {None: printed_configuration(self.path)}

    def rows(self) -> Iterator[tuple[None, dict[str, Any]]]:
        """Yield the steps."""
        for line in self._joined(lines(self.path)):
            if record := step_in_line(line):
                yield None, {key: number_in(text) for key, text in record[1].items()}

    def fields(self, line: str) -> list[LoggedRow]:
        """Return step and spelled values of a line, if it is a step."""
        record = step_in_line(line)
        if record is None:
            return []
        step = STEP.search(line)
        spelled = {key: unwrapped(text) for key, text in record[1].items()}
        return [LoggedRow(float(step[0].rpartition(":")[2]) if step else None, spelled)]


def _begins(line: str) -> bool:
    return STEP.search(line) is not None


def _is_whole(line: str) -> bool:
    """Tell whether a line is a step to its end."""
    record = step_in_line(line)
    return record is not None and not ESCAPES.sub("", line[record[2] :]).strip()


def step_in_line(line: str) -> tuple[int, dict[str, str], int] | None:
    """Return where the fields of a step begin, name and spelled value of each, and where they end."""
    step = STEP.search(line)
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
