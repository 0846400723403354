"""What a log and all beside it tell about its source."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from rlmetrics.names.inference import Clues

from .beside import beside
from .input_errors import InputError
from .log import Log

__all__ = ["SAMPLE", "clues_of", "with_values"]

SAMPLE = 200
"""Rows from whose keys and values a source is inferred."""

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
    known, sample = tuple(keys), list(rows)
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
        where=where,
    ).with_values(sample)


def with_values(clues: Clues, log: Log, run: str | None) -> Clues:
    """Return clues with those that the values of a run's first rows give; the same where these can't be read.

    Args:
        clues: What is known of the run without reading its rows.
        log: The log that holds it.
        run: Its name there; None if the log is one run.
    """
    try:
        found = next((one for one in log.reread() if run is None or one.name == run), None)
        rows = [] if found is None else [row.values for row in islice(found.rows, SAMPLE)]
    except InputError:
        return clues
    return clues.with_values(rows)
