"""All locks of a framework on disk: ``spec/locks/<framework>/<component>.lock``."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from .lock import Lock
from .lock_text import read_lock, write_lock

__all__ = ["SHARED", "Ledger"]

SHARED = "framework"
"""The lock of what belongs to no single component: requirements, and what people confirmed."""


class Ledger:
    """The locks of one framework, read when they are first asked for.

    Args:
        folder: Their folder, ``spec/locks/<framework>``. Locks of another package lie in a folder of its name below.
        package: The framework's own package.
    """

    def __init__(self, folder: Path, package: str) -> None:
        self.folder = folder
        self.package = package
        self._locks: dict[tuple[str, str], Lock] = {}

    def path(self, stem: str, package: str | None = None) -> Path:
        """Return where a component's lock of a package lies."""
        own = package in (None, self.package)
        return self.folder / f"{stem}.lock" if own else self.folder / str(package) / f"{stem}.lock"

    def lock(self, stem: str, package: str | None = None) -> Lock:
        """Return a component's lock of a package, by default of the framework's own; empty where there is none yet.

        Raises:
            LockError: If the file is not a lock.
        """
        name = package or self.package
        if (name, stem) not in self._locks:
            path = self.path(stem, name)
            if path.is_file():
                lock = read_lock(path.read_text(encoding="utf-8"), path.as_posix(), stem)
            else:
                lock = Lock(name, stem)
            self._locks[name, stem] = lock
            if stem != SHARED:
                lock.common = self.lock(SHARED, name)
        return self._locks[name, stem]

    def save(self, only: Iterable[str] | None = None) -> list[Path]:
        """Write the locks that differ from their files.

        Args:
            only: Stems; all that were read, if left out.

        Returns:
            The files that were written.
        """
        wanted = None if only is None else set(only)
        written: list[Path] = []
        for (package, stem), lock in sorted(self._locks.items()):
            path = self.path(stem, package)
            text = write_lock(lock)
            if (wanted is not None and stem not in wanted) or not (lock.releases or path.is_file()):
                continue
            if not path.is_file() or path.read_text(encoding="utf-8") != text:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
                written.append(path)
        return written
