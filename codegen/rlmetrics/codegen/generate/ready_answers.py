"""Answers to questions that name a key or a metric and nothing else, ready to be printed.

They are what `rlmetrics.answers` says, asked once for every name; `rlmetrics.wording.answer_book` reads them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rlmetrics.answers.asked import answer_anywhere
from rlmetrics.answers.show_answer import choice_lines, shown_lines
from rlmetrics.names.lookup.anywhere import looked_up
from rlmetrics.names.lookup.metric_summary import show
from rlmetrics.names.tables.tables import Tables
from rlmetrics.wording.answer_book import book, entry
from rlmetrics.wording.terminal import unlaid

from ..cache import Shelf
from ..output.input_digest import digest_of
from ..output.prose import header
from ..output.store import Output
from ..tables.json_tables import FOLDER

if TYPE_CHECKING:
    from rlmetrics.answers.asked import Answer

__all__ = ["emit"]

_FEW = 200
"""So few names are answered about in this process."""

_tables: Tables | None = None
"""What the processes that answer have inherited."""


def emit(tables: Mapping[str, str], cache: Path | None) -> Iterator[Output]:
    """Yield a file of ready answers for each command.

    Args:
        tables: The files of all tables, by path.
        cache: A folder that keeps the answers of the last run, which hold as long as tables and code are the same.
    """
    shelf = Shelf(cache, "answers")
    made_of = digest_of("\0".join(text for item in sorted(tables.items()) for text in item).encode())
    kept = shelf.load()
    if kept is None or kept[0] != made_of:
        kept = made_of, _books(tables)
        shelf.keep(kept)
    for command, text in kept[1].items():
        yield Output(f"{FOLDER}/ready/{command}.txt", text, "spec")


def _books(tables: Mapping[str, str]) -> dict[str, str]:
    """Return the files of ready answers by command."""
    global _tables
    start = len(f"{FOLDER}/")
    data = {path[start:-5]: json.loads(text) for path, text in tables.items() if path.endswith(".json")}
    _tables = Tables(data.__getitem__)
    names = sorted(_names(data))
    try:
        answers = {name: pair for share in _shares(names) for name, pair in share.items()}
    finally:
        _tables = None
    resolved = {name: answers[name][0] for name in names}
    shown = {name: answers[name][1] for name in names}
    return {
        command: book(header("spec"), {name: text for name, text in found.items() if text is not None})
        for command, found in (("resolve", resolved), ("show", shown))
    }


def _names(data: Mapping[str, Mapping[str, Any]]) -> set[str]:
    """Return what people ask about: keys, metrics and what they are called elsewhere."""
    lookup, renamed = data["lookup"], {row[0] for row in data["index"]["RENAMED"]}
    return {*lookup["KEYS"], *data["families"]["FAMILY_OF"], *lookup["ALIASES"]} - renamed


def _shares(names: Sequence[str]) -> Iterator[Mapping[str, tuple[str | None, str | None]]]:
    """Yield the answers of all names, from as many processes as there are processors."""
    count = os.cpu_count() or 1
    if len(names) <= _FEW or count == 1 or not hasattr(os, "fork"):
        yield _answers(names)
        return
    with ProcessPoolExecutor(count, mp_context=get_context("fork")) as pool:
        yield from pool.map(_answers, [names[at :: 4 * count] for at in range(4 * count)])


def _answers(names: Sequence[str]) -> dict[str, tuple[str | None, str | None]]:
    """Return the ready answers of `resolve` and of `show` to names."""
    tables = _tables
    assert tables is not None
    return {name: (_resolved(name, tables), _shown(name, tables)) for name in names}


def _resolved(name: str, tables: Tables) -> str | None:
    """Return what `resolve` says of a name; None where it takes more than a look."""

    def answer() -> Answer:
        _, lookups = looked_up([name], tables=tables)
        return answer_anywhere(name, lookups[0], tables)

    found = unlaid(answer)
    return None if found.is_typo else entry(found.lines, (), found.links)


def _shown(name: str, tables: Tables) -> str | None:
    """Return what `show` says of a name; None where nothing is called so."""
    found = show(name, spec=tables)

    def lines() -> list[str]:
        return choice_lines(name, found, tables) if len(found) > 1 else shown_lines(found[0], tables)

    return entry(unlaid(lines), [item.metric for item in found], {})
