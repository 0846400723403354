"""What of a fleet is done: an entry for each run, beside the output, that a killed process leaves whole.

An entry counts only while the run and what was asked for are what they were, and the output is still there.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import sys
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from rlmetrics.lazy_dataclasses import dataclass
from rlmetrics.logs.input_errors import InputError

if sys.platform != "win32":
    import fcntl

__all__ = ["LedgerEntry", "RunLedger", "digest_of"]

_TABLE = """
CREATE TABLE IF NOT EXISTS runs (
    run TEXT PRIMARY KEY, asked TEXT NOT NULL, input TEXT NOT NULL, output TEXT NOT NULL, account TEXT NOT NULL,
    seconds REAL NOT NULL, done_at TEXT NOT NULL DEFAULT (datetime('now'))
)
"""
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """What is known of a run that is done.

    Attributes:
        asked: A digest of all that decides what becomes of it but itself.
        input: A digest of its files.
        output: A digest of what was written; empty if it was refused.
        account: What is to be told of it.
        seconds: How long it took.
    """

    asked: str
    input: str
    output: str
    account: Any
    seconds: float


class RunLedger:
    """The ledger of one output, to be used in a ``with`` statement.

    Args:
        path: The SQLite database; None for one that is forgotten.
        anew: Forget what is known of earlier runs.

    Raises:
        InputError: There is something else at its place, or another command has it.
    """

    def __init__(self, path: Path | None, *, anew: bool = False) -> None:
        self.path = path = path or Path(":memory:")
        self._lock = None if str(path) == ":memory:" else _locked(path)
        try:
            self._database = sqlite3.connect(path, isolation_level=None)
            self._database.execute(_TABLE)
            self._database.execute("SELECT asked, input, output, account, seconds FROM runs LIMIT 0")
            if anew:
                self._database.execute("DELETE FROM runs")
        except sqlite3.DatabaseError as error:
            msg = f"is no ledger of a fleet ({error}); choose another place with -o, or remove it to begin anew"
            raise InputError(msg, path) from None

    def __enter__(self) -> RunLedger:
        """Use it."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        """Close it."""
        self._database.close()
        if self._lock is not None:
            self._lock.close()

    def entry(self, run: str) -> LedgerEntry | None:
        """Return what is known of a run; None if it is not done."""
        query = "SELECT asked, input, output, account, seconds FROM runs WHERE run = ?"
        row = self._database.execute(query, (run,)).fetchone()
        return None if row is None else LedgerEntry(row[0], row[1], row[2], json.loads(row[3]), row[4])

    def enter(self, run: str, entry: LedgerEntry) -> None:
        """Take down that a run is done; that stands on the disk when this returns."""
        values = (run, entry.asked, entry.input, entry.output, json.dumps(entry.account, default=list), entry.seconds)
        statement = (
            "INSERT OR REPLACE INTO runs (run, asked, input, output, account, seconds) VALUES (?, ?, ?, ?, ?, ?)"
        )
        try:
            self._database.execute(statement, values)
        except sqlite3.OperationalError as error:
            raise OSError(None, str(error), str(self.path)) from None


def _locked(path: Path) -> IO[bytes]:
    """Return an open ledger that no other command has; it is free again when this process ends, however it does.

    Raises:
        InputError: Another command has it.
    """
    file = path.open("ab")
    try:
        if sys.platform != "win32":
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        msg = "another command translates to this output; wait until it ends, or choose another place with -o"
        raise InputError(msg, path) from None
    except OSError:
        pass  # a file system without locks
    return file


def digest_of(files: Iterable[Path]) -> str:
    """Return a digest of the names and contents of files; empty if there are none."""
    digest, some = hashlib.blake2b(digest_size=16), False
    for file in sorted(files):
        some = True
        digest.update(f"{file.name}\0{file.stat().st_size}\0".encode("utf-8", "surrogateescape"))
        with file.open("rb") as opened:
            while block := opened.read(_BLOCK):
                digest.update(block)
    return digest.hexdigest() if some else ""
