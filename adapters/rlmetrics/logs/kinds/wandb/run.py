"""What the records of one run hold: names, rows, configuration."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any

from ...input_errors import InputError
from ...protobufs import decode_error
from .nested_names import NestedNames
from .row_items import is_own, read_item, values_of, within
from .transactions import Tail, records
from .wandb_messages import record_class

__all__ = ["config_names", "config_of", "history_names", "history_rows", "parsed", "rows_from", "rows_of", "settings"]

_LONG = 100
"""Texts of more letters are no setting that names depend on."""
_TYPE = "._type"
"""How the name ends under which a row says what a value with parts is, such as a table."""


def history_names(path: Path, most: int) -> list[str]:
    """Return the names in the first rows of a run.

    Raises:
        InputError: If the file is damaged.
    """
    names: dict[str, None] = {}
    nested, rows = NestedNames(), 0
    for offset, payload in records(path, Tail()):
        record = parsed(path, offset, payload)
        if record.HasField("history"):
            try:
                logged, _ = within(record.history.item, nested, summary=False)
            except decode_error() as error:
                msg = f"record at byte {offset}: {error}"
                raise InputError(msg, path) from None
            names.update(dict.fromkeys(name for name in logged if not is_own(name)))
            rows += 1
        if rows == most:
            break
    return list(names)


def config_names(path: Path) -> list[str]:
    """Return the outermost names in the configuration that was recorded before the first row of a run.

    Raises:
        InputError: If the file is damaged.
    """
    names: dict[str, None] = {}
    for offset, payload in records(path, Tail()):
        record = parsed(path, offset, payload)
        if record.HasField("history"):
            break
        for config in (record.config, record.run.config):
            names.update(dict.fromkeys(item.key or "".join(item.nested_key[:1]) for item in config.update))
    return list(names)


def rows_of(path: Path) -> Iterator[dict[str, Any]]:
    """Yield what each record with metrics gives them.

    Raises:
        InputError: If the file is damaged.
    """
    names = NestedNames()
    for offset, payload in records(path, Tail()):
        record = parsed(path, offset, payload)
        logged, summary = record.history.item, [*record.summary.update, *record.run.summary.update]
        if logged or summary:
            try:
                yield values_of(logged or summary, names, summary=not logged)
            except (ValueError, RecursionError, decode_error()) as error:
                msg = f"record at byte {offset}: {error}"
                raise InputError(msg, path) from None


def config_of(path: Path) -> dict[str, Any]:
    """Return the configuration of a run, as far as it was recorded before and between the first rows.

    Raises:
        InputError: If the file is damaged.
    """
    values: dict[str, Any] = {}
    rows = 0
    for offset, payload in records(path, Tail()):
        record = parsed(path, offset, payload)
        rows += record.HasField("history")
        if rows > 3:
            break
        for config in (record.config, record.run.config):
            for item in config.update:
                with suppress(ValueError):
                    values[".".join([*item.nested_key] or [item.key])] = json.loads(item.value_json)
    return values


def history_rows(path: Path, torn: Callable[[int], None]) -> Iterator[dict[str, Any]]:
    """Yield the logged rows of a run; nested names are joined by dots, as W&B shows them.

    Args:
        path: The run.
        torn: Is told how many bytes a crash left at the end.

    Raises:
        InputError: If the file is damaged.
    """
    tail = Tail()
    for _, row in _rows(path, tail, 0):
        yield row
    torn(tail.torn)


def rows_from(path: Path, begin: int) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the logged rows behind a byte at which a record begins, each with where to read on after it.

    Raises:
        InputError: If the file is damaged.
    """
    yield from _rows(path, Tail(), begin)


def _rows(path: Path, tail: Tail, begin: int) -> Iterator[tuple[int, dict[str, Any]]]:
    for offset, payload in records(path, tail, begin):
        record = parsed(path, offset, payload)
        if record.HasField("history"):
            row = _without_parts(dict(chain.from_iterable(map(read_item, record.history.item))))
            if record.history.HasField("step"):
                row.setdefault("_step", record.history.step.num)
            yield tail.end, row


def _without_parts(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row without what W&B tells of a table or a picture, such as its number of rows: these are no metrics."""
    values = tuple(f"{name.removesuffix(_TYPE)}." for name in row if name.endswith(_TYPE))
    return {name: value for name, value in row.items() if not name.startswith(values)} if values else row


def settings(keys: list[str], value: Any) -> dict[str, Any]:
    """Return the entries of a configuration, nested or not, by dotted names; long texts and lists are left out."""
    if isinstance(value, dict):
        return {name: one for key in value for name, one in settings([*keys, str(key)], value[key]).items()}
    return {".".join(keys): value} if len(str(value)) <= _LONG else {}


def parsed(path: Path, offset: int, payload: bytes) -> Any:
    """Return the record in some bytes of a file.

    Raises:
        InputError: If there is none.
    """
    try:
        return record_class().FromString(payload)
    except decode_error() as error:
        from importlib.metadata import version

        msg = (
            f"the record at byte {offset} is none of W&B's ({error}); is this a run of W&B? "
            f"If a newer release wrote it, upgrade the wandb that is installed ({version('wandb')})"
        )
        raise InputError(msg, path) from None
