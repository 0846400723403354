"""Reads what a run has logged since the last look: from where that ended, or all again where only that is possible."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from .runs import Account, LoggedRow, RecordedRun

__all__ = ["Follower", "Whole"]

_HEAD = 64
"""Bytes by which a file is known again: other ones mean that another file has its name."""


class Follower(ABC):
    """What follows a run.

    Args:
        path: The file or folder.

    Attributes:
        path: The file or folder.
        config: Settings of the run, as far as they were recorded.
        account: What was left out.
        restarts: How often what had been read was cut or replaced, so that reading began anew.
        ends: How far each file was read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config: dict[str, Any] = {}
        self.account = Account()
        self.restarts = 0
        self._heads: dict[Path, tuple[int, bytes]] = {}
        self.ends: dict[Path, int] = {}

    @abstractmethod
    def new(self, *, final: bool = False) -> Iterator[LoggedRow]:
        """Yield the rows since the last look.

        Args:
            final: Whether no further look follows, so that what may not be complete is taken too.
        """

    def begin(self, path: Path) -> int:
        """Return where a file is to be read on; 0, and a restart, if it was cut or replaced."""
        end = self.ends.get(path, 0)
        inode, size = path.stat().st_ino, path.stat().st_size
        with path.open("rb") as file:
            head = file.read(_HEAD)
        known = self._heads.get(path)
        if known is not None and (known[0] != inode or size < end or not head.startswith(known[1])):
            self.restarts += 1
            self.ends.clear()
            self._heads.clear()
            self.forget()
            end = 0
        self._heads[path] = (inode, head)
        return end

    def forget(self) -> None:
        """Take what follows for another run."""
        self.config.clear()
        self.account = Account()


class Whole(Follower):
    """Follows a run of a kind that is read as a whole, if it has changed at all.

    Args:
        path: The file or folder.
        read: Reads its runs as they are now.
        by_value: Whether a step is logged value by value, so that the last one may not be complete.
        files: Returns the files that it is read from; none but those that begin with its name, if it is left out.
    """

    def __init__(
        self,
        path: Path,
        read: Callable[[], Iterator[RecordedRun]],
        *,
        by_value: bool = False,
        files: Callable[[], list[Path]] | None = None,
    ) -> None:
        super().__init__(path)
        self._read = read
        self._files = files
        self._by_value = by_value
        self._state: Mapping[Path, tuple[int, int]] = {}
        self._seen = 0

    def new(self, *, final: bool = False) -> Iterator[LoggedRow]:
        """Yield the rows since the last look."""
        state = self._now()
        if state == self._state and not (final and self._by_value):
            return
        self._state = state
        run = next(self._read(), None)
        if run is None:
            return
        self.config.update(run.config)
        held: LoggedRow | None = None
        count = 0
        for row in islice(run.rows, self._seen, None):
            if not self._by_value or final:
                count += 1
                yield row
                continue
            if held is not None:
                count += 1
                yield held
            held = row
        self._seen += count
        self.account = run.account

    def _now(self) -> dict[Path, tuple[int, int]]:
        path = self.path
        files = list(path.rglob("*")) if path.is_dir() else list(path.parent.glob(f"{path.name}*"))
        files += self._files() if self._files is not None else []
        stats = {file: file.stat() for file in files if file.is_file()}
        return {file: (status.st_size, status.st_mtime_ns) for file, status in stats.items()}
