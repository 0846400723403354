"""The record files that TensorBoard reads: length, checksum of the length, data, checksum of the data."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate
from pathlib import Path

from rlmetrics.lazy_dataclasses import dataclass

from ...input_errors import InputError
from .crc32c import masked, masked_many

__all__ = ["Batch", "Extent", "batches", "frame"]

HEADER, FOOTER = 12, 4
_LENGTH = struct.Struct("<Q")
_CRC = struct.Struct("<I")
_LARGEST = 2**31 - 1
"""No message is larger: the protobuf format ends there."""
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Batch:
    """Some whole records that follow each other.

    Attributes:
        buffer: Bytes that hold the records, headers and checksums included.
        starts: Where the data of each record begins in ``buffer``.
        ends: Where it ends.
    """

    buffer: bytes
    starts: list[int]
    ends: list[int]


@dataclass
class Extent:
    """How much of a file is whole records.

    Attributes:
        whole: Bytes up to the end of the last whole record; None before the file has been read.
        torn: Bytes that follow.
    """

    whole: int | None = None
    torn: int = 0


def batches(path: Path, extent: Extent, *, most: int | None = None, begin: int = 0) -> Iterator[Batch]:
    """Yield the whole records of ``path``, a batch at a time, and take down in ``extent`` where they end.

    Checksums are verified unless ``extent`` says that the file has been read before; it is read only as far then.

    Args:
        path: The file.
        extent: What is known about the file; completed here.
        most: End after about this many bytes.
        begin: Where to begin, if not with the first record: where one ends.

    Raises:
        InputError: If a record is damaged, or so long that it can't be one.
    """
    verify = extent.whole is None
    size = path.stat().st_size if extent.whole is None else extent.whole
    read = min(size, most or size)
    place, rest = begin, b""
    with path.open("rb") as file:
        file.seek(begin)
        while True:
            left, wanted = read - place - len(rest), _wanted(rest)
            if left <= 0 or wanted > left:
                break
            buffer = rest + file.read(min(max(_CHUNK, wanted), left))
            starts, ends, done = _cut(path, place, buffer)
            if verify:
                _verify(path, place, buffer, starts, ends)
            if starts:
                yield Batch(buffer, starts, ends)
            place, rest = place + done, buffer[done:]
    if verify and not most:
        extent.whole, extent.torn = place, size - place


def frame(pieces: list[bytes], places: list[int], messages: list[bytes]) -> bytes:
    """Return ``pieces`` joined, with each of ``messages`` as a record at its place among them."""
    joined = b"".join(messages)
    ends = list(accumulate(map(len, messages)))
    crcs = masked_many(joined, [0, *ends[:-1]] if ends else [], ends).astype("<u4").tobytes()
    for number, (place, message) in enumerate(zip(places, messages, strict=True)):
        pieces[place] = _header(len(message)) + message + crcs[4 * number : 4 * number + 4]
    return b"".join(pieces)


def _wanted(rest: bytes) -> int:
    """Return how many bytes the record that begins ``rest`` still needs."""
    return _LENGTH.unpack_from(rest)[0] + HEADER + FOOTER - len(rest) if len(rest) >= HEADER else 0


def _cut(path: Path, place: int, buffer: bytes) -> tuple[list[int], list[int], int]:
    """Return the bounds of the data of each whole record, and where the last one ends."""
    starts: list[int] = []
    ends: list[int] = []
    at, total = 0, len(buffer)
    unpack = _LENGTH.unpack_from
    while at + HEADER <= total:
        start = at + HEADER
        end = start + unpack(buffer, at)[0]
        if end + FOOTER > total:
            # A wrong length leads anywhere: the first one that is wrong is to blame.
            for begin in (*starts, start) if not _is_whole(buffer[at:start]) else (start,):
                _check_head(path, place + begin - HEADER, buffer[begin - HEADER : begin])
            break
        starts.append(start)
        ends.append(end)
        at = end + FOOTER
    return starts, ends, at


def _check_head(path: Path, offset: int, head: bytes) -> None:
    length = _LENGTH.unpack_from(head)[0]
    if not _is_whole(head):
        raise _damaged(path, offset, "the checksum of its length is wrong")
    if length > _LARGEST:
        raise _damaged(path, offset, f"a length of {length} bytes can't be")


def _verify(path: Path, place: int, buffer: bytes, starts: list[int], ends: list[int]) -> None:
    heads = [buffer[start - HEADER : start] for start in starts]
    if not all(map(_is_whole, set(heads))):
        for start, head in zip(starts, heads, strict=True):
            _check_head(path, place + start - HEADER, head)
    stored = b"".join([buffer[end : end + FOOTER] for end in ends])
    if masked_many(buffer, starts, ends).astype("<u4").tobytes() == stored:
        return
    for start, end in zip(starts, ends, strict=True):
        if masked_many(buffer, [start], [end]).astype("<u4").tobytes() != buffer[end : end + FOOTER]:
            raise _damaged(path, place + start - HEADER, "the checksum of its data is wrong")


@lru_cache(maxsize=4096)
def _is_whole(head: bytes) -> bool:
    """Tell whether the checksum of a length is right."""
    return bool(_CRC.unpack_from(head, 8)[0] == masked(head[:8]))


@lru_cache(maxsize=4096)
def _header(length: int) -> bytes:
    head = _LENGTH.pack(length)
    return head + _CRC.pack(masked(head))


def _damaged(path: Path, offset: int, why: str) -> InputError:
    fix = f"take what comes before it: head -c {offset} {path.name} > mended"
    return InputError(f"the record at byte {offset} is damaged: {why}; {fix}", path)
