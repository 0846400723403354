"""Renames the items of a logged row or of a summary, and converts their values where the translation does.

An item is bytes here: the fields that name it, the tag of its value, its value. Rows repeat their names, so that what
becomes of these fields is looked up, and the value is copied unseen.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import repeat
from typing import Any

from rlmetrics.logs.decimals import written
from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.kinds.wandb.row_items import is_own, name_in, name_of, value_field, value_in
from rlmetrics.logs.kinds.wandb.wandb_messages import item_class
from rlmetrics.logs.protobufs import decode_error

from ...conversion import same
from ...translator import TranslatedEntry, Translator

__all__ = ["ItemTranslator"]

_VALUE = b"\x82\x01"
"""The tag of ``value_json``. After whole fields it can be nothing else."""
_MAX_ROWS = 1000
"""How many decisions between names that claim the same one are remembered."""
_MAX_HEADS = 100_000
"""How many names, with paths into their values, are remembered."""


class ItemTranslator:
    """Renames items, and converts their values where the translation does.

    Args:
        translator: Carries the names.

    Attributes:
        fresh: Every name written since somebody emptied the list, and the old name it comes from.
    """

    def __init__(self, translator: Translator) -> None:
        self.fresh: list[tuple[str, str]] = []
        self._written: set[str] = set()
        self._translator = translator
        self._heads: dict[bytes, bytes] = {}
        self._names: dict[bytes, str] = {}
        self._recent: dict[bytes, bytes] = {}
        self._claims: dict[str, list[str]] = {}
        self._settled: dict[tuple[tuple[str, int], ...], list[TranslatedEntry]] = {}

    def rename(self, row: Any, field: str) -> bool:
        """Rename the items of one row, the ``field`` of a history or summary, and tell whether anything changed.

        Raises:
            InputError: As ``Translator.entries``.
        """
        old = list(getattr(row, field))
        try:
            # Beside each row W&B writes a summary with the same items, in another order.
            new = list(map(self._recent.__getitem__, old))
        except KeyError:
            new = self._renamed_row(old)
        if new == old:
            return False
        # To assign to the items takes several times as long.
        row.ClearField(field)
        getattr(row, field).extend(new)
        return True

    def _renamed_row(self, old: list[bytes]) -> list[bytes]:
        heads = self._heads
        with suppress(KeyError):
            new = [heads[head] + value for head, tag, value in map(bytes.partition, old, repeat(_VALUE)) if tag]
            if len(new) == len(old):
                self._recent = dict(zip(old, new, strict=True))
                return new
        parts = [item.partition(_VALUE) for item in old]
        others = [part for part in parts if not part[1] or part[0] not in heads]
        new = [heads[head] + value for head, tag, value in parts if tag and head in heads]
        return self._renamed_row(old) if self._learn(others) else new + self._rename_others(others)

    def rename_removed(self, items: Any) -> bool:
        """Rename, in place, the items that are removed from a summary, and tell whether anything changed."""
        old = list(items)
        new = [renamed for item in old for renamed in self._under_new_names(item, name_of(item))]
        items[:] = new
        return new != old

    def _under_new_names(self, item: bytes, name: str) -> list[bytes]:
        if is_own(name):
            return [item]
        return [_renamed(item, entry.name) for entry in self._translator.entries({name: None})]

    def _learn(self, parts: list[tuple[bytes, bytes, bytes]]) -> bool:
        """Find out what becomes of names that were not seen before, and tell whether there are any."""
        if len(self._names) > _MAX_HEADS:
            self._heads.clear()
            self._names.clear()
        fresh = {head: _name_of_head(head) for head, tag, _ in parts if tag and head not in self._names}
        unknown = [part for part in parts if part[0] in fresh or not part[1]]
        names = [name_of(b"".join(part)) if (name := fresh.get(part[0])) is None else name for part in unknown]
        # All names first, since one name may change what becomes of another.
        new = [self._claim(name) for name in names]
        for head, name in fresh.items():
            if name is None:
                continue
            self._names[head] = name
            if is_own(name):
                self._heads[head] = head + _VALUE
            elif len(self._claims[self._translator.key(name).output]) == 1 and not self._is_converted(name):
                entries = self._translator.entries({name: None})
                if len(entries) == 1:
                    self._take_down(entries[0].name, name)
                    self._heads[head] = _renamed(head, entries[0].name) + _VALUE
        return any(new)

    def _claim(self, name: str) -> bool:
        """Note which name a name becomes, and tell whether it is new.

        Names that share one have to be looked at in each row.
        """
        claims = self._claims.setdefault(name if is_own(name) else self._translator.key(name).output, [])
        if name in claims:
            return False
        claims.append(name)
        if len(claims) > 1:
            for head in [head for head, known in self._names.items() if known in claims]:
                self._heads.pop(head, None)
        return True

    def _take_down(self, new: str, old: str) -> None:
        if new not in self._written:
            self._written.add(new)
            self.fresh.append((new, old))

    def _is_converted(self, name: str) -> bool:
        move = self._translator.key(name)
        return move.translated and move.transform is not None

    def _rename_others(self, parts: list[tuple[bytes, bytes, bytes]]) -> list[bytes]:
        """Return the renamed items of names that can't be looked up, because values matter."""
        old: dict[str, list[bytes]] = {}
        for part in parts:
            item = b"".join(part)
            old.setdefault(self._names.get(part[0]) or name_of(item), []).append(item)
        new: list[bytes] = []
        for entry in self._entries(old):
            if not is_own(entry.old):
                self._take_down(entry.name, entry.old)
            new += [_written(item, entry) for item in old[entry.old]]
        return new

    def _entries(self, items: dict[str, list[bytes]]) -> list[TranslatedEntry]:
        """Return which names are written for names that share one, are converted, or become none or two."""
        claims: dict[str, list[str]] = {}
        for name in items:
            if not is_own(name):
                claims.setdefault(self._translator.key(name).output, []).append(name)
        row: dict[str, Any] = {}
        converted = False
        for names in claims.values():
            if any(self._is_converted(name) for name in names):
                converted = True
                row.update({name: value_in(items[name]) for name in names})
            else:
                # Which values they are doesn't matter, only whether they are the same.
                equal = len(names) == 1 or _all_same([items[name] for name in names])
                row.update({name: 0 if equal else number for number, name in enumerate(names)})
        own = [TranslatedEntry(name, name, None) for name in items if is_own(name)]
        if converted:
            return own + self._translator.entries(row)
        key = tuple(row.items())
        if key not in self._settled:
            if len(self._settled) == _MAX_ROWS:
                self._settled.clear()
            self._settled[key] = self._translator.entries(row)
        return own + self._settled[key]


def _name_of_head(head: bytes) -> str | None:
    """Return the name in the fields before a value; None if these bytes are no whole fields."""
    try:
        item = item_class().FromString(head)
    except decode_error():
        return None
    return name_in(item) if item.SerializeToString() == head else None


def _renamed(item: bytes, name: str) -> bytes:
    message = item_class().FromString(item)
    if message.nested_key:
        message.nested_key[0] = name
    else:
        message.key = name
    renamed: bytes = message.SerializeToString()
    return renamed


def _written(item: bytes, entry: TranslatedEntry) -> bytes:
    """Return an item as an entry of the translated row says."""
    if not entry.converted:
        return item if entry.name == entry.old else _renamed(item, entry.name)
    message = item_class().FromString(item)
    value = _at(entry.value, tuple(message.nested_key)[1:])
    field = value_field(message)
    if field in ("value_json", "json"):
        setattr(message, field, written(value))
    elif isinstance(value, float):
        message.number = value
    return _renamed(message.SerializeToString(), entry.name)


def _all_same(claims: list[list[bytes]]) -> bool:
    """Tell whether the items under several names hold the same value."""
    if all(len(items) == 1 for items in claims):
        texts = {items[0].partition(_VALUE)[2] for items in claims}
        if len(texts) == 1 and texts != {b""}:
            return True
    first, *others = claims
    return all(same(value_in(first), value_in(other)) for other in others)


def _at(value: Any, path: tuple[str, ...]) -> Any:
    """Return what a path leads to in a value.

    Raises:
        InputError: If it leads nowhere, because one item of a row has a value and another one a part of it.
    """
    for part in path:
        if not isinstance(value, dict) or part not in value:
            msg = f"a row has a value and, beside it, a part {'.'.join(path)} of the same value; leave one of them out"
            raise InputError(msg)
        value = value[part]
    return value
