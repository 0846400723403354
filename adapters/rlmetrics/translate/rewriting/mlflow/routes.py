"""What becomes of each key of a run, decided for the whole run at once, since MLflow keeps one series for each key."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from rlmetrics.lazy_dataclasses import dataclass
from rlmetrics.logs.input_errors import InputError
from rlmetrics.names.tables.key_records import Transform
from rlmetrics.names.tables.loading import load_tables

from ...report import Report
from ...translator import Translator

__all__ = ["NOTE", "SeriesRoute", "note_of", "routes_of"]

NOTE = "translated_from"
"""The tag that tells where the names of a run come from."""
_LONGEST_TAG = 8000


@dataclass(frozen=True, slots=True)
class SeriesRoute:
    """A name that a series is written under, and how its values are converted, if they are."""

    name: str
    transform: Transform | None


def routes_of(
    keys: Iterable[str], digest: Callable[[str, Transform | None], str], translator: Translator
) -> dict[str, list[SeriesRoute]]:
    """Return the names under which each series of a run is written; none for one that is left out.

    Args:
        keys: The keys of the run.
        digest: Returns a text that is equal for series with equal steps and values; asked only about those that claim
            one name.
        translator: Says what becomes of each key.

    Raises:
        InputError: If MLflow doesn't allow a name, or a key is unknown and that is an error.
    """
    moves = [translator.key(key) for key in sorted(keys)]
    claims = Counter(move.output for move in moves)
    transforms = {move.key: move.transform if move.translated else None for move in moves}
    row = {move.key: digest(move.key, transforms[move.key]) if claims[move.output] > 1 else "" for move in moves}
    routes: dict[str, list[SeriesRoute]] = {key: [] for key in row}
    for entry in translator.entries(row):
        if entry.name != entry.old:
            _require_legal(entry.name, entry.old)
        routes[entry.old].append(SeriesRoute(entry.name, transforms[entry.old] if entry.converted else None))
    return routes


def note_of(report: Report, series: dict[str, list[SeriesRoute]]) -> str:
    """Return the text of the tag ``NOTE``: source, target, and the names of the run unless they are too many."""
    said: dict[str, Any] = {"from": report.source, "to": report.target}
    names = {old: new.name for old, routes in series.items() for new in routes if new.name != old}
    whole = json.dumps({**said, "names": names}, ensure_ascii=False)
    return whole if len(whole) <= _LONGEST_TAG else json.dumps(said)


def _require_legal(name: str, old: str) -> None:
    rules = load_tables().trackers["mlflow"]
    if re.fullmatch(rules["allowed"], name) is None or len(name) > rules["max_length"]:
        fix = "leave the key out, bind other placeholders, or leave out --surface"
        msg = f"{old}: its new name {name} is none that MLflow allows; {fix}"
        raise InputError(msg)
