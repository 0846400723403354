"""What verl's console logger prints among all other output: ``step:12 - actor/pg_loss:0.123 - …``.

Values have three decimals up to verl 0.4.1 and full precision from 0.5.0, as ``np.float64(…)`` where NumPy 2
prints them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, takewhile
from pathlib import Path
from typing import Any

from rlmetrics.names.tables.printed_numbers import usual_decimals

from ..consoles import ESCAPE, NUMBER, SUFFIXES, ConsoleLog, lines, number_in, sample_lines, unwrapped
from ..log import Kind
from ..reading import Account, LoggedRow, RecordedRun
from ..run_settings import RunSettings, flattened
from ..unwrapping import ESCAPES

__all__ = ["KIND", "STEP", "STEP_START", "VerlConsole", "printed_configuration", "step_in_line"]

STEP_START = rf"(?:(?<![\w/.\-])|{ESCAPE})"
STEP = re.compile(rf"{STEP_START}step:{NUMBER}(?= - )")
_FIELD = re.compile(
    rf" - (?P<key>[^\r\n\x1b]+?):(?P<value>{NUMBER}|True|False|[A-Za-z_][\w.]*\([^()\r\n]*\))"
    r"(?= - |[ \t]*(?:[\r\n\x1b]|\[repeated |$))"
)
_GOES_ON = re.compile(r" -[ \t]*[\r\n]*$")
_WENT_ON = re.compile(r"[ \t]*- [^\s:]+:")
_MOST_LINES = 5000
_PRINTED = re.compile(rf"(?:{ESCAPE})*(?P<worker>\([^()]*pid=\d+[^()]*\)(?:{ESCAPE})* )?(?P<text>.*)")
_OVER = re.compile(r"(?<=\r)(?!\n)")
"""Where a line goes on that was begun anew, as bars do."""
_STEP = re.compile(r"\bstep:[0-9]")
_SECTIONS = {"trainer", "data"}
"""What every configuration of verl has."""
_FIRST = ("{'actor_rollout_ref'", "{'algorithm'", "{'data'")
"""How the configuration begins, sorted by name as it is printed."""
_MOST_BEFORE = 100_000


def recognises(path: Path) -> bool:
    """Tell whether a line of ``path`` is a step as verl prints it."""
    return path.suffix in SUFFIXES and any(step_in_line(line) for line in sample_lines(path))


class VerlConsole(ConsoleLog):
    """What verl's console logger printed among all other output."""

    def names(self) -> set[str]:
        """Return the names in the first lines."""
        return {key for line in self.first_lines() if (record := step_in_line(line)) for key in record[1]}

    def begins(self, line: str) -> bool:
        """Tell whether a line begins a step, whole or not."""
        return STEP.search(line) is not None

    def is_whole(self, line: str) -> bool:
        """Tell whether a line is a step to its end."""
        record = step_in_line(line)
        return record is not None and not ESCAPES.sub("", line[record[2] :]).strip()

    def joined(self, lines: Iterable[str]) -> Iterator[str]:
        """Put lines together that a terminal cut, or that were wrapped between words."""
        return self._rejoined(super().joined(chain.from_iterable(map(_drawn, lines))))

    def _rejoined(self, lines: Iterable[str]) -> Iterator[str]:
        """Put steps together whose lines end where a blank stood; a dash shows that more of the step follows."""
        waiting: list[str] = []
        for line in lines:
            if waiting and not self.begins(line) and (_GOES_ON.search(waiting[-1]) or _WENT_ON.match(line)):
                waiting.append(line)
                continue
            yield from self._one_step(waiting)
            waiting = [line] if self.begins(line) else []
            if not waiting:
                yield line
        yield from self._one_step(waiting)

    def _one_step(self, parts: list[str]) -> Iterator[str]:
        """Yield the parts of a step as one line; as they are if they make none."""
        text = " ".join([*(part.rstrip() for part in parts[:-1]), *parts[-1:]])
        yield from [text] if len(parts) > 1 and self.is_whole(text) else parts

    def read(self) -> Iterator[RecordedRun]:
        """Yield the run that was printed; steps that a terminal cut and that can't be put together are told."""
        account = Account()
        account.notes += self.rank_notes()
        yield self.run(self._read(account), account)

    def _read(self, account: Account) -> Iterator[LoggedRow]:
        steps = cut = 0
        for line in self.of_one_rank():
            for row in self.fields(line):
                steps += 1
                cut += self.width is not None and not self.is_whole(line)
                yield row
        if cut:
            told = f"{cut} of {steps} steps look cut at {self.width} columns and are read in part"
            account.notes.append(f"{told}; let the run print to a file instead of a terminal")

    def decimals(self) -> int | None:
        """Return with how many decimals the first steps print all numbers; -1 if they print all digits."""
        records = (record for line in self.first_lines() if (record := step_in_line(line)))
        return usual_decimals(text for _, fields, _ in records for text in fields.values())

    def read_configuration(self) -> dict[str | None, RunSettings]:
        """Return the configuration that verl printed before the first step."""
        return {None: printed_configuration(self.path)}

    def rows(self) -> Iterator[tuple[None, dict[str, Any]]]:
        """Yield the steps."""
        for line in self.joined(lines(self.path)):
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


def _drawn(line: str) -> Sequence[str]:
    """Return the parts of a line that were drawn over each other, where several of them are steps."""
    return _OVER.split(line) if "\r" in line and line.count("step:") > 1 else (line,)


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


def printed_configuration(path: Path) -> RunSettings:
    """Return the configuration in a log, with or without Ray's name of the worker before each line."""
    before = takewhile(lambda line: _STEP.search(line) is None, sample_lines(path))
    lines = [_parts(line) for line in islice(before, _MOST_BEFORE)]
    for number, (worker, text) in enumerate(lines):
        if text.startswith("{'"):
            printed = _dictionary(text, [more for other, more in lines[number + 1 :] if other == worker])
            if printed is None and text.startswith(_FIRST):
                problem = f"line {number + 1}: the configuration in the log is cut off or mixed with other lines"
                return RunSettings(problems=(f"{problem}; left out",))
            if printed is not None and printed.keys() >= _SECTIONS:
                return RunSettings(flattened(printed), "the log")
    return RunSettings()


def _dictionary(first: str, lines: list[str]) -> dict[str, Any] | None:
    """Return the dictionary that begins with a line and goes on in others; None if there is none."""
    text, depth = [first], first.count("{") - first.count("}")
    for line in lines[:_MOST_LINES] if depth > 0 else ():
        text.append(line)
        depth += line.count("{") - line.count("}")
        if depth <= 0:
            break
    try:
        printed = ast.literal_eval("\n".join(text))
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None
    return printed if isinstance(printed, dict) else None


def _parts(line: str) -> tuple[str, str]:
    """Return the worker that printed a line, and the rest of the line."""
    printed = _PRINTED.match(line.rstrip("\r\n"))
    return (printed["worker"] or "", printed["text"]) if printed else ("", "")
