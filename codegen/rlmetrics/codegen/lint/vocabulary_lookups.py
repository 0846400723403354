"""Names of the spec's vocabularies that must exist, with the nearest ones where they do not."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from rlmetrics.names.tables.levels import UPDATE

from .lint_check import Hit

if TYPE_CHECKING:
    from ..loader import YamlPath
    from .context import Context

__all__ = ["inputs", "levels", "missing", "parts", "population", "traits"]


def missing(
    context: Context,
    kind: str,
    table: str,
    name: str,
    known: Collection[str],
    ref: str,
    path: YamlPath,
    *,
    value: bool = True,
) -> Iterator[Hit]:
    """Yield a hit if ``name`` is not in ``known``, with the nearest names."""
    if name in known or context.spec.is_unread(table, name):
        return
    near = difflib.get_close_matches(name, known, n=2, cutoff=0.6)
    fix = f"did you mean {' or '.join(f'`{item}`' for item in near)}?" if near else None
    yield Hit(ref, path, f"there is no {kind} `{name}`", fix, value)


def inputs(context: Context, names: list[str], ref: str, path: YamlPath) -> Iterator[Hit]:
    """Yield a hit for each name that is no input."""
    for index, name in enumerate(names):
        yield from missing(context, "input", "inputs", name, context.spec.inputs, ref, (*path, index))


def population(context: Context, name: str | None, ref: str, path: YamlPath) -> Iterator[Hit]:
    """Yield a hit for a name that is no population."""
    if name is not None:
        known = context.spec.signatures.populations
        yield from missing(context, "population", "populations", name, known, ref, path)


def traits(context: Context, names: list[str], ref: str, path: YamlPath) -> Iterator[Hit]:
    """Yield a hit for each name that is no trait."""
    for index, name in enumerate(names):
        known = context.spec.signatures.traits
        yield from missing(context, "trait", "traits", name, known, ref, (*path, index))


def levels(context: Context, names: Iterable[str], ref: str, path: YamlPath) -> Iterator[Hit]:
    """Yield a hit for each key that is no level of reduction."""
    for name in names:
        known = context.spec.signatures.levels
        yield from missing(context, "level of reduction", "levels", name, known, ref, (*path, name), value=False)


def parts(context: Context, names: Iterable[str], ref: str, path: YamlPath) -> Iterator[Hit]:
    """Yield a hit for each key that is no level of reduction nor an optimizer step on a batch."""
    yield from levels(context, (name for name in names if name != UPDATE), ref, path)
