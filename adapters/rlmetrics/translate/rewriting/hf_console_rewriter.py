"""Writes what transformers printed with other names in its dicts."""

from __future__ import annotations

import json
import re
from pathlib import Path

from rlmetrics.logs.kinds.hf_console import FIELD, START, HfConsole, dicts_in, unquoted_key

from ..report import Report
from ..translator import Translator
from .console_lines import entries_of, number_like, translate_lines
from .log_rewriter import RowRewriter

__all__ = ["HfConsoleRewriter", "with_dicts_translated"]

_TORN = re.compile(rf"{START}\{{(?:['\"][^\r\n{{}}]*)?$")


class HfConsoleRewriter(RowRewriter[HfConsole]):
    """Writes a console with dicts that transformers printed."""

    def rewrite(self, output: Path, translator: Translator, report: Report) -> None:
        """Write a copy with the names in its dicts translated; all else stays byte for byte.

        A last dict without its closing brace was cut off and is left out.

        Raises:
            InputError: If a value can't be converted.
        """

        def rewrite(line: str) -> tuple[str, int]:
            return with_dicts_translated(line, translator)

        def torn(line: str) -> bool:
            return not line.endswith("\n") and _TORN.search(line) is not None

        translate_lines(self.log, output, report, rewrite, torn)


def with_dicts_translated(line: str, translator: Translator) -> tuple[str, int]:
    """Return a line with the names in its dicts translated, and how many dicts it has.

    Raises:
        InputError: If a value can't be converted.
    """
    parts: list[str] = []
    done = records = 0
    for record in dicts_in(line):
        parts += (line[done : record.start()], _rewritten(record[0], translator))
        done = record.end()
        records += 1
    return "".join([*parts, line[done:]]), records


def _rewritten(text: str, translator: Translator) -> str:
    fields = {unquoted_key(field["key"]): field for field in FIELD.finditer(text)}
    spell = json.dumps if all(field["key"].startswith('"') for field in fields.values()) else repr
    parts = []
    for entry in entries_of({key: field["value"] for key, field in fields.items()}, translator):
        field = fields[entry.old]
        name = field["key"] if entry.name == entry.old else spell(entry.name)
        value = number_like(field["value"], entry.value) if entry.converted else field["value"]
        parts.append(f"{name}: {value}")
    return "{" + ", ".join(parts) + "}"
