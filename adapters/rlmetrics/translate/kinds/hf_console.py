"""The dicts that transformers prints while it trains: ``{'loss': 0.5, 'epoch': 0.1}``, often after a progress bar.

From transformers 5 on the values are text of four significant digits: ``{'loss': '0.5'}``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..consoles import (
    ESCAPE,
    NUMBER,
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
from ..reading import LoggedRow
from ..report import Report
from ..translator import Translator

__all__ = ["KIND"]

_STRING = r"'(?:[^'\\\r\n]|\\.)*'|\"(?:[^\"\\\r\n]|\\.)*\""
_VALUE = rf"{NUMBER}|None|True|False|{_STRING}|[A-Za-z_][\w.]*\([^()\r\n]*\)|\[[^\[\]{{}}\r\n]*\]"
_FIELD = re.compile(rf"(?P<key>{_STRING}): (?P<value>{_VALUE})")
_DICT = re.compile(rf"\{{(?:{_STRING}): (?:{_VALUE})(?:, (?:{_STRING}): (?:{_VALUE}))*\}}")
_STAMP = r"[0-9][-+0-9T:.,Z ]*(?: std(?:out|err) [FP])?"
_START = rf"(?:^(?:{_STAMP})?|[\r\])]|\]:|{ESCAPE})[ \t]*"
_BEFORE = re.compile(rf"{_START}$")
"""A dict stands at the beginning of its line, or after a progress bar, a rank, a time, a colour, or a movement.

Transformers writes what it evaluates above the bar of the evaluation, so that the cursor moves up before each dict.
"""
_AFTER = re.compile(rf"[ \t]*(?:[\r\n]|{ESCAPE}|$)")
_TORN = re.compile(rf"{_START}\{{(?:['\"][^\r\n{{}}]*)?$")
_ESCAPE = re.compile(r"\\(.)")
_SUFFIXES = {".log", ".txt", ".out", ".err", ""}


def recognises(path: Path) -> bool:
    """Tell whether a line of ``path`` ends in a dict of numbers with the ``epoch`` that every logged dict has."""
    return path.suffix in _SUFFIXES and "epoch" in _names(path)


class HfConsole(ConsoleLog):
    """The dicts that transformers printed among all other output."""

    def names(self) -> set[str]:
        """Return the names in the first lines."""
        return _names(self.path)

    def rows(self) -> Iterator[tuple[None, dict[str, Any]]]:
        """Yield the dicts."""
        for line in lines(self.path):
            for record in _records(line):
                yield None, {_unquoted(field["key"]): number_in(field["value"]) for field in _FIELD.finditer(record[0])}

    def fields(self, line: str) -> list[LoggedRow]:
        """Return the spelled values of each dict in a line; these state no step."""
        return [
            LoggedRow(
                None, {_unquoted(field["key"]): unwrapped(field["value"]) for field in _FIELD.finditer(record[0])}
            )
            for record in _records(line)
        ]

    def rewrite(self, output: Path, translator: Translator, report: Report) -> None:
        """Write a copy with the names in its dicts translated; all else stays byte for byte.

        A last dict without its closing brace was cut off and is left out.

        Raises:
            InputError: If a value can't be converted.
        """

        def rewrite(line: str) -> tuple[str, int]:
            parts: list[str] = []
            done = records = 0
            for record in _records(line):
                parts += (line[done : record.start()], _rewritten(record[0], translator))
                done = record.end()
                records += 1
            return "".join([*parts, line[done:]]), records

        translate_lines(self.path, output, report, rewrite, lambda line: _TORN.search(line) is not None)


def _names(path: Path) -> set[str]:
    return {
        _unquoted(field["key"])
        for line in sample_lines(path)
        for record in _records(line)
        for field in _FIELD.finditer(line, record.start(), record.end())
    }


def _rewritten(text: str, translator: Translator) -> str:
    fields = {_unquoted(field["key"]): field for field in _FIELD.finditer(text)}
    parts = []
    for entry in entries_of({key: field["value"] for key, field in fields.items()}, translator):
        field = fields[entry.old]
        name = field["key"] if entry.name == entry.old else repr(entry.name)
        value = number_like(field["value"], entry.value) if entry.converted else field["value"]
        parts.append(f"{name}: {value}")
    return "{" + ", ".join(parts) + "}"


def _records(line: str) -> Iterator[re.Match[str]]:
    if "{" not in line:
        return
    for record in _DICT.finditer(line):
        if _BEFORE.search(line[: record.start()]) and _AFTER.match(line, record.end()):
            yield record


def _unquoted(text: str) -> str:
    return _ESCAPE.sub(r"\1", text[1:-1]) if "\\" in text else text[1:-1]


KIND = Kind("hf-console", recognises, HfConsole)
