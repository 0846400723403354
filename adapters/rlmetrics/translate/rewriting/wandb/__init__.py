"""Writes offline runs of W&B with other names: the file, or the folder that it lies in."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import ClassVar

from rlmetrics.logs.decimals import number, written
from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.kinds.wandb import OfflineRun, members, recognises
from rlmetrics.logs.kinds.wandb.nested_names import NestedNames
from rlmetrics.logs.kinds.wandb.row_items import is_own

from ...report import Report
from ...translator import Translator
from ..log_rewriter import RowRewriter
from .nested_rows import nested_row
from .run_translation import translate_run

__all__ = ["OfflineRunRewriter"]


class OfflineRunRewriter(RowRewriter[OfflineRun]):
    """Writes a ``.wandb`` file, or the folder that it lies in."""

    advises: ClassVar[bool] = True

    def rewrite(self, output: Path, translator: Translator, report: Report) -> None:
        """Write a run, or its folder, with translated names.

        History, summary and definitions of metrics are renamed; the configuration says what the names were.

        Raises:
            InputError: If the run is damaged, or a value can't be converted.
        """
        path = self.log.path
        if path.is_file():
            translate_run(path, output, translator, report, self.options)
            return
        summary, names = path / "files" / "wandb-summary.json", NestedNames()
        for file in sorted(members(path), key=lambda file: file == summary):
            goal = output / file.relative_to(path)
            goal.parent.mkdir(parents=True, exist_ok=True)
            if file.parent == path and recognises(file):
                names = translate_run(file, goal, translator, report, self.options)
            elif file == summary:
                _summary(file, goal, translator, names)
            else:
                shutil.copyfile(file, goal)


def _summary(path: Path, output: Path, translator: Translator, names: NestedNames) -> None:
    """Write the copy of the summary that lies beside the run; one that was not finished is copied as it is."""
    try:
        row = json.loads(path.read_bytes(), parse_int=number, parse_float=number)
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, dict):
        shutil.copyfile(path, output)
        return
    try:
        logged = {name: value for name, value in row.items() if not is_own(name)}
        renamed = nested_row(logged, names, translator, summary=True)
    except InputError as error:
        raise InputError(str(error), path) from None
    own = {name: value for name, value in row.items() if is_own(name)}
    output.write_text(written(renamed | own), encoding="utf-8")
