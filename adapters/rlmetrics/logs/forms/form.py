"""What there is to know of a form: how it is recognised, opened, and brought about again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rlmetrics.lazy_dataclasses import dataclass

__all__ = ["Form", "below", "plain_name"]


@dataclass(frozen=True, slots=True)
class Form:
    """A form.

    Attributes:
        name: What a file of this form is called in messages.
        is_one: Tells from a path and the first bytes whether a file has it.
        open: Writes what a file holds below a folder, and returns where.
        close: Writes a plain file to a path in this form; None if it can't be brought about again.
        is_archive: Whether it holds files.
        note: What is said of a run that was read from it; empty if it goes without saying.
    """

    name: str
    is_one: Callable[[Path, bytes], bool]
    open: Callable[[Path, Path], Path]
    close: Callable[[Path, Path], None] | None = None
    is_archive: bool = False
    note: str = ""


def plain_name(path: Path, endings: frozenset[str]) -> str:
    """Return what a file is called without the ending that says what it was packed with."""
    return path.stem or path.name if path.suffix.lower() in endings else path.name


def below(folder: Path, name: str, suffix: str | None = None) -> Path:
    """Return a place below a folder for a file of some name, with another ending if one is given."""
    return folder / (name if suffix is None else f"{Path(name).stem}{suffix}")
