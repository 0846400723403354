"""Events that hold one number, recognised without parsing them: their names repeat all through a file.

Such an event is a wall time (nine bytes), a step (unless it is zero), and a summary with one value. The bytes from
there to the four of the number say tag and lengths, so two events with the same *head* have the same tag, and their
last four bytes are the number.
"""

from __future__ import annotations

from .tfrecord import Batch

__all__ = ["LEAST", "NUMBER", "head_of", "heads_in"]

LEAST = 20
"""Fewer bytes than such an event can have."""
NUMBER = 4
_WALL_TIME, _STEP, _SUMMARY, _VALUE, _TAG, _SIMPLE_VALUE = 0x09, 0x10, 0x2A, 0x0A, 0x0A, 0x15


def heads_in(batch: Batch) -> list[bytes]:
    """Return, for each record of a batch, what would be its head if it is such an event; nothing if it can't be one."""
    import numpy as np

    buffer = batch.buffer
    data = np.frombuffer(buffer, dtype=np.uint8)
    starts, ends = np.array(batch.starts), np.array(batch.ends)
    can_be = (ends - starts >= LEAST) & (data[starts] == _WALL_TIME)
    places = np.where(can_be, starts + 9, 0)
    goes_on = can_be & (data[places] == _STEP)
    places += goes_on
    while goes_on.any():
        places += goes_on
        goes_on &= (data[places - 1] >= 0x80) & (places < ends)
    return [buffer[at : end - NUMBER] if at else b"" for at, end in zip(places.tolist(), batch.ends, strict=True)]


def head_of(tag: str) -> bytes:
    """Return the head of an event that holds one number under ``tag``."""
    name = tag.encode()
    value = bytes([_TAG]) + _varint(len(name)) + name + bytes([_SIMPLE_VALUE])
    summary = bytes([_VALUE]) + _varint(len(value) + NUMBER) + value
    return bytes([_SUMMARY]) + _varint(len(summary) + NUMBER) + summary


def _varint(number: int) -> bytes:
    parts = bytearray()
    while number > 0x7F:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    parts.append(number)
    return bytes(parts)
