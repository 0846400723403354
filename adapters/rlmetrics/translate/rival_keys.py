"""Decides for a whole run which of its keys is written where several claim one name.

To decide row by row would tear series apart: rows with equal values would go elsewhere than others.
Most runs have no two such keys and are written in one pass. Where a second key turns up, that pass is given up, another
one finds out where their values differ, and the run is written with what follows from that.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from decimal import Decimal
from itertools import permutations
from typing import Any

from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.log import Rows

from .conversion import same
from .report import Report
from .translator import Translator

__all__ = ["Claims", "claimed", "colliding"]

_STEPS = ("step", "_step", "global_step", "train/global_step", "training/global_step", "episode")


def colliding(rows: Rows, translator: Translator) -> dict[str | None, frozenset[str]]:
    """Return, for each run, the keys that claim one name and can't share it.

    They can if their values are the same in every row that has several of them, and there are such rows: series that
    never meet may be anything.
    """
    return {run: claims.colliding() for run, claims in claimed(rows, translator).items()}


def claimed(rows: Rows, translator: Translator) -> dict[str | None, Claims]:
    """Return, for each run, what it says about names that several keys claim."""
    claims: dict[str | None, Claims] = {}
    for run, row in rows:
        if run not in claims:
            claims[run] = Claims(translator)
        claims[run].add(row)
    return claims


class Claims:
    """What one run says about keys that claim one name.

    Args:
        translator: Says what becomes of the keys.
        before: What was found before the run is read once more, with the keys that collide set aside.

    Attributes:
        aside: Those keys.
    """

    def __init__(self, translator: Translator, before: Claims | None = None) -> None:
        self._translator = translator
        self.aside: frozenset[str] = before.unequal() if before else frozenset()
        self._outputs: dict[str, str | None] = {}
        self._equal: dict[str, list[set[str]]] = {}
        self._unequal: dict[str, dict[str, Any]] = dict(before._unequal) if before else {}
        self._rows = 0
        self._with: dict[str, int] = {}
        self._met: dict[tuple[str, str], int] = {}

    def add(self, row: Mapping[str, Any]) -> None:
        """Look at the claims in a row."""
        self._rows += 1
        claims: dict[str, list[str]] = {}
        for key in row:
            output = self._output(key)
            if output is not None:
                self._with[key] = self._with.get(key, 0) + 1
                claims.setdefault(output, []).append(key)
        for output, keys in claims.items():
            if len(keys) > 1 and output not in self._unequal:
                self._meet(output, keys, row)

    def agree(self, keys: Collection[str], pairs: Collection[tuple[str, str]], rows: int) -> None:
        """Take down some rows with the same keys, of which no two claim one name but those pairs, of equal values."""
        self._rows += rows
        for key in keys:
            if self._output(key) is not None:
                self._with[key] = self._with.get(key, 0) + rows
        for pair in pairs if rows else ():
            self._join(self._outputs[pair[0]] or "", pair)
            for one, other in permutations(pair, 2):
                self._met[one, other] = self._met.get((one, other), 0) + rows

    def colliding(self) -> frozenset[str]:
        """Return the keys that can't share a name."""
        apart = [output for output, parts in self._equal.items() if len(parts) > 1 or output in self._unequal]
        return frozenset(key for output in apart for part in self._equal[output] for key in part)

    def unequal(self) -> frozenset[str]:
        """Return the keys of which it is known by now that they differ from another that claims their name."""
        return self.aside.union(key for output in self._unequal for part in self._equal.get(output, ()) for key in part)

    def tell(self, report: Report, run: str | None) -> None:
        """Say in an account in how many rows keys were equal, and where others were not."""
        written = {how["to"]: old for old, how in report.translated.items() if old not in report.duplicates}
        for old, new in report.duplicates.items():
            met = self._met.get((old, written.get(new, "")), 0)
            if met:
                report.equal[old] = {"key": written[new], "rows": met, "of": self._with[old]}
        for new, where in self._unequal.items():
            if new in report.collisions:
                report.differing.setdefault(new, {**where, "run": run})

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
            values = {key: _plain(row[key]) for key in keys}
            self._unequal[output] = {"row": self._rows, "step": step_of(row), "values": values}
            return
        for one, other in permutations(keys, 2):
            self._met[one, other] = self._met.get((one, other), 0) + 1
        self._join(output, keys)

    def _join(self, output: str, keys: Collection[str]) -> None:
        """Take down that some keys of one name have met with equal values."""
        if len(self._equal[output]) > 1:
            together = [part for part in self._equal[output] if not part.isdisjoint(keys)]
            rest = [part for part in self._equal[output] if part.isdisjoint(keys)]
            self._equal[output] = [set[str]().union(*together), *rest]


def step_of(row: Mapping[str, Any]) -> float | None:
    """Return the step that a row says it belongs to."""
    step = next((row[name] for name in _STEPS if name in row), None)
    return float(step) if isinstance(step, int | float | Decimal) else None


def _plain(value: Any) -> Any:
    return float(value) if isinstance(value, Decimal) else value if isinstance(value, int | float | str) else None


def _written(translator: Translator, key: str, value: Any) -> Any:
    """Return a value as it would be written; one that can't be converted is refused later, where its place is known."""
    try:
        return translator.converted(key, value)
    except InputError:
        return value
