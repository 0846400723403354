"""Answers to the plainest questions, ready to be printed: to a name alone, and to a key of a newest release.

They are what `rlmetrics.answers` says, asked once for every name; `rlmetrics.wording.answer_book` reads them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from rlmetrics.answers.asked import Answer, answer_anywhere, answer_at
from rlmetrics.answers.show_answer import choice_lines, shown_lines
from rlmetrics.names.lookup.anywhere import looked_up
from rlmetrics.names.lookup.metric_summary import show
from rlmetrics.names.meanings.view import open_view
from rlmetrics.names.tables.tables import Tables
from rlmetrics.names.tables.user_errors import NamesError
from rlmetrics.wording.answer_book import AT, at_name, book, entry
from rlmetrics.wording.terminal import unlaid

from ..cache import Shelf
from ..output.input_digest import digest_of
from ..output.prose import header
from ..output.store import Output
from ..tables.json_tables import FOLDER

__all__ = ["emit"]

_FEW = 200
"""So few questions are answered in this process."""

_Question = tuple[str, str]
"""The book that the answer goes to, and the name or the source that is asked about."""

_tables: Tables | None = None
"""What the processes that answer have inherited."""


def emit(tables: Mapping[str, str], cache: Path | None) -> Iterator[Output]:
    """Yield the books of ready answers.

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
    for name, text in kept[1].items():
        yield Output(f"{FOLDER}/ready/{name}.txt", text, "spec")


def _books(tables: Mapping[str, str]) -> dict[str, str]:
    """Return the books by name."""
    global _tables
    start = len(f"{FOLDER}/")
    data = {path[start:-5]: json.loads(text) for path, text in tables.items() if path.endswith(".json")}
    _tables = Tables(data.__getitem__)
    names = sorted(_names(data))
    asked = [(kind, name) for kind in ("resolve", "show") for name in names]
    asked += [(AT, source) for source in _newest(_tables)]
    found: dict[str, dict[str, str]] = {name: {} for name in _BOOKS}
    try:
        for name, answers in _shares(asked):
            found[name].update(answers)
    finally:
        _tables = None
    return {name: book(header("spec"), answers) for name, answers in found.items()}


def _names(data: Mapping[str, Mapping[str, Any]]) -> set[str]:
    """Return what people ask about: keys, metrics and what they are called elsewhere."""
    lookup, renamed = data["lookup"], {row[0] for row in data["index"]["RENAMED"]}
    return {*lookup["KEYS"], *data["families"]["FAMILY_OF"], *lookup["ALIASES"]} - renamed


def _newest(tables: Tables) -> Iterator[str]:
    """Yield the newest release of each framework, and of each component the newest that describes it."""
    for framework in tables.frameworks:
        table = tables.framework(framework)
        newest: dict[str, str] = {}
        for release in table.releases.names:
            newest.update({name: release for name, _ in table.described(release)})
        yield from (f"{framework}[{name}]=={release}" for name, release in newest.items())
        yield f"{framework}=={table.releases.names[-1]}"


def _shares(asked: Sequence[_Question]) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yield answers by name, with their book, from as many processes as there are processors."""
    count = os.cpu_count() or 1
    if len(asked) <= _FEW or count == 1 or not hasattr(os, "fork"):
        yield from _answers(asked)
        return
    with ProcessPoolExecutor(count, mp_context=get_context("fork")) as pool:
        for answers in pool.map(_answers, [asked[at :: 8 * count] for at in range(8 * count)]):
            yield from answers


def _answers(asked: Sequence[_Question]) -> list[tuple[str, dict[str, str]]]:
    tables = _tables
    assert tables is not None
    return [(name, dict(_BOOKS[name](about, tables))) for name, about in asked]


def _resolved(name: str, tables: Tables) -> Iterator[tuple[str, str]]:
    """Yield what `resolve` says of a name; nothing where it takes more than a look."""

    def answer() -> Answer:
        _, lookups = looked_up([name], tables=tables)
        return answer_anywhere(name, lookups[0], tables)

    found = unlaid(answer)
    if not found.is_typo:
        yield name, entry(found.lines, (), found.links)


def _shown(name: str, tables: Tables) -> Iterator[tuple[str, str]]:
    """Yield what `show` says of a name."""
    found = show(name, spec=tables)

    def lines() -> list[str]:
        return choice_lines(name, found, tables) if len(found) > 1 else shown_lines(found[0], tables)

    yield name, entry(unlaid(lines), [item.metric for item in found], {})


def _at(source: str, tables: Tables) -> Iterator[tuple[str, str]]:
    """Yield what `resolve` says of each key of training; nothing where the source is more than one."""
    try:
        view = open_view(source, spec=tables)
    except NamesError:
        return  # several classes of one name
    for key in dict.fromkeys(item.key for item in view.entries() if item.mode == "train"):

        def answer(key: str = key) -> Answer:
            return answer_at(view, key)

        found = unlaid(answer)
        if not found.is_typo:
            yield at_name(key, source), entry(found.lines, (), found.links)


_BOOKS: Mapping[str, Callable[[str, Tables], Iterator[tuple[str, str]]]] = {
    "resolve": _resolved,
    "show": _shown,
    AT: _at,
}
