"""Where output goes: never over the input, and never half written."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .errors import InputError

__all__ = ["compression_of", "default_output", "replacing", "require_free"]

_COMPRESSED = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\0": "xz", b"\x28\xb5\x2f\xfd": "zstd"}
"""How files begin that other programs packed."""


def compression_of(path: Path) -> str | None:
    """Return what a file was packed with; None if it was not."""
    with path.open("rb") as file:
        begin = file.read(8)
    return next((name for mark, name in _COMPRESSED.items() if begin.startswith(mark)), None)


def default_output(source: Path) -> Path:
    """Return where the translation of ``source`` goes when nobody says: beside it, with ``.translated`` appended."""
    return source.with_name(f"{source.name}.translated")


def require_free(output: Path, source: Path, *, force: bool) -> None:
    """Make sure that ``output`` may be written.

    Raises:
        InputError: If it exists and ``force`` is off, is the input, lies inside it, or its folder is missing.
    """
    real, original = output.resolve(), source.resolve()
    if real == original or (source.is_dir() and original in real.parents) or real in original.parents:
        msg = "the output may not be the input or lie inside it; choose another place with -o"
        raise InputError(msg, output)
    if output.exists() and not force:
        msg = "exists already; choose another place with -o, or overwrite it with --force"
        raise InputError(msg, output)
    if output.is_dir() != source.is_dir() and output.exists():
        msg = "is a folder where a file would go, or a file where a folder would go; choose another place with -o"
        raise InputError(msg, output)
    if not output.parent.is_dir():
        msg = f"the folder {output.parent} does not exist; create it first"
        raise InputError(msg, output)


@contextmanager
def replacing(output: Path) -> Iterator[Path]:
    """Give a temporary sibling of ``output`` to write to and put it in place only if nothing was raised.

    The caller creates the temporary path, as a file or a folder; if it does not, nothing is put in place.
    """
    temporary = output.with_name(f".{output.name}.{os.getpid()}.part")
    _remove(temporary)
    try:
        yield temporary
        if not temporary.exists():
            return
        if temporary.is_file():
            with temporary.open("rb") as written:
                os.fsync(written.fileno())
        if output.is_dir():
            # A folder can't be replaced in one step: move the old one aside first, and drop it last.
            aside = output.with_name(f".{output.name}.{os.getpid()}.old")
            output.rename(aside)
            try:
                temporary.rename(output)
            except OSError:
                aside.rename(output)
                raise
            shutil.rmtree(aside)
        else:
            temporary.replace(output)
    finally:
        _remove(temporary)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
