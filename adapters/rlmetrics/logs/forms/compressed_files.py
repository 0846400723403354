"""Files that were packed with gzip, bzip2, xz or zstd; a copy is packed likewise."""

from __future__ import annotations

import bz2
import gzip
import lzma
import shutil
import zlib
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from ..files import COMPRESSED
from ..input_errors import InputError
from .form import Form, below, plain_name

__all__ = ["FORMS"]

_ENDINGS = frozenset({".gz", ".bz2", ".xz", ".zst", ".zstd", ".gzip"})
_ARCHIVES = {".tgz": ".tar", ".tbz2": ".tar", ".txz": ".tar"}
_CHUNK = 1 << 20


def _zstd(path: Path, mode: str) -> Any:
    """Open a file of zstd by whatever is installed for it."""
    try:
        from compression import zstd  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        pass
    else:
        return zstd.open(path, mode)
    pyarrow = import_module("pyarrow")
    if mode == "rb":
        return pyarrow.CompressedInputStream(pyarrow.OSFile(str(path), "rb"), "zstd")
    return pyarrow.CompressedOutputStream(pyarrow.OSFile(str(path), "wb"), "zstd")


_OPENERS: dict[str, Callable[..., Any]] = {
    "gzip": gzip.open,
    "bzip2": bz2.open,
    "xz": lzma.open,
    "zstd": _zstd,
}


def _is_one(begins: bytes, path: Path, begin: bytes) -> bool:
    return begin.startswith(begins)


def _open(name: str, path: Path, folder: Path) -> Path:
    suffix = _ARCHIVES.get(path.suffix.lower())
    plain = below(folder, plain_name(path, _ENDINGS), suffix)
    try:
        with _OPENERS[name](path, "rb") as packed, plain.open("wb") as file:
            shutil.copyfileobj(packed, file, _CHUNK)
    except ModuleNotFoundError:
        msg = "is compressed with zstd, which needs pyarrow; unpack it first, or pip install pyarrow"
        raise InputError(msg, path) from None
    except (EOFError, zlib.error, lzma.LZMAError, OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno is not None and error.strerror:
            raise
        msg = f"is compressed with {name}, and damaged or cut off; unpack what is left of it, and give that"
        raise InputError(msg, path) from None
    return plain


def _close(name: str, plain: Path, path: Path) -> None:
    with plain.open("rb") as file, _OPENERS[name](path, "wb") as packed:
        shutil.copyfileobj(file, packed, _CHUNK)


FORMS = tuple(
    Form(f"compressed with {name}", partial(_is_one, mark), partial(_open, name), partial(_close, name))
    for mark, name in COMPRESSED.items()
)
