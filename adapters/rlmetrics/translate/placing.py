"""Puts output in place, whole or not at all, and clears away what a killed process left of an earlier attempt.

What is being written lies in a folder ``.NAME.XXXXXXXX.part`` beside the output, with a file that its process keeps
locked. The lock ends with the process, whatever ends it, and on whichever machine; numbers of processes say nothing in
containers, where they are all 1.
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import IO

from rlmetrics.logs.files import is_unfinished, naming, require_ordinary
from rlmetrics.logs.input_errors import InputError

if sys.platform != "win32":
    import fcntl

__all__ = ["recover", "replacing"]

_LOCK, _NEW, _OLD = "lock", "new", "old"
_MOST_BYTES = 200
"""How much of the output's name is in that of the folder; the file that is locked holds all of it."""
_YOUNG_S = 60
"""A folder without that file, younger than this, may be one that is just being made."""
_AT_FDCWD, _EXCHANGE = -100, 2


def recover(output: Path) -> list[str]:
    """Clear away what killed processes left of earlier attempts to write ``output``, and say what was done.

    If one was killed while it replaced a folder, and the old one has no name, it gets it back.
    """
    said = []
    for folder in _attempts(output):
        is_left, lock = _claim(folder, output)
        if is_left is None:
            said.append(f"{folder}: is left of a killed translation, unless one still runs; delete it then")
        if not is_left:
            continue
        with lock or nullcontext():
            old = folder / _OLD
            if old.exists() and not output.exists():
                old.rename(output)
                said.append(f"{output}: is again what a killed translation had moved aside")
            shutil.rmtree(folder, ignore_errors=True)
            said.append(f"{folder}: was left by a killed translation; {'delete it' if folder.exists() else 'removed'}")
    return said


@contextmanager
def replacing(output: Path, *, force: bool = True) -> Iterator[Path]:
    """Give a temporary path to write to and put it in the place of ``output`` only if nothing was raised.

    The caller creates the temporary path, as a file or a folder; if it does not, nothing is put in place. Without
    ``force`` nothing is replaced, even if another program has put it there meanwhile.

    Raises:
        InputError: If something other than a file or a folder is there, or anything without ``force``.
        OSError: As the system says, with the name of ``output`` if there is no room.
    """
    require_ordinary(output)
    recover(output)
    with naming(output):
        folder, lock = _begin(output)
        with lock:
            try:
                new = folder / _NEW
                yield new
                if new.exists():
                    _put(new, output, folder / _OLD if force else None)
            finally:
                shutil.rmtree(folder, ignore_errors=True)


def _put(new: Path, output: Path, aside: Path | None) -> None:
    """Move what is complete to its place, and what was there to ``aside``; without that nothing may be there."""
    if new.is_file():
        with new.open("rb") as written:
            os.fsync(written.fileno())
    if aside is None:
        _put_where_nothing_is(new, output)
    elif not output.is_dir():
        new.replace(output)
    elif not _exchanged(new, output):
        output.rename(aside)
        try:
            new.rename(output)
        except OSError:
            aside.rename(output)
            raise


def _put_where_nothing_is(new: Path, output: Path) -> None:
    try:
        if new.is_file():
            os.link(new, output)  # unlike a rename, this replaces nothing
        else:
            new.rename(output)  # replaces an empty folder at most
    except OSError as error:
        if os.path.lexists(output):
            msg = "was written by another program meanwhile; choose another place with -o, or overwrite it with --force"
            raise InputError(msg, output) from None
        if new.is_dir() or error.errno == errno.ENOSPC:
            raise
        new.rename(output)  # a file system without links


def _exchanged(one: Path, other: Path) -> bool:
    """Let two paths change places in one step, and tell whether the system can do that."""
    if not sys.platform.startswith("linux"):
        return False
    import ctypes

    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None:
        return False
    done: int = rename(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _EXCHANGE)
    return done == 0


def _prefix(output: Path) -> str:
    return f".{os.fsdecode(os.fsencode(output.name)[:_MOST_BYTES])}."


def _begin(output: Path) -> tuple[Path, IO[bytes]]:
    """Make the folder of an attempt, and lock it; another process may take it for a leftover before it is locked."""
    while True:
        folder = Path(tempfile.mkdtemp(".part", _prefix(output), output.parent))
        with suppress(FileNotFoundError):
            lock = (folder / _LOCK).open("xb", buffering=0)
            try:
                lock.write(os.fsencode(output.name))
            except OSError:  # a full disk: even these few bytes
                shutil.rmtree(folder, ignore_errors=True)
                raise
            try:
                if sys.platform != "win32":
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                lock.close()
                continue
            except OSError:
                return folder, lock  # a file system without locks
            if (folder / _LOCK).exists():
                return folder, lock
            lock.close()


def _attempts(output: Path) -> list[Path]:
    """Return the folders of attempts to write an output."""
    prefix, attempts = _prefix(output), []
    with suppress(OSError):
        for entry in os.scandir(output.parent):
            path = output.parent / entry.name
            if entry.name.startswith(prefix) and is_unfinished(path) and len(entry.name) == len(prefix) + 13:
                attempts.append(path)
    return sorted(attempts)


def _claim(folder: Path, output: Path) -> tuple[bool | None, IO[bytes] | None]:
    """Lock what may be left of an attempt.

    Returns:
        Whether nobody works there any more, with the lock; None if that can't be told.
    """
    try:
        lock = (folder / _LOCK).open("r+b")
    except FileNotFoundError:
        with suppress(FileNotFoundError):
            return time.time() - folder.stat().st_mtime > _YOUNG_S, None
        return False, None
    except OSError:
        return None, None
    if sys.platform != "win32":
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.close()
            return False, None
        except OSError:
            lock.close()
            return None, None
    if lock.read() not in {b"", os.fsencode(output.name)}:
        lock.close()
        return False, None
    return True, lock
