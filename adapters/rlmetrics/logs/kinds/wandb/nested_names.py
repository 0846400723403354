"""Names in nested dicts, as W&B shows them: each value is a metric of its own, its keys joined by dots.

Two dicts are no such metrics: a value that has a ``_type``, such as a histogram, and what a summary keeps of a metric,
such as its highest value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

__all__ = ["NestedNames", "leaves", "nested", "put"]

_TYPE = "_type"
_STATISTICS = {"min", "max", "mean", "last", "first", "best"}
_MOST = 100_000
"""How many names are remembered."""
_DEEPEST = 100
"""How many levels are looked into; what lies deeper is one value."""


class NestedNames:
    """Tells which part of each path in a run is the name of a metric, given the rows in their order."""

    def __init__(self) -> None:
        self._values: set[tuple[str, ...]] = set()
        self._logged: set[str] = set()

    def learn(self, paths: Iterable[Sequence[str]], *, summary: bool) -> set[str]:
        """Look at all paths of a row, before `length` is asked; return with what those begin of which it changes."""
        if max(len(self._values), len(self._logged)) > _MOST:
            self._values.clear()
            self._logged.clear()
        changed: set[str] = set()
        for path in paths:
            if len(path) == 1:
                continue
            if path[-1] == _TYPE and (value := tuple(path[:-1])) not in self._values:
                self._values.add(value)
                changed.add(path[0])
            elif path[-1] in _STATISTICS and not summary and (name := ".".join(path)) not in self._logged:
                self._logged.add(name)
                changed.add(path[0])
        return changed

    def know(self, names: Iterable[str]) -> None:
        """Take down names that rows have, so that a summary has the same, and no statistic."""
        self._logged.update(name for name in names if name.rpartition(".")[2] in _STATISTICS)

    def length(self, path: Sequence[str], *, summary: bool) -> int:
        """Return how many elements of a path are a name; the others lead into its value."""
        for length in range(1, len(path) if self._values else 0):
            if tuple(path[:length]) in self._values:
                return length
        is_statistic = summary and len(path) > 1 and path[-1] in _STATISTICS and ".".join(path) not in self._logged
        return len(path) - is_statistic

    def flat(self, row: Mapping[str, Any], *, summary: bool) -> tuple[dict[str, Any], dict[str, tuple[str, ...]]]:
        """Return a row without nested dicts, and the paths of the names that were in one."""
        found = [((key, *inner), leaf) for key, value in row.items() for inner, leaf in leaves(value)]
        self.learn([path for path, _ in found], summary=summary)
        values: dict[str, Any] = {}
        paths: dict[str, tuple[str, ...]] = {}
        for path, leaf in found:
            length = self.length(path, summary=summary)
            name = ".".join(path[:length])
            put(values, (name, *path[length:]), leaf)
            if length > 1:
                paths[name] = path[:length]
        return values, paths


def leaves(value: Any, levels: int = _DEEPEST) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the values in nested dicts, each with its path; one that is none of these has an empty path."""
    if levels and isinstance(value, dict) and value and _TYPE not in value:
        for key, inner in value.items():
            for path, leaf in leaves(inner, levels - 1):
                yield (key, *path), leaf
    else:
        yield (), value


def nested(name: str, old: Sequence[str]) -> tuple[str, ...]:
    """Return the path for the new name of a metric: as deep as the old one, if the new name ends as that does."""
    if name == ".".join(old):
        return tuple(old)
    end = "".join(f".{part}" for part in old[1:])
    stem = name.removesuffix(end)
    return (stem, *old[1:]) if stem and stem != name else (name,)


def put(row: dict[str, Any], path: Sequence[str], value: Any) -> None:
    """Put a value where a path leads to; what is no dict makes way."""
    for part in path[:-1]:
        inner = row.get(part)
        if not isinstance(inner, dict):
            inner = row[part] = {}
        row = inner
    row[path[-1]] = value
