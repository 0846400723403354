"""The arguments that a trainer of TRL leaves beside its state."""

from __future__ import annotations

import pickletools
import re
import zipfile
from pathlib import Path

__all__ = ["folders_of_run", "settings_of_arguments"]

_ARGUMENTS = "training_args.bin"
_CHECKPOINT = re.compile(r"checkpoint-[0-9]+")
_MAX_BYTES = 1 << 24


def folders_of_run(folder: Path) -> list[Path]:
    """Return the folders that a run wrote to: that of its state, and, if it is a checkpoint's, the one above it."""
    return [folder, folder.parent] if _CHECKPOINT.fullmatch(folder.name) else [folder]


def settings_of_arguments(folder: Path) -> set[str]:
    """Return all texts among a trainer's arguments, as transformers pickles them; their names are some of these.

    Nothing of the pickle is executed: only its texts are read.
    """
    path = folder / _ARGUMENTS
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
