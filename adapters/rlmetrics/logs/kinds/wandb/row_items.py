"""The items of a logged row or of a summary: which names they belong to, and their values.

wandb's Python writer (up to 0.18) has one item for each name that was logged, under ``key``. Its Go writer has a list,
``nested_key``, whose first element is that name; what follows leads into a dict.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, NamedTuple

from ...decimals import number, written
from .nested_names import NestedNames, leaves, put
from .wandb_messages import item_class

__all__ = ["Part", "is_own", "path_of", "read_item", "read_value", "value_field", "value_in", "values_of", "within"]


_JSON = json.JSONDecoder(parse_float=number, parse_int=number)
"""Reads numbers with all their digits."""


class Part(NamedTuple):
    """An item of the Go writer's kind, or what is one of a dict that the Python writer has in one item.

    Attributes:
        item: As the Go writer writes it.
        path: Its path.
        length: How many elements of the path are the name; the others lead into the value.
        whole: The item that was read.
    """

    item: bytes
    path: list[str]
    length: int
    whole: bytes


def is_own(name: str) -> bool:
    """Tell whether W&B itself logs the name."""
    return name in {"_step", "_runtime", "_timestamp"} or name.startswith("_wandb")


def path_of(item: Any) -> list[str]:
    """Return the path of an item, as a message."""
    return [*item.nested_key] or [item.key]


def within(items: Iterable[bytes], names: NestedNames, *, summary: bool) -> tuple[dict[str, list[Part]], set[str]]:
    """Return the parts of each name in a row, and what begins the paths that have other names from here on."""
    parts = [(item, path_of(item_class().FromString(item)), whole) for whole in items for item in _apart(whole)]
    changed = names.learn([path for _, path, _ in parts], summary=summary)
    found: dict[str, list[Part]] = {}
    for item, path, whole in parts:
        length = 1 if is_own(path[0]) else names.length(path, summary=summary)
        found.setdefault(".".join(path[:length]), []).append(Part(item, path, length, whole))
    return found, changed


def _apart(item: bytes) -> list[bytes]:
    """Return an item, or those that the Go writer would have written for a dict in it."""
    message = item_class().FromString(item)
    path = path_of(message)
    if not message.value_json.lstrip().startswith("{") or is_own(path[0]):
        return [item]
    with suppress(ValueError, RecursionError):  # what can't be read is one value
        found = list(leaves(_JSON.decode(message.value_json)))
        if [inner for inner, _ in found] != [()]:
            make = item_class()
            return [
                make(nested_key=[*path, *inner], value_json=written(leaf)).SerializeToString() for inner, leaf in found
            ]
    return [item]


def values_of(items: Iterable[bytes], names: NestedNames, *, summary: bool) -> dict[str, Any]:
    """Return the values of metrics in the items of a row, those of W&B itself left out."""
    parts, _ = within(items, names, summary=summary)
    return {name: value_in(own_parts) for name, own_parts in parts.items() if not is_own(name)}


def value_in(parts: list[Part]) -> Any:
    """Return the value under a name, put together from its parts."""
    whole: dict[str, Any] = {}
    for part in parts:
        put(whole, ("", *part.path[part.length :]), read_value(item_class().FromString(part.item)))
    return whole[""]


def read_value(item: Any) -> Any:
    """Return the value of an item, as a message."""
    field = value_field(item)
    if field in ("value_json", "json"):
        return _JSON.decode(getattr(item, field))
    return None if field == "none" else getattr(item, field)


def read_item(item: bytes) -> list[tuple[str, Any]]:
    """Return the whole names and the values in an item; numbers are floats."""
    message = item_class().FromString(item)
    field = value_field(message)
    path = path_of(message)
    if field not in ("value_json", "json"):
        return [(".".join(path), None if field == "none" else getattr(message, field))]
    value = json.loads(getattr(message, field))
    found: Iterable[tuple[tuple[str, ...], Any]] = [((), value)] if is_own(path[0]) else leaves(value)
    return [(".".join([*path, *inner]), leaf) for inner, leaf in found]


def value_field(item: Any) -> str:
    """Return which field of the item holds its value: items of a history may have typed ones, too."""
    typed = "value" in item.DESCRIPTOR.oneofs_by_name
    return "value_json" if item.value_json or not typed else item.WhichOneof("value") or "none"
