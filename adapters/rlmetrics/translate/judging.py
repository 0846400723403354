"""Decides for a whole run which of its keys is written where several claim one name.

To decide row by row would tear series apart: rows with equal values would go elsewhere than others.
Most runs have no two such keys and are written in one pass. Where a second key turns up, that pass is given up, another
one finds out where their values differ, and the run is written with what follows from that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from .errors import InputError
from .files import discard
from .report import Report
from .translator import RivalsError, Translator
from .values import same

__all__ = ["Rows", "Write", "colliding", "judged"]

Rows = Iterable[tuple[str | None, Mapping[str, Any]]]
"""The rows of a file in their order, each with the run that it belongs to, if a file may hold several."""

Write = Callable[[Path, Path, Report, list[str] | None], None]
"""Writes the translation of a path to another one, of all runs or of some."""


def judged(
    path: Path,
    goal: Path,
    translator: Translator,
    kind: str,
    write: Write,
    rows: Callable[[], Rows],
    only: list[str] | None = None,
) -> Report:
    """Write a file, with what its runs say about names that several keys claim, and return the account.

    Args:
        path: The file.
        goal: Where the translation goes.
        translator: Carries the names.
        kind: What the file is.
        write: Writes it.
        rows: Returns its rows.
        only: The only runs that are translated; None for all.
    """
    report = translator.new_report(kind, watched=True)
    try:
        write(path, goal, report, only)
    except RivalsError:
        discard(goal)
    else:
        return report
    verdicts: dict[frozenset[str], list[str]] = {}
    for run, keys in colliding(rows(), translator).items():
        if only is None or run in only:
            verdicts.setdefault(keys, []).append(run or "")
    reports: list[Report] = []
    for keys, runs in verdicts.items() or [(frozenset[str](), [""])]:
        report = translator.new_report(kind)
        translator.set_aside(keys)
        place = goal.with_name(f"{goal.name}.{len(reports)}")
        write(path, place, report, runs if runs != [""] else only)
        if reports:
            discard(path)
        path = place
        reports.append(report)
    path.replace(goal)
    for other in reports[1:]:
        reports[0].merge(other)
    return reports[0]


def colliding(rows: Rows, translator: Translator) -> dict[str | None, frozenset[str]]:
    """Return, for each run, the keys that claim one name and can't share it.

    They can if their values are the same in every row that has several of them, and there are such rows: series that
    never meet may be anything.
    """
    found: dict[str | None, _Claims] = {}
    for run, row in rows:
        if run not in found:
            found[run] = _Claims(translator)
        found[run].add(row)
    return {run: claims.colliding() for run, claims in found.items()}


class _Claims:
    """What one run says about keys that claim one name."""

    def __init__(self, translator: Translator) -> None:
        self._translator = translator
        self._outputs: dict[str, str | None] = {}
        self._equal: dict[str, list[set[str]]] = {}
        self._unequal: set[str] = set()

    def add(self, row: Mapping[str, Any]) -> None:
        """Look at the claims in a row."""
        claims: dict[str, list[str]] = {}
        for key in row:
            output = self._output(key)
            if output is not None:
                claims.setdefault(output, []).append(key)
        for output, keys in claims.items():
            if len(keys) > 1 and output not in self._unequal:
                self._meet(output, keys, row)

    def colliding(self) -> frozenset[str]:
        """Return the keys that can't share a name."""
        apart = {output for output, parts in self._equal.items() if len(parts) > 1} | self._unequal
        return frozenset(key for output in apart for part in self._equal[output] for key in part)

    def _output(self, key: str) -> str | None:
        """Return the name that a key claims, and take it down; None if the key is left out."""
        if key not in self._outputs:
            output = self._outputs[key] = self._translator.claimed(key)
            if output is not None:
                self._equal.setdefault(output, []).append({key})
        return self._outputs[key]

    def _meet(self, output: str, keys: list[str], row: Mapping[str, Any]) -> None:
        first, *others = (_written(self._translator, key, row[key]) for key in keys)
        if not all(same(first, other) for other in others):
            self._unequal.add(output)
        elif len(self._equal[output]) > 1:
            together = [part for part in self._equal[output] if not part.isdisjoint(keys)]
            rest = [part for part in self._equal[output] if part.isdisjoint(keys)]
            self._equal[output] = [set[str]().union(*together), *rest]


def _written(translator: Translator, key: str, value: Any) -> Any:
    """Return a value as it would be written; one that can't be converted is refused later, where its place is known."""
    try:
        return translator.converted(key, value)
    except InputError:
        return value
