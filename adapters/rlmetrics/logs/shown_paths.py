"""How messages name a file that was unpacked: as the one that was given, not as its copy in a temporary folder."""

from __future__ import annotations

import os

from rlmetrics.lazy_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["given_path", "stands_for"]

_GIVEN: dict[str, Path] = {}
"""What was given, by the folder that its content was unpacked into."""


def stands_for(folder: Path, given: Path) -> None:
    """Take down that what lies below a folder is the content of a file that was given."""
    _GIVEN[str(folder)] = given


def given_path(path: Path | str) -> Path | str:
    """Return what was given, for a path to its content; any other path as it is.

    What an archive holds is named below it, as if it were a folder.
    """
    if not _GIVEN or isinstance(path, str):
        return path
    folder = next((one for one in map(str, (path, *path.parents)) if one in _GIVEN), None)
    if folder is None:
        return path
    inner = os.path.relpath(path, folder)
    given = _GIVEN[folder]
    return given if os.sep not in inner or inner == os.curdir else given / inner.partition(os.sep)[2]
