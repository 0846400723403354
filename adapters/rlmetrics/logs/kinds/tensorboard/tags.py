"""What stands under the tags of event files: names, numbers, texts, and what plugins keep."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...input_errors import InputError
from .layouts import LAYOUT, named_in
from .scalar_events import head_of, heads_in
from .tensorboard_messages import ndarray_of, parse
from .tfrecord import FOOTER, HEADER, Extent, batches

__all__ = [
    "event_at",
    "events_of",
    "numbers_of",
    "plugin_data_of",
    "purge_of",
    "tags_in_layouts",
    "tags_of",
    "texts_of",
]

_FIRST_BYTES = 1 << 12
"""Where a file says that it goes on from an earlier step."""
_OWN = ("_hparams_/", LAYOUT, "args/text_summary", "model_config/text_summary")
"""Tags that TensorBoard's own pages use, and texts of transformers' callback about the whole run: no metrics."""


_FLOAT = struct.Struct("<f")
_STEP_FIELD = 0x10


def tags_of(paths: Sequence[Path], extents: Mapping[Path, Extent], *, most: int | None = None) -> list[str]:
    """Return the tags of metrics in event files, in the order in which they appear.

    Raises:
        InputError: If a record is damaged.
    """
    heads: set[bytes] = set()
    tags: dict[str, None] = {}
    for path in paths:
        for batch in batches(path, extents[path], most=most):
            of_batch = heads_in(batch)
            if heads.issuperset(of_batch):
                continue
            for head, start, end in zip(of_batch, batch.starts, batch.ends, strict=True):
                if head in heads:
                    continue
                event = event_at(path, batch.buffer, start, end)
                for value in event.summary.value:
                    if not value.tag.startswith(_OWN):
                        tags[value.tag] = None
                    if len(event.summary.value) == 1:
                        heads.add(head_of(value.tag))
    return list(tags)


def tags_in_layouts(paths: Sequence[Path], extents: Mapping[Path, Extent]) -> list[str]:
    """Return the tags that layouts in event files name.

    Raises:
        InputError: If a record is damaged.
    """
    values = (
        value for path in paths for event in events_of(path, extents[path], set()) for value in event.summary.value
    )
    return list(dict.fromkeys(tag for value in values if value.tag == LAYOUT for tag in named_in(value)))


def texts_of(path: Path, tag: str, *, most: int) -> list[bytes]:
    """Return the texts under a tag near the beginning of an event file.

    Raises:
        InputError: If a record is damaged.
    """
    return [text for value in _values_of(path, tag, most) for text in value.tensor.string_val]


def plugin_data_of(path: Path, tag: str, *, most: int) -> list[bytes]:
    """Return what a plugin keeps under a tag near the beginning of an event file.

    Raises:
        InputError: If a record is damaged.
    """
    return [value.metadata.plugin_data.content for value in _values_of(path, tag, most)]


def _values_of(path: Path, tag: str, most: int) -> Iterator[Any]:
    name = tag.encode()
    for batch in batches(path, Extent(), most=most):
        for start, end in zip(batch.starts, batch.ends, strict=True):
            if batch.buffer.find(name, start, end) >= 0:
                values = event_at(path, batch.buffer, start, end).summary.value
                yield from (value for value in values if value.tag == tag)


def events_of(path: Path, extent: Extent, uninteresting: set[bytes]) -> Iterator[Any]:
    """Yield the events of a file, but for those that hold one number and have one of the heads."""
    for batch in batches(path, extent):
        for head, start, end in zip(heads_in(batch), batch.starts, batch.ends, strict=True):
            if head not in uninteresting:
                yield event_at(path, batch.buffer, start, end)


def numbers_of(path: Path, extent: Extent, begin: int = 0) -> Iterator[tuple[float, str, float]]:
    """Yield step, tag and value of each scalar of an event file, from a byte on at which a record begins.

    Raises:
        InputError: If a record is damaged.
    """
    tags: dict[bytes, str] = {}
    for batch in batches(path, extent, begin=begin):
        buffer = batch.buffer
        for head, start, end in zip(heads_in(batch), batch.starts, batch.ends, strict=True):
            known = tags.get(head)
            if known is not None:
                step = _step_at(buffer, start + 9)
                yield float(step), known, _FLOAT.unpack_from(buffer, end - 4)[0]
                continue
            event = event_at(path, buffer, start, end)
            for value in event.summary.value:
                number = _scalar(value)
                if number is not None:
                    yield float(event.step), value.tag, number
                    if len(event.summary.value) == 1 and value.WhichOneof("value") == "simple_value":
                        tags[head_of(value.tag)] = value.tag


def purge_of(path: Path) -> float:
    """Return the step from which on a file replaces what those before it hold; infinity if it replaces nothing.

    Raises:
        InputError: If a record is damaged.
    """
    for batch in batches(path, Extent(), most=_FIRST_BYTES):
        for start, end in zip(batch.starts, batch.ends, strict=True):
            event = event_at(path, batch.buffer, start, end)
            if event.HasField("session_log") and event.session_log.status == event.session_log.START:
                return float(event.step)
    return math.inf


def _step_at(buffer: bytes, at: int) -> int:
    """Return the step of an event after its wall time; 0 where it has none."""
    if buffer[at] != _STEP_FIELD:
        return 0
    step = shift = 0
    while True:
        at += 1
        step |= (buffer[at] & 0x7F) << shift
        if buffer[at] < 0x80:
            return step
        shift += 7


def _scalar(value: Any) -> float | None:
    """Return the number of a summary's value; None if it is none."""
    kind = value.WhichOneof("value")
    if kind == "simple_value":
        return float(value.simple_value)
    plugin = value.metadata.plugin_data.plugin_name
    if kind != "tensor" or plugin not in ("scalars", ""):
        return None
    array = ndarray_of(value.tensor)
    return float(array) if array is not None and array.dtype.kind in "fiu" and not array.ndim else None


def event_at(path: Path, buffer: bytes, start: int, end: int) -> Any:
    """Return the event in ``buffer[start:end]``.

    Raises:
        InputError: If there is none.
    """
    try:
        return parse(buffer[start:end])
    except ValueError as error:
        msg = f"a record of {end - start + HEADER + FOOTER} bytes is no event: {error}; is this an event file?"
        raise InputError(msg, path) from None
