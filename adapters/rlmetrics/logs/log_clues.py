"""What a log and all beside it tell about its source."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rlmetrics.names.inference import Clues, nonzero_in

from .beside import beside
from .log import Log

__all__ = ["clues_of"]

_ALL = 50
"""How many settings a trainer of transformers has at least: fewer are not all."""


def clues_of(
    log: Log, run: str | None, keys: Iterable[str], *, whole: bool, rows: Iterable[Mapping[str, Any]] = ()
) -> Clues:
    """Return what is known of a run from which its source follows.

    Args:
        log: The log that holds it.
        run: Its name there; None if the log is one run.
        keys: What it logged, as far as that was read.
        whole: Whether these are all keys.
        rows: Some of what it logged, of which the values count.
    """
    known = tuple(keys)
    own, arguments, near = log.releases(), log.argument_names(), beside(log.path)
    fields = arguments.get(run or None, arguments.get(None, frozenset()))
    recorded = log.configuration.get(run or None, log.configuration.get(None))
    settings = frozenset() if recorded is None else frozenset(recorded.values)
    certain = own if log.kind.knows_releases else {}
    where = dict(near.where)
    if certain:
        where |= dict.fromkeys(certain, "the run")
    if settings or fields:
        where["settings"] = (recorded.where if recorded is not None else "") or "the run"
    return Clues(
        known,
        whole=whole,
        installed=dict(certain),
        named={**near.releases, **({} if certain else own)},
        settings=settings | fields,
        settings_beside=near.settings,
        settings_whole=len(fields) >= _ALL,
        tags=near.tags,
        decimals=log.decimals(),
        nonzero=nonzero_in(rows),
        where=where,
    )
