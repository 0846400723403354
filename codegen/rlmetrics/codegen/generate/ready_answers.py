"""Answers to the plainest questions, ready to be printed: to a name alone, and to a key of a released component.

What becomes of such a key between the two frameworks that come first is among them, and what changed up to the newest
release. They are what `rlmetrics.answers` says, asked once for every name, and for every key and release of which
anything else is to be said than of the release before; `rlmetrics.wording.answer_book` reads them.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cached_property
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

from rlmetrics.names.tables.tables import Tables
from rlmetrics.wording.answer_book import AT, DIFF, MAP, library

from ..cache import Shelf
from ..output.input_digest import digest_of
from ..output.prose import header
from ..output.store import Output
from ..tables.json_tables import FOLDER
from .alike_releases import AlikeReleases
from .ready_questions import NAMED, RELEASED

__all__ = ["MADE_BY", "emit"]

MADE_BY = (
    "rlmetrics.answers",
    "rlmetrics.names",
    "rlmetrics.wording",
    "rlmetrics.lazy_dataclasses",
    "rlmetrics.lazy_imports",
    "rlmetrics.lazy_typing",
    "rlmetrics.codegen.generate.alike_releases",
    "rlmetrics.codegen.generate.ready_questions",
    __name__,
)
"""The code that decides what an answer is."""

_PARTS = 2
"""What every name alone means is asked in so many parts: each has to read all that any release logs."""

_MAPPED = 2
"""Mappings stand ready between so many frameworks, those that come first: among all they grow with the square."""

_Texts = dict[str, list[Sequence[str] | None]]
"""Lines of answers as they are kept, by name; of a component's key, one answer for each stretch of releases."""


class _Unit(NamedTuple):
    """Questions that are answered from the same tables, and together answered anew when one of these changes.

    Attributes:
        book: The book that the answers go to.
        about: The names that are asked about; or one component in several releases, oldest first.
        target: The source that they are compared with, if any.
    """

    book: str
    about: tuple[str, ...]
    target: str = ""


class _Answered(NamedTuple):
    """What came of a unit.

    Attributes:
        read: The tables that were read, with the digest of their file; None if there is no such table.
        answers: The answers.
        stretches: The releases that are answered alike, where it is about releases.
    """

    read: Mapping[str, str | None]
    answers: _Texts
    stretches: Sequence[Sequence[str]]


class _Files:
    """The files of tables by name, each parsed once.

    Attributes:
        texts: Their texts.
    """

    def __init__(self, tables: Mapping[str, str]) -> None:
        start = len(f"{FOLDER}/")
        self.texts = {path[start:-5]: text for path, text in tables.items() if path.endswith(".json")}
        self._parsed: dict[str, Any] = {}

    @cached_property
    def digests(self) -> Mapping[str, str]:
        """The digest of each file."""
        return {name: digest_of(text.encode()) for name, text in self.texts.items()}

    def __getitem__(self, name: str) -> Mapping[str, Any]:
        if name not in self._parsed:
            self._parsed[name] = json.loads(self.texts[name])
        return self._parsed[name]  # type: ignore[no-any-return]

    def parse(self) -> None:
        """Parse all, for processes that inherit them."""
        for name in self.texts:
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
    answers: dict[str, _Texts] = {name: {} for name in (*NAMED, *RELEASED)}
    courses: dict[str, dict[str, Sequence[Sequence[str]]]] = {name: {} for name in RELEASED}
    for unit in units:
        answers[unit.book].update(found[unit].answers)
        if unit.book in RELEASED:
            courses[unit.book][_course(unit)] = found[unit].stretches
    for name, text in library(header("spec"), answers, courses).items():
        yield Output(f"{FOLDER}/ready/{name}.txt", text, "spec")


def _course(unit: _Unit) -> str:
    return unit.about[0].partition("==")[0]


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
    newest = {name: tables.framework(name).releases.names[-1] for name in tables.frameworks}
    for place, framework in enumerate(newest):
        mapped = [name for name in [*newest][:_MAPPED] if name != framework and place < _MAPPED]
        for sources in _courses(framework, tables):
            yield _Unit(AT, sources)
            yield from (_Unit(MAP, sources, f"{other}=={newest[other]}") for other in mapped)
            yield _Unit(DIFF, sources, sources[-1])


def _courses(framework: str, tables: Tables) -> Iterator[tuple[str, ...]]:
    """Yield each component of a framework in its releases, then the framework as a whole.

    Where components do not run together, hardly anybody asks about all of them in an old release.
    """
    table = tables.framework(framework)
    courses: dict[str, list[str]] = {}
    for release in table.releases.names:
        for name, _ in table.described(release):
            courses.setdefault(name, []).append(f"{framework}[{name}]=={release}")
    yield from map(tuple, courses.values())
    first = 0 if table.programs else -1
    yield tuple(f"{framework}=={release}" for release in table.releases.names[first:])


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
    answers: _Texts = {}
    if unit.book in NAMED:
        for name in unit.about:
            answers.update({title: [_lines(text)] for title, text in NAMED[unit.book](name, tables)})
        return _Answered(read, answers, ())
    framework, _, component = _course(unit).partition("[")
    index = files[f"frameworks/{framework}/framework"]
    releases = AlikeReleases(index, files.texts, framework, component.removesuffix("]"))
    programs = tables.framework(framework).programs
    stretches: list[list[str]] = []
    for source in unit.about:
        release = source.partition("==")[2]
        newest = source == unit.about[-1]
        if stretches and not newest and not programs and releases.alike(stretches[-1][-1], release, read.keys()):
            stretches[-1].append(release)
            continue
        for title, text in RELEASED[unit.book](source, unit.target, tables, newest):
            found = answers.setdefault(title, [])
            found += [*[None] * (len(stretches) - len(found)), _lines(text)]
        stretches.append([release])
    for found in answers.values():
        found += [None] * (len(stretches) - len(found))
    return _Answered(read, answers, stretches)


def _lines(text: str) -> Sequence[str]:
    """Return the lines of a text; the same object for the same line, which is then kept once."""
    return [*map(sys.intern, text.split("\n"))]
