"""CRC-32C (Castagnoli) of many messages at once, masked as TensorFlow's record files do.

TensorBoard brings NumPy but no compiled CRC-32C, and a loop over bytes in Python would take longer than all the rest
of a translation. Here the loop runs over the columns of a batch of messages.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["masked", "masked_many"]

_POLYNOMIAL = 0x82F63B78
_MASK_DELTA = 0xA282EAD8
_FULL = 0xFFFFFFFF
_LONG = 1024
"""Messages longer than this are cut into lanes of their own."""
_LANE = 256


@lru_cache(maxsize=4096)
def masked(message: bytes) -> int:
    """Return the masked CRC of one short message, such as the length of a record."""
    table = _bytes_table()
    crc = _FULL
    for byte in message:
        crc = table[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    crc ^= _FULL
    return ((crc >> 15 | crc << 17) + _MASK_DELTA) & _FULL


def masked_many(buffer: bytes, starts: list[int], ends: list[int]) -> NDArray[np.uint32]:
    """Return the masked CRCs of ``buffer[start:end]`` for each pair of bounds."""
    import numpy as np

    if not starts:
        return np.zeros(0, dtype=np.uint32)
    data = np.frombuffer(buffer, dtype=np.uint8)
    first = np.array(starts, dtype=np.int64)
    lengths = np.array(ends, dtype=np.int64) - first
    order = np.argsort(-lengths, kind="stable")
    many = int(np.count_nonzero(lengths > _LONG))
    crcs = np.empty(len(order), dtype=np.uint32)
    for index in order[:many]:
        crcs[index] = _long(data[first[index] : first[index] + lengths[index]])
    crcs[order[many:]] = _short(data, first[order[many:]], lengths[order[many:]])
    return ((crcs >> np.uint32(15)) | (crcs << np.uint32(17))) + np.uint32(_MASK_DELTA)


def _short(data: NDArray[np.uint8], starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.uint32]:
    """Return the CRCs of messages that are sorted, longest first: column by column, while any goes on."""
    import numpy as np

    table = _table()
    crcs = np.full(len(starts), _FULL, dtype=np.uint32)
    longest = int(lengths[0]) if len(lengths) else 0
    going_on = np.searchsorted(-lengths, -np.arange(longest), side="left")
    for column in range(longest):
        count = going_on[column]
        head = crcs[:count]
        byte = data[starts[:count] + column]
        crcs[:count] = table[(head ^ byte) & np.uint32(0xFF)] ^ (head >> np.uint32(8))
    return crcs ^ np.uint32(_FULL)


def _long(message: NDArray[np.uint8]) -> int:
    """Return the CRC of one message, computed in lanes that are joined pair by pair.

    A start value of all ones is the same as four complemented bytes at the front, and with a start value of zero,
    zeros at the front count for nothing, so the message can be filled up to a power of two of lanes.
    """
    import numpy as np

    lanes = 1 << (-(-len(message) // _LANE) - 1).bit_length()
    padded = np.zeros(lanes * _LANE, dtype=np.uint8)
    padded[-len(message) :] = message
    padded[-len(message) : len(padded) - len(message) + 4] ^= 0xFF
    columns = np.ascontiguousarray(padded.reshape(lanes, _LANE).T)
    table = _table()
    crcs = np.zeros(lanes, dtype=np.uint32)
    for column in columns:
        crcs = table[(crcs ^ column) & np.uint32(0xFF)] ^ (crcs >> np.uint32(8))
    doubled = 0
    while len(crcs) > 1:
        crcs = _advance(crcs[0::2], doubled) ^ crcs[1::2]
        doubled += 1
    return int(crcs[0]) ^ _FULL


def _advance(crcs: NDArray[np.uint32], doubled: int) -> NDArray[np.uint32]:
    """Return the CRCs after ``_LANE * 2**doubled`` more zero bytes."""
    import numpy as np

    tables = _advance_tables(doubled)
    moved: NDArray[np.uint32] = tables[0][crcs & np.uint32(0xFF)]
    for place in (1, 2, 3):
        moved = moved ^ tables[place][(crcs >> np.uint32(8 * place)) & np.uint32(0xFF)]
    return moved


@cache
def _advance_tables(doubled: int) -> NDArray[np.uint32]:
    """Return, for each of the four bytes of a CRC, what becomes of its 256 values."""
    import numpy as np

    values = np.arange(256, dtype=np.uint32)
    found = np.stack([values << np.uint32(8 * place) for place in range(4)])
    if doubled:
        flat = found.ravel()
        return _advance(_advance(flat, doubled - 1), doubled - 1).reshape(4, 256)
    table = _table()
    for _ in range(_LANE):
        found = table[found & np.uint32(0xFF)] ^ (found >> np.uint32(8))
    return found


@cache
def _bytes_table() -> list[int]:
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (_POLYNOMIAL if value & 1 else 0)
        table.append(value)
    return table


@cache
def _table() -> NDArray[np.uint32]:
    import numpy as np

    return np.array(_bytes_table(), dtype=np.uint32)
