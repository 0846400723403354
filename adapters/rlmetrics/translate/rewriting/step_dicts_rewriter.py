"""Writes dicts that were printed behind a step with other names in them."""

from __future__ import annotations

from pathlib import Path

from rlmetrics.logs.kinds.hf_console import FIELD, unquoted_key
from rlmetrics.logs.kinds.step_dicts import STEP_HEAD, StepDict, StepDicts, step_dict_in

from ..report import Report
from ..translator import Translator
from .console_lines import entries_of, number_like, translate_lines
from .log_rewriter import RowRewriter

__all__ = ["StepDictsRewriter"]


class StepDictsRewriter(RowRewriter[StepDicts]):
    """Writes a console with dicts that stand behind the number of their step."""

    def rewrite(self, output: Path, translator: Translator, report: Report) -> None:
        """Write a copy with the names in its dicts translated; all around them stays byte for byte.

        A last dict without its closing brace was cut off and is left out.

        Raises:
            InputError: If a value can't be converted.
        """

        def rewrite(text: str) -> tuple[str, int]:
            found = step_dict_in(text)
            return (text, 0) if found is None else (_written(text, found, translator), 1)

        def torn(text: str) -> bool:
            # Only at the end of the log is a step with further lines given without the end of its dict.
            goes_on = not text.endswith("\n") or "\n" in text[:-1]
            return goes_on and STEP_HEAD.search(text) is not None and step_dict_in(text) is None

        translate_lines(self.log, output, report, rewrite, torn)


def _written(text: str, found: StepDict, translator: Translator) -> str:
    """Return a text with its dict under other names, between them what stood between the old ones."""
    matches = list(FIELD.finditer(text, found.start, found.end))
    fields = {unquoted_key(field["key"]): field for field in matches}
    between = text[matches[0].end() : matches[1].start()] if len(matches) > 1 else ", "
    parts = []
    for entry in entries_of(found.fields, translator):
        field = fields[entry.old]
        name = field["key"] if entry.name == entry.old else repr(entry.name)
        value = number_like(field["value"], entry.value) if entry.converted else field["value"]
        parts.append(f"{name}: {value}")
    return text[: matches[0].start()] + between.join(parts) + text[matches[-1].end() :]
