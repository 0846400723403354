"""Facts that say what holds already, by their record or by another fact."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from rlmetrics.names.settings.guards import And, GuardError, parse

from ...meaning.guard_texts import text
from ..lint_check import Check, Hit, check
from ..logged import as_yaml

if TYPE_CHECKING:
    from ...loader import YamlPath
    from ...meaning import Resolved, SpecPiece
    from ..context import Context

__all__ = ["CHECKS"]

_ADDED = frozenset({"traits", "without", "notes", "documented", "reads", "constant_when"})
"""Fields whose entries add up; each other one is set."""

_UNSAID = frozenset({"at", "parameters", "groups"})
"""Fields that say where something stands, and what follows from others."""

_Place = tuple[str, "YamlPath"]


class _Saying(NamedTuple):
    """One thing that a record or fact says: a field with its value, an entry of a list, or one level of a reduction."""

    field: str
    part: str
    value: str


@check(
    "fact-repeated",
    "warning",
    what="Something that a fact says and that its record, or another fact whose guard holds wherever its own does, "
    "says of every key and release that the fact is about.",
    fix="say it once",
    metrics=False,
)
def fact_repeated(context: Context) -> Iterator[Hit]:
    told: dict[tuple[_Place, _Saying], _Place | None] = {}
    for component in context.components:
        framework = context.spec.frameworks[component.scope.framework]

        def place_of(piece: SpecPiece) -> _Place:
            owner, path = framework.written(piece.stem, piece.path)  # noqa: B023
            return f"frameworks/{component.scope.framework}/{owner}", path  # noqa: B023

        for item in component.resolved:
            said = [(piece, set(_sayings(piece))) for piece in (item.record, *item.facts)]
            for piece, sayings in said[1:]:
                for saying in sayings:
                    asked = place_of(piece), saying
                    if told.get(asked, asked) is None:
                        continue
                    other = _said_by(item, said, piece, saying)
                    told[asked] = None if other is None or place_of(other) == asked[0] else place_of(other)
    for ((ref, path), saying), place in told.items():
        if place is not None:
            where = (*path, saying.field, *([saying.part] if saying.field == "reduction" else []))
            shown = f"`{saying.field}: {saying.value}`" if len(saying.value) < 80 else f"this of `{saying.field}`"
            message = f"{shown} is said of all these keys and releases at {context.spec.locate(*place)}, too"
            yield Hit(ref, where, message, related=((*place, "said here"),))


def _said_by(
    item: Resolved, said: list[tuple[SpecPiece, set[_Saying]]], piece: SpecPiece, saying: _Saying
) -> SpecPiece | None:
    """Return what says the same of a key wherever a fact holds: a record, a wider fact, or an equal one before it."""
    same = [other for other, sayings in said if other is not piece and saying in sayings]
    for other in same:
        if other is item.record:
            # Where a fact sets something else, one that sets it back says something.
            if saying.field in _ADDED or not _set_otherwise(said, saying):
                return other
        elif _parts(other.when) < _parts(piece.when) or (
            _parts(other.when) == _parts(piece.when) and _order(other) < _order(piece)
        ):
            return other
    return None


def _set_otherwise(said: list[tuple[SpecPiece, set[_Saying]]], saying: _Saying) -> bool:
    return any(each[:2] == saying[:2] and each != saying for _, sayings in said[1:] for each in sayings)


def _order(piece: SpecPiece) -> tuple[str, str]:
    return piece.stem, "/".join(f"{part:>6}" if isinstance(part, int) else part for part in piece.path)


def _sayings(piece: SpecPiece) -> Iterator[_Saying]:
    for field, value in piece.says.items():
        if field in _UNSAID or (field == "metric" and "reproduced_by" in piece.says):
            continue  # a formula variant belongs to the metric that stands with it
        if field == "reduction":
            yield from (_Saying(field, level, str(operation)) for level, operation in value.items())
        elif field in _ADDED and not isinstance(value, str):
            yield from (_Saying(field, _text(entry), _text(entry)) for entry in value)
        else:
            yield _Saying(field, "", _text(value))


def _text(value: Any) -> str:
    return as_yaml(value) if isinstance(value, (str, int, float, bool, type(None))) else repr(value)


@lru_cache(maxsize=4096)
def _parts(guard: str | None) -> frozenset[str]:
    """Return what must hold, all of it, for a guard to hold."""
    if guard is None:
        return frozenset()
    try:
        expression = parse(guard)
    except GuardError:
        return frozenset([guard])
    return frozenset(text(part) for part in (expression.operands if isinstance(expression, And) else (expression,)))


CHECKS: tuple[Check, ...] = (fact_repeated,)
