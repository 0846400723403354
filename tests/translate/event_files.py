"""Event files of TensorBoard, written and read record by record."""

import struct

from rlmetrics.logs.kinds.tensorboard.crc32c import masked
from tracker_messages import Event, Summary


def records_of(path):
    """Return the records of a file, frames included."""
    content, at, found = path.read_bytes(), 0, []
    while at < len(content):
        length = struct.unpack_from("<Q", content, at)[0]
        found.append(content[at : at + 16 + length])
        at += 16 + length
    return found


def framed(message):
    """Return a message as a record: its length, both checksums and itself."""
    head = struct.pack("<Q", len(message))
    return head + struct.pack("<I", masked(head)) + message + struct.pack("<I", masked(message))


def write_events(path, *events):
    """Write a file of these events, after the one that tells its version, and return it."""
    version = Event(wall_time=1.0, file_version="brain.Event:2")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(framed(event.SerializeToString()) for event in (version, *events)))
    return path


def event_of(step, *values):
    """Return an event of a step."""
    return Event(wall_time=100.0 + step, step=step, summary=Summary(value=values))


def number_event(step, tag, value):
    """Return an event with one number."""
    return event_of(step, Summary.Value(tag=tag, simple_value=value))
