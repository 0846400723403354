"""Rewrites the tags of one event file; whatever holds no renamed tag is copied byte for byte."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rlmetrics.logs.kinds.tensorboard.layouts import LAYOUT
from rlmetrics.logs.kinds.tensorboard.scalar_events import NUMBER, head_of, heads_in
from rlmetrics.logs.kinds.tensorboard.tags import event_at
from rlmetrics.logs.kinds.tensorboard.tfrecord import FOOTER, HEADER, Batch, Extent, batches, frame

from ...report import Report
from ...translator import Translator
from .layout_widening import Layouts
from .tag_routes import TagRoute, convert_in

__all__ = ["EventRewriter"]


class EventRewriter:
    """Rewrites the event files of one run, one after the other.

    Args:
        routes: What becomes of each tag of the run.
        translator: What knows the tags that a layout names and the run doesn't have.
        report: The account.
    """

    def __init__(self, routes: Mapping[str, TagRoute], translator: Translator, report: Report) -> None:
        self._routes = routes
        names = {tag: route.names[0][0] for tag, route in routes.items() if route.names}
        self._layouts = Layouts(names, translator, report)
        self._written: Counter[str] = Counter()
        simple = {tag: route.names[0][0] for tag, route in routes.items() if _is_simple(route)}
        self._heads = {head_of(old): None if old == new else head_of(new) for old, new in simple.items()}

    def rewrite(self, path: Path, output: Path, extent: Extent) -> int:
        """Write ``path`` with translated tags to ``output`` and return how many records were read.

        Raises:
            InputError: If a value can't be converted.
        """
        records = 0
        with output.open("wb") as file:
            for batch in batches(path, extent):
                file.write(self._batch(path, batch))
                records += len(batch.starts)
        return records

    def _batch(self, path: Path, batch: Batch) -> bytes:
        buffer, heads = batch.buffer, self._heads
        pieces: list[bytes] = []
        rewritten: list[int] = []
        messages: list[bytes] = []
        message: bytes | None
        for head, start, end in zip(heads_in(batch), batch.starts, batch.ends, strict=True):
            if head in heads:
                new = heads[head]
                at = end - NUMBER
                message = None if new is None else buffer[start : at - len(head)] + new + buffer[at:end]
            else:
                message = self._event(path, buffer, start, end)
            if message is None:
                pieces.append(buffer[start - HEADER : end + FOOTER])
            elif message:
                rewritten.append(len(pieces))
                messages.append(message)
                pieces.append(b"")
        return frame(pieces, rewritten, messages)

    def _event(self, path: Path, buffer: bytes, start: int, end: int) -> bytes | None:
        """Return the rewritten event; None if it stays as it is, and nothing if no value of it is left."""
        event = event_at(path, buffer, start, end)
        values = list(event.summary.value)
        if all(self._stays(value.tag) for value in values):
            return None
        del event.summary.value[:]
        for value in values:
            self._value(path, event.summary.value, value)
        return event.SerializeToString() if event.summary.value else b""

    def _stays(self, tag: str) -> bool:
        route = self._routes.get(tag)
        return route.names == ((tag, None),) if route else tag != LAYOUT

    def _value(self, path: Path, values: Any, value: Any) -> None:
        """Append a value to an event, under each of its new names."""
        route = self._routes.get(value.tag)
        if route is None:
            if value.tag == LAYOUT:
                self._layouts.widen(path, value)
            values.append(value)
            return
        self._written[value.tag] += 1
        names = route.names if self._written[value.tag] > route.skip else route.names[1:]
        for name, transform in names:
            copy = values.add()
            copy.CopyFrom(value)
            if transform is not None:
                convert_in(path, copy, transform)
            copy.tag = name


def _is_simple(route: TagRoute) -> bool:
    return len(route.names) == 1 and not route.skip and route.names[0][1] is None
