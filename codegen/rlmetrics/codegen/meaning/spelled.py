"""The keys that a record describes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..model import Mode, Ranges, Record
    from .expand import Bits

__all__ = ["Spelled", "fitting", "spelled"]


@dataclass(frozen=True)
class Spelled:
    """A key that a record describes.

    Attributes:
        key: As the file spells it, without the prefix of evaluation.
        modes: The modes in which it is logged, None for the record's.
        says: What its own entry in ``family`` or ``also`` says in place of the record.
        only: The releases in which a renamed key has this name; None for all of the record that are not in ``never``.
        never: Releases in which the key has another name.
    """

    key: str
    modes: tuple[Mode, ...] | None
    says: dict[str, Any]
    only: Ranges | None = None
    never: tuple[Ranges, ...] = ()

    def within(self, releases: int, bits: Bits) -> int:
        """Return those of some releases, as bits, in which the key has this name."""
        if self.only is not None:
            releases &= bits(self.only)
        for ranges in self.never:
            releases &= ~bits(ranges)
        return releases


def spelled(name: str, record: Record) -> Iterator[Spelled]:
    """Yield the keys of a record: its family, or its own name, then its copies, and then names of other releases."""
    by_key = {item.key: item for item in _at_first(name, record)}
    first = next(iter(by_key))
    for key, renamed in record.renamed.items():
        before = by_key.get(renamed.of or first, by_key[first])
        by_key[before.key] = replace(before, never=(*before.never, renamed.releases))
        by_key[key] = Spelled(key, before.modes, before.says, only=renamed.releases)
    yield from by_key.values()


def _at_first(name: str, record: Record) -> Iterator[Spelled]:
    own: dict[str, dict[str, Any]] = {}
    if record.family:
        own = {key: {} if metric is None else {"metric": metric} for key, metric in record.family.items()}
    else:
        own = {name: {}}
    for key, says in own.items():
        yield Spelled(key, None, says)
    first = next(iter(own))
    for key, copy in record.also.items():
        says = dict(own.get(copy.of or first, {}))
        for field in ("condition", "logged_by_default"):
            value = getattr(copy, field)
            if value is not None:
                says[field] = value
        yield Spelled(key, None if copy.modes is None else tuple(copy.modes), says)


def fitting(text: str, keys: Iterable[str]) -> list[str]:
    """Return what a text stands for in which ``*`` is any text: the keys that fit, or the text if it has none."""
    if "*" not in text:
        return [text]
    pattern = re.compile(".*".join(map(re.escape, text.split("*"))))
    return [key for key in keys if pattern.fullmatch(key)]
