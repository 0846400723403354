"""One JSON object with a curve for each key, each with steps of its own, as people download or gather them.

A curve is a list of ``{"step": 1, "value": 0.1}``, a list of ``[1, 0.1]``, ``{"steps": [1], "values": [0.1]}`` or
``{"1": 0.1}``, as pandas writes a column, too. All lie in the file's object, or in the only one
of its members that holds curves.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rlmetrics.lazy_typing import NamedTuple

from ..consoles import number_in
from ..input_errors import InputError
from ..log import Kind, RowLog
from ..reading import LoggedRow, RecordedRun

__all__ = ["KIND", "Curves", "JsonCurves", "Point", "by_step"]

_STEPS = ("step", "_step", "global_step", "steps", "iteration", "iterations", "x")
_STATED = frozenset(_STEPS[:3])
"""Keys by which rows say their step themselves."""
_VALUES = ("value", "values", "val", "y")
"""What the two parts of a point, or of a curve, are called."""
_TIMES = frozenset({"wall_time", "timestamp", "time", "epoch"})
"""What else a point may say."""
_MOST_BYTES = 1 << 28
_FEWEST = 2
"""Points that some curve of a file has, by which it is known."""
_BEGINS = re.compile(
    r'\[\s*\{\s*"\w+"\s*:\s*[-\d.]|\[\s*\[\s*[\d.]|\{\s*"\d+"\s*:|'
    rf'\{{\s*"(?:{"|".join((*_STEPS, *_VALUES))})"\s*:\s*\['
)
"""How a curve begins; a file that holds none near its beginning is not read any further."""
_STEP = re.compile(r"\d+(?:\.\d*)?(?:[eE][+-]?\d+)?")


class _Number(str):
    """A number as it is spelled."""

    __slots__ = ()


class Point(NamedTuple):
    """A point of a curve, as it is spelled.

    Attributes:
        step: The step.
        value: The value.
        times: What else the point says, as members of an object.
    """

    step: str
    value: str
    times: str = ""


class Curves(NamedTuple):
    """What a file holds.

    Attributes:
        by_key: The points of each key.
        below: The member of the file's object in which they lie; None if they are its members.
        others: The other members of the file's object.
    """

    by_key: dict[str, list[Point]]
    below: str | None
    others: dict[str, Any]


def recognises(path: Path) -> bool:
    """Tell whether ``path`` is an object of curves."""
    if path.suffix.lower() != ".json" or path.stat().st_size > _MOST_BYTES:
        return False
    with path.open("rb") as file:
        begin = file.read(1 << 14).decode("utf-8-sig", "replace").lstrip()
    if not begin.startswith("{") or _BEGINS.search(begin) is None:
        return False
    try:
        found = _curves(path)
    except InputError:
        return False
    return found is not None and any(len(curve) >= _FEWEST for curve in found.by_key.values())


class JsonCurves(RowLog):
    """Curves of keys, each with the steps at which it was logged."""

    def names(self) -> set[str]:
        """Return the keys."""
        return set(self.curves().by_key)

    def curves(self) -> Curves:
        """Return what the file holds.

        Raises:
            InputError: If it is no such file.
        """
        found = _curves(self.path)
        if found is None:
            msg = 'is no object of curves, such as {"reward": [{"step": 1, "value": 0.1}, {"step": 2, "value": 0.2}]}'
            raise InputError(msg, self.path)
        return found

    def rows(self) -> Iterator[tuple[None, dict[str, Any]]]:
        """Yield the rows."""
        for step, row in by_step(self.curves()):
            yield None, {"step": number_in(step), **{key: number_in(point.value) for key, point in row.items()}}

    def read(self) -> Iterator[RecordedRun]:
        """Yield the one run."""
        curves = self.curves()
        # What pandas writes of a table has the numbers of rows there, and a column with the steps.
        counted = not _STATED.isdisjoint(curves.by_key)
        yield self.run(
            LoggedRow(None if counted else float(at), {key: float(point.value) for key, point in row.items()})
            for at, row in by_step(curves)
        )


def by_step(curves: Curves) -> list[tuple[str, dict[str, Point]]]:
    """Return each step with the points that keys have there, in the order of steps."""
    rows: dict[float, tuple[str, dict[str, Point]]] = {}
    for key, curve in curves.by_key.items():
        for point in curve:
            rows.setdefault(float(point.step), (point.step, {}))[1][key] = point
    return [rows[step] for step in sorted(rows)]


def _curves(path: Path) -> Curves | None:
    """Return the curves of a file; None if it holds something else.

    Raises:
        InputError: If it is not JSON.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
        found = json.loads(text, parse_float=_Number, parse_int=_Number, parse_constant=_Number)
    except (ValueError, RecursionError) as error:
        msg = f"is not JSON: {error}"
        raise InputError(msg, path) from None
    if not isinstance(found, dict):
        return None
    curves = _all_curves(found)
    if curves:
        return Curves(curves, None, {})
    held = {name: _all_curves(member) for name, member in found.items() if isinstance(member, dict)}
    members = [name for name, curves in held.items() if curves]
    if len(members) != 1:  # of several, each is a part of the keys' names, or a run of its own
        return None
    (name,) = members
    return Curves(held[name], name, {other: value for other, value in json.loads(text).items() if other != name})


def _all_curves(found: dict[str, Any]) -> dict[str, list[Point]]:
    """Return an object of which every member is a curve as curves; nothing if it is none."""
    curves = {key: curve for key, member in found.items() if (curve := _curve(member)) is not None}
    return curves if len(curves) == len(found) and any(curves.values()) else {}


def _curve(member: Any) -> list[Point] | None:
    """Return the points of a curve, in any of its forms, without those that have no value; None if it is none."""
    if isinstance(member, list):
        points = [_point(point) for point in member]
    elif isinstance(member, dict) and all(key.isdigit() for key in member):
        points = [*member.items()]
    else:
        points = _of_lists(member) if isinstance(member, dict) else [None]
    curve = []
    for point in points:
        if point is None or not isinstance(point[0], str) or _STEP.fullmatch(point[0]) is None:
            return None
        if isinstance(point[1], _Number):
            curve.append(Point(point[0], point[1], *point[2:]))
        elif point[1] is not None:
            return None
    return curve


def _point(point: Any) -> tuple[Any, ...] | None:
    if isinstance(point, list):
        return tuple(point) if len(point) == 2 else None
    named = _step_and_value(point) if isinstance(point, dict) else None
    if named is None:
        return None
    times = [(name, held) for name, held in point.items() if name not in named]
    if not all(isinstance(held, str) for _, held in times):
        return None
    said = (f", {json.dumps(name)}: {held if isinstance(held, _Number) else json.dumps(held)}" for name, held in times)
    return point[named[0]], point[named[1]], "".join(said)


def _step_and_value(member: dict[str, Any]) -> tuple[str, str] | None:
    """Return what step and value of a point, or of a curve, are called; None if something else stands there, too."""
    step, value = (next((name for name in names if name in member), None) for names in (_STEPS, _VALUES))
    return (step, value) if step and value and member.keys() <= {step, value, *_TIMES} else None


def _of_lists(member: dict[str, Any]) -> list[Any]:
    """Return the points of a curve that has steps and values in a list each."""
    named = _step_and_value(member)
    lists = [member[name] for name in named or ()]
    if len(lists) != len(member) or not all(isinstance(one, list) for one in lists) or len({*map(len, lists)}) != 1:
        return [None]
    return [*zip(*lists, strict=True)]


KIND = Kind("json-curves", recognises, JsonCurves)
