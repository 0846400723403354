"""W&B's own message classes, imported when the first run is translated.

The items of rows and summaries, which are most of a run, are not parsed: a copy of W&B's schema declares them as bytes.
Reading and writing fields of each would take ten times as long as parsing and serialising the whole record.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

__all__ = ["item_class", "record_class"]

_SCHEMA = "wandb.proto.wandb_internal_pb2"
_OPAQUE = {("HistoryRecord", "item"), ("SummaryRecord", "update"), ("SummaryRecord", "remove")}


@cache
def record_class() -> Any:
    """Return the class of records, in which the items of rows and summaries are bytes.

    Raises:
        ModuleNotFoundError: If wandb is not installed.
    """
    import_module("wandb")
    original = import_module(_SCHEMA).DESCRIPTOR
    pool = import_module("google.protobuf.descriptor_pool").DescriptorPool()
    _add(original, pool, set())
    record = pool.FindMessageTypeByName(f"{original.package}.Record")
    return import_module("google.protobuf.message_factory").GetMessageClass(record)


@cache
def item_class() -> Any:
    """Return the class of items; those of rows and of summaries have the same fields for names and JSON values."""
    return import_module(_SCHEMA).HistoryItem


def _add(file: Any, pool: Any, added: set[str]) -> None:
    """Add a file of a schema, and what it depends on, to a pool, with items as bytes."""
    if file.name in added:
        return
    added.add(file.name)
    for dependency in file.dependencies:
        _add(dependency, pool, added)
    copy = import_module("google.protobuf.descriptor_pb2").FileDescriptorProto()
    file.CopyToProto(copy)
    for message in copy.message_type:
        for field in message.field:
            if (message.name, field.name) in _OPAQUE:
                field.type = field.TYPE_BYTES
                field.ClearField("type_name")
    pool.AddSerializedFile(copy.SerializeToString())
