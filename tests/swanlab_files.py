"""Files of SwanLab runs, written as the two releases write them that the reader was made from."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterable, Mapping

_BLOCK = 1 << 15


def packed(records: Iterable[bytes], version: int) -> bytes:
    """Return a file with some records, in chunks that don't cross blocks."""
    out = bytearray(b":SWL" + struct.pack("<HB", 0xE1D6, version))
    for record in records:
        done, first = 0, True
        while first or done < len(record):
            left = _BLOCK - len(out) % _BLOCK
            if left < 7:
                out += bytes(left)
                continue
            data = record[done : done + left - 7]
            done += len(data)
            kind = (1 if first else 4) if done == len(record) else (2 if first else 3)
            out += struct.pack("<IHB", zlib.crc32(data, zlib.crc32(bytes([kind]))), len(data), kind) + data
            first = False
    return bytes(out)


def recent(rows: Iterable[Mapping[str, float]]) -> bytes:
    """Return a run as release 0.10.3 writes it: messages of its schema."""
    line = _field(16, _field(10, b"a line of the console"))
    return packed([_field(10, b""), *(_scalar(row["step"], *item) for row in rows for item in _values(row)), line], 2)


def old(rows: Iterable[Mapping[str, float]]) -> bytes:
    """Return a run as release 0.6.8 writes it: JSON."""
    said = [
        {"model_type": "Scalar", "data": {"metric": {"data": value}, "key": key, "step": row["step"], "epoch": 1}}
        for row in rows
        for key, value in _values(row)
    ]
    head = {"model_type": "Header", "data": {"backup_type": "DEFAULT", "create_time": "now"}}
    return packed((json.dumps(one).encode() + b"\n" for one in [head, *said]), 1)


def records_of(content: bytes) -> list[bytes]:
    """Return the records of a short file, each of which is one chunk."""
    records, at = [], 7
    while at < len(content):
        length = int.from_bytes(content[at + 4 : at + 6], "little")
        records.append(content[at + 7 : at + 7 + length])
        at += 7 + length
    return records


def _values(row: Mapping[str, float]) -> list[tuple[str, float]]:
    return [(key, value) for key, value in row.items() if key != "step"]


def _scalar(step: float, key: str, value: float) -> bytes:
    number = _field(5, b"\x09" + struct.pack("<d", value))
    return _field(13, _field(1, key.encode()) + b"\x10" + _varint(int(step)) + b"\x18\x01" + number)


def _field(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])
