"""The items of a logged row or of a summary: which names they belong to, their values, and how they are renamed.

wandb's Python writer (up to 0.18) has one item for each name, under ``key``. Its Go writer has a list, ``nested_key``,
whose first element is the name; what follows leads into a dict, so that a histogram is several items.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from ...translator import Entry, Translator

__all__ = ["ItemTranslator", "is_own", "name_of"]


_MAX_ROWS = 1000
"""How many combinations of names are remembered."""


def name_of(item: Any) -> str:
    """Return the name that an item belongs to."""
    name: str = item.nested_key[0] if item.nested_key else item.key
    return name


def is_own(name: str) -> bool:
    """Tell whether W&B itself logs the name."""
    return name in {"_step", "_runtime", "_timestamp"} or name.startswith("_wandb")


class ItemTranslator:
    """Renames items, and converts their values where the translation does.

    Args:
        translator: Carries the names.
    """

    def __init__(self, translator: Translator) -> None:
        self._translator = translator
        self._plain: dict[frozenset[str], dict[str, str]] = {}

    def rename(self, items: Any) -> tuple[bool, dict[str, str]]:
        """Rename the items of one row in place.

        Returns:
            Whether anything changed, and the old name of each name that is written.

        Raises:
            InputError: As ``Translator.entries``.
        """
        nested = [item.nested_key for item in items]
        names = [path[0] if path else item.key for path, item in zip(nested, items, strict=True)]
        plain = self._plain_of(frozenset(names))
        changed = False
        kept: list[Any] = []
        others: dict[str, list[Any]] = {}
        for name, path, item in zip(names, nested, items, strict=True):
            new = plain.get(name)
            if new is None:
                others.setdefault(name, []).append(item)
                continue
            kept.append(item)
            if new != name:
                changed = True
                if path:
                    path[0] = new
                else:
                    item.key = new
        written = {new: old for old, new in plain.items() if not is_own(old)}
        if not others:
            return changed, written
        entries = self._translator.entries({name: _value(found) for name, found in others.items()})
        renamed = [item for entry in entries for item in self._entry_items(entry, others[entry.old])]
        _replace(items, [*kept, *renamed])
        return True, written | {entry.name: entry.old for entry in entries}

    def _plain_of(self, names: frozenset[str]) -> dict[str, str]:
        """Return the names that become one other, whatever the values are, with that other; logs repeat few rows."""
        if names not in self._plain:
            if len(self._plain) == _MAX_ROWS:
                self._plain.clear()
            own = {name: name for name in names if is_own(name)}
            moves = [self._translator.key(name) for name in sorted(names - own.keys())]
            claims = Counter(move.output for move in moves)
            free = [move for move in moves if not (move.transform and move.translated)]
            plain = [move.key for move in free if claims[move.output] == 1]
            entries = self._translator.moves(tuple(plain)) or []
            one_each = [entry.old for entry in entries] == plain
            self._plain[names] = own | ({entry.old: entry.name for entry in entries} if one_each else {})
        return self._plain[names]

    def _entry_items(self, entry: Entry, items: list[Any]) -> list[Any]:
        """Return the items of one name under its new name."""
        copies = [type(item).FromString(item.SerializeToString()) for item in items]
        for item in copies:
            if entry.converted:
                _set_value(item, _at(entry.value, tuple(item.nested_key)[1:]))
            if entry.name != entry.old:
                _set_name(item, entry.name)
        return copies


def _replace(items: Any, new: list[Any]) -> None:
    """Replace all items by others, some of which may be among them."""
    copies = [type(item).FromString(item.SerializeToString()) for item in new]
    del items[:]
    items.extend(copies)


def _set_name(item: Any, name: str) -> None:
    if item.nested_key:
        item.nested_key[0] = name
    else:
        item.key = name


def _value(items: list[Any]) -> Any:
    """Return the value under a name, put together from its items."""
    whole: Any = None
    for item in items:
        value, path = _read(item), tuple(item.nested_key)[1:]
        if not path:
            whole = value
            continue
        whole = whole if isinstance(whole, dict) else {}
        inner = whole
        for part in path[:-1]:
            inner = inner.setdefault(part, {})
        inner[path[-1]] = value
    return whole


def _at(value: Any, path: tuple[str, ...]) -> Any:
    for part in path:
        value = value[part]
    return value


def _read(item: Any) -> Any:
    field = _field(item)
    if field in ("value_json", "json"):
        return json.loads(getattr(item, field))
    return None if field == "none" else getattr(item, field)


def _set_value(item: Any, value: Any) -> None:
    if _field(item) in ("value_json", "json"):
        setattr(item, _field(item), json.dumps(value))
    elif isinstance(value, float):
        item.number = value


def _field(item: Any) -> str:
    """Return which field of the item holds its value: items of a history have typed ones, too."""
    typed = "value" in item.DESCRIPTOR.oneofs_by_name
    return "value_json" if item.value_json or not typed else item.WhichOneof("value") or "none"
