"""A second reader and writer of W&B's run files, written apart from those that are tested."""

import zlib
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

Record: Any = import_module("wandb.proto.wandb_internal_pb2").Record


def payloads(content: bytes) -> list[bytes]:
    """The whole records of a run file."""
    assert content[:7] == b":W&B\xe1\xbe\x00"
    found, part, begun = [], b"", False
    for block in range(0, len(content), 2**15):
        view = content[block : block + 2**15]
        at = 0 if block else 7
        while len(view) - at >= 7:
            size, kind = int.from_bytes(view[at + 4 : at + 6], "little"), view[at + 6]
            data = view[at + 7 : at + 7 + size]
            if len(data) < size:
                break
            assert zlib.crc32(bytes([kind]) + data) == int.from_bytes(view[at : at + 4], "little")
            assert (kind in (1, 2)) != begun
            begun = kind in (2, 3)
            part += data
            at += 7 + size
            if kind in (1, 4):
                found.append(part)
                part = b""
    return found


def framed(records: Iterable[bytes]) -> Iterator[bytes]:
    """The parts of a run file that holds some records."""
    yield b":W&B\xe1\xbe\x00"
    free = 2**15 - 7
    for record in records:
        rest, begun = record, False
        while rest or not begun:
            if free < 7:
                yield bytes(free)
                free = 2**15
            data, rest = rest[: free - 7], rest[free - 7 :]
            kind = (3 if rest else 4) if begun else (2 if rest else 1)
            yield zlib.crc32(bytes([kind]) + data).to_bytes(4, "little") + len(data).to_bytes(2, "little")
            yield bytes([kind]) + data
            free, begun = free - 7 - len(data), True


def rows(content: bytes) -> list[dict[str, dict[tuple[str, ...], str]]]:
    """The rows of the history: for each name the texts of its values by the path inside it."""
    result = []
    for payload in payloads(content):
        record = Record.FromString(payload)
        if record.HasField("history"):
            result.append(by_name(record.history.item))
    return result


def by_name(items: Any) -> dict[str, dict[tuple[str, ...], str]]:
    """The items of a row or of a summary."""
    row: dict[str, dict[tuple[str, ...], str]] = {}
    for item in items:
        name, *path = list(item.nested_key) or [item.key]
        row.setdefault(name, {})[tuple(path)] = item.value_json
    return row


def parsed(path: Path) -> list[Any]:
    """Return the records of a file."""
    return [Record.FromString(payload) for payload in payloads(path.read_bytes())]


def value_of(texts: dict[Any, str]) -> list[tuple[Any, str]]:
    """A value put together from its texts, as text; NaN and Infinity included."""
    return sorted((path, text) for path, text in texts.items())


def write(path: Path, *parts: dict[str, Any]) -> Path:
    """Write a file of records with the given fields, numbered, and return its path."""
    records = (Record(num=number, **part).SerializeToString() for number, part in enumerate(parts, start=1))
    path.write_bytes(b"".join(framed(records)))
    return path


def history(**row: str) -> dict[str, Any]:
    """Return the fields of a record with one row; values are JSON."""
    return {"history": {"item": [{"nested_key": [name], "value_json": value} for name, value in row.items()]}}
