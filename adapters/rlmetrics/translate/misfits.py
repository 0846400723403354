"""Files of a folder that the one source which is named for all of it did not log."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from rlmetrics.names import AmbiguousError, infer_source
from rlmetrics.names.errors import NamesError
from rlmetrics.names.tables import Overlays, Tables

from .errors import InputError
from .tree import Unit

__all__ = ["misfits"]

_MUCH_LESS = 0.8
"""Share of the keys known to what explains a file best below which the named source does not fit it."""


def misfits(
    units: Sequence[Unit], source: str, knows: Callable[[str, str], bool], spec: Overlays | Tables
) -> dict[Path, str]:
    """Return the files of which another program explains clearly more keys, each with what is to be said.

    Args:
        units: The files.
        source: The source that is named for all of them, resolved.
        knows: Tells whether a source knows a key.
        spec: Folders with further YAML.
    """
    found: dict[Path, str] = {}
    for unit in units:
        if unit.kind.is_layout:
            continue
        try:
            names = sorted(set(unit.open().names()))
            others = _explaining(names, spec)
        except (InputError, NamesError, OSError):
            continue
        if not others or any(_is_same_program(other, source) for other in others):
            continue
        own, best = (sum(knows(one, name) for name in names) for one in (source, others[0]))
        if own < _MUCH_LESS * best:
            said = f"{own} of its {len(names)} keys are of {source}, {best} of {others[0]}"
            found[unit.path] = f"{said}: copied as it is; translate it on its own"
    return found


def _explaining(names: Sequence[str], spec: Overlays | Tables) -> list[str]:
    try:
        return [infer_source(names, spec=spec)]
    except AmbiguousError as error:
        return [str(candidate) for candidate in error.candidates]


def _is_same_program(other: str, source: str) -> bool:
    """Tell whether two sources are of one program, whatever the release; one that names none stands for all."""
    own, theirs = (one.partition("==")[0] for one in (source, other))
    return own == theirs or ("[" not in own and theirs.partition("[")[0] == own)
