"""The file that a W&B run is kept in: records in chunks that don't cross blocks of 32 KiB.

After seven bytes of file header, each chunk begins with a checksum, its length and whether it is a whole record or its
first, a middle or its last part. Since release 0.30 the wandb package has no Python code for it.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from rlmetrics.lazy_dataclasses import dataclass, field

from ...input_errors import InputError

__all__ = ["FILE_HEADER", "Tail", "Writer", "records"]

FILE_HEADER = b":W&B" + struct.pack("<HB", 0xBEE1, 0)
_CHUNK = struct.Struct("<IHB")
_BLOCK = 32768
_FULL, _FIRST, _MIDDLE, _LAST = 1, 2, 3, 4
_SEEDS = {kind: zlib.crc32(bytes([kind])) for kind in (_FULL, _FIRST, _MIDDLE, _LAST)}


@dataclass
class Tail:
    """What a crash left behind the last whole record.

    Attributes:
        torn: How many bytes.
        end: Where the last whole record ends.
    """

    torn: int = 0
    end: int = field(default=0, compare=False)


def records(path: Path, tail: Tail, begin: int = 0, header: bytes = FILE_HEADER) -> Iterator[tuple[int, bytes]]:
    """Yield the whole records of ``path``, each with its offset, and take down in ``tail`` what is left over.

    Args:
        path: The file.
        tail: Completed here.
        begin: Where to begin, if not with the first record: where one ends.
        header: How the file begins; SwanLab's, whose chunks are the same, begin otherwise.

    Raises:
        InputError: If the file is no run of W&B, or a chunk is damaged.
    """
    with path.open("rb") as file:
        head = file.read(len(header))
        if head != header[: len(head)] or not head:
            msg = f"does not begin as a run of W&B does: {head!r}; is it a .wandb file of release 0.13 or later?"
            raise InputError(msg, path)
        parts: list[bytes] = []
        begun = max(begin, len(head))
        place = begun // _BLOCK * _BLOCK
        file.seek(place)
        block, at = file.read(_BLOCK), begun - place
        while block:
            while at + _CHUNK.size <= len(block):
                crc, length, kind = _CHUNK.unpack_from(block, at)
                end = at + _CHUNK.size + length
                data = block[at + _CHUNK.size : end]
                if not kind and not block[at:].strip(b"\0"):
                    # W&B's Go writer fills seven bytes with zeros, too, and a crash may leave more of them.
                    at = len(block)
                    break
                if end > len(block) and len(block) < _BLOCK:
                    break
                _check(path, place + at, data, crc, kind, end, starts=not parts)
                if not parts:
                    begun = place + at
                parts.append(data)
                at = end
                if kind in (_FULL, _LAST):
                    tail.end = place + at
                    yield begun, b"".join(parts)
                    parts.clear()
                    begun = place + at
            place += len(block)
            if len(block) < _BLOCK:
                rest = block[at:]
                tail.torn = place - begun if parts or rest.strip(b"\0") else 0
                return
            block, at = file.read(_BLOCK), 0
        tail.torn = place - begun if parts else 0


def _check(path: Path, offset: int, data: bytes, crc: int, kind: int, end: int, *, starts: bool) -> None:
    if end > _BLOCK:
        why = "its length reaches beyond its block"
    elif kind not in _SEEDS:
        why = f"there is no chunk of kind {kind}"
    elif zlib.crc32(data, _SEEDS[kind]) != crc:
        why = "its checksum is wrong"
    elif starts != (kind in (_FULL, _FIRST)):
        why = "it doesn't continue the record before it"
    else:
        return
    fix = f"take what comes before it: head -c {offset} {path.name} > mended{path.suffix}"
    raise InputError(f"the chunk at byte {offset} is damaged: {why}; {fix}", path)


class Writer:
    """Writes records to a file of W&B.

    Args:
        file: An empty file.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._at = file.write(FILE_HEADER)

    def write(self, record: bytes) -> None:
        """Append a record."""
        done, first = 0, True
        while first or done < len(record):
            left = _BLOCK - self._at
            if left < _CHUNK.size:
                self._file.write(b"\0" * left)
                self._at = 0
                continue
            data = record[done : done + left - _CHUNK.size]
            done += len(data)
            kind = (_FULL if first else _LAST) if done == len(record) else (_FIRST if first else _MIDDLE)
            self._file.write(_CHUNK.pack(zlib.crc32(data, _SEEDS[kind]), len(data), kind))
            self._file.write(data)
            self._at += _CHUNK.size + len(data)
            first = False
