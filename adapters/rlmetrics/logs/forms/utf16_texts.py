"""Texts in UTF-16, as PowerShell's ``>`` and "Unicode text" of spreadsheets write them; a copy is UTF-16, too."""

from __future__ import annotations

import codecs
from functools import partial
from pathlib import Path

from ..input_errors import InputError
from .form import Form, below

__all__ = ["FORMS"]

_SIGNS = 1 << 18
_TEXTS = frozenset({"", ".txt", ".log", ".out", ".err", ".csv", ".tsv", ".json", ".jsonl", ".ndjson"})
"""How files end that may be UTF-16 without a mark: a program that appends to such a file writes none."""


def _is_marked(mark: bytes, path: Path, begin: bytes) -> bool:
    return begin.startswith(mark) and not begin.startswith(codecs.BOM_UTF32_LE)


def _is_bare(path: Path, begin: bytes) -> bool:
    """Tell whether a text has a zero in every second byte, as Latin letters have in UTF-16."""
    return (
        path.suffix.lower() in _TEXTS
        and len(begin) >= 64
        and b"\0\0" not in begin
        and begin[1::2].count(0) > 0.9 * (len(begin) // 2)
        and begin[0::2].count(0) == 0
    )


def _open(encoding: str, path: Path, folder: Path) -> Path:
    plain = below(folder, path.name)
    try:
        with path.open(encoding=encoding, newline="") as text, plain.open("w", encoding="utf-8", newline="") as file:
            first = text.read(_SIGNS).removeprefix("\ufeff")
            while first:
                file.write(first)
                first = text.read(_SIGNS)
    except UnicodeError:
        msg = "is UTF-16 text, and not all of it: parts are in another encoding, or it was cut off"
        raise InputError(msg, path) from None
    return plain


def _close(encoding: str, plain: Path, path: Path) -> None:
    with plain.open(encoding="utf-8", newline="") as text, path.open("w", encoding=encoding, newline="") as file:
        file.write("\ufeff")
        while part := text.read(_SIGNS):
            file.write(part)


FORMS = (
    *(
        Form("UTF-16 text", partial(_is_marked, mark), partial(_open, name), partial(_close, name))
        for mark, name in ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
    ),
    Form("UTF-16 text", _is_bare, partial(_open, "utf-16-le"), partial(_close, "utf-16-le")),
)
