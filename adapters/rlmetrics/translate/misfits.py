"""Files of a folder that the one source which is named for all of it did not log."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rlmetrics.logs.folder_tree import Unit
from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.log_clues import clues_of
from rlmetrics.names.inference import find_source
from rlmetrics.names.tables.tables import Overlays, Tables
from rlmetrics.names.tables.user_errors import NamesError

__all__ = ["misfits"]

_FEW = 3
"""Telling keys below which a file may be anything, so that who names its source is believed."""


def misfits(units: Sequence[Unit], source: str, spec: Overlays | Tables) -> dict[Path, str]:
    """Return the files of which other programs are left alone by all that is known, each with what is to be said.

    Args:
        units: The files.
        source: The source that is named for all of them, resolved.
        spec: Folders with further YAML.
    """
    found: dict[Path, str] = {}
    for unit in units:
        if unit.kind.is_layout:
            continue
        try:
            log = unit.open()
            answer = find_source(clues_of(log, None, sorted(set(log.names())), whole=True), spec)
        except (InputError, NamesError, OSError):
            continue
        fits = any(_is_of(one.name, source) for one in answer.candidates)
        if answer.source is not None and answer.known >= _FEW and not fits:
            said = f"{answer.known} of its {answer.telling} telling keys are those of {answer.source}, not of {source}"
            found[unit.path] = f"{said}: copied as it is; translate it on its own"
    return found


def _is_of(program: str, source: str) -> bool:
    """Tell whether a source is of a program, whatever the release; one that names none stands for all."""
    own = source.partition("==")[0]
    return own == program or ("[" not in own and program.partition("[")[0] == own)
