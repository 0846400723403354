"""Writes TensorBoard's downloads: the name stands in that of the file, so that only values change within."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

from rlmetrics.logs.decimals import number, printed
from rlmetrics.logs.files import text_in
from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.jsontree import Array, Document, Node, Text, TreeError
from rlmetrics.logs.kinds.tensorboard_download import Download, DownloadedTags, file_name, points_in

from ..report import Report
from ..translator import TranslatedEntry, Translator
from .log_rewriter import LogRewriter

__all__ = ["DownloadRewriter", "converted_text"]


class DownloadRewriter(LogRewriter[DownloadedTags]):
    """Writes a download, or those of a folder, as which file names tell keys."""

    def rewrite(self, output: Path, translator: Translator, report: Report) -> None:
        """Write copies with values converted where they must be; files of a folder get the names of their new keys.

        Raises:
            InputError: If a file is damaged, its key can't be known, or a value can't be converted.
        """
        is_folder = self.log.path.is_dir()
        by_run: dict[str, dict[str, Download]] = {}
        for download in self.log.downloads:
            if self.only is None or download.run in self.only or not is_folder:
                _add(by_run, download)
        for run, downloads in by_run.items():
            entries = translator.entries({key: _values(download) for key, download in downloads.items()})
            for entry in entries:
                download = downloads[entry.old]
                name = file_name(run, entry.name, download.path.suffix)
                if is_folder:
                    output.mkdir(exist_ok=True)
                goal = output / name if is_folder else output
                goal.write_bytes(_written(download.path, entry, translator))
                if not is_folder and entry.name != entry.old:
                    report.notes.append(f"{download.path}: the name stands in that of the file: call the copy {name}")
            report.records += sum(1 for download in downloads.values() for _ in points_in(download.path))


def _add(by_run: dict[str, dict[str, Download]], download: Download) -> None:
    """Take a file to its run.

    Raises:
        InputError: If another one of the run has its key.
    """
    files = by_run.setdefault(download.run, {})
    if download.key in files:
        msg = f"holds {download.key}, as {files[download.key].path.name} does; leave one of them out"
        raise InputError(msg, download.path)
    files[download.key] = download


def _values(download: Download) -> str:
    """Return a text that is the same for the same values."""
    return "\n".join(f"{step} {value}" for _, step, value in points_in(download.path))


def _written(path: Path, entry: TranslatedEntry, translator: Translator) -> bytes:
    if not entry.converted:
        return path.read_bytes()
    text = text_in(path, "download it again")
    if path.suffix.lower() == ".json":
        return _json_written(path, text, entry, translator).encode()
    lines = text.splitlines(keepends=True)
    for index, line in enumerate(lines[1:], start=1):
        cells = line.rstrip("\r\n").split(",")
        if len(cells) == 3:
            end = line[len(line.rstrip("\r\n")) :]
            try:
                lines[index] = ",".join([*cells[:2], converted_text(cells[2], entry, translator)]) + end
            except InputError as error:
                raise InputError(str(error), path, index + 1) from None
    return "".join(lines).encode()


def _json_written(path: Path, text: str, entry: TranslatedEntry, translator: Translator) -> str:
    document = Document(text)
    try:
        tree = document.parse()
    except TreeError as error:
        msg = f"not JSON: {error}; download it again"
        raise InputError(msg, path, *document.position(error.offset)) from None
    for point in tree.items if isinstance(tree, Array) else ():
        if isinstance(point, Array) and len(point.items) == 3:
            value = point.items[2]
            old = _spelled(text, value)
            new = converted_text(old, entry, translator)
            if new != old:
                document.replace(value.start, value.end, f'"{new}"' if isinstance(value, Text) else new)
    return document.changed()


def _spelled(text: str, value: Node) -> str:
    return value.value if isinstance(value, Text) else text[value.start : value.end]


def converted_text(text: str, entry: TranslatedEntry, translator: Translator) -> str:
    """Return a value as it stands under its new key; what is no number stays."""
    value = number(text.strip())
    if not isinstance(value, Decimal) or value.is_nan():
        return text
    changed = translator.converted(entry.old, value)
    if changed.is_infinite():
        return ("-" if changed < 0 else "") + text.strip().lstrip("+-")
    return printed(changed)
