"""The keys that a record describes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..model import Mode, Record

__all__ = ["Spelled", "spelled"]


@dataclass(frozen=True)
class Spelled:
    """A key that a record describes.

    Attributes:
        key: As the file spells it, without the prefix of evaluation.
        modes: The modes in which it is logged, None for the record's.
        says: What its own entry in ``family`` or ``also`` says in place of the record.
    """

    key: str
    modes: tuple[Mode, ...] | None
    says: dict[str, Any]


def spelled(name: str, record: Record) -> Iterator[Spelled]:
    """Yield the keys of a record: its family, or its own name, and then its copies."""
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
