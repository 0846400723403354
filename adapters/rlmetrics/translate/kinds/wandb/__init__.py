"""Offline runs of W&B: a ``run-*.wandb`` file, or the folder that it lies in with its media and settings."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...decimals import number, written
from ...errors import InputError
from ...report import Report
from ...translator import Translator
from .items import is_own
from .messages import record_class
from .run import Options, config_names, history_names, rows_of, translate_run
from .transactions import FILE_HEADER

__all__ = ["Options", "is_left_behind", "members", "names", "recognises", "releases", "rows", "settings", "translate"]

_SUFFIX = ".wandb"
_MARKERS = (".synced", ".syncstate")
"""What ``wandb sync`` leaves beside a run that it has sent; the copy has not been sent."""
_SAMPLE_ROWS = 200
_REQUIREMENT = re.compile(r"^(trl|verl)==([0-9][^\s;+]*)", re.MULTILINE)


def recognises(path: Path) -> bool:
    """Tell whether ``path`` is a file of W&B."""
    if path.suffix != _SUFFIX:
        return False
    with path.open("rb") as file:
        return file.read(4) == FILE_HEADER[:4]


def members(folder: Path) -> list[Path]:
    """Return the files of a run's folder; none if it is no such folder. Marks of past syncing don't belong to it."""
    if not any(recognises(path) for path in folder.glob(f"*{_SUFFIX}")):
        return []
    return sorted(
        path
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink() and not is_left_behind(path) and "tfevents" not in path.name
    )


def is_left_behind(path: Path) -> bool:
    """Tell whether a file is a mark of past syncing, or the link to the log of W&B's service, which lies elsewhere."""
    return path.suffix in _MARKERS or (path.name == "debug-core.log" and path.is_symlink())


def names(path: Path) -> list[str]:
    """Return the names in the first rows of a run."""
    record_class()
    files = [file for file in members(path) if file.suffix == _SUFFIX] if path.is_dir() else [path]
    return [name for file in files for name in history_names(file, _SAMPLE_ROWS)]


def releases(path: Path) -> dict[str, str]:
    """Return which releases of frameworks the run says were installed."""
    requirements = path / "files" / "requirements.txt"
    if not requirements.is_file():
        return {}
    return dict(_REQUIREMENT.findall(requirements.read_text(encoding="utf-8", errors="replace")))


def settings(path: Path) -> list[str]:
    """Return the names in the configuration that was recorded before the first row of a run."""
    record_class()
    files = [file for file in members(path) if file.suffix == _SUFFIX] if path.is_dir() else [path]
    return [name for file in files for name in config_names(file)]


def rows(path: Path) -> Iterator[tuple[None, dict[str, Any]]]:
    """Yield the rows of a run, and what its summary is given, in the order of the records.

    Raises:
        InputError: As ``translate``.
    """
    record_class()
    for file in [file for file in members(path) if file.suffix == _SUFFIX] if path.is_dir() else [path]:
        for row in rows_of(file):
            yield None, row


def translate(path: Path, output: Path, translator: Translator, report: Report, options: Options | None = None) -> None:
    """Write a run, or its folder, with translated names to ``output``.

    History, summary and definitions of metrics are renamed; the configuration says what the names were.

    Raises:
        InputError: If the run is damaged, or a value can't be converted.
    """
    record_class()
    options = options or Options()
    if path.is_file():
        translate_run(path, output, translator, report, options)
        return
    for file in members(path):
        goal = output / file.relative_to(path)
        goal.parent.mkdir(parents=True, exist_ok=True)
        if file.parent == path and recognises(file):
            translate_run(file, goal, translator, report, options)
        elif file == path / "files" / "wandb-summary.json":
            _summary(file, goal, translator)
        else:
            shutil.copyfile(file, goal)


def _summary(path: Path, output: Path, translator: Translator) -> None:
    """Write the copy of the summary that lies beside the run; one that was not finished is copied as it is."""
    try:
        row = json.loads(path.read_bytes(), parse_int=number, parse_float=number)
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, dict):
        shutil.copyfile(path, output)
        return
    try:
        renamed = translator.row({name: value for name, value in row.items() if not is_own(name)})
    except InputError as error:
        raise InputError(str(error), path) from None
    own = {name: value for name, value in row.items() if is_own(name)}
    output.write_text(written(renamed | own), encoding="utf-8")
