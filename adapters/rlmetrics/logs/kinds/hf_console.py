"""The dicts that transformers prints while it trains: ``{'loss': 0.5, 'epoch': 0.1}``, often after a progress bar.

From transformers 5 on the values are text of four significant digits: ``{'loss': '0.5'}``. A logger may have written
them instead, as Python or as JSON.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from ..consoles import (
    ESCAPE,
    NUMBER,
    SUFFIXES,
    ConsoleLog,
    lines,
    number_in,
    unwrapped,
)
from ..log import Kind
from ..reading import LoggedRow
from ..unwrapping import ESCAPES

__all__ = ["FIELD", "KIND", "START", "HfConsole", "dicts_in", "unquoted_key"]

_STRING = r"'(?:[^'\\\r\n]|\\.)*'|\"(?:[^\"\\\r\n]|\\.)*\""
_CONSTANT = r"None|True|False|null|true|false|NaN|-?Infinity"
_VALUE = rf"{NUMBER}|{_CONSTANT}|{_STRING}|[A-Za-z_][\w.]*\([^()\r\n]*\)|\[[^\[\]{{}}\r\n]*\]"
FIELD = re.compile(rf"(?P<key>{_STRING}): (?P<value>{_VALUE})")
_DICT = re.compile(rf"\{{(?:{_STRING}): (?:{_VALUE})(?:, (?:{_STRING}): (?:{_VALUE}))*\}}")
_STAMP = r"[0-9][-+0-9T:.,Z ]*(?: std(?:out|err) [FP])?"
_HOST = r"(?!\w*step)[\w.\-]{0,99}[0-9][\w.\-]{0,99}:|[\w.\-]{1,99}[ \t]{1,99}\|"
"""Which machine or container a line is from, as pdsh and Docker Compose write it."""
_LEVEL = r"\b(?:DEBUG|INFO|WARNING|ERROR|SUCCESS)\b"
_ANY = r"[^{}\r\n]{0,99}"
_NAMED = r"[\w.]{1,99}:"
_LOGGER = rf"{_ANY}{_LEVEL}(?:{_ANY}[ \t](?:[-|]|>{{1,3}})|:(?:{_NAMED})?|[ \t]{{1,9}}{_NAMED})"
"""What loggers put before a message: a level and perhaps a place or a name; no words of a sentence.

Lengths are bounded, so that a long line is searched in no time.
"""
START = rf"(?:^(?:{_STAMP}|{_HOST}|{_LOGGER})?|[\r\])]|\]:|{ESCAPE})[ \t]*"
_BEFORE = re.compile(rf"{START}$")
"""A dict stands at the beginning of its line, or after a progress bar, a rank, a host, a time, a colour, a movement, or
what a logger puts before a message.

Transformers writes what it evaluates above the bar of the evaluation, so that the cursor moves up before each dict.
"""
_AFTER = re.compile(rf"[ \t]*(?:[\r\n]|{ESCAPE}|$)")
_BEGINS = re.compile(rf"{START}\{{(?:{_STRING}): ")
_ESCAPE = re.compile(r"\\(.)")
_BAR = re.compile(r"\| *([0-9]+)/([0-9]+) \[[0-9:]+<")
"""How far a progress bar is, and of how much."""


def recognises(path: Path) -> bool:
    """Tell whether a line of ``path`` ends in a dict of numbers with the ``epoch`` that every logged dict has."""
    return path.suffix in SUFFIXES and "epoch" in HfConsole(KIND, path).names()


class _Printed(NamedTuple):
    """A dict that was printed, and the progress bars since the one before it: how far each was first and last."""

    values: dict[str, Any]
    bars: dict[int, tuple[int, int]]


class HfConsole(ConsoleLog):
    """The dicts that transformers printed among all other output."""

    def names(self) -> set[str]:
        """Return the names in the first lines."""
        return {
            unquoted_key(field["key"])
            for line in self.first_lines()
            for record in dicts_in(line)
            for field in FIELD.finditer(line, record.start(), record.end())
        }

    def begins(self, line: str) -> bool:
        """Tell whether a line begins a dict, whole or not."""
        return _BEGINS.search(line) is not None

    def is_whole(self, line: str) -> bool:
        """Tell whether a line ends with a dict, and what was joined to it holds nothing else."""
        *_, last = [None, *dicts_in(line)]
        return last is not None and not ESCAPES.sub("", line[last.end() :]).strip()

    def rows(self) -> Iterator[tuple[None, dict[str, Any]]]:
        """Yield the dicts."""
        for line in self.joined(lines(self.path)):
            for record in dicts_in(line):
                fields = FIELD.finditer(record[0])
                yield None, {unquoted_key(field["key"]): number_in(field["value"]) for field in fields}

    def fields(self, line: str) -> list[LoggedRow]:
        """Return the spelled values of each dict in a line."""
        return [LoggedRow(None, _values(record[0])) for record in dicts_in(line)]

    def logged(self) -> Iterator[LoggedRow]:
        """Yield each dict, at the step that the progress bars beside it show."""
        printed, bars = self._printed()
        steps = _steps(printed, bars)
        return (LoggedRow(step, row.values) for row, step in zip(printed, steps, strict=True))

    def _printed(self) -> tuple[list[_Printed], dict[int, tuple[int, int]]]:
        """Return the dicts, and the progress bars after the last of them."""
        printed: list[_Printed] = []
        bars: dict[int, tuple[int, int]] = {}
        for line in self.printed():
            done = 0
            for record in dicts_in(line):
                _see(line, done, record.start(), bars)
                printed.append(_Printed(_values(record[0]), bars))
                bars, done = {}, record.end()
            _see(line, done, len(line), bars)
        return printed, bars


def _values(text: str) -> dict[str, Any]:
    """Return the values of a dict as they are spelled."""
    return {unquoted_key(field["key"]): unwrapped(field["value"]) for field in FIELD.finditer(text)}


def _see(line: str, start: int, end: int, bars: dict[int, tuple[int, int]]) -> None:
    """Take down the progress bars in a part of a line."""
    for bar in _BAR.finditer(line, start, end) if "it]" in line or "it/s" in line else ():
        at, total = int(bar[1]), int(bar[2])
        bars[total] = (bars.get(total, (at, at))[0], at)


def _steps(printed: Sequence[_Printed], after: Mapping[int, tuple[int, int]]) -> list[float | None]:
    """Return the step of each dict, by the bar of the training; None for all where the bars do not tell.

    A bar is written before a dict, unless steps are faster than it is drawn, and mostly once more after it.
    """
    bars = [*(row.bars for row in printed), after]
    trained = [number for number, row in enumerate(printed) if "loss" in row.values]
    totals = Counter(total for number in trained for total in {*bars[number], *bars[number + 1]})
    total = max(totals, key=lambda one: (totals[one], one), default=0)
    before: list[float | None] = []
    behind: list[float | None] = []
    at: int | None = None
    for number in range(len(printed)):
        at = bars[number].get(total, (at, at))[1]
        before.append(at)
        behind.append(bars[number + 1].get(total, (at, at))[0])
    known = [(_unevenness([steps[number] for number in trained]), steps) for steps in (before, behind)]
    ranked = [(unevenness, steps) for unevenness, steps in known if unevenness is not None]
    return min(ranked, key=lambda one: one[0])[1] if ranked else [None] * len(printed)


def _unevenness(steps: Sequence[float | None]) -> tuple[int, bool] | None:
    """Return in how many distances steps rise, and whether the first is not one of them; None if they do not rise.

    Trainers log at every so many steps, the first time after as many.
    """
    known = [0.0, *(step for step in steps if step is not None)]
    distances = {other - one for one, other in pairwise(known[1:])}
    if len(known) <= len(steps) or not steps or min(distances, default=1.0) <= 0:
        return None
    return len(distances), known[1] not in (distances or {known[1]}) or known[1] == 0


def dicts_in(line: str) -> Iterator[re.Match[str]]:
    """Yield the dicts in a line that stand where transformers prints them."""
    if "{" not in line:
        return
    for record in _DICT.finditer(line):
        if _BEFORE.search(line[: record.start()]) and _AFTER.match(line, record.end()):
            yield record


def unquoted_key(text: str) -> str:
    """Return a key without its quotes and escapes."""
    return _ESCAPE.sub(r"\1", text[1:-1]) if "\\" in text else text[1:-1]


KIND = Kind("hf-console", recognises, HfConsole)
