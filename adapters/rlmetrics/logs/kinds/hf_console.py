"""The dicts that transformers prints while it trains: ``{'loss': 0.5, 'epoch': 0.1}``, often after a progress bar.

From transformers 5 on the values are text of four significant digits: ``{'loss': '0.5'}``. A logger may have written
them instead, as Python or as JSON.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
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

_STRING = r"'(?:[^'\\\r\n]|\\.)*'|\"(?:[^\"\\\r\n]|\\.)*\"|[‘’][^‘’\r\n]*[‘’]|[“”][^“”\r\n]*[“”]"
"""A text in quotes, also in those that chats and word processors make of them."""
_CONSTANT = r"None|True|False|null|true|false|NaN|-?Infinity"
_VALUE = rf"{NUMBER}|{_CONSTANT}|{_STRING}|[A-Za-z_][\w.]*\([^()\r\n]*\)|\[[^\[\]{{}}\r\n]*\]"
FIELD = re.compile(rf"(?P<key>{_STRING}): (?P<value>{_VALUE})")
_PAIR = rf"(?:{_STRING}): (?:{_VALUE})"
_DICT = re.compile(rf"\{{{_PAIR}(?:,\s+{_PAIR})*\}}")
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
_QUOTED = r"(?:>[ \t]?){1,3}"
"""What mails and chats put before a line that is quoted."""
START = rf"(?:^(?:{_STAMP}|{_HOST}|{_LOGGER}|{_QUOTED})?|[\r\])]|\]:|{ESCAPE})[ \t]*(?:\[[ \t]*)?"
_BEFORE = re.compile(rf"{START}$")
"""A dict stands at the beginning of its line, or after a progress bar, a rank, a host, a time, a colour, a movement, or
what a logger puts before a message; there may be a list of them, such as ``log_history``.

Transformers writes what it evaluates above the bar of the evaluation, so that the cursor moves up before each dict.
"""
_NEXT = re.compile(r",\s*")
"""What stands between the dicts of a list."""
_AFTER = re.compile(rf"[ \t]*(?:[\r\n]|{ESCAPE}|$|\]|,\s*(?:\{{|$))")
_BEGINS = re.compile(rf"{START}\{{(?:{_STRING}): ")
_OPENS = re.compile(rf"{START}\{{{_PAIR}(?:, {_PAIR})*,[ \t]*\r?\n?$")
_GOES_ON = re.compile(rf"[ \t]+{_PAIR}(?:, {_PAIR})*(?:,|(?P<closed>\}}[\],]*))[ \t]*\r?\n?")
"""Lines of a dict that ``pprint``, and a cell of a notebook, lay out with a key a line."""
_RATES = ("learning_rate", "lr")
"""How names of the learning rate end, by which a copy tells its rows of training from a summary."""
_MOST_LINES = 1000
_FEWEST = 4
"""Dicts, each printed several times, by which it is known that several processes print them."""
_ESCAPE = re.compile(r"\\(.)")
_BAR = re.compile(r"\| *([0-9]+)/([0-9]+) \[[0-9:]+<")
"""How far a progress bar is, and of how much."""


def recognises(path: Path) -> bool:
    """Tell whether a line of ``path`` ends in a dict of numbers with the ``epoch`` that every logged dict has.

    A copy with other names has it below something, such as ``progress/epoch``.
    """
    return path.suffix in SUFFIXES and any(key.rpartition("/")[2] == "epoch" for key in HfConsole(KIND, path).names())


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

    def joined(self, lines: Iterable[str]) -> Iterator[str]:
        """Put lines together that a terminal cut, and those of a dict that was laid out over several."""
        return _laid_out(super().joined(lines))

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
        for line in self.of_one_rank():
            done = 0
            for record in dicts_in(line):
                _see(line, done, record.start(), bars)
                printed.append(_Printed(_values(record[0]), bars))
                bars, done = {}, record.end()
            _see(line, done, len(line), bars)
        return _once(printed), bars


def _once(printed: list[_Printed]) -> list[_Printed]:
    """Return dicts once of which each was printed as often as every other, by as many processes."""
    groups = [[*group] for _, group in groupby(printed, key=lambda row: row.values)]
    sizes = {len(group) for group in groups}
    if len(groups) < _FEWEST or len(sizes) != 1 or sizes == {1}:
        return printed
    return [group[0] for group in groups]


def _values(text: str) -> dict[str, Any]:
    """Return the values of a dict as they are spelled."""
    return {unquoted_key(field["key"]): unwrapped(field["value"]) for field in FIELD.finditer(text)}


def _see(line: str, start: int, end: int, bars: dict[int, tuple[int, int]]) -> None:
    """Take down the progress bars in a part of a line."""
    is_drawn = line.find("it]", start, end) >= 0 or line.find("it/s", start, end) >= 0
    for bar in _BAR.finditer(line, start, end) if is_drawn else ():
        at, total = int(bar[1]), int(bar[2])
        bars[total] = (bars.get(total, (at, at))[0], at)


def _steps(printed: Sequence[_Printed], after: Mapping[int, tuple[int, int]]) -> list[float | None]:
    """Return the step of each dict, by the bar of the training; None for all where the bars do not tell.

    A bar is written before a dict, unless steps are faster than it is drawn, and mostly once more after it.
    """
    bars = [*(row.bars for row in printed), after]
    trained = [number for number, row in enumerate(printed) if any(map(_is_training, row.values))]
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


def _is_training(key: str) -> bool:
    """Tell whether only rows of training have a key: the loss, and in a copy with other names the learning rate."""
    return key == "loss" or key.rpartition("/")[2] in _RATES


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
    end = -1
    for record in _DICT.finditer(line):
        follows = end >= 0 and _NEXT.fullmatch(line, end, record.start())
        if (follows or _BEFORE.search(line[: record.start()])) and _AFTER.match(line, record.end()):
            end = record.end()
            yield record


def _laid_out(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines, those of a dict with a key a line in one piece."""
    waiting: list[str] = []
    for line in lines:
        more = _GOES_ON.fullmatch(line) if waiting and len(waiting) < _MOST_LINES else None
        if more is None:
            yield from waiting
            waiting = [line] if line.rstrip().endswith(",") and _OPENS.search(line) else []
            if not waiting:
                yield line
            continue
        waiting.append(line)
        if more["closed"]:
            yield "".join(waiting)
            waiting = []
    yield from waiting


def unquoted_key(text: str) -> str:
    """Return a key without its quotes and escapes."""
    return _ESCAPE.sub(r"\1", text[1:-1]) if "\\" in text else text[1:-1]


KIND = Kind("hf-console", recognises, HfConsole)
