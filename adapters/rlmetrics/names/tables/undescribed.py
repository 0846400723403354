"""Frameworks that the spec does not describe: by what a log is known, and what is nearest to its numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from rlmetrics.lazy_typing import Any, NamedTuple

from .tables import Tables
from .templates import Template, placeholders_in

__all__ = ["Nearest", "Recognised", "bare", "recognised", "told_by", "undescribed_called"]

_PREFIXES = ("train/", "eval/")
"""What trackers put before keys of one mode, and people leave out."""


class Nearest(NamedTuple):
    """What comes nearest to a key of an undescribed framework.

    Attributes:
        key: As it was logged.
        metric: The metric that is nearest by meaning.
        note: What the key is there, and how it differs; None where it needs no word.
    """

    key: str
    metric: str
    note: str | None


class Recognised(NamedTuple):
    """A framework that a run is recognised as.

    Attributes:
        name: What it is called.
        built_on: The described framework whose trainers it runs; None where they are its own.
        is_own_log: Whether the log has a form of its own, with few of the trainer's keys.
        telling: The keys, settings and tags by which it is known.
        known: All keys of the run that it logs.
        nearest: What comes nearest to keys of the run, in the order of the spec.
        described: The framework under its name in sources, if it is described and derives from another one.
        trainer: The trainer of it that alone logs one of the keys, if that one is not described.
        kept: The keys of its trainers that a log of its own form keeps, each with its name there.
    """

    name: str
    built_on: str | None
    is_own_log: bool
    telling: tuple[str, ...]
    known: tuple[str, ...]
    nearest: tuple[Nearest, ...]
    described: str | None = None
    trainer: str | None = None
    kept: Mapping[str, str] = {}


class _Framework(NamedTuple):
    """What is known of one framework.

    Attributes:
        name: What it is called.
        built_on: Whose trainers it runs.
        own_log: Keys of a log of its own form.
        together: Sets of keys that tell it together.
        marks: Settings and tags that tell it.
        names: Keys, each with the metric that is nearest and how it differs.
        described: Its name in sources, if it is described.
        trainers: Trainers of it that are not described, by keys that they alone log.
        kept: The keys of its trainers that a log of its own form keeps, each with its name there.
    """

    name: str
    built_on: str | None
    own_log: frozenset[str]
    together: tuple[frozenset[str], ...]
    marks: frozenset[str]
    names: tuple[tuple[str, str, str | None], ...]
    described: str | None = None
    trainers: Mapping[str, str] = {}
    kept: Mapping[str, str] = {}

    def nearest(self, logged: Mapping[str, str]) -> Iterator[Nearest]:
        """Yield what comes nearest to keys, in the order of the spec."""
        for name, metric, note in self.names:
            if name in logged:
                yield Nearest(logged[name], metric, note)


class _Table:
    """The frameworks, and which of them log a key: templates lie by their first part, so that few are tried."""

    def __init__(self, rows: Iterable[Mapping[str, Any]]) -> None:
        self.frameworks: list[_Framework] = []
        self._plain: dict[str, list[tuple[int, bool]]] = {}
        self._templates: dict[str, list[tuple[Template, int, bool]]] = {}
        for number, row in enumerate(rows):
            known_by = row["known_by"]
            own_log = known_by.get("own_log", ())
            self.frameworks.append(
                _Framework(
                    str(known_by["framework"]),
                    known_by.get("built_on"),
                    frozenset(own_log),
                    tuple(frozenset(map(bare, keys)) for keys in known_by.get("together", ())),
                    frozenset(known_by.get("settings", ())).union(
                        known_by.get("added_settings", ()), known_by.get("tags", ())
                    ),
                    tuple((bare(item["name"]), item["metric"], item.get("note")) for item in row["names"]),
                    row.get("described"),
                    known_by.get("not_described", {}),
                    known_by.get("kept", {}),
                )
            )
            for key in (*known_by.get("keys", ()), *own_log):
                self._add(key, number, telling=True)
            for key in (*known_by.get("also", ()), *(item["name"] for item in row["names"])):
                self._add(key, number, telling=False)

    def _add(self, key: str, number: int, *, telling: bool) -> None:
        name = bare(key)
        if "{" not in name:
            self._plain.setdefault(name, []).append((number, telling))
            return
        name = key if name.startswith("{") else name
        template = Template(name, dict.fromkeys(placeholders_in(name), ".+"))
        self._templates.setdefault(_head(name), []).append((template, number, telling))

    def logging(self, key: str) -> Iterator[tuple[int, bool]]:
        """Yield the numbers of the frameworks that log a key, and whether it tells them."""
        name = bare(key)
        yield from self._plain.get(name, ())
        for spelled in {name, key}:
            for head in ("", _head(spelled)):
                for template, number, telling in self._templates.get(head, ()):
                    if template.parse(spelled) is not None:
                        yield number, telling


def _head(key: str) -> str:
    """Return the first part of a key; nothing if that is the whole, or no one text."""
    head, slash, _ = key.partition("/")
    return head if slash and "{" not in head else ""


def recognised(keys: Sequence[str], tables: Tables, marks: Collection[str] = ()) -> Recognised | None:
    """Return the undescribed framework that most speaks for; None where nothing does.

    Args:
        keys: What a run logged.
        tables: The spec.
        marks: Settings that it recorded, and tags that stand beside it.
    """
    found = list(_recognised(keys, tables, marks))
    return max(found, key=lambda one: (len(one.telling), len(one.known)), default=None)


def told_by(key: str, tables: Tables) -> list[Recognised]:
    """Return the undescribed frameworks that one key tells."""
    return [found for found in _recognised([key], tables, ()) if found.described is None]


def undescribed_called(name: str, tables: Tables) -> str | None:
    """Return the undescribed framework that somebody means by a name, however it is spelled."""
    meant = _letters(name)
    titles = [framework.name for framework in _table(tables).frameworks if framework.described is None]
    return next((title for title in titles if meant in {_letters(part) for part in title.split(" or ")}), None)


def _letters(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())


def bare(key: str) -> str:
    """Return a key without what a tracker puts before it."""
    return next((key[len(prefix) :] for prefix in _PREFIXES if key.startswith(prefix)), key)


def _recognised(keys: Sequence[str], tables: Tables, marks: Collection[str]) -> Iterator[Recognised]:
    """Yield the frameworks that something tells."""
    table = _table(tables)
    telling: dict[int, dict[str, None]] = {}
    known: dict[int, dict[str, None]] = {}
    for key in keys:
        for number, tells in table.logging(key):
            known.setdefault(number, {})[key] = None
            if tells:
                telling.setdefault(number, {})[key] = None
    logged = {bare(key): key for key in keys}
    for number, framework in enumerate(table.frameworks):
        told = [*telling.get(number, ())]
        told += [logged[name] for names in framework.together if names <= logged.keys() for name in sorted(names)]
        told += [mark for mark in marks if mark in framework.marks] if framework.marks else []
        if told:
            is_own_log = not framework.own_log.isdisjoint(told)
            nearest = tuple(framework.nearest(logged))
            of_it = tuple(known.get(number, ()))
            names = framework.name, framework.built_on, is_own_log
            trainer = next((name for key, name in framework.trainers.items() if key in logged), None)
            yield Recognised(*names, tuple(told), of_it, nearest, framework.described, trainer, framework.kept)


@lru_cache(maxsize=4)
def _table(tables: Tables) -> _Table:
    """Return all that is known of undescribed frameworks, opened once."""
    derived = [
        {
            "known_by": {**row["known_by"], "framework": row["title"], "built_on": row["base"]},
            "names": (),
            "described": name,
        }
        for name, row in tables.derived.items()
        if "known_by" in row
    ]
    return _Table([*(row for row in tables.conventions.values() if "known_by" in row), *derived])
