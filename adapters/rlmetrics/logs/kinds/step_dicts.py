"""Dicts that loggers print behind the number of their step: ``Global step 12: {'policy_loss': 0.5}``.

The dict stands on the line of the step, or on the lines after it as ``pprint`` lays it out, with numbers as texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from rlmetrics.lazy_typing import NamedTuple
from rlmetrics.names.tables.printed_numbers import usual_decimals

from ..consoles import ESCAPE, SUFFIXES, ConsoleLog, lines, number_in, sample_lines, unwrapped
from ..log import Kind
from ..reading import LoggedRow
from .hf_console import FIELD, unquoted_key

__all__ = ["KIND", "STEP_HEAD", "StepDict", "StepDicts", "step_dict_in"]

STEP_HEAD = re.compile(
    rf"(?:(?<![\w/'\"])|{ESCAPE})(?:global[ _])?step[ :=]*(?P<step>[0-9]+)\b"
    rf"(?:,? ?[\w ]*):(?:[ \t]|{ESCAPE})*(?:(?P<brace>\{{)|[\r\n]*$)",
    re.IGNORECASE | re.MULTILINE,
)
"""What stands before a dict: the step, perhaps what the dict holds, and a colon."""
_FEWEST = 2
"""Numbers that some dict has at least in a file that is known by them."""
_MOST_LINES = 2000


def recognises(path: Path) -> bool:
    """Tell whether a dict of numbers stands behind a step in ``path``."""
    if path.suffix not in SUFFIXES:
        return False
    found = filter(None, map(step_dict_in, StepDicts(KIND, path).first_lines()))
    return any(sum(map(_is_number, one.fields.values())) >= _FEWEST for one in found)


class StepDict(NamedTuple):
    """A dict in a text.

    Attributes:
        step: The step that it is of.
        start: Where its fields begin.
        end: Where they end.
        fields: The spelled value of each key.
    """

    step: int
    start: int
    end: int
    fields: dict[str, str]


class StepDicts(ConsoleLog):
    """The dicts that were printed behind the number of their step, among all other output."""

    def names(self) -> set[str]:
        """Return the names in the first dicts."""
        return {key for text in self.first_lines() if (found := step_dict_in(text)) for key in found.fields}

    def begins(self, line: str) -> bool:
        """Tell whether a line names a step and ends there, or goes on with a dict."""
        return STEP_HEAD.search(line) is not None

    def is_whole(self, line: str) -> bool:
        """Tell whether a text holds a dict to its end."""
        return step_dict_in(line) is not None

    def first_lines(self) -> Iterator[str]:
        """Yield the lines near the beginning, each dict in one piece."""
        return self.joined(f"{line}\n" for line in sample_lines(self.path))

    def joined(self, lines: Iterable[str]) -> Iterator[str]:
        """Put the lines of a dict together."""
        waiting: list[str] = []
        for line in lines:
            if self.begins(line):
                yield from waiting
                waiting = [line]
            elif waiting:
                waiting.append(line)
            else:
                yield line
                continue
            if "}" in line:
                yield "".join(waiting)
                waiting = []
            elif (len(waiting) > 1 and "{" not in waiting[0] + waiting[1]) or len(waiting) > _MOST_LINES:
                yield from waiting
                waiting = []
        if waiting:
            yield "".join(waiting)

    def decimals(self) -> int | None:
        """Return with how many decimals the first dicts print all numbers; -1 if they print all digits."""
        found = filter(None, map(step_dict_in, self.first_lines()))
        return usual_decimals(unwrapped(text) for one in found for text in one.fields.values())

    def rows(self) -> Iterator[tuple[None, dict[str, Any]]]:
        """Yield the dicts."""
        for found in filter(None, map(step_dict_in, self.joined(lines(self.path)))):
            yield None, {key: number_in(text) for key, text in found.fields.items()}

    def fields(self, line: str) -> list[LoggedRow]:
        """Return the spelled values of a dict at its step."""
        found = step_dict_in(line)
        if found is None:
            return []
        return [LoggedRow(float(found.step), {key: unwrapped(text) for key, text in found.fields.items()})]


def step_dict_in(text: str) -> StepDict | None:
    """Return the dict behind a step; None if there is none, or it has no end or no number."""
    head = STEP_HEAD.search(text)
    if head is None:
        return None
    start = head.end() if head["brace"] else text.find("{", head.end()) + 1
    end = text.find("}", start)
    if start == 0 or end < 0:
        return None
    fields = {unquoted_key(field["key"]): field["value"] for field in FIELD.finditer(text, start, end)}
    return StepDict(int(head["step"]), start, end, fields) if any(map(_is_number, fields.values())) else None


def _is_number(text: str) -> bool:
    return not isinstance(number_in(text), str)


KIND = Kind("step-dicts", recognises, StepDicts)
