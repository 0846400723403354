"""Frameworks that the spec does not describe: by what a log is known, and what is nearest to its numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

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
    """

    name: str
    built_on: str | None
    is_own_log: bool
    telling: tuple[str, ...]
    known: tuple[str, ...]
    nearest: tuple[Nearest, ...]


class _Keys:
    """Keys and templates, with or without what trackers put before them."""

    def __init__(self, keys: Sequence[str]) -> None:
        plain = {bare(key) for key in keys if "{" not in key}
        templates = [_template(bare(key)) for key in keys if "{" in key]
        self._plain = plain
        self._templates = [(one.text.partition("{")[0], one) for one in templates]

    def __contains__(self, key: object) -> bool:
        name = bare(str(key))
        return name in self._plain or any(
            name.startswith(start) and one.parse(name) is not None for start, one in self._templates
        )


class _Framework:
    """What is known of one framework, opened for look-ups."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        known_by = row["known_by"]
        self.name = str(known_by["framework"])
        self.built_on: str | None = known_by.get("built_on")
        self.own_log = _Keys(known_by.get("own_log", ()))
        self.telling = _Keys([*known_by.get("keys", ()), *known_by.get("own_log", ())])
        self.also = _Keys([*known_by.get("also", ()), *(item["name"] for item in row["names"])])
        self.marks = frozenset(known_by.get("settings", ())) | frozenset(known_by.get("tags", ()))
        self._names = [(bare(item["name"]), item["metric"], item.get("note")) for item in row["names"]]

    def nearest(self, keys: Collection[str]) -> Iterator[Nearest]:
        """Yield what comes nearest to keys, in the order of the spec."""
        logged = {bare(key): key for key in keys}
        for name, metric, note in self._names:
            if name in logged:
                yield Nearest(logged[name], metric, note)


def recognised(keys: Sequence[str], tables: Tables, marks: Collection[str] = ()) -> Recognised | None:
    """Return the undescribed framework that most speaks for; None where nothing does.

    Args:
        keys: What a run logged.
        tables: The spec.
        marks: Settings that it recorded, and tags that stand beside it.
    """
    found = [one for framework in _frameworks(tables) if (one := _of(framework, keys, marks)) is not None]
    return max(found, key=lambda one: (len(one.telling), len(one.known)), default=None)


def told_by(key: str, tables: Tables) -> list[Recognised]:
    """Return the undescribed frameworks that one key tells."""
    return [one for framework in _frameworks(tables) if (one := _of(framework, [key], ())) is not None]


def undescribed_called(name: str, tables: Tables) -> str | None:
    """Return the undescribed framework that somebody means by a name, however it is spelled."""
    meant = _letters(name)
    titles = [framework.name for framework in _frameworks(tables)]
    return next((title for title in titles if meant in {_letters(part) for part in title.split(" or ")}), None)


def _letters(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())


def bare(key: str) -> str:
    """Return a key without what a tracker puts before it."""
    return next((key[len(prefix) :] for prefix in _PREFIXES if key.startswith(prefix)), key)


def _of(framework: _Framework, keys: Sequence[str], marks: Collection[str]) -> Recognised | None:
    telling = [key for key in keys if key in framework.telling]
    telling += [mark for mark in marks if mark in framework.marks]
    if not telling:
        return None
    known = [key for key in keys if key in framework.telling or key in framework.also]
    is_own_log = any(key in framework.own_log for key in telling)
    nearest = tuple(framework.nearest(keys))
    return Recognised(framework.name, framework.built_on, is_own_log, tuple(telling), tuple(known), nearest)


@lru_cache(maxsize=4)
def _frameworks(tables: Tables) -> tuple[_Framework, ...]:
    """Return all that is known of undescribed frameworks, opened once."""
    return tuple(_Framework(row) for row in tables.conventions.values() if "known_by" in row)


def _template(text: str) -> Template:
    return Template(text, dict.fromkeys(placeholders_in(text), ".+"))
