"""Answers to the plainest questions, ready to be printed: to a name alone, and to a key of a released component.

What becomes of such a key between the two frameworks that come first is among them, and what changed up to the newest
release. They are what `rlmetrics.answers` says, asked once for every name, and for every key and release of which
anything else is to be said than of the release before; `rlmetrics.wording.answer_book` reads them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from rlmetrics.names.tables.tables import Tables
from rlmetrics.wording.answer_book import AT, DIFF, MAP, library

from ..cache import Shelf
from ..output.prose import header
from ..output.store import Output
from ..tables.json_tables import FOLDER
from .alike_releases import AlikeReleases
from .read_facts import AskedTables, Files, ReadTables, Seen
from .ready_questions import ALL, NAMED, RELEASED, KeyShare

__all__ = ["MADE_BY", "emit"]

MADE_BY = (
    "rlmetrics.answers",
    "rlmetrics.names",
    "rlmetrics.wording",
    "rlmetrics.lazy_dataclasses",
    "rlmetrics.lazy_imports",
    "rlmetrics.lazy_typing",
    "rlmetrics.codegen.generate.alike_releases",
    "rlmetrics.codegen.generate.read_facts",
    "rlmetrics.codegen.generate.ready_questions",
    __name__,
)
"""The code that decides what an answer is."""

_MAPPED = 2
"""Mappings stand ready between so many frameworks, those that come first: among all they grow with the square."""

_KEYS = 12
"""So many keys of a component are asked about together: most of what they read, they read all."""

_Texts = dict[str, list[Sequence[str] | None]]
"""Lines of answers as they are kept, by name; of a component's key, one answer for each stretch of releases."""


class _Unit(NamedTuple):
    """Questions that are answered together, from much the same, and answered anew when anything of that changes.

    Attributes:
        book: The book that the answers go to.
        about: The names that are asked about; or one component in several releases, oldest first.
        target: The source that they are compared with, if any.
        share: Which keys of a component are asked about.
    """

    book: str
    about: tuple[str, ...]
    target: str = ""
    share: KeyShare = ALL


class _Answered(NamedTuple):
    """What came of a unit.

    Attributes:
        read: What was read of which tables.
        answers: The answers.
        stretches: The releases that are answered alike, where it is about releases.
    """

    read: Mapping[str, Seen]
    answers: _Texts
    stretches: Sequence[Sequence[str]]


_files: Files | None = None
"""What the processes that answer have inherited."""


def emit(tables: Mapping[str, str], cache: Path | None) -> Iterator[Output]:
    """Yield the books of ready answers.

    Args:
        tables: The files of all tables, by path.
        cache: A folder that keeps the answers of the last run; they hold as long as what was read of tables to find
            them, and the code that makes answers, are the same.
    """
    start = len(f"{FOLDER}/")
    files = Files({path[start:-5]: text for path, text in tables.items() if path.endswith(".json")})
    shelf = Shelf(cache, "answers", MADE_BY)
    kept: Mapping[_Unit, _Answered] = shelf.load() or {}
    units = list(_units(files))
    found = {unit: kept[unit] for unit in units if unit in kept and files.hold(kept[unit].read)}
    missing = [unit for unit in units if unit not in found]
    if missing:
        found.update(_answered(missing, files))
        shelf.keep(found)
    answers: dict[str, _Texts] = {name: {} for name in (*NAMED, *RELEASED)}
    courses: dict[str, dict[str, Sequence[Sequence[str]]]] = {name: {} for name in RELEASED}
    shares: dict[tuple[str, str, str], list[_Answered]] = {}
    for unit in units:
        if unit.book in RELEASED:
            shares.setdefault((unit.book, _course(unit), unit.target), []).append(found[unit])
        else:
            answers[unit.book].update(found[unit].answers)
    for (book, course, _), parts in shares.items():
        joined, courses[book][course] = _joined(parts)
        answers[book].update(joined)
    for name, text in library(header("spec"), answers, courses).items():
        yield Output(f"{FOLDER}/ready/{name}.txt", text, "spec")


def _course(unit: _Unit) -> str:
    return unit.about[0].partition("==")[0]


def _joined(parts: Sequence[_Answered]) -> tuple[_Texts, Sequence[Sequence[str]]]:
    """Return answers about several shares of a component's keys, in stretches in which all of them are alike."""
    begin = {stretch[0] for part in parts for stretch in part.stretches}
    stretches: list[list[str]] = []
    for release in [release for stretch in parts[0].stretches for release in stretch]:
        if release in begin:
            stretches.append([])
        stretches[-1].append(release)
    answers: _Texts = {}
    for part in parts:
        within = {release: place for place, stretch in enumerate(part.stretches) for release in stretch}
        places = [within[stretch[0]] for stretch in stretches]
        answers.update({title: [found[place] for place in places] for title, found in part.answers.items()})
    return answers, stretches


def _units(files: Files) -> Iterator[_Unit]:
    """Yield all that is asked, what takes longest first."""
    lookup, families = files["lookup"], files["families"]["FAMILY_OF"]
    renamed = {row[0] for row in files["index"]["RENAMED"]}
    names = sorted({*lookup["KEYS"], *families, *lookup["ALIASES"]} - renamed)
    of_family: dict[str, list[str]] = {}
    for name in names:
        metrics = [name, *lookup["KEYS"].get(name, ()), *lookup["ALIASES"].get(name, ())]
        of_family.setdefault(next((families[metric] for metric in metrics if metric in families), ""), []).append(name)
    yield from (_Unit(book, tuple(each)) for book in NAMED for each in of_family.values())
    tables = Tables(files.__getitem__)
    newest = {name: tables.framework(name).releases.names[-1] for name in tables.frameworks}
    for place, framework in enumerate(newest):
        mapped = [name for name in [*newest][:_MAPPED] if name != framework and place < _MAPPED]
        for sources, keys in _courses(framework, tables):
            count = -(-keys // _KEYS)
            yield from (_Unit(AT, sources, share=KeyShare(place, count)) for place in range(count))
            yield from (_Unit(MAP, sources, f"{other}=={newest[other]}") for other in mapped)
            yield _Unit(DIFF, sources, sources[-1])


def _courses(framework: str, tables: Tables) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield each component of a framework in its releases, then the framework as a whole, and how many keys they have.

    Where components do not run together, hardly anybody asks about all of them in an old release.
    """
    table = tables.framework(framework)
    courses: dict[str, list[str]] = {}
    keys: dict[str, set[str]] = {}
    for release in table.releases.names:
        for name, stem in table.described(release):
            courses.setdefault(name, []).append(f"{framework}[{name}]=={release}")
            keys.setdefault(name, set()).update(table.component(stem).spelled)
    yield from ((tuple(sources), len(keys[name])) for name, sources in courses.items())
    first = 0 if table.programs else -1
    yield tuple(f"{framework}=={release}" for release in table.releases.names[first:]), len(set().union(*keys.values()))


def _answered(units: Sequence[_Unit], files: Files) -> Iterator[tuple[_Unit, _Answered]]:
    """Yield what comes of units, from as many processes as there are processors."""
    global _files
    _files, count = files, os.cpu_count() or 1
    try:
        if len(units) == 1 or count == 1 or not hasattr(os, "fork"):
            yield from zip(units, map(_answer, units), strict=True)
            return
        files.prepare()
        with ProcessPoolExecutor(count, mp_context=get_context("fork")) as pool:
            yield from zip(units, pool.map(_answer, units), strict=True)
    finally:
        _files = None


def _answer(unit: _Unit) -> _Answered:
    """Answer a unit from tables of its own, so that all that it reads is noticed."""
    files = _files
    assert files is not None
    read = ReadTables(files)
    tables = AskedTables(files, read)
    answers: _Texts = {}
    if unit.book in NAMED:
        for name in unit.about:
            answers.update({title: [_lines(text)] for title, text in NAMED[unit.book](name, tables)})
        return _Answered(read.seen(), answers, ())
    framework, _, component = _course(unit).partition("[")
    releases = AlikeReleases(read, framework, component.removesuffix("]"))
    programs = tables.framework(framework).programs
    stretches: list[list[str]] = []
    for source in unit.about:
        release = source.partition("==")[2]
        newest = source == unit.about[-1]
        if stretches and not newest and not programs and releases.alike(stretches[-1][-1], release, read.names()):
            stretches[-1].append(release)
            continue
        for title, text in RELEASED[unit.book](source, unit.target, tables, newest, unit.share):
            found = answers.setdefault(title, [])
            found += [*[None] * (len(stretches) - len(found)), _lines(text)]
        stretches.append([release])
    for found in answers.values():
        found += [None] * (len(stretches) - len(found))
    return _Answered(read.seen(), answers, stretches)


def _lines(text: str) -> Sequence[str]:
    """Return the lines of a text; the same object for the same line, which is then kept once."""
    return [*map(sys.intern, text.split("\n"))]
