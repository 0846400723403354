"""The ways from one source to another that have a page: to the next minor release, far, and to another framework."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, pairwise
from typing import NamedTuple

from rlmetrics.names import Difference, DiffResult, MapRow, NameMap, diff, map_names
from rlmetrics.names.meanings.view import FrameworkView
from rlmetrics.names.tables.tables import Tables
from rlmetrics.names.upgrades.diff_records import ChangedKey, ListedKey, RenamedKey
from rlmetrics.wording.condition_words import ConditionWords, condition_words
from rlmetrics.wording.map_notes import MapNotes

from .page_links import migration_page
from .release_steps import components_of, steps_of

__all__ = ["Move", "Note", "moves_of", "place_of", "same_move", "title_of"]

_Told = ChangedKey | RenamedKey | ListedKey


Place = tuple[str, str, str]
"""Component, key and mode of a row's source."""


class Note(NamedTuple):
    """What sets keys of two frameworks apart.

    Attributes:
        text: In words that name both sides.
        severity: How much it weighs, ``close`` or ``biased``.
        gone: When it is gone, in words of the spec.
        group: ``heavy``, ``small``, or ``timers`` for what only sets timers and the like apart.
    """

    text: str
    severity: str
    gone: str | None
    group: str


class Move(NamedTuple):
    """A way from one source to another.

    Attributes:
        kind: ``minor``, ``jump``, or ``crossing``: to another framework or program.
        path: The address of its page.
        framework: That of the source.
        program: What moves: a trainer, a component or a program; that of the source.
        before: The release of the source.
        after: The release of the target.
        from_: The source, as the command line takes it.
        to: The target.
        option: The program to name with ``--program``; empty where the sources say it.
        found: What changed; nothing for a crossing.
        rows: The translation table.
        needs: For rows whose target is not logged by default although the source is: settings with which it is, and
            conditions in the words of the spec.
        notes: What sets keys apart in a crossing, each once.
        cites: For rows, the places of their notes.
    """

    kind: str
    path: str
    framework: str
    program: str
    before: str
    after: str
    from_: str
    to: str
    option: str
    found: DiffResult | None
    rows: tuple[MapRow, ...]
    needs: Mapping[Place, ConditionWords]
    notes: tuple[Note, ...] = ()
    cites: Mapping[Place, tuple[int, ...]] = {}


def title_of(tables: Tables, framework: str) -> str:
    """Return what a framework is called."""
    return tables.title(framework)


def same_move(found: DiffResult) -> bool:
    """Tell whether nobody has to do anything: nothing that training logs went, got another name or another meaning."""
    told: list[_Told] = [*found.changed, *found.renamed, *found.removed]
    return not any(item.mode == "train" and not item.bookkeeping for item in told)


@lru_cache(maxsize=2)
def moves_of(tables: Tables) -> tuple[Move, ...]:
    """Return every move that has a page."""
    found: dict[str, Move] = {}
    for framework in tables.frameworks:
        for program, releases in _programs(tables, framework):
            for kind, pairs in (("minor", _minors(releases)), ("jump", _jumps(tables, framework, program, releases))):
                for before, after in pairs:
                    move = _move(tables, framework, program, before, after, kind)
                    if move is not None:
                        found.setdefault(move.path, move)
    for move in _crossings(tables):
        found[move.path] = move
    return tuple(found.values())


def _programs(tables: Tables, framework: str) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield what is started as one run, with its releases."""
    components = components_of(tables, framework)
    table = tables.framework(framework)
    if not table.programs:
        yield from components.items()
        return
    for name, row in table.programs.items():
        yield name, table.releases.expand(row["releases"]) if "releases" in row else table.releases.names
    for name, releases in components.items():
        stems = [stem for label, stem, _, _ in table.components if label == name]
        if name not in table.programs and all(table.component(stem).program is None for stem in stems):
            yield name, releases


def _minor(release: str) -> str:
    return ".".join(release.split(".")[:2])


def _minors(releases: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the last patch of each minor release with the first of the next."""
    yield from ((before, after) for before, after in pairwise(releases) if _minor(before) != _minor(after))


def _jumps(tables: Tables, framework: str, program: str, releases: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the last patch of each minor release from which people jump with that of the next, and with the newest."""
    stops: list[str] = []
    jumps = tables.framework(framework).jumps
    for minor in (*jumps, *([""] if jumps else [])):
        patches = [release for release in releases if not minor or _minor(release) == minor]
        stops += [release for release in patches[-1:] if release not in stops]
    firsts = dict(_minors(releases))
    for before, after in pairwise(stops):
        first = firsts.get(before)
        # What the patches of the next minor release left alone is told by the step to the first of them.
        if first is None or _minor(first) != _minor(after) or _patched(tables, framework, program, first, after):
            yield before, after


def _patched(tables: Tables, framework: str, program: str, first: str, last: str) -> bool:
    index = tables.framework(framework).releases.index
    return any(
        index(first) < index(step.after) <= index(last)
        and _touched(tables, framework, _component(tables, framework, program), step.before, step.after)
        for step in steps_of(tables, framework)
    )


def _component(tables: Tables, framework: str, program: str) -> str | None:
    """Return the component that a program is; None for a program that has several."""
    return None if program in tables.framework(framework).programs else program


def _move(tables: Tables, framework: str, program: str, before: str, after: str, kind: str) -> Move | None:
    declared = tables.framework(framework).programs
    bracket = "" if program in declared else f"[{program}]"
    option = program if program in declared and not declared[program].get("default") else ""
    from_, to = (f"{framework}{bracket}=={release}" for release in (before, after))
    component = _component(tables, framework, program)
    if kind == "minor" and not _touched(tables, framework, component, before, after):
        return None
    found = diff(from_, to, spec=tables, evidence=False, program=option or None)
    if same_move(found):
        return None
    names = map_names(from_, to, spec=tables, program=option or None)
    path = migration_page(framework, _slug(program), before, after)
    return Move(kind, path, framework, program, before, after, from_, to, option, found, names.rows, _needs(names))


def _needs(names: NameMap) -> dict[Place, ConditionWords]:
    """Return what a log needs for a key to go on, where the source logs it by default and the target does not."""
    usual = {(entry.component, entry.key, entry.mode) for entry in names.from_view.entries() if entry.logged}
    found: dict[Place, ConditionWords] = {}
    for row in names.rows:
        place = place_of(row)
        target = names.target_of(row)
        if place in usual and target is not None and target.logged is not True and target.condition is not None:
            view = names.to_view
            assert isinstance(view, FrameworkView)
            found[place] = condition_words(target.condition, view.components[target.component].config)
    return found


def place_of(row: MapRow) -> Place:
    """Return what tells a row from all others of a table."""
    return row.from_component, row.from_, row.mode


def _noted(names: NameMap) -> tuple[tuple[Note, ...], dict[Place, tuple[int, ...]]]:
    """Return what sets keys apart, each once, and which row has what."""
    told = MapNotes(names, [row for row in names.rows if row.to is not None and row.mode == "train"])
    found: dict[str, tuple[Difference, list[MapRow]]] = {}
    for row in names.rows:
        for item in row.differs_by if row.to is not None and row.mode == "train" else ():
            if item.applies is not False and (item.grade != "minor" or item.applies):
                found.setdefault(told.words(item, row), (item, []))[1].append(row)
    notes = [_note(text, *pair, names.from_view.tables) for text, pair in found.items()]
    order = sorted(range(len(notes)), key=lambda place: _GROUPS.index(notes[place].group))
    texts = list(found)
    cites: dict[Place, tuple[int, ...]] = {}
    for number, place in enumerate(order):
        for row in found[texts[place]][1]:
            cites[place_of(row)] = (*cites.get(place_of(row), ()), number)
    return tuple(notes[place] for place in order), cites


_GROUPS = ("heavy", "small", "timers")


def _note(text: str, item: Difference, rows: Sequence[MapRow], tables: Tables) -> Note:
    minor = item.grade == "minor"
    timers = tables.signatures["BOOKKEEPING"]
    quantities = {tables.metrics.get(row.metric or "", {}).get("identity", {}).get("quantity") for row in rows}
    group = "timers" if quantities <= set(timers) else "small" if minor else "heavy"
    return Note(text, "close" if minor else "biased", item.vanishes_when, group)


def _slug(program: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.]+", "-", program)


def _touched(tables: Tables, framework: str, component: str | None, before: str, after: str) -> bool:
    """Tell whether a step of the whole framework concerns a component; true where the two are no neighbours in it."""
    for step in steps_of(tables, framework):
        if (step.before, step.after) == (before, after):
            found = step.found
            told: list[_Told] = [*found.changed, *found.renamed, *found.removed]
            return any(
                item.mode == "train" and not item.bookkeeping and (component is None or component in _parts(item))
                for item in told
            )
    return True


def _parts(item: _Told) -> set[str]:
    return {item.component, item.to_component} if isinstance(item, RenamedKey) else {item.component}


def _crossings(tables: Tables) -> Iterator[Move]:
    """Yield the ways between what does the same in two frameworks, both ways, then from what ended to its successor.

    A framework that derives from another one is compared with that one alone, in the release under its last one.
    """
    for first, second in combinations(tables.named, 2):
        if second in tables.derived and tables.head(second)["base"] != first:
            continue
        ends = _ends(tables, first), _ends(tables, second)
        for here, there in dict.fromkeys((ends[0][task], ends[1][task]) for task in ends[0] if task in ends[1]):
            here = _under(tables, here, there)
            yield _crossing(tables, here, there)
            yield _crossing(tables, there, here)
    for framework in tables.frameworks:
        for ended, successor in tables.framework(framework).succeeded.items():
            yield _crossing(tables, *(_end(tables, framework, name) for name in (ended, successor)))


def _ends(tables: Tables, framework: str) -> dict[str, _End]:
    """Return what does each task in a framework."""
    return {task: _end(tables, framework, name) for task, name in tables.framework(framework).tasks.items()}


def _under(tables: Tables, end: _End, derived: _End) -> _End:
    """Return an end in the release that what derives from it runs on, if it is described in that."""
    base = tables.framework(derived.framework).base
    if base is None or base[1][derived.release] not in components_of(tables, end.framework)[end.name]:
        return end
    return end._replace(release=base[1][derived.release])


def _end(tables: Tables, framework: str, name: str) -> _End:
    """Return a component or program in its last release."""
    table = tables.framework(framework)
    releases = components_of(tables, framework).get(name, table.releases.names)
    default = table.programs.get(name, {}).get("default")
    return _End(framework, name, "" if default else name, releases[-1])


class _End(NamedTuple):
    """Where a crossing begins or ends.

    Attributes:
        framework: The framework.
        name: A component or program.
        program: The same, but for what a framework does by default: nothing.
        release: Its last release.
    """

    framework: str
    name: str
    program: str
    release: str

    @property
    def source(self) -> str:
        bracket = f"[{self.program}]" if self.program else ""
        return f"{self.framework}{bracket}=={self.release}"

    @property
    def address(self) -> str:
        return f"{self.framework}-{self.program}" if self.program else self.framework


def _crossing(tables: Tables, start: _End, end: _End) -> Move:
    names = map_names(start.source, end.source, spec=tables)
    return Move(
        "crossing",
        f"migrate/{start.address}/{end.address}",
        start.framework,
        start.name,
        start.release,
        end.release,
        start.source,
        end.source,
        "",
        None,
        names.rows,
        _needs(names),
        *_noted(names),
    )
