"""Replays the past of the present spec: packages, rows as the resolver sees them, and the table of the docs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from rlmetrics.names.tables.user_errors import UserError

from ..meaning.scope import FrameworkScope, scope_of
from ..meaning.spec_pieces import Resolved, SpecPiece
from .component_lock import LockedComponent
from .fetch import CACHE, open_release
from .ledger import Ledger
from .of_spec import components_of
from .packages import Package
from .replay import Replayed, ReplayRow, RowId, replay_step

if TYPE_CHECKING:
    from ..spec import Spec

__all__ = ["replay", "rows_of", "table"]

_WORDS = frozenset({"at", "notes", "documented", "reads", "name", "bind"})
"""Fields that explain a row and change nothing of what it means."""


def replay(spec: Spec, framework: str, first: str, last: str | None = None, cache: Path = CACHE) -> list[Replayed]:
    """Add releases one after the other, each to the spec cut off just before it.

    Args:
        spec: The present spec.
        framework: The framework.
        first: The first release to add; not its oldest.
        last: The last one; the newest, if left out.
        cache: Where archives lie; what is not there is fetched.

    Raises:
        UserError: If a release is unknown or has none before it.
    """
    order = [item.release for item in spec.frameworks[framework].framework.releases]
    last = last or order[-1]
    if first not in order[1:] or last not in order or order.index(last) < order.index(first):
        msg = f"{framework} {first} to {last}: name releases that the spec knows, the first one not its oldest"
        raise UserError(msg)
    components = components_of(spec, framework)
    model = spec.frameworks[framework].framework
    ledger = Ledger(spec.home(framework) / "locks" / framework, model.imported)
    locks = {stem: ledger.lock(stem) for stem in components}
    resolved = _resolved(scope_of(spec.frameworks[framework]))
    places = {release: index for index, release in enumerate(order)}
    steps: list[Replayed] = []
    old: Package | None = None
    for release in order[places[first] : places[last] + 1]:
        if old is None:
            old = open_release(model.package, order[places[release] - 1], None, cache, of=model)
        new = open_release(model.package, release, None, cache, of=model)

        def keys(component: LockedComponent, release: str) -> Mapping[str, Sequence[str]]:
            # What was extracted when the release was added stands in the lock.
            return {key: places for (_, key), places in locks[component.stem].at("keys", release).items()}

        def rows(release: str) -> Mapping[RowId, ReplayRow]:
            return rows_of(resolved, places[release])

        steps.append(replay_step(old, new, order, components, locks, rows, keys))
        old = new
    return steps


def _resolved(scope: FrameworkScope) -> list[tuple[str, Resolved]]:
    return [
        (stem, item)
        for stem, file in scope.spec.files.items()
        if file.components
        for item in scope.component(stem).resolved
    ]


def rows_of(resolved: Sequence[tuple[str, Resolved]], place: int) -> dict[RowId, ReplayRow]:
    """Return every row of a release with its meaning: records and facts in force, those with one guard together.

    Args:
        resolved: Everything that the files of a framework log, with the stem of each component's file.
        place: Place of the release among all.
    """
    rows: dict[RowId, list[tuple[Any, set[tuple[str, str]]]]] = {}
    for stem, item in resolved:
        if not item.releases >> place & 1:
            continue
        parts: dict[str, dict[str, Any]] = {}
        anchors: set[tuple[str, str]] = set()
        for piece in (item.record, *item.facts):
            if piece is item.record or piece.says.keys() - _WORDS:
                anchors.update((piece.stem, name) for name in piece.fields.at)
            _take(parts.setdefault(piece.when or "", {}), piece)
        meaning = tuple(
            (when, tuple(sorted((name, _frozen(value)) for name, value in said.items())))
            for when, said in sorted(parts.items())
            if said
        )
        rows.setdefault(RowId(stem, item.key, item.mode), []).append((meaning, anchors))
    return {
        key: ReplayRow(
            tuple(sorted((meaning for meaning, _ in parts), key=repr)), frozenset().union(*(a for _, a in parts))
        )
        for key, parts in rows.items()
    }


def _take(said: dict[str, Any], piece: SpecPiece) -> None:
    for name, value in piece.says.items():
        if name in _WORDS:
            continue
        if isinstance(value, list | tuple | set | frozenset):
            said[name] = {*said.get(name, ()), *map(_frozen, value)}
        elif isinstance(value, dict):
            said[name] = {**said.get(name, {}), **value}
        else:
            said[name] = value


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return tuple(sorted((key, _frozen(inner)) for key, inner in value.items()))
    if isinstance(value, set | frozenset):
        return tuple(sorted(value, key=repr))
    if isinstance(value, list | tuple):
        return tuple(map(_frozen, value))
    return value if value is None or isinstance(value, str | int | float | bool) else repr(value)


def table(steps: Sequence[Replayed], *, markdown: bool = False) -> str:
    """Return the replay as a table with a row of totals, for the terminal or for the docs."""
    return "\n".join(_table(steps, markdown))


_HEAD = ("release", "rows", "unchanged", "keep every anchor", "changed", "symbols to read", "lines to read",
         "cause not shown", "silently wrong")  # fmt: skip


def _table(steps: Sequence[Replayed], markdown: bool) -> Iterator[str]:
    rows = [
        (
            step.release,
            str(step.rows),
            str(step.unchanged),
            f"{100 * step.carried / max(1, step.unchanged):.1f} %",
            str(len(step.changed)),
            str(step.symbols),
            str(step.lines),
            str(len(step.unexplained)),
            str(len(step.silent)),
        )
        for step in steps
    ]
    unchanged = sum(step.unchanged for step in steps)
    rows.append(
        (
            "all, or median",
            str(sum(step.rows for step in steps)),
            str(unchanged),
            f"{100 * sum(step.carried for step in steps) / max(1, unchanged):.1f} %",
            str(sum(len(step.changed) for step in steps)),
            f"{median(step.symbols for step in steps):g}",
            f"{median(step.lines for step in steps):g}",
            str(sum(len(step.unexplained) for step in steps)),
            str(sum(len(step.silent) for step in steps)),
        )
    )
    if markdown:
        yield f"| {' | '.join(_HEAD)} |"
        yield "|---" * len(_HEAD) + "|"
        yield from (f"| {' | '.join(row)} |" for row in rows)
        return
    widths = [max(len(row[column]) for row in (_HEAD, *rows)) for column in range(len(_HEAD))]
    for row in (_HEAD, *rows):
        yield "  ".join(
            cell.rjust(width) if column else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
