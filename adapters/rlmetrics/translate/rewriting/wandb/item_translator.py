"""Renames the items of a logged row or of a summary, and converts their values where the translation does.

An item is bytes here: the fields that name it, the tag of its value, its value. Rows repeat their names, so that what
becomes of these fields is looked up, and the value is copied unseen.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from itertools import repeat
from typing import Any

from rlmetrics.logs.decimals import written
from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.kinds.wandb.nested_names import NestedNames, nested, put
from rlmetrics.logs.kinds.wandb.row_items import Part, is_own, path_of, read_value, value_field, value_in, within
from rlmetrics.logs.kinds.wandb.wandb_messages import item_class
from rlmetrics.logs.protobufs import decode_error

from ...conversion import same
from ...translator import TranslatedEntry, Translator

__all__ = ["ItemTranslator"]

_VALUE = b"\x82\x01"
"""The tag of ``value_json``. After whole fields it can be nothing else."""
_DICT = b"{"
"""What is in values that may hold further metrics."""
_MAX_ROWS = 1000
"""How many decisions between names that claim the same one are remembered."""
_MAX_HEADS = 100_000
"""How many names, with paths into their values, are remembered."""

Form = tuple[str, ...]
"""The elements of a path that are a name: joined by dots, several are the same."""


class ItemTranslator:
    """Renames items, and converts their values where the translation does.

    Args:
        translator: Carries the names.
        nested: Tells which part of a path is a name.

    Attributes:
        fresh: Every name written since somebody emptied the list, and the old name it comes from.
    """

    def __init__(self, translator: Translator, nested: NestedNames) -> None:
        self.fresh: list[tuple[str, str]] = []
        self._written: set[str] = set()
        self._translator = translator
        self._nested = nested
        # Of rows, and of summaries, in which a path may lead to a statistic.
        self._heads: tuple[dict[bytes, bytes], dict[bytes, bytes]] = {}, {}
        self._forms: tuple[dict[bytes, Form], dict[bytes, Form]] = {}, {}
        self._below: dict[str, set[bytes]] = {}
        self._recent: dict[bytes, bytes] = {}
        self._claims: dict[str, list[Form]] = {}
        self._settled: dict[tuple[tuple[str, int], ...], list[TranslatedEntry]] = {}

    def rename(self, row: Any, field: str) -> bool:
        """Rename the items of one row, the ``field`` of a history or summary, and tell whether anything changed.

        Raises:
            InputError: As ``Translator.entries``.
        """
        old = list(getattr(row, field))
        summary, new = field == "update", None
        if summary:
            with suppress(KeyError):
                # Beside each row W&B writes a summary with the same items, in another order.
                new = list(map(self._recent.__getitem__, old))
        if new is None:
            new = self._renamed_row(old, summary=summary)
        if new == old:
            return False
        # To assign to the items takes several times as long.
        row.ClearField(field)
        getattr(row, field).extend(new)
        return True

    def _renamed_row(self, old: list[bytes], *, summary: bool) -> list[bytes]:
        heads = self._heads[summary]
        parts = list(map(bytes.partition, old, repeat(_VALUE)))
        with suppress(KeyError):
            new = [heads[head] + value for head, tag, value in parts if tag and _DICT not in value]
            if len(new) == len(old):
                if not summary:
                    self._recent = dict(zip(old, new, strict=True))
                return new
        new = []
        others: list[bytes] = []
        for item, (head, tag, value) in zip(old, parts, strict=True):
            if tag and _DICT not in value and head in heads:
                new.append(heads[head] + value)
            else:
                others.append(item)
        found, changed = within(others, self._nested, summary=summary)
        if self._learn(found, changed, summary=summary):
            return self._renamed_row(old, summary=summary)
        return new + self._rename_others(found)

    def rename_removed(self, items: Any) -> bool:
        """Rename, in place, the items that are removed from a summary, and tell whether anything changed."""
        old = list(items)
        new = [renamed for item in old for renamed in self._under_new_names(item)]
        items[:] = new
        return new != old

    def _under_new_names(self, item: bytes) -> list[bytes]:
        path = path_of(item_class().FromString(item))
        if is_own(path[0]):
            return [item]
        form = path[: self._nested.length(path, summary=True)]
        return [_renamed(item, form, entry.name) for entry in self._translator.entries({".".join(form): None})]

    def _learn(self, found: dict[str, list[Part]], changed: set[str], *, summary: bool) -> bool:
        """Find out what becomes of names that were not seen before, and tell whether the row has to be begun anew."""
        for root in changed:
            self._forget(self._below.pop(root, set()))
        heads, forms = self._heads[summary], self._forms[summary]
        if len(forms) > _MAX_HEADS:
            self._forget(list(forms))
            self._claims.clear()
        fresh = [
            (name, part, part.whole.partition(_VALUE)[0])
            for name, parts in found.items()
            for part in parts
            if part.whole.partition(_VALUE)[0] not in forms
        ]
        # All names first, since one name may change what becomes of another.
        new = [self._claim(name, tuple(part.path[: part.length])) for name, part, _ in fresh]
        for name, part, head in fresh:
            if part.item is not part.whole or not _is_head(head, part.item):
                continue
            forms[head] = tuple(part.path[: part.length])
            if len(part.path) > 1:
                self._below.setdefault(part.path[0], set()).add(head)
            if is_own(name):
                heads[head] = head + _VALUE
            elif len(self._claims[self._translator.key(name).output]) == 1 and not self._is_converted(name):
                entries = self._translator.entries({name: None})
                if len(entries) == 1:
                    self._take_down(entries[0].name, name)
                    heads[head] = _renamed(head, forms[head], entries[0].name) + _VALUE
        return bool(changed) or any(new)

    def _forget(self, some: Collection[bytes]) -> None:
        for heads, forms in zip(self._heads, self._forms, strict=True):
            for head in some:
                heads.pop(head, None)
                forms.pop(head, None)

    def _claim(self, name: str, form: Form) -> bool:
        """Note which name a name becomes, and tell whether it is new.

        Names that share one have to be looked at in each row.
        """
        claims = self._claims.setdefault(name if is_own(name) else self._translator.key(name).output, [])
        if form in claims:
            return False
        claims.append(form)
        if len(claims) > 1:
            for heads, forms in zip(self._heads, self._forms, strict=True):
                for head in [head for head, known in forms.items() if known in claims]:
                    heads.pop(head, None)
        return True

    def _take_down(self, new: str, old: str) -> None:
        if new not in self._written:
            self._written.add(new)
            self.fresh.append((new, old))

    def _is_converted(self, name: str) -> bool:
        move = self._translator.key(name)
        return move.translated and move.transform is not None

    def _rename_others(self, found: dict[str, list[Part]]) -> list[bytes]:
        """Return the renamed items of names that can't be looked up, because values matter."""
        new: list[bytes] = []
        apart = [part for parts in found.values() for part in parts if part.item is not part.whole]
        together: list[bytes] = []
        aside = self._set_aside(found)
        for entry in (*aside.values(), *self._entries({name: found[name] for name in found if name not in aside})):
            if not is_own(entry.old):
                self._take_down(entry.name, entry.old)
            for part in found[entry.old]:
                (new if part.item is part.whole else together).append(_written(part, entry))
        if sorted(part.item for part in apart) == sorted(together):
            return new + list(dict.fromkeys(part.whole for part in apart))
        return new + _put_together(together, by_key=bool(item_class().FromString(apart[0].whole).key))

    def _set_aside(self, found: dict[str, list[Part]]) -> dict[str, TranslatedEntry]:
        """Return what becomes of names that stand in a row both in a dict and with dots, with different values."""
        report = self._translator.report
        entries: dict[str, TranslatedEntry] = {}
        for name, parts in found.items():
            forms: dict[Form, list[Part]] = {}
            for part in parts:
                forms.setdefault(tuple(part.path[: part.length]), []).append(part)
            if len(forms) == 1 or self._translator.claimed(name) in (None, name) or _all_same([*forms.values()]):
                continue
            claimants = report.collisions.setdefault(self._translator.key(name).output, [])
            if name not in claimants:
                claimants.append(name)
            report.set_aside[name] = self._translator.aside(name)
            entries[name] = TranslatedEntry(report.set_aside[name], name, None)
        return entries

    def _entries(self, items: dict[str, list[Part]]) -> list[TranslatedEntry]:
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


def _is_head(head: bytes, item: bytes) -> bool:
    """Tell whether the bytes before a value are whole fields, and name it."""
    if head == item:
        return False
    try:
        return bool(item_class().FromString(head).SerializeToString() == head)
    except decode_error():
        return False


def _renamed(item: bytes, form: Sequence[str], name: str) -> bytes:
    """Return an item under a new name: in a dict as its old name was, if the names end alike."""
    message = item_class().FromString(item)
    if message.nested_key:
        message.nested_key[: len(form)] = nested(name, form)
    else:
        message.key = name
    renamed: bytes = message.SerializeToString()
    return renamed


def _written(part: Part, entry: TranslatedEntry) -> bytes:
    """Return an item as an entry of the translated row says."""
    form = part.path[: part.length]
    if not entry.converted:
        return part.item if entry.name == entry.old else _renamed(part.item, form, entry.name)
    message = item_class().FromString(part.item)
    value = _at(entry.value, tuple(part.path[part.length :]))
    field = value_field(message)
    if field in ("value_json", "json"):
        setattr(message, field, written(value))
    elif isinstance(value, float):
        message.number = value
    return _renamed(message.SerializeToString(), form, entry.name)


def _put_together(items: list[bytes], *, by_key: bool) -> list[bytes]:
    """Return items with dicts in them, as wandb's Python writer has them."""
    row: dict[str, Any] = {}
    for item in map(item_class().FromString, items):
        put(row, path_of(item), read_value(item))
    made: list[bytes] = []
    for name, value in row.items():
        message = item_class()(value_json=written(value))
        if by_key:
            message.key = name
        else:
            message.nested_key.append(name)
        made.append(message.SerializeToString())
    return made


def _all_same(claims: list[list[Part]]) -> bool:
    """Tell whether the items under several names hold the same value."""
    if all(len(parts) == 1 for parts in claims):
        texts = {(part.item.partition(_VALUE)[2], *part.path[part.length :]) for (part,) in claims}
        if len(texts) == 1 and texts != {(b"",)}:
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
