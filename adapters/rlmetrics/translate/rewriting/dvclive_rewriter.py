"""Writes DVCLive's tables: the path of a file is the key, and its header repeats the last part of it."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from rlmetrics.logs.files import text_in
from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.kinds.dvclive import SUFFIX, DvcliveTable, DvcliveTables

from ..report import Report
from ..translator import TranslatedEntry, Translator
from .log_rewriter import LogRewriter
from .tensorboard_download_rewriter import converted_text

__all__ = ["DvcliveRewriter"]


class DvcliveRewriter(LogRewriter[DvcliveTables]):
    """Writes a table, or those of a run, at the places of their new keys."""

    def rewrite(self, output: Path, translator: Translator, report: Report) -> None:
        """Write copies with values converted where they must be; files of a folder lie where their new keys say.

        Raises:
            InputError: If a file is damaged, a value can't be converted, or a key can be no path.
        """
        is_folder = self.log.path.is_dir()
        tables = {table.key: table for table in self.log.tables}
        for entry in translator.entries({key: _values(table) for key, table in tables.items()}):
            table = tables[entry.old]
            place = f"{entry.name}{SUFFIX}"
            if is_folder:
                goal = output / _below(place, table.path)
                goal.parent.mkdir(parents=True, exist_ok=True)
            else:
                goal = output
                if entry.name != entry.old:
                    report.notes.append(f"{table.path}: the key is its place below plots/metrics: put it at {place}")
            goal.write_bytes(_written(table, entry, translator).encode())
        report.records += sum(1 for table in tables.values() for _ in table.points())


def _below(place: str, path: Path) -> PurePosixPath:
    """Return where a table lies below the folder of all.

    Raises:
        InputError: If its key would lead out of it.
    """
    found = PurePosixPath(place)
    if found.is_absolute() or ".." in found.parts:
        msg = f"{place} is no place below the folder; choose another target"
        raise InputError(msg, path)
    return found


def _values(table: DvcliveTable) -> str:
    """Return a text that is the same for the same values."""
    return "\n".join(f"{step} {value}" for _, step, value in table.points())


def _written(table: DvcliveTable, entry: TranslatedEntry, translator: Translator) -> str:
    lines = text_in(table.path, "copy it again from the run").splitlines(keepends=True) or [""]
    head = lines[0].rstrip("\r\n")
    titles = head.split("\t")
    if entry.name != entry.old:
        titles[-1] = entry.name.rpartition("/")[2]
    new = ["\t".join(titles) + lines[0][len(head) :]]
    for number, line in enumerate(lines[1:], start=2):
        text = line.rstrip("\r\n")
        cells = text.split("\t")
        if entry.converted and len(cells) == len(titles):
            try:
                cells[-1] = converted_text(cells[-1], entry, translator)
            except InputError as error:
                raise InputError(str(error), table.path, number) from None
        new.append("\t".join(cells) + line[len(text) :])
    return "".join(new)
