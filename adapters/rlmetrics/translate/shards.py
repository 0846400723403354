"""Splits a folder among processes that know nothing of each other, such as the jobs of a cluster.

Each writes its share into a folder beside the output. The one that finds all shares there puts them together, so that
the copy appears as a whole, as always. A share that was written before is taken as it is, if its files are the same.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rlmetrics.lazy_dataclasses import asdict, dataclass
from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.reading import Loss

from .report import Report

if sys.platform != "win32":
    import fcntl

__all__ = ["Shard", "Share", "link_all", "stamp_of", "store", "stored", "tree_of"]

_TREE, _ACCOUNT = "tree", "account.json"


@dataclass(frozen=True, slots=True)
class Shard:
    """One of several shares of a folder, counted from 1."""

    number: int
    of: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Read ``K/N``.

        Raises:
            InputError: If it is none.
        """
        share = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text, re.ASCII)
        if share is None or not 1 <= int(share[1]) <= int(share[2]):
            msg = f"{text!r} is no share; write K/N, such as 1/8, with K from 1 to N"
            raise InputError(msg)
        return cls(int(share[1]), int(share[2]))

    def has(self, path: Path, root: Path) -> bool:
        """Tell whether a path belongs to this share: that depends on nothing but its place in the folder."""
        return zlib.crc32(os.fsencode(path.relative_to(root).as_posix())) % self.of == self.number - 1


class Share:
    """The shares of one translation, beside its output.

    Args:
        output: Where the copy goes.
        shard: Which of the shares is meant.
        what: All that decides what is written; shares of other translations are kept apart.
    """

    def __init__(self, output: Path, shard: Shard, what: Any) -> None:
        import hashlib

        digest = hashlib.blake2b(repr((output.name, shard.of, what)).encode(), digest_size=6).hexdigest()
        self._folder = output.with_name(f".{digest}.{shard.of}-shards")
        self._shard = shard
        self._folder.mkdir(exist_ok=True)

    @property
    def place(self) -> Path:
        """Where this share goes."""
        return self._folder / str(self._shard.number)

    def is_done(self, stamp: str) -> bool:
        """Tell whether this share was written before, from files that were as they are."""
        try:
            return bool(_account(self.place)["stamp"] == stamp)
        except (OSError, ValueError, KeyError, TypeError):
            return False

    def done(self) -> int:
        """Return how many shares are there."""
        return sum((self._folder / str(number) / _ACCOUNT).is_file() for number in range(1, self._shard.of + 1))

    @contextmanager
    def all(self) -> Iterator[list[Path]]:
        """Give the folders of all shares to one process, to be put together; none if some are missing, or it is done.

        They are removed if nothing is raised.
        """
        try:
            lock = (self._folder / "lock").open("ab")
        except FileNotFoundError:
            yield []
            return
        with lock:
            if sys.platform != "win32":
                fcntl.flock(lock, fcntl.LOCK_EX)
            if self.done() < self._shard.of:
                yield []
                return
            yield [self._folder / str(number) for number in range(1, self._shard.of + 1)]
            self.drop()

    def drop(self) -> None:
        """Remove all shares."""
        shutil.rmtree(self._folder, ignore_errors=True)


def tree_of(folder: Path) -> Path:
    """Return where the files of a share are."""
    return folder / _TREE


def stamp_of(files: list[Path]) -> str:
    """Return a text that is another one if a file was written since."""
    import hashlib

    digest = hashlib.blake2b(digest_size=16)
    for file in files:
        status = file.stat()
        digest.update(repr((str(file), status.st_size, status.st_mtime_ns)).encode())
    return digest.hexdigest()


def store(folder: Path, total: Report, stamp: str) -> None:
    """Write the account of a share."""
    said = asdict(total)
    text = json.dumps({"stamp": stamp, "report": said}, default=list)
    (folder / _ACCOUNT).write_text(text, encoding="utf-8")


def stored(folder: Path) -> Report:
    """Return the account of a share."""
    return _report(_account(folder)["report"])


def link_all(folder: Path, part: Path) -> None:
    """Give the files of a share their places in the copy, where that is possible without copying them."""
    source = tree_of(folder)
    for file in (path for path in source.rglob("*") if path.is_file()):
        goal = part / file.relative_to(source)
        goal.parent.mkdir(parents=True, exist_ok=True)
        try:
            goal.hardlink_to(file)
        except OSError:
            shutil.copy2(file, goal)


def _account(folder: Path) -> Any:
    return json.loads((folder / _ACCOUNT).read_bytes())


def _report(said: dict[str, Any]) -> Report:
    inner = {"lost": Loss(**said["lost"]), "files": [_report(file) for file in said["files"]], "_seen": set()}
    return Report(**{**said, **inner})
