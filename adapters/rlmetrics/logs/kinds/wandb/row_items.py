"""The items of a logged row or of a summary: which names they belong to, and their values.

wandb's Python writer (up to 0.18) has one item for each name, under ``key``. Its Go writer has a list, ``nested_key``,
whose first element is the name; what follows leads into a dict, so that a histogram is several items.
"""

from __future__ import annotations

import json
from typing import Any

from ...decimals import number
from .wandb_messages import item_class

__all__ = ["is_own", "name_in", "name_of", "read_item", "value_field", "value_in", "values_of"]


_JSON = json.JSONDecoder(parse_float=number, parse_int=number)
"""Reads numbers with all their digits."""


def name_of(item: bytes) -> str:
    """Return the name that an item belongs to."""
    return name_in(item_class().FromString(item))


def is_own(name: str) -> bool:
    """Tell whether W&B itself logs the name."""
    return name in {"_step", "_runtime", "_timestamp"} or name.startswith("_wandb")


def values_of(items: list[bytes]) -> dict[str, Any]:
    """Return the values of metrics in the items of a row, those of W&B itself left out."""
    row: dict[str, list[bytes]] = {}
    for item in items:
        row.setdefault(name_of(item), []).append(item)
    return {name: value_in(own_items) for name, own_items in row.items() if not is_own(name)}


def name_in(item: Any) -> str:
    """Return the name that an item, as a message, belongs to."""
    name: str = item.nested_key[0] if item.nested_key else item.key
    return name


def value_in(items: list[bytes]) -> Any:
    """Return the value under a name, put together from its items."""
    whole: Any = None
    for item in map(item_class().FromString, items):
        value, path = _read(item), tuple(item.nested_key)[1:]
        if not path:
            whole = value
            continue
        whole = whole if isinstance(whole, dict) else {}
        inner = whole
        for part in path[:-1]:
            inner[part] = inner[part] if isinstance(inner.get(part), dict) else {}
            inner = inner[part]
        inner[path[-1]] = value
    return whole


def _read(item: Any) -> Any:
    field = value_field(item)
    if field in ("value_json", "json"):
        return _JSON.decode(getattr(item, field))
    return None if field == "none" else getattr(item, field)


def read_item(item: bytes) -> tuple[str, Any]:
    """Return the whole name and the value of an item; numbers are floats."""
    message = item_class().FromString(item)
    field = value_field(message)
    name = ".".join(message.nested_key) if message.nested_key else message.key
    if field in ("value_json", "json"):
        return name, json.loads(getattr(message, field))
    return name, None if field == "none" else getattr(message, field)


def value_field(item: Any) -> str:
    """Return which field of the item holds its value: items of a history may have typed ones, too."""
    typed = "value" in item.DESCRIPTOR.oneofs_by_name
    return "value_json" if item.value_json or not typed else item.WhichOneof("value") or "none"
