"""Writes an object of lists of numbers under other keys."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

from rlmetrics.logs.decimals import number, printed, spelled
from rlmetrics.logs.kinds.json_columns import JsonColumns

from ..report import Report
from ..translator import Translator
from .log_rewriter import RowRewriter

__all__ = ["JsonColumnsRewriter"]


class JsonColumnsRewriter(RowRewriter[JsonColumns]):
    """Writes columns, one a line, with each number as it was spelled unless it is converted."""

    def rewrite(self, output: Path, translator: Translator, report: Report) -> None:
        """Write a copy with other keys.

        Raises:
            InputError: If a value can't be converted.
        """
        columns = self.log.columns()
        written: dict[str, list[str]] = {}
        count = len(next(iter(columns.values())))
        for place in range(count):
            row = {key: text for key, texts in columns.items() if (text := texts[place]) is not None}
            entries = translator.moves(tuple(row))
            if entries is None:
                entries = translator.entries({key: number(text) for key, text in row.items()})
            for entry in entries:
                text = row[entry.old]
                if entry.converted and isinstance(entry.value, Decimal):
                    text = printed(entry.value) if entry.value.is_finite() else spelled(entry.value)
                texts = written.setdefault(entry.name, [])
                texts += ["null"] * (place - len(texts))
                texts.append(text)
        report.records += count
        lines = (
            f"{json.dumps(name)}: [{', '.join([*texts, *['null'] * (count - len(texts))])}]"
            for name, texts in written.items()
        )
        output.write_text("{" + ",\n ".join(lines) + "}\n", encoding="utf-8")
