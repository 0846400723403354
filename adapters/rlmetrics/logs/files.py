"""Which files may be read and written: what is packed, where output goes by default, and what it may replace."""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .input_errors import InputError

__all__ = [
    "COMPRESSED",
    "compression_of",
    "default_output",
    "discard",
    "is_unfinished",
    "naming",
    "require_free",
    "require_ordinary",
    "resolved",
    "text_in",
]

COMPRESSED = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\0": "xz", b"\x28\xb5\x2f\xfd": "zstd"}
"""How files begin that other programs packed."""
_PART = re.compile(r"\..+\.[a-z0-9_]{8}\.part", re.DOTALL)
_SUFFIX = ".translated"
_LONGEST = 255
"""Bytes that a file name may have, on nearly every file system."""
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def compression_of(path: Path) -> str | None:
    """Return what a file was packed with; None if it was not."""
    with path.open("rb") as file:
        begin = file.read(8)
    return next((name for mark, name in COMPRESSED.items() if begin.startswith(mark)), None)


def resolved(path: Path) -> Path:
    """Return a path without links.

    Raises:
        InputError: If it is a link that leads in a circle.
    """
    try:
        return path.resolve()
    except (RuntimeError, OSError):  # up to Python 3.12 a circle is a RuntimeError
        msg = "is a symbolic link that leads in a circle; remove it"
        raise InputError(msg, path) from None


def text_in(path: Path, fix: str) -> str:
    """Return the text of a file.

    Args:
        path: The file.
        fix: What to say to whoever gives one that is not UTF-8.

    Raises:
        InputError: If it is not UTF-8.
    """
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        msg = f"is not UTF-8 text; {fix}"
        raise InputError(msg, path, 1, error.start + 1) from None


def is_unfinished(path: Path) -> bool:
    """Tell whether a path is a folder in which an output is, or was, being written."""
    return _PART.fullmatch(path.name) is not None and path.is_dir() and not path.is_symlink()


def default_output(source: Path) -> Path:
    """Return where the translation of ``source`` goes when nobody says: beside it, with ``.translated`` appended.

    Raises:
        InputError: If that would be no name.
    """
    named = source if source.name not in {"", ".."} else resolved(source)
    name = f"{named.name}{_SUFFIX}"
    if not named.name or len(os.fsencode(name)) > _LONGEST:
        why = "would be too long with" if named.name else "does not exist, to be followed by"
        msg = f"its name {why} {_SUFFIX}; say with -o where the copy goes"
        raise InputError(msg, source)
    return named.with_name(name)


def require_ordinary(output: Path, option: str = "-o") -> None:
    """Make sure that nothing but a file, a folder, or nothing is at a place that is to be written.

    Raises:
        InputError: If it has no name, or is a device, a pipe, a socket or a link: none of these is replaced.
    """
    if output.name in {"", "..", "-"}:
        # `-` is meant for standard output, where the report goes.
        msg = f"{str(output)!r} is no name of a file or folder that could be written; choose one with {option}"
        raise InputError(msg)
    try:
        mode = output.lstat().st_mode
    except FileNotFoundError:
        return
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        what = "a symbolic link" if stat.S_ISLNK(mode) else "a device, a pipe or a socket"
        msg = f"is {what}, which is neither replaced nor followed; choose another place with {option}"
        raise InputError(msg, output)


def require_free(output: Path, source: Path, *, force: bool) -> None:
    """Make sure that ``output`` may be written.

    Raises:
        InputError: If it exists and ``force`` is off, is neither a file nor a folder, is the input, lies inside it, or
            its folder is missing.
    """
    require_ordinary(output)
    real, original = resolved(output), resolved(source)
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


def discard(path: Path) -> None:
    """Remove a file or folder, if there is one."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


class _NamedError(OSError):
    """An error that names the right file."""


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Let errors for lack of room name ``path``: the system names no file, a temporary one, or the one that is read."""
    try:
        yield
    except _NamedError:
        raise
    except OSError as error:
        if error.errno not in _FULL:
            raise
        raise _NamedError(error.errno, os.strerror(error.errno), str(path)) from error
