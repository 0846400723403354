"""Events that hold one number, recognised without parsing them: their names repeat all through a file.

Such an event is a wall time (nine bytes), a step (unless it is zero), and a summary with one value. The bytes from
there to the four of the number say tag and lengths, so two events with the same *head* have the same tag, and their
last four bytes are the number.
"""

from __future__ import annotations

__all__ = ["LEAST", "NUMBER", "head_of", "head_start"]

LEAST = 20
"""Fewer bytes than such an event can have."""
NUMBER = 4
_WALL_TIME, _STEP, _SUMMARY, _VALUE, _TAG, _SIMPLE_VALUE = 0x09, 0x10, 0x2A, 0x0A, 0x0A, 0x15


def head_start(buffer: bytes, start: int) -> int:
    """Return where the summary of the event at ``start`` begins; 0 if the event begins in another way.

    At least ``LEAST`` bytes must follow ``start``.
    """
    if buffer[start] != _WALL_TIME:
        return 0
    at = start + 9
    if buffer[at] == _STEP:
        at += 2
        while buffer[at - 1] & 0x80:
            at += 1
    return at


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
