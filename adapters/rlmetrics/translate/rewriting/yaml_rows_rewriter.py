"""Writes rows in YAML under other keys; all around them stays as it is."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise
from pathlib import Path

from rlmetrics.logs.decimals import number, printed
from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.kinds.yaml_rows import YamlRow, YamlRows, number_spelled, rows_of
from rlmetrics.logs.yamlspans import respelled

from ..report import Report
from ..translator import TranslatedEntry, Translator
from .log_rewriter import RowRewriter

__all__ = ["YamlRowsRewriter"]

_BETWEEN = " \t\r\n,"
"""What stands between two members of a mapping, if that is nothing else."""


class YamlRowsRewriter(RowRewriter[YamlRows]):
    """Writes rows in YAML, with each number as it was spelled unless it is converted."""

    def rewrite(self, output: Path, translator: Translator, report: Report) -> None:
        """Write a copy with other keys.

        Raises:
            InputError: If a value can't be converted, or what stands between the members of a row is no YAML alone.
        """
        text, parts, done = self.log.text(), list[str](), 0
        for row in sorted(self.log.found(), key=_start):
            report.records += 1
            entries = translator.moves(tuple(row.values))
            if entries is None:
                held = {key: number(number_spelled(value.text)) for key, value in row.values.items()}
                entries = translator.entries(held)
            parts += (text[done : _start(row)], _written(text, row, entries))
            done = max(value.end for value in row.values.values())
        written = "".join([*parts, text[done:]])
        try:
            rows_of(written, output)
        except InputError:
            msg = "a member without a value stands in a row and can't be kept as it is; give it one, or leave it out"
            raise InputError(msg, self.log.path) from None
        output.write_bytes(written.encode("utf-8"))


def _start(row: YamlRow) -> int:
    return min(row.keys[key].start for key in row.values)


def _written(text: str, row: YamlRow, entries: list[TranslatedEntry]) -> str:
    """Return a row under other names, between them what stood between the old ones."""
    pairs = [(row.keys[key].start, row.values[key].end) for key in row.values]
    between = [text[one[1] : other[0]] for one, other in pairwise(pairs)]
    start = pairs[0][0]
    is_flow = text[:start].rstrip(_BETWEEN).endswith("{")
    usual = ", " if is_flow else "\n" + " " * (start - text.rfind("\n", 0, start) - 1)
    # A block of which nothing is left is an empty mapping, as braces with nothing between them are.
    written: list[str] = [] if entries or is_flow else ["{}"]
    for key, before in zip(row.values, ["", *between], strict=True):
        members = [_member(text, row, entry) for entry in entries if entry.old == key]
        if before.strip(_BETWEEN) or (members and written):
            written.append(before)
        if members:
            written.append(usual.join(members))
    return "".join(written)


def _member(text: str, row: YamlRow, entry: TranslatedEntry) -> str:
    key, value = row.keys[entry.old], row.values[entry.old]
    name = text[key.start : key.end]
    if entry.name != entry.old:
        name = respelled(name, entry.name)
    said = text[value.start : value.end]
    if entry.converted and isinstance(entry.value, Decimal):
        said = printed(entry.value)
        said = said if entry.value.is_finite() else said.replace("inf", ".inf").replace("nan", ".nan")
    return name + text[key.end : value.start] + said
