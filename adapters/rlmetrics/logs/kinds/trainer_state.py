"""The ``trainer_state.json`` that Hugging Face trainers save: the names are those of ``log_history``.

The list alone, as people dump it to a file of its own, is read alike, and so is one of rows under another name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rlmetrics.lazy_dataclasses import replace

from ..input_errors import InputError
from ..jsonlists import Around, reading_list
from ..jsonspans import JsonError, members
from ..log import Kind, RowLog, arguments_among
from ..reading import Account, LoggedRow, Loss, RecordedRun, as_step
from ..run_settings import RunSettings, of_file

__all__ = ["KIND", "TrainerState", "around_rows", "folders_of_run", "settings_of_arguments"]

_HISTORY = re.compile(r'(?<!\\)"log_history"[ \t\r\n]*:[ \t\r\n]*\[')
_ROWS_BELOW = re.compile(r'(?<!\\)"[^"\\]*"[ \t\r\n]*:[ \t\r\n]*(?=\[[ \t\r\n]*\{)')
"""Where a list of objects begins, under whatever name."""
_DEEPEST = 3
_LIST = re.compile(r"\ufeff?[ \t\r\n]*\[")
_PROGRESS = {"step", "_step", "global_step", "epoch", "episode"}
"""What a logged row says about when it was logged, whatever stands before it."""
_SAMPLE = 1 << 20
_ARGUMENTS = ("training_args", "trainer_args", "training_arguments", "args")
"""What files beside a trainer's state are called that hold its arguments."""
_SUFFIXES = (".json", ".yaml", ".yml")
_PICKLED = "training_args.bin"
_CHECKPOINT = re.compile(r"checkpoint-[0-9]+")
_MAX_BYTES = 1 << 24


def recognises(path: Path) -> bool:
    """Tell whether ``path`` is JSON with a ``log_history``, or a list that begins with a logged row."""
    if path.suffix != ".json":
        return False
    try:
        text = _beginning(path)
    except UnicodeDecodeError:
        return False
    return path.name == "trainer_state.json" or _history(text) is not None or _begins_with_row(text)


class TrainerState(RowLog):
    """The state of a trainer, or the list of what it logged."""

    def names(self) -> set[str]:
        """Return the names of all logged rows."""
        with reading_list(self.path, around_rows(self.path), Loss()) as state:
            return {member.key for text, is_entry in state.pieces() if is_entry for member in state.members(text).items}

    def argument_names(self) -> dict[str | None, frozenset[str]]:
        """Return the names of the trainer's arguments that were saved beside a state, among other texts."""
        return {None: arguments_among(settings_of_arguments(self.path.parent))}

    def read_configuration(self) -> dict[str | None, RunSettings]:
        """Return the arguments that were saved beside a state, or one folder higher for that of a checkpoint."""
        folders = folders_of_run(self.path.parent)
        files = (folder / f"{name}{end}" for folder in folders for name in _ARGUMENTS for end in _SUFFIXES)
        for file in files:
            if file.is_file() and not file.is_symlink() and file != self.path:
                return {None: of_file(file)}
        return {None: RunSettings()}

    def rows(self) -> Iterator[tuple[None, dict[str, Any]]]:
        """Yield the rows, up to one that was cut off."""
        with reading_list(self.path, around_rows(self.path), Loss()) as state:
            for text, is_entry in state.pieces():
                if is_entry:
                    row = state.members(text)
                    try:
                        yield None, row.values(text)
                    except InputError as error:
                        raise state.refused(text, error) from None

    def read(self) -> Iterator[RecordedRun]:
        """Yield the run."""
        account = Account()

        def rows() -> Iterator[LoggedRow]:
            lost = Loss()
            with reading_list(self.path, around_rows(self.path), lost) as state:
                for text, is_entry in state.pieces():
                    if is_entry:
                        row = json.loads(text)
                        yield LoggedRow(as_step(row.get("step")), row)
            account.torn = lost.bytes

        yield self.run(rows(), account)


def _beginning(path: Path) -> str:
    with path.open(encoding="utf-8") as file:
        return file.read(_SAMPLE)


def _begins_with_row(text: str, stepped: bool = True) -> bool:
    """Tell whether the first element of a list holds a step, more numbers beside it than texts, and no object.

    Others may be a data set, or name metrics; callbacks of users add a word or a time to what is logged. With
    ``stepped`` off, it need not hold a step.
    """
    begin = _LIST.match(text)
    try:
        row = members(text, begin.end()).items if begin else ()
    except JsonError:
        return False
    firsts = {member.key: text[member.value_start] for member in row}
    progress = {key for key in firsts if key.rpartition("/")[2] in _PROGRESS}
    texts = sum(first == '"' for first in firsts.values())
    numbers = sum(first in "-0123456789" for key, first in firsts.items() if key not in progress)
    return bool(progress or not stepped) and "{" not in firsts.values() and (not texts or numbers > texts)


def around_rows(path: Path) -> Around:
    """Return what stands around the rows of a file."""
    try:
        text = _beginning(path)
    except UnicodeDecodeError:
        return _STATE
    if _LIST.match(text):
        return _ROWS
    found = _known_history(text)
    depth = 1 if found is None else found[1]
    return replace(_STATE, opening='{"": ' * depth + "[", closing="]" + "}" * depth)


def _list_head(text: str) -> int | None:
    begin = _LIST.match(text)
    return begin.end() if begin else None


def _state_head(text: str) -> int | None:
    """Return where the list of the history begins, if what stands before it can be the beginning of a state."""
    found = _known_history(text)
    return None if found is None else found[0]


def _known_history(text: str) -> tuple[int, int] | None:
    """Return what `_history` does of a file that is known to be a state: its rows may have lost their steps.

    A translation that drops what the source does not know has written such rows.
    """
    return _history(text) or _history(text, stepped=False)


def _history(text: str, stepped: bool = True) -> tuple[int, int] | None:
    """Return where the history begins, and in how many objects it lies: what is called so, or else the first rows."""
    for begin in _HISTORY.finditer(text):
        depth = _depth(text[: begin.end() - 1])
        if depth is not None:
            return begin.end(), depth
    for begin in _ROWS_BELOW.finditer(text):
        if _begins_with_row(text[begin.end() :], stepped):
            depth = _depth(text[: begin.end()])
            if depth is not None:
                return begin.end() + 1, depth
    return None


def _depth(text: str) -> int | None:
    """Return in how many objects a list would lie after a text; None if none can stand there."""
    for depth in range(1, _DEEPEST + 1):
        try:
            members(f"{text}[]{'}' * depth}")
        except JsonError:
            continue
        return depth
    return None


_STATE = Around(
    head=_state_head,
    opening='{"": [',
    closing="]}",
    what="trainer state",
    missing="there is no log_history; is this a trainer_state.json?",
)
_ROWS = Around(
    head=_list_head, opening="[", closing="]", what="list of rows", missing="there is no list; is this a log?"
)

KIND = Kind("trainer-state", recognises, TrainerState)


def folders_of_run(folder: Path) -> list[Path]:
    """Return the folders that a run wrote to: that of its state, and, if it is a checkpoint's, the one above it."""
    return [folder, folder.parent] if _CHECKPOINT.fullmatch(folder.name) else [folder]


def settings_of_arguments(folder: Path) -> set[str]:
    """Return all texts among a trainer's arguments, as transformers pickles them; their names are some of these.

    Nothing of the pickle is executed: only its texts are read.
    """
    # Few runs are asked for this, and each check reads this module.
    import pickletools
    import zipfile

    path = folder / _PICKLED
    if not path.is_file() or path.is_symlink() or path.stat().st_size > _MAX_BYTES:
        return set()
    try:
        with zipfile.ZipFile(path) as archive:
            name = next(name for name in archive.namelist() if name.endswith("/data.pkl"))
            if archive.getinfo(name).file_size > _MAX_BYTES:
                return set()
            pickled = archive.read(name)
        return {argument for _, argument, _ in pickletools.genops(pickled) if isinstance(argument, str)}
    except (OSError, ValueError, StopIteration, zipfile.BadZipFile, NotImplementedError, RuntimeError):
        return set()
