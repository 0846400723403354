"""Archives of a run's folder or of downloads: zip and tar, packed or not.

Only plain files are taken out, to places below the archive's own: what leads elsewhere is left out.
"""

from __future__ import annotations

import errno
import shutil
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO

from ..input_errors import InputError
from .form import Form

__all__ = ["FORMS"]

_MOST_BYTES = 1 << 33
_MOST_FILES = 100_000
_TAR_AT, _TAR = 257, b"ustar"
_SAVED = ("data.pkl", ".npy", "[Content_Types].xml", "META-INF/MANIFEST.MF")
"""How members end of zips that are none of folders: what PyTorch and NumPy save, Office, Java."""


def _is_zip(path: Path, begin: bytes) -> bool:
    if not begin.startswith(b"PK\x03\x04"):
        return False
    with suppress(zipfile.BadZipFile, OSError, ValueError), zipfile.ZipFile(path) as archive:
        return not any(name.endswith(_SAVED) for name in archive.namelist())
    return path.suffix.lower() == ".zip"  # what is wrong is told when it is opened


def _is_tar(path: Path, begin: bytes) -> bool:
    return begin[_TAR_AT : _TAR_AT + len(_TAR)] == _TAR


def _open_zip(path: Path, folder: Path) -> Path:
    try:
        with zipfile.ZipFile(path) as archive:
            members = [one for one in archive.infolist() if not one.is_dir()]
            _require_small(path, len(members), sum(one.file_size for one in members))
            _put(((one.filename, archive.open(one)) for one in members), folder)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError, OSError) as error:
        _require_room(error)
        why = "has a password" if "password" in str(error) else "is damaged or cut off"
        msg = f"is a zip archive that {why}; unpack it, and give the folder"
        raise InputError(msg, path) from None
    return folder


def _open_tar(path: Path, folder: Path) -> Path:
    try:
        with tarfile.open(path) as archive:
            members = [one for one in archive if one.isreg()]
            _require_small(path, len(members), sum(one.size for one in members))
            _put(((one.name, file) for one in members if (file := archive.extractfile(one))), folder)
    except (tarfile.TarError, EOFError, ValueError, OSError) as error:
        _require_room(error)
        msg = "is a tar archive that is damaged or cut off; unpack it, and give the folder"
        raise InputError(msg, path) from None
    return folder


def _require_small(path: Path, files: int, size: int) -> None:
    """Make sure that an archive is not larger than what is unpacked on the way.

    Raises:
        InputError: If it is.
    """
    if files > _MOST_FILES or size > _MOST_BYTES:
        msg = f"is an archive of {files:,} files and {size:,} bytes; unpack it, and give the folder of the run"
        raise InputError(msg, path)


def _require_room(error: Exception) -> None:
    """Raise an error again that says that there is no room, or that a file can't be read at all."""
    if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
        raise error


def _put(members: Iterator[tuple[str, IO[bytes]]], folder: Path) -> None:
    for name, content in members:
        with content:
            parts = name.replace("\\", "/").split("/")
            if name.startswith("/") or ".." in parts or "\0" in name or ":" in parts[0]:
                continue
            place = folder.joinpath("content", *(part for part in parts if part not in {"", "."}))
            with suppress(NotADirectoryError, IsADirectoryError, FileExistsError):
                place.parent.mkdir(parents=True, exist_ok=True)
                with place.open("wb") as file:
                    shutil.copyfileobj(content, file)


FORMS = (
    Form("a zip archive", _is_zip, _open_zip, is_archive=True),
    Form("a tar archive", _is_tar, _open_tar, is_archive=True),
)
