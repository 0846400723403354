"""Writes an object of curves under other keys."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

from rlmetrics.logs.decimals import number, printed, spelled
from rlmetrics.logs.kinds.json_curves import JsonCurves, by_step

from ..report import Report
from ..translator import Translator
from .log_rewriter import RowRewriter

__all__ = ["JsonCurvesRewriter"]


class JsonCurvesRewriter(RowRewriter[JsonCurves]):
    """Writes curves as lists of steps and values, each number as it was spelled unless it is converted."""

    def rewrite(self, output: Path, translator: Translator, report: Report) -> None:
        """Write a copy with other keys.

        Raises:
            InputError: If a value can't be converted.
        """
        curves = self.log.curves()
        written: dict[str, list[str]] = {}
        rows = by_step(curves)
        for step, row in rows:
            entries = translator.moves(tuple(row))
            if entries is None:
                entries = translator.entries({key: number(point.value) for key, point in row.items()})
            for entry in entries:
                point = row[entry.old]
                text = point.value
                if entry.converted and isinstance(entry.value, Decimal):
                    text = printed(entry.value) if entry.value.is_finite() else spelled(entry.value)
                members = f'"step": {step}, "value": {text}{point.times}'
                written.setdefault(entry.name, []).append(f"{{{members}}}")
        report.records += len(rows)
        lines = (f"{json.dumps(name)}: [{', '.join(points)}]" for name, points in written.items())
        text = "{" + ",\n ".join(lines) + "}"
        if curves.below is not None:
            others = (f"{json.dumps(name)}: {json.dumps(held)},\n" for name, held in curves.others.items())
            text = f"{{{''.join(others)}{json.dumps(curves.below)}: {text}}}"
        output.write_text(f"{text}\n", encoding="utf-8")
