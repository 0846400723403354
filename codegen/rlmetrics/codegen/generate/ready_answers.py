"""Answers to the plainest questions, ready to be printed: to a name alone, and to a key of a newest release.

What becomes of such a key in the newest release of another framework is among them. They are what `rlmetrics.answers`
says, asked once for every name; `rlmetrics.wording.answer_book` reads them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cached_property
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

from rlmetrics.answers.asked import Answer, answer_anywhere, answer_at
from rlmetrics.answers.map_answer import key_lines, map_lines
from rlmetrics.answers.show_answer import choice_lines, shown_lines
from rlmetrics.names.lookup.anywhere import looked_up
from rlmetrics.names.lookup.metric_summary import show
from rlmetrics.names.mapping.mapping import map_names
from rlmetrics.names.meanings.view import open_view
from rlmetrics.names.tables.key_records import MapRow
from rlmetrics.names.tables.tables import Tables
from rlmetrics.names.tables.user_errors import NamesError
from rlmetrics.wording.answer_book import AT, MAP, at_name, book, entry, map_name
from rlmetrics.wording.terminal import unlaid

from ..cache import Shelf
from ..output.input_digest import digest_of
from ..output.prose import header
from ..output.store import Output
from ..tables.json_tables import FOLDER

__all__ = ["MADE_BY", "emit"]

MADE_BY = (
    "rlmetrics.answers",
    "rlmetrics.names",
    "rlmetrics.wording",
    "rlmetrics.lazy_dataclasses",
    "rlmetrics.lazy_imports",
    "rlmetrics.lazy_typing",
    __name__,
)
"""The code that decides what an answer is."""

_TO = " --to "
"""Separates the sources of a pair."""

_PARTS = 2
"""What every name alone means is asked in so many parts: each has to read all that any release logs."""

_Answers = dict[str, str]
"""Answers as they are kept, by name."""


class _Unit(NamedTuple):
    """Questions that are answered from the same tables, and together answered anew when one of these changes.

    Attributes:
        book: The book that the answers go to.
        about: The names that are asked about; the one source; or the one pair of sources.
    """

    book: str
    about: tuple[str, ...]


class _Answered(NamedTuple):
    """What came of a unit.

    Attributes:
        read: The tables that were read, with the digest of their file; None if there is no such table.
        answers: The answers.
    """

    read: Mapping[str, str | None]
    answers: _Answers


class _Files:
    """The files of tables by name, each parsed once."""

    def __init__(self, tables: Mapping[str, str]) -> None:
        start = len(f"{FOLDER}/")
        self._texts = {path[start:-5]: text for path, text in tables.items() if path.endswith(".json")}
        self._parsed: dict[str, Any] = {}

    @cached_property
    def digests(self) -> Mapping[str, str]:
        """The digest of each file."""
        return {name: digest_of(text.encode()) for name, text in self._texts.items()}

    def __getitem__(self, name: str) -> Mapping[str, Any]:
        if name not in self._parsed:
            self._parsed[name] = json.loads(self._texts[name])
        return self._parsed[name]  # type: ignore[no-any-return]

    def parse(self) -> None:
        """Parse all, for processes that inherit them."""
        for name in self._texts:
            self[name]


_files: _Files | None = None
"""What the processes that answer have inherited."""


def emit(tables: Mapping[str, str], cache: Path | None) -> Iterator[Output]:
    """Yield the books of ready answers.

    Args:
        tables: The files of all tables, by path.
        cache: A folder that keeps the answers of the last run; they hold as long as the tables that were read to find
            them, and the code that makes answers, are the same.
    """
    files, shelf = _Files(tables), Shelf(cache, "answers", MADE_BY)
    kept: Mapping[_Unit, _Answered] = shelf.load() or {}
    units = list(_units(files))
    found = {unit: kept[unit] for unit in units if unit in kept and _holds(kept[unit], files)}
    missing = [unit for unit in units if unit not in found]
    if missing:
        found.update(_answered(missing, files))
        shelf.keep(found)
    books: dict[str, _Answers] = {name: {} for name in _BOOKS}
    for unit in units:
        books[unit.book].update(found[unit].answers)
    for name, answers in books.items():
        yield Output(f"{FOLDER}/ready/{name}.txt", book(header("spec"), answers), "spec")


def _holds(answered: _Answered, files: _Files) -> bool:
    return all(files.digests.get(name) == digest for name, digest in answered.read.items())


def _units(files: _Files) -> Iterator[_Unit]:
    """Yield all that is asked, what takes longest first."""
    lookup, families = files["lookup"], files["families"]["FAMILY_OF"]
    renamed = {row[0] for row in files["index"]["RENAMED"]}
    names = sorted({*lookup["KEYS"], *families, *lookup["ALIASES"]} - renamed)
    yield from (_Unit("resolve", tuple(names[part::_PARTS])) for part in range(_PARTS))
    shown: dict[str, list[str]] = {}
    for name in names:
        metrics = [name, *lookup["KEYS"].get(name, ()), *lookup["ALIASES"].get(name, ())]
        shown.setdefault(next((families[metric] for metric in metrics if metric in families), ""), []).append(name)
    yield from (_Unit("show", tuple(each)) for each in shown.values())
    tables = Tables(files.__getitem__)
    newest = {framework: [*_newest(framework, tables)] for framework in tables.frameworks}
    yield from (_Unit(AT, (source,)) for sources in newest.values() for source in sources)
    for framework, sources in newest.items():
        for other in (name for name in newest if name != framework):
            yield from (_Unit(MAP, (f"{source}{_TO}{newest[other][-1]}",)) for source in sources)


def _newest(framework: str, tables: Tables) -> Iterator[str]:
    """Yield the newest release that describes each component of a framework, then the framework's own newest."""
    table = tables.framework(framework)
    newest: dict[str, str] = {}
    for release in table.releases.names:
        newest.update({name: release for name, _ in table.described(release)})
    yield from (f"{framework}[{name}]=={release}" for name, release in newest.items())
    yield f"{framework}=={table.releases.names[-1]}"


def _answered(units: Sequence[_Unit], files: _Files) -> Iterator[tuple[_Unit, _Answered]]:
    """Yield what comes of units, from as many processes as there are processors."""
    global _files
    files.parse()
    _files, count = files, os.cpu_count() or 1
    try:
        if len(units) == 1 or count == 1 or not hasattr(os, "fork"):
            yield from zip(units, map(_answer, units), strict=True)
            return
        with ProcessPoolExecutor(count, mp_context=get_context("fork")) as pool:
            yield from zip(units, pool.map(_answer, units), strict=True)
    finally:
        _files = None


def _answer(unit: _Unit) -> _Answered:
    """Answer a unit from tables of its own, so that all that it reads is noticed."""
    files = _files
    assert files is not None
    read: dict[str, str | None] = {}

    def load(name: str) -> Mapping[str, Any]:
        read[name] = files.digests.get(name)
        return files[name]

    tables = Tables(load)
    return _Answered(read, {name: text for about in unit.about for name, text in _BOOKS[unit.book](about, tables)})


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


def _mapped(pair: str, tables: Tables) -> Iterator[tuple[str, str]]:
    """Yield what `map` says of a pair of sources as a whole, and of each key of training."""
    source, _, target = pair.partition(_TO)
    try:
        names = map_names(source, target, spec=tables)
    except NamesError:
        return  # several classes of one name, or several trainers of which none is clearly meant
    yield map_name(None, source, target), entry(unlaid(lambda: map_lines(names, full=False)), (), {})
    for key in dict.fromkeys(item.key for item in names.from_view.entries() if item.mode == "train"):
        row = names.translate(key).row
        if row is not None and row.from_ == key:

            def lines(row: MapRow = row) -> list[str]:
                return [*key_lines(names, row)]

            yield map_name(key, source, target), entry(unlaid(lines), (), {})


_BOOKS: Mapping[str, Callable[[str, Tables], Iterator[tuple[str, str]]]] = {
    "resolve": _resolved,
    "show": _shown,
    AT: _at,
    MAP: _mapped,
}
