"""The file that a SwanLab run is kept in: ``run-*.swanlab``, or ``backup.swanlab`` before release 0.7.

Its chunks are those of W&B's file. A record is one value: a message of SwanLab's schema, of which the few fields that
are needed are read here, or, in the older file, JSON.

Source: `swanlab/proto/swanlab/record/v1` and `metric/data/v1` of 0.10.3, `swanlab/proto/v0.py` of 0.6.8.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from rlmetrics.names.settings.configuration import is_plain

from ..input_errors import InputError
from ..kinds.wandb.transactions import Tail, records
from ..run_settings import named_file
from .form import Form
from .pandas_json import as_lines

__all__ = ["FORMS", "IDENT"]

IDENT = b":SWL"
_HEADERS = tuple(IDENT + struct.pack("<HB", 0xE1D6, version) for version in (0, 1, 2))
_SCALAR = 13
"""The field of a record that holds a value."""
_KEY, _STEP, _VALUE, _NUMBER = 1, 2, 5, 1
_VARINT, _DOUBLE, _BYTES, _FLOAT = 0, 1, 2, 5
_WORDS = {"nan", "inf", "-inf", "infinity", "-infinity"}


def _is_run(path: Path, begin: bytes) -> bool:
    return begin.startswith(_HEADERS)


def _open_run(path: Path, folder: Path) -> Path:
    return as_lines(_rows(path), path, folder)


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the settings of a run, if they lie beside it, and a row for each step, in the order of the values.

    Raises:
        InputError: The file is damaged, or holds no value.
    """
    with suppress(InputError):
        settings = named_file(path.parent / "files" / "config.yaml")
        yield {"config": {name: value for name, value in settings.items() if is_plain(value)}}
    row: dict[str, Any] = {}
    with path.open("rb") as file:
        header = file.read(len(_HEADERS[0]))
    for _, record in records(path, Tail(), header=header):
        point = _point(record)
        if point is None:
            continue
        step, key, value = point
        if row and (step != row["step"] or key in row):
            yield row
            row = {}
        row["step"] = step
        row.setdefault(key, value)
    if not row:
        msg = "holds no value: nothing was logged, or the run ended before anything was written"
        raise InputError(msg, path)
    yield row


def _point(record: bytes) -> tuple[int, str, float] | None:
    """Return step, key and value of a record; None if it is something else, such as a line of the console."""
    with suppress(ValueError, KeyError, TypeError, OverflowError, struct.error, IndexError, RecursionError):
        if record.startswith(b"{"):
            said = json.loads(record)
            data = said["data"]
            value = data["metric"]["data"]
            if said["model_type"] != "Scalar" or (isinstance(value, str) and value.lower() not in _WORDS):
                return None
            return int(data["step"]), str(data["key"]), float(value)
        scalar = dict(_fields(dict(_fields(record))[_SCALAR]))
        number = dict(_fields(scalar[_VALUE])).get(_NUMBER, bytes(8))
        return int(scalar.get(_STEP, 0)), scalar[_KEY].decode(), struct.unpack("<d", number)[0]
    return None


def _fields(message: bytes) -> Iterator[tuple[int, Any]]:
    """Yield number and content of each field of a message.

    Raises:
        ValueError: It is none.
        IndexError: It ends within a field.
    """
    at = 0
    while at < len(message):
        tag, at = _varint(message, at)
        kind = tag & 7
        if kind == _VARINT:
            value, at = _varint(message, at)
            yield tag >> 3, value
            continue
        if kind == _BYTES:
            size, at = _varint(message, at)
        elif kind in (_DOUBLE, _FLOAT):
            size = 8 if kind == _DOUBLE else 4
        else:
            msg = f"no field is of kind {kind}"
            raise ValueError(msg)
        if at + size > len(message):
            raise IndexError
        yield tag >> 3, message[at : at + size]
        at += size


def _varint(message: bytes, at: int) -> tuple[int, int]:
    """Return the number at a place, and the place behind it."""
    number = shift = 0
    while True:
        byte = message[at]
        number |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return number, at


FORMS = (Form("a run of SwanLab", _is_run, _open_run),)
