"""What keys of a code that nobody described may measure, guessed by name alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from rlmetrics.lazy_typing import TYPE_CHECKING, NamedTuple
from rlmetrics.names.lookup.resolving import is_users_own
from rlmetrics.names.meanings.key_index import ALIAS, KEY, SEGMENT, SHOWN, TEMPLATE, Lookup, catalogue_of
from rlmetrics.wording.signature_words import listed, source_words

if TYPE_CHECKING:
    from rlmetrics.names.tables.tables import Tables

__all__ = ["GuessedKey", "guessed_keys"]

_AVERAGED = re.compile(r"^(?:mean|avg|average)_|_(?:mean|avg|average)$")
"""What a name may say of how a number is put together."""
_MOST = 2
"""So many other metrics are named that a key may be."""


class GuessedKey(NamedTuple):
    """A key and what it may measure.

    Attributes:
        key: As it is logged.
        metric: The metric; None where the name tells too little.
        why: Who calls what by such a name, in words.
    """

    key: str
    metric: str | None
    why: str


def guessed_keys(keys: Iterable[str], tables: Tables) -> list[GuessedKey]:
    """Return a guess for each key, in their order."""
    return [_guessed(key, tables) for key in keys]


def _guessed(key: str, tables: Tables) -> GuessedKey:
    catalogue = catalogue_of(tables)
    last = key.rpartition("/")[2]
    looks: list[tuple[str, tuple[str, ...]]] = [(key, (KEY, SHOWN, TEMPLATE, ALIAS))]
    looks += [(last, (KEY, ALIAS)), (_AVERAGED.sub("", last), (KEY, ALIAS)), (last, (SEGMENT,))]
    for name, ways in looks:
        found = catalogue.find(name, ways)
        metrics = list(dict.fromkeys(_metrics(found, tables)))
        if metrics and (found.way != SEGMENT or len(metrics) == 1):
            return GuessedKey(key, metrics[0], _why(name, found, metrics, tables))
        if metrics:
            return GuessedKey(key, None, f"may be {listed(metrics[: _MOST + 1], 'or')}")
    near = next(iter(catalogue.near(key)), None)
    return GuessedKey(key, None, f"spelled somewhat like {near}" if near else "nothing is called like it")


def _metrics(found: Lookup, tables: Tables) -> Iterator[str]:
    for item in found.found:
        if item.metric is not None and not is_users_own(item.metric, tables):
            yield item.metric


def _why(name: str, found: Lookup, metrics: list[str], tables: Tables) -> str:
    """Return who calls the guessed metric so, and what else the name is used for."""
    first = next(item for item in found.found if item.metric == metrics[0])
    who = source_words(first.source.partition("==")[0], tables)
    key = first.key.partition("{")[0].rstrip("/") or first.key
    said = f"{who} calls it so" if name == first.key else f"{who} calls it {key}"
    others = metrics[1 : _MOST + 1]
    return f"{said}; it may also be {listed(others, 'or')}" if others else said
