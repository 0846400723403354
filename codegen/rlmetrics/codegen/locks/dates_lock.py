"""When releases came out: of a framework, and of other packages whose statements are cited; one line for each."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from ..model.framework import Release
from .lock_text import LockError

if TYPE_CHECKING:
    from ..model import Framework

__all__ = ["FILE", "add_date", "read_dates", "with_dates"]

FILE = "dates.lock"
"""Its name in the folder of the framework's locks."""
_HEAD = "# Kept by `rlmetrics release add`: packages, their releases from the oldest on, and when these came out.\n"
_ROW = re.compile(r"(\S+) (\S+) (\d{4}-\d{2}-\d{2})")


def read_dates(folder: Path) -> dict[str, dict[str, str]]:
    """Return the dates of releases by package, oldest first; none where a framework has no such file.

    Raises:
        LockError: A line is something else.
    """
    path = folder / FILE
    dates: dict[str, dict[str, str]] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines() if path.is_file() else (), 1):
        row = _ROW.fullmatch(line)
        if row is not None:
            dates.setdefault(row[1], {})[row[2]] = row[3]
        elif line and not line.startswith("#"):
            msg = f"{path}:{number}:1: neither a comment nor `PACKAGE RELEASE YYYY-MM-DD`; restore the file with git"
            raise LockError(msg)
    return dates


def add_date(folder: Path, package: str, release: str, day: str) -> None:
    """Add the date of a release, behind the others of its package."""
    dates = read_dates(folder)
    dates.setdefault(package, {})[release] = day
    rows = [f"{name} {each} {when}\n" for name, known in dates.items() for each, when in known.items()]
    (folder / FILE).write_text(_HEAD + "".join(rows), encoding="utf-8")


def with_dates(framework: Framework, folder: Path) -> Framework:
    """Return a framework with the releases that its lock dates; those that its own file lists come after them."""
    dates = read_dates(folder)
    if not dates:
        return framework
    own = dates.pop(framework.package, {})
    releases = [Release(release=name, date=day) for name, day in own.items()]
    releases += [item for item in framework.releases if item.release not in own]
    beside = {package: {**known, **framework.beside.get(package, {})} for package, known in dates.items()}
    return framework.model_copy(update={"releases": releases, "beside": {**framework.beside, **beside}})
