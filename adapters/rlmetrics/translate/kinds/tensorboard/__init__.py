"""TensorBoard event files: the tags of scalars, tensors and histograms, and the layouts that name tags."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from ...errors import InputError
from ...report import Report
from ...translator import Translator
from .events import Rewriter
from .messages import event_class, hyperparameters_in
from .tags import plugin_data_of, routes_of, tags_in_layouts, tags_of, texts_of
from .tfrecord import Extent

__all__ = ["argument_texts", "files_of", "hyperparameters", "members", "names", "recognises", "settings", "translate"]

_NAME = "tfevents"
_ARGUMENTS = "args/text_summary"
_HYPERPARAMETERS = "_hparams_/session_start_info"
_TIME = re.compile(r"[0-9]+(?:\.[0-9]+)?")
"""What the folder with hyperparameters is called: the time at which they were written."""
_SAMPLE_BYTES = 4_000_000


def recognises(path: Path) -> bool:
    """Tell whether ``path`` is named like an event file."""
    return _NAME in path.name


def members(folder: Path) -> list[Path]:
    """Return the event files of ``folder``: for TensorBoard they are one run, read in the order of their names."""
    return sorted(path for path in folder.iterdir() if _NAME in path.name and path.is_file())


def names(path: Path) -> list[str]:
    """Return the tags near the beginning of an event file, or of those of a run; without any, those of its layouts."""
    event_class()
    files = files_of(path)
    tags = tags_of(files, {file: Extent() for file in files}, most=_SAMPLE_BYTES)
    return tags or tags_in_layouts(files, {file: Extent() for file in files})


def settings(path: Path) -> list[str]:
    """Return the names of the arguments that transformers' callback wrote as a text at the beginning of a run."""
    names: dict[str, None] = {}
    for text in argument_texts(path):
        try:
            read = json.loads(text)
        except ValueError:
            continue
        names.update(dict.fromkeys(read if isinstance(read, dict) else ()))
    return list(names)


def argument_texts(path: Path) -> list[bytes]:
    """Return the arguments that transformers' callback wrote as texts at the beginning of a run."""
    event_class()
    return [text for file in files_of(path) for text in texts_of(file, _ARGUMENTS, most=_SAMPLE_BYTES)]


def hyperparameters(path: Path) -> dict[str, Any]:
    """Return the hyperparameters of a run, which Accelerate writes to a folder of their own below that of the run."""
    event_class()
    below = [folder for folder in path.iterdir() if _TIME.fullmatch(folder.name)] if path.is_dir() else []
    files = [*files_of(path), *(file for folder in sorted(below) if folder.is_dir() for file in members(folder))]
    found: dict[str, Any] = {}
    for file in files:
        for content in plugin_data_of(file, _HYPERPARAMETERS, most=_SAMPLE_BYTES):
            found.update(hyperparameters_in(content))
    return found


def translate(path: Path, output: Path, translator: Translator, report: Report) -> None:
    """Write an event file, or those of a run, with translated tags to ``output``.

    Steps, wall times, values and plugin data stay. A torn last record is left out and accounted for.

    Raises:
        InputError: If a record is damaged, or a value can't be converted.
    """
    event_class()
    files = files_of(path)
    extents = {file: Extent() for file in files}
    try:
        routes = routes_of(files, extents, translator)
    except InputError as error:
        raise error if str(error).startswith(str(path)) else InputError(str(error), path) from None
    rewriter = Rewriter(routes, translator, report)
    output_is_folder = path.is_dir()
    if output_is_folder:
        output.mkdir(exist_ok=True)
    for file in files:
        extent = extents[file]
        report.records += rewriter.rewrite(file, output / file.name if output_is_folder else output, extent)
        report.lost.records += extent.torn > 0
        report.lost.bytes += extent.torn


def files_of(path: Path) -> list[Path]:
    """Return the event files of a run."""
    return members(path) if path.is_dir() else [path]
